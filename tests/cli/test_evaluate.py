"""``eval`` and ``compare`` as the command line runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from verbs import run

from layouts import SHARED, downloaded, needs_shared
from scripted_endpoint import MODEL, Answer, fails, says, scripted

IMAGES = {"images/aa.png": (200, 100), "images/bb.png": (160, 90)}
PRO = {"images/paint_linux/one.png": (400, 200), "images/sheet_windows/two.png": (200, 100)}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return downloaded("osworld_g", tmp_path / "data", IMAGES)


def evaluate(data: Path, out: Path, *options: object, bench: str = "osworld_g") -> dict[str, Any]:
    result = run("eval", bench, "--data", data, "--out", out, *options, "--json")
    assert result.exit_code == 0, result.stderr
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_a_scripted_player_in_three_arms(data: Path, tmp_path: Path) -> None:
    found = evaluate(data, tmp_path / "out", "--policy", "oracle", "--arms", "on,off,forced")
    assert list(found["arms"]) == ["on", "off", "forced"]
    assert found["metric"] == "osworld_g"
    assert {arm["averages"]["micro"] for arm in found["arms"].values()} == {1.0}
    assert [(one["first"], one["second"]) for one in found["pairs"]] == [
        ("off", "on"),
        ("off", "forced"),
        ("on", "forced"),
    ]
    assert found["pairs"][0]["mcnemar"] == {"gained": 0, "lost": 0, "both": 3, "neither": 0, "p_value": 1.0}
    assert found["run"]["data"]["samples"] == 3
    assert found["run"]["arms"]["on"]["allow_decline"] is True
    assert found["self_check"] == {"scored": 3, "played": 18}
    assert "Instruction: Change the settings" in found["prompts"]["on"]["messages"][0]["text"]
    text = run(
        "eval", "osworld-g", "--data", data, "--out", tmp_path / "out", "--policy", "oracle", "--arms", "on,off,forced"
    )
    assert text.exit_code == 0
    assert "osworld_g without refusals" in text.stdout
    assert "by capability" in text.stdout
    assert "fine_grained_manipulation" in text.stdout
    written = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))
    assert written["items"][0]["verdicts"] == {"on": "correct", "off": "correct", "forced": "correct"}


def test_an_endpoint_and_its_errors(data: Path, tmp_path: Path) -> None:
    broken = True

    def answer(_: int, body: dict[str, Any]) -> Answer:
        words = json.dumps(body["messages"])
        if "Move the marker" in words:
            return fails(500) if broken else says("[150.00,200.00]")
        return says("<action>decline()</action>" if "Invert" in words else "[1.00,1.00]")

    with scripted(answer) as endpoint:
        options = ("--base-url", endpoint.base_url, "--model", MODEL, "--arms", "off", "--retries", 0)
        result = run("eval", "osworld_g", "--data", data, "--out", tmp_path / "out", *options, "--json")
        assert result.exit_code == 1
        assert "1 results are errors, more than 1 % of the items" in result.stderr
        arm = json.loads(result.stdout)["arms"]["off"]
        assert arm["verdicts"] == {"correct": 1, "wrong": 1, "wrong_format": 0, "refused": 0, "error": 1}
        assert (arm["overall"]["count"], arm["overall"]["total"]) == (1, 3)
        assert arm["cost"]["prompt_tokens"] == 100
        assert len(endpoint.bodies) == 3
        enough = run(
            "eval", "osworld_g", "--data", data, "--out", tmp_path / "out", *options, "--max-errors", 0.5
        )  # fmt: skip
        assert enough.exit_code == 0
        broken = False
        found = evaluate(data, tmp_path / "out", *options)
        assert len(endpoint.bodies) == 5  # the error alone was asked again, twice
        assert found["arms"]["off"]["overall"]["count"] == 2
        assert found["about"] == {"base_url": endpoint.base_url}
        other = run(
            "eval", "osworld_g", "--data", data, "--out", tmp_path / "out", *options, "--temperature", 0.5
        )  # fmt: skip
        assert other.exit_code == 1
        assert "model.temperature: 0.0 then, 0.5 now" in other.stderr
        assert len(endpoint.bodies) == 5


def test_a_page_shows_what_an_arm_gained(data: Path, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")

    def answer(_: int, body: dict[str, Any]) -> Answer:
        words = json.dumps(body["messages"])
        if "Move the marker" in words and "crop_image" in words:
            if "crop_image action result" in words:
                return says("[150.00,200.00]")
            crop = 'crop_image(image_path="aa.png", x1=0.00, y1=0.00, x2=500.00, y2=500.00)'
            return says(f"<action>{crop}</action>")
        return says("[1.00,1.00]")

    with scripted(answer) as endpoint:
        options = ("--base-url", endpoint.base_url, "--model", MODEL, "--arms", "off,on", "--page", 2)
        result = run("eval", "osworld_g", "--data", data, "--out", tmp_path / "out", *options)
    assert result.exit_code == 0, result.stderr
    page = tmp_path / "out" / "report.html"
    assert str(page) in result.stdout
    html = page.read_text("utf-8")
    assert html.count("<b>gained by on</b>") == 4  # in the list and on the episode, of two arms
    assert "on the same items, paired" in html
    assert "crop_1.png" in html
    assert html.count('<image id="shot-') == 1  # both items are of one screenshot, which stands there once
    assert html.count("<article") == 4


def test_show_request_asks_nothing(data: Path, tmp_path: Path) -> None:
    with scripted([says("[1.00,1.00]")]) as endpoint:
        options = ("--base-url", endpoint.base_url, "--model", MODEL, "--extra-body", '{"top_k": 1}')
        result = run("eval", "osworld_g", "--data", data, "--out", tmp_path / "out", *options, "--show-request")
        assert endpoint.bodies == []
    assert result.exit_code == 0, result.stderr
    shown = json.loads(result.stdout)
    assert (shown["model"], shown["temperature"], shown["max_tokens"], shown["top_k"]) == (MODEL, 0.0, 2560, 1)
    assert set(shown) == {"messages", "model", "temperature", "max_tokens", "top_k"}
    assert "Change the settings" in shown["messages"][0]["content"]
    assert shown["messages"][1]["content"][1]["image_url"]["url"].startswith("200x100 px, ")
    assert not (tmp_path / "out").exists()


def test_limit_wording_and_export(tmp_path: Path) -> None:
    data = downloaded("screenspot_pro", tmp_path / "data", PRO)
    found = evaluate(
        data, tmp_path / "cn", "--policy", "center", "--arms", "off", "--wording", "cn", "--limit", 2, "--seed", 3,
        bench="screenspot_pro",
    )  # fmt: skip
    assert found["metric"] == "screenspot_pro@2:cn"
    assert found["run"]["selection"] == {"limit": 2, "seed": 3, "of": 3}
    evaluate(
        data, tmp_path / "all", "--policy", "oracle", "--arms", "off", "--export", tmp_path / "mine.json",
        bench="screenspot_pro",
    )  # fmt: skip
    board = json.loads((tmp_path / "mine.json").read_text("utf-8"))
    assert board["metrics"]["overall"]["action_acc"] == 1.0
    assert [one["correctness"] for one in board["details"]] == ["correct"] * 3
    assert json.loads((tmp_path / "all" / "leaderboard.json").read_text("utf-8")) == board
    refused = run(
        "eval", "rows", "--data", downloaded("rows", tmp_path / "rows", {"shots/a.png": (200, 100)}),
        "--out", tmp_path / "r", "--policy", "oracle", "--export", tmp_path / "x.json",
    )  # fmt: skip
    assert refused.exit_code == 2
    assert "has no leaderboard document" in refused.stderr


def test_wrong_use(data: Path, tmp_path: Path) -> None:
    start = ("eval", "osworld_g", "--data", data, "--out", tmp_path / "out")
    for options, said in (
        (("--policy", "oracle", "--checkpoint", tmp_path), "--policy and --checkpoint: name one who answers"),
        (("--policy", "nobody"), "'nobody' is none of: oracle, anti-oracle, center"),
        (("--replay", data / "OSWorld-G.json"), "say how the recorded answers are written"),
    ):
        result = run(*start, *options)
        assert result.exit_code == 2
        assert said in " ".join(result.stderr.replace("│", " ").split())
    for options, said in (
        (("--policy", "oracle", "--arms", "on,sideways"), "there is no arm 'sideways'"),
        (("--policy", "oracle", "--arms", "on,on"), "one stands there twice"),
        (("--policy", "oracle", "--profile", "norm1", "--arms", "on"), "its only arm is off"),
        (("--checkpoint", tmp_path), "no checkpoint (config.json is missing)"),
    ):
        result = run(*start, *options)
        assert result.exit_code == 1
        assert said in result.stderr


def test_compare(data: Path, tmp_path: Path) -> None:
    evaluate(data, tmp_path / "good", "--policy", "oracle")
    evaluate(data, tmp_path / "bad", "--policy", "anti-oracle")
    result = run("compare", tmp_path / "bad", tmp_path / "good", "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert [one["second"] for one in found["pairs"]] == ["good on", "good off"]
    assert found["pairs"][0]["difference"]["mean"] == 1.0
    assert found["pairs"][0]["mcnemar"]["gained"] == 3
    assert found["made_with"] == {"good": ['model.model: "anti-oracle" then, "oracle" now']}
    text = run("compare", tmp_path / "bad", tmp_path / "good")
    assert "good on - bad on" in text.stdout
    assert "+100.00" in text.stdout
    evaluate(data, tmp_path / "part", "--policy", "oracle", "--limit", 2)
    other = run("compare", tmp_path / "good", tmp_path / "part", "--json")
    assert other.exit_code == 1
    assert json.loads(other.stdout)["differences"][0].startswith("good and part: 1 items are in good alone: ")
    entries = json.loads((data / "OSWorld-G.json").read_text("utf-8"))
    entries[0]["box_coordinates"] = [1, 1, 5, 5]
    (data / "OSWorld-G.json").write_text(json.dumps(entries), "utf-8")
    evaluate(data, tmp_path / "moved", "--policy", "oracle")
    moved = run("compare", tmp_path / "good", tmp_path / "moved")
    assert moved.exit_code == 1
    assert "1 items ask something else, or for another target: aa-0" in moved.stderr
    document = json.loads((tmp_path / "part" / "results.json").read_text("utf-8"))
    del document["items"][0]["verdicts"]["on"]
    (tmp_path / "part" / "results.json").write_text(json.dumps(document), "utf-8")
    gaps = run("compare", tmp_path / "part", tmp_path / "part")
    assert gaps.exit_code == 1
    assert "1 items have no verdict in some arm" in gaps.stderr
    assert run("compare", tmp_path / "good").exit_code == 2
    assert "holds no results.json" in run("compare", tmp_path / "good", data).stderr


def test_recorded_answers_need_no_screenshots(tmp_path: Path) -> None:
    data = downloaded("osworld_g", tmp_path / "data", {})
    answers = tmp_path / "answers.jsonl"
    texts = {"aa-0": "[825, 250]", "aa-1": "on the left", "bb-0": "decline()"}
    answers.write_text(
        "".join(json.dumps({"id": name, "raw_response": text}) + "\n" for name, text in texts.items()), "utf-8"
    )
    found = evaluate(data, tmp_path / "out", "--replay", answers, "--profile", "norm1000")
    assert found["self_check"] == {"scored": 3, "played": 0}
    assert found["arms"]["recorded"]["averages"] == {"micro": 2 / 3, "without refusals": 1 / 2}
    assert found["run"]["model"]["kind"] == "recorded"
    answers.write_text(answers.read_text("utf-8").replace("825", "826"), "utf-8")
    other = run(
        "eval", "osworld_g", "--data", data, "--out", tmp_path / "out", "--replay", answers, "--profile", "norm1000"
    )
    assert other.exit_code == 1
    assert "model.model: " in other.stderr


@needs_shared
@pytest.mark.parametrize(
    ("bench", "file", "scoring", "averages"),
    [
        ("mmbench_gui_l2", "MMBench", "true", {"micro": 88.76, "mean of basic and advanced": 88.78}),
        ("screenspot_pro", "SSPro", "true", {"micro": 67.05}),
        ("screenspot_v2", "SSV2", "true", {"micro": 94.89}),
        ("osworld_g", "OS_G", "published", {"micro": 61.70}),
        ("osworld_g", "OS_G", "true", {"micro": 63.65, "without refusals": 70.39}),
        ("osworld_g_refined", "OS_G_Refine", "published", {"micro": 69.50}),
        ("osworld_g_refined", "OS_G_Refine", "true", {"micro": 71.63, "without refusals": 79.22}),
    ],
)
def test_the_published_figures(bench: str, file: str, scoring: str, averages: dict[str, float], tmp_path: Path) -> None:
    answers = SHARED / "recorded_answers" / f"{file}.jsonl"
    options = ("--replay", answers, "--profile", "mai_ui", "--scoring", scoring)
    found = evaluate(SHARED / "annotations", tmp_path / "out", *options, bench=bench)["arms"]["recorded"]
    assert {name: round(100 * found["averages"][name], 2) for name in averages} == averages
    assert found["verdicts"]["error"] == 0
    assert found["warning"] is None
    if bench == "mmbench_gui_l2":
        levels = {name: round(100 * one["value"], 2) for name, one in found["cells"]["level"].items()}
        assert levels == {"basic": 93.28, "advanced": 84.28}


@needs_shared
def test_a_wrong_profile_is_hinted_at(tmp_path: Path) -> None:
    answers = SHARED / "recorded_answers" / "SSPro.jsonl"
    result = run(
        "eval", "screenspot_pro", "--data", SHARED / "annotations", "--out", tmp_path / "out",
        "--replay", answers, "--profile", "pixels_original+coordinate",
    )  # fmt: skip
    assert result.exit_code == 0
    assert "declared as pixels_original the answers score 0.70 %, as norm1000 67.05 %" in result.stderr


def test_screenshots_of_another_scale_are_scored_in_the_annotated_size(tmp_path: Path) -> None:
    data = downloaded("screenspot_pro", tmp_path / "data", PRO)
    Image.new("RGB", (800, 400)).save(data / "images/paint_linux/one.png")
    for profile in ("zoomground", "pixels_original", "pixels_sent_32"):
        options = ("--policy", "oracle", "--arms", "off", "--profile", profile)
        found = evaluate(data, tmp_path / profile, *options, bench="screenspot_pro")
        assert found["arms"]["off"]["overall"]["count"] == 3


def test_the_results_are_a_log_like_any_other(data: Path, tmp_path: Path) -> None:
    evaluate(data, tmp_path / "out", "--policy", "oracle")
    scored = run("score", tmp_path / "out", "--json")
    assert scored.exit_code == 0, scored.stderr
    assert "every recorded value comes out again" in run("score", tmp_path / "out").stdout


def test_a_context_that_is_too_short_is_an_error_of_its_own_name(data: Path, tmp_path: Path) -> None:
    answer = fails(400, "This model's maximum context length is 4096 tokens")
    with scripted([answer]) as endpoint:
        options = ("--base-url", endpoint.base_url, "--model", MODEL, "--arms", "off", "--json")
        result = run("eval", "osworld_g", "--data", data, "--out", tmp_path / "out", *options)
    assert result.exit_code == 1
    arm = json.loads(result.stdout)["arms"]["off"]
    assert (arm["troubles"], arm["stop_reasons"]) == ({"context_overflow": 3}, {"context_budget": 3})
    assert (arm["verdicts"]["error"], arm["overall"]["total"]) == (3, 3)
