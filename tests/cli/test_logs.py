"""``rebuild-crops``, ``show`` and ``report``: verbs that read saved logs and their pictures."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
from PIL import Image
from verbs import run

from saved import episode, picture, run_folder, scored
from zoomground.data.trajectories import read_records, write_records


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return run_folder(tmp_path / "run")


def test_every_crop_comes_out_byte_for_byte_where_the_messages_refer_to(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run("rebuild-crops", log, "--out", out, "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout) == {"crops": 6, "out": str(out), "problems": []}
    checked = 0
    for line in read_records(log):
        urls = [
            part["image_url"]["url"]
            for message in line.record.messages
            if isinstance(message["content"], list)
            for part in message["content"]
            if part["type"] == "image_url"
        ]
        assert urls[0] == "shots/screen.png"
        for url, view in zip(urls[1:], line.record.trajectory.crops, strict=True):
            assert hashlib.sha256((out / url).read_bytes()).hexdigest() == view.sha256
            checked += 1
    assert checked == 6


def test_by_default_crops_stand_beside_the_log(log: Path) -> None:
    assert run("rebuild-crops", log).exit_code == 0
    assert len(list((log / "crops").glob("*/crop_*.png"))) == 6


def test_another_screenshot_is_a_problem(log: Path) -> None:
    picture(log / "shots" / "screen.png", seed=9)
    result = run("rebuild-crops", log, "--json")
    assert result.exit_code == 1
    problems = json.loads(result.stdout)["problems"]
    assert len(problems) == 4
    assert "rank_0.jsonl:1: " in problems[0]
    assert "sha256" in problems[0]


def test_a_crop_whose_bytes_differ_is_a_problem_and_not_written(log: Path, tmp_path: Path) -> None:
    file = log / "trajectories" / "rank_0.jsonl"
    first = next(line.record for line in read_records(file)).trajectory.crops[0].sha256
    text = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text(text[0].replace(first, "0" * 64) + "".join(text[1:]), "utf-8")
    result = run("rebuild-crops", log, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "s1g0n0/crop_1.png: its bytes differ" in result.stderr
    assert len(list((tmp_path / "out").rglob("*.png"))) == 5


def test_a_missing_screenshot_says_where_it_was_looked_for(log: Path, tmp_path: Path) -> None:
    result = run("rebuild-crops", log, "--images", tmp_path)
    assert result.exit_code == 1
    assert f"'shots/screen.png' is in none of: {tmp_path}" in result.stderr


def test_images_are_found_by_base_name_too(log: Path) -> None:
    assert run("rebuild-crops", log, "--images", log / "shots").exit_code == 0


def test_show_tells_and_draws_an_episode(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "picture.png"
    result = run("show", log, "--index", 2, "--out", out)
    assert result.exit_code == 0, result.stderr
    assert "hit  ·  answered  ·  3 turns  ·  2 crops" in result.stdout
    assert "crop_2.png: [" in result.stdout
    with Image.open(out) as image:
        assert image.width > 1000
    record = json.loads(run("show", log, "--index", 2, "--json").stdout)["record"]
    assert record["uuid"] == "s1g0n2"


def test_show_tells_what_training_did_to_a_turn(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    record = scored(episode(image), "u1", turn_credit=[0.25, 0.0], turns_out=[None, "good"])
    write_records(tmp_path / "log.jsonl", [record])
    told = run("show", tmp_path / "log.jsonl").stdout
    assert "1. (canonical, credit +0.250)" in told
    assert "2. (canonical, left the loss: good)" in told


def test_show_beyond_the_end(log: Path) -> None:
    result = run("show", log, "--index", 99)
    assert result.exit_code == 1
    assert "no record with index 99" in result.stderr


def test_what_a_terminal_would_obey_is_not_printed(log: Path) -> None:
    file = log / "trajectories" / "rank_0.jsonl"
    file.write_text(file.read_text("utf-8").replace("no idea", "\\u001b[31mred\\u0007"), "utf-8")
    result = run("show", log, "--index", 3)
    assert "[31mred" in result.stdout
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout


def test_report_writes_page_curves_and_metrics(log: Path) -> None:
    result = run("report", log, "--count", 4, "--json")
    assert result.exit_code == 0, result.stderr
    made = json.loads(result.stdout)
    assert (made["episodes"], made["shown"]) == (16, 4)
    assert [step["step"] for step in made["steps"]] == [1, 2]
    assert [json.loads(line) for line in Path(made["metrics"]).read_text("utf-8").splitlines()] == made["steps"]
    with Image.open(made["curves"]) as image:
        assert image.format == "PNG"
    assert Path(made["page"]).read_text("utf-8").count("<article") == 4
    text = run("report", log)
    assert text.exit_code == 0
    assert "16 episodes, 16 on the page" in text.stdout


def test_report_holds_the_evaluation_and_the_checks_of_the_run(log: Path) -> None:
    share = {"value": 0.75, "low": 0.6, "high": 0.8}
    results = {
        "name": "grpo",
        "arm": "on",
        "overall": share,
        "zoomed": share,
        "canonical": share,
        "sizes": {"legible": {}},
    }
    evaluation = {"results": [results], "head": ["policy", "hit rate"], "rows": [["grpo", "0.75 [0.6, 0.8]"]]}
    differences = [{"what": "grpo - sft", "hit_rate": "+0.25"}]
    (log / "evaluation").mkdir()
    (log / "evaluation" / "summary.json").write_text(json.dumps(evaluation | {"differences": differences}), "utf-8")
    result = run("report", log, "--json")
    assert result.exit_code == 0, result.stderr
    made = json.loads(result.stdout)
    assert made["summary"]["evaluation"]["rows"] == evaluation["rows"]
    checks = {check["name"]: check["value"] for check in made["summary"]["checks"]}
    assert checks["failed episodes"] == "0 of 16"
    page = Path(made["page"]).read_text("utf-8")
    text = run("report", log).stdout
    for words in ("75.0 [60, 80]", "grpo - sft", "failed episodes"):
        assert words in page
        assert words in text


def test_report_leaves_out_a_bad_line_and_names_it(log: Path) -> None:
    with (log / "trajectories" / "rank_1.jsonl").open("a", encoding="utf-8") as stream:
        stream.write("{}\n")
    result = run("report", log, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["episodes"] == 16
    (error,) = result.stderr.splitlines()
    assert "rank_1.jsonl:9: " in error


def test_report_of_a_folder_without_a_log(tmp_path: Path) -> None:
    result = run("report", tmp_path)
    assert result.exit_code == 1
    assert "holds no trajectories" in result.stderr


def test_a_log_without_a_record_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(b"no record, no line end")
    result = run("rebuild-crops", tmp_path / "log.jsonl", "--json")
    assert result.exit_code == 1
    assert "no record could be read" in json.loads(result.stdout)["problems"][0]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (r'"name":"crop_1.png"', r'"name":"../crop_1.png"', "no file name can be made"),
        (r'"shown":{"width":\d+', r'"shown":{"width":99999999', "more than the limit"),
    ],
)
def test_a_crop_that_cannot_be_made_names_its_record_and_the_others_follow(
    log: Path, old: str, new: str, says: str
) -> None:
    file = next(log.glob("trajectories/*.jsonl"))
    good = file.read_text("utf-8")
    zoomed = next(line for line in good.splitlines() if "crop_1.png" in line)
    bad, count = re.subn(old, new, zoomed)
    assert count
    file.write_text(bad + "\n" + good, "utf-8")
    result = run("rebuild-crops", log, "--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert told["crops"] > 0
    (problem,) = told["problems"]
    assert problem.startswith(f"{file}:1: ")
    assert says in problem
