"""``collect``: sampled episodes, pass rates, hits as SFT messages, rows by pass rate; and going on after a stop."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai")

from verbs import run

from episodes import point_text
from saved import NESTED_HIT, ZOOM_HIT, picture
from scripted_endpoint import MODEL, Answer, fails, says, scripted
from zoomground.data.files import held
from zoomground.data.rows import read_rows
from zoomground.data.trajectories import read_records
from zoomground.protocol.messages import to_tagged
from zoomground.trajectory import StopReason

HIT, MISS, LOOSE_HIT = point_text(504.5, 507.5), point_text(10, 10), "(504.5, 507.5)"
INSTRUCTIONS = ("always", "never", "half")


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    picture(tmp_path / "data" / "shots" / "screen.png")
    file = tmp_path / "data" / "rows.jsonl"
    lines = [
        {"problem": f"<image>{name}", "solution": "[640,400,652,412]", "images": ["shots/screen.png"]}
        for name in INSTRUCTIONS
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def policy(_: int, request: dict[str, Any]) -> Answer:
    """Hits by row; the row ``half`` hits with even seeds only, and zooms first."""
    system = request["messages"][0]["content"]
    asked = next(name for name in INSTRUCTIONS if f"Instruction: {name}" in system)
    turn = sum(message["role"] == "assistant" for message in request["messages"])
    if asked == "half":
        return says(ZOOM_HIT[turn] if request["seed"] % 2 == 0 else MISS)
    return says({"always": HIT, "never": MISS}[asked])


def collect(rows: Path, base_url: str, out: Path, *options: object) -> Any:
    return run("collect", rows, "--out", out, "--base-url", base_url, "--model", MODEL, "--json", *options)


def test_rates_hits_and_kept_rows(rows: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with scripted(policy) as endpoint:
        result = collect(rows, endpoint.base_url, out, "--n", 4, "--seed", 0, "--keep-rate", "0.1..0.9")
    assert result.exit_code == 0, result.stderr
    figures = json.loads(result.stdout)
    assert (figures["episodes"], figures["hits"], figures["failed"]) == (12, 6, 0)
    assert figures["pass_at"]["1"] == pytest.approx(0.5)
    assert figures["pass_at"]["2"] == pytest.approx((1 + 0 + 5 / 6) / 3)
    assert figures["pass_at"]["4"] == pytest.approx(2 / 3)
    assert figures["all_wrong"] == figures["all_right"] == pytest.approx(1 / 3)

    (kept,) = read_rows(out / "rows.jsonl", open_images=True)
    (_, _, half) = read_rows(rows)
    assert (kept.task.id, kept.task.instruction, kept.task.target) == (half.task.id, "half", half.task.target)

    sft = [json.loads(line) for line in (out / "hits.jsonl").read_text("utf-8").splitlines()]
    assert figures["hits_kept"] == len(sft) == 2, "episodes with the same words are kept once"
    direct, zoomed = sft
    assert [message["role"] for message in zoomed["messages"]] == ["system", "user", "assistant", "user", "assistant"]
    assert [message["loss"] for message in zoomed["messages"] if message["role"] == "assistant"] == [True, True]
    assert len(direct["images"]) == 1
    tags = sum(message["content"].count("<image>") for message in zoomed["messages"])
    assert tags == len(zoomed["images"]) == 2
    assert all((out / image).is_file() for image in zoomed["images"])
    record = next(
        line.record for line in read_records(out) if line.record.uuid.endswith(".0") and line.record.trajectory.crops
    )
    assert [message["content"] for message in zoomed["messages"]] == [
        to_tagged(message)["content"] for message in record.trajectory.messages()
    ]
    assert run("score", out).exit_code == 0
    assert run("rebuild-crops", out, "--images", rows.parent).exit_code == 0


def test_bad_turns_are_kept_out_of_the_loss_and_loose_hits_teach_nothing(rows: Path, tmp_path: Path) -> None:
    def script(_: int, request: dict[str, Any]) -> Answer:
        turn = sum(message["role"] == "assistant" for message in request["messages"])
        return says(LOOSE_HIT if request["seed"] else ("no idea", HIT)[turn])

    rows.write_text(rows.read_text("utf-8").splitlines()[0] + "\n", encoding="utf-8")
    with scripted(script) as endpoint:
        figures = json.loads(collect(rows, endpoint.base_url, tmp_path / "o", "--n", 2, "--seed", 0).stdout)
    assert (figures["hits"], figures["hits_kept"]) == (2, 1)
    (line,) = (tmp_path / "o" / "hits.jsonl").read_text("utf-8").splitlines()
    assert [message.get("loss") for message in json.loads(line)["messages"]] == [None, None, False, None, True]


def test_a_finished_run_asks_nothing_and_more_episodes_are_added(rows: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with scripted(policy) as endpoint:
        collect(rows, endpoint.base_url, out, "--n", 2, "--seed", 0)
        asked = len(endpoint.bodies)
        again = collect(rows, endpoint.base_url, out, "--n", 2, "--seed", 0)
        assert len(endpoint.bodies) == asked
        more = collect(rows, endpoint.base_url, out, "--n", 4, "--seed", 0)
        other = collect(rows, endpoint.base_url, out, "--n", 4, "--seed", 0, "--temperature", 0.5)
        whole = collect(rows, endpoint.base_url, tmp_path / "whole", "--n", 4, "--seed", 0)
    assert json.loads(again.stdout)["episodes"] == 6
    assert json.loads(more.stdout)["pass_at"] == json.loads(whole.stdout)["pass_at"]
    assert (out / "hits.jsonl").read_bytes() == (tmp_path / "whole" / "hits.jsonl").read_bytes()
    assert other.exit_code == 1
    assert "was begun with other parameters" in other.stderr


def test_failed_episodes_stand_apart_and_are_played_again(rows: Path, tmp_path: Path) -> None:
    broken = True

    def script(number: int, request: dict[str, Any]) -> Answer:
        if broken and "Instruction: always" in request["messages"][0]["content"]:
            return fails(400, "this model's maximum context length is 5 tokens")
        return policy(number, request)

    out = tmp_path / "out"
    with scripted(script) as endpoint:
        first = collect(rows, endpoint.base_url, out, "--n", 2, "--seed", 0)
        broken = False
        second = collect(rows, endpoint.base_url, out, "--n", 2, "--seed", 0)
    assert first.exit_code == 1
    figures = json.loads(first.stdout)
    assert (figures["episodes"], figures["failed"]) == (4, 2)
    assert figures["pass_at"]["1"] == pytest.approx(0.25), "over the rows that were played"
    assert "error: context_overflow: " in first.stderr
    assert second.exit_code == 0
    assert json.loads(second.stdout)["failed"] == 0
    stops = [line.record.trajectory.stop_reason for line in read_records(out)]
    assert stops.count(StopReason.CONTEXT_BUDGET) == 2
    assert len(stops) == 8


def test_a_wrong_set_up_stops_the_run_at_once(rows: Path, tmp_path: Path) -> None:
    with scripted([fails(404, "The model `scripted` does not exist.")]) as endpoint:
        result = collect(rows, endpoint.base_url, tmp_path / "out", "--n", 50, "--concurrency", 2)
    assert result.exit_code == 1
    assert result.stderr.startswith("error: unknown_model: ")
    assert len(endpoint.bodies) <= 2  # what was out already, of 50 a row
    assert list(read_records(tmp_path / "out")) == []


def test_two_processes_do_not_write_one_folder(rows: Path, tmp_path: Path) -> None:
    with scripted([says(ZOOM_HIT[1])]) as endpoint, held(tmp_path / "out"):
        result = run("collect", rows, "--out", tmp_path / "out", "--base-url", endpoint.base_url, "--model", MODEL)
    assert (result.exit_code, endpoint.bodies) == (1, [])
    assert "another process is writing it" in result.stderr


def test_the_concurrency_is_a_limit_and_is_used(rows: Path, tmp_path: Path) -> None:
    three = threading.Barrier(3, timeout=30)

    def script(_: int, request: dict[str, Any]) -> Answer:
        three.wait()
        return says(HIT)

    with scripted(script) as endpoint:
        assert collect(rows, endpoint.base_url, tmp_path / "out", "--n", 2, "--concurrency", 3).exit_code == 0
    assert endpoint.most_at_once == 3


def test_a_run_that_is_killed_goes_on_and_comes_out_the_same(rows: Path, tmp_path: Path) -> None:
    """EVL-13: nothing twice, nothing lost, a cut last line dropped."""
    out = tmp_path / "out"
    reached, held = threading.Event(), threading.Event()

    def script(number: int, request: dict[str, Any]) -> Answer:
        if number == 5:
            reached.set()
            held.wait(60)
        return policy(number, request)

    command = [sys.executable, "-m", "zoomground", "collect", str(rows), "--out", str(out), "--model", MODEL]
    options = ["--n", "4", "--seed", "0", "--concurrency", "1"]
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with scripted(script) as endpoint:
        process = subprocess.Popen([*command, "--base-url", endpoint.base_url, *options], env=environ)
        assert reached.wait(60)
        process.send_signal(signal.SIGKILL)
        process.wait()
        held.set()
        with (out / "trajectories" / "episodes.jsonl").open("ab") as log:
            log.write(b'{"uuid": "rows-2')
        resumed = collect(rows, endpoint.base_url, out, *options)
        whole = collect(rows, endpoint.base_url, tmp_path / "whole", *options)
    drop = ("file",)
    assert {k: v for k, v in json.loads(resumed.stdout).items() if k not in drop} == {
        k: v for k, v in json.loads(whole.stdout).items() if k not in drop
    }
    uuids = [line.record.uuid for line in read_records(out)]
    assert len(uuids) == len(set(uuids)) == 12
    assert (out / "hits.jsonl").read_bytes() == (tmp_path / "whole" / "hits.jsonl").read_bytes()


@pytest.mark.parametrize("rate", ["0.1", "0.9..0.1", "a..b", "0..2"])
def test_a_rate_that_is_none(rows: Path, tmp_path: Path, rate: str) -> None:
    assert collect(rows, "http://x/v1", tmp_path / "out", "--keep-rate", rate).exit_code == 2
    assert not (tmp_path / "out").exists()


def test_text_for_people(rows: Path, tmp_path: Path) -> None:
    with scripted([says(text) for text in NESTED_HIT]) as endpoint:
        options = ("--base-url", endpoint.base_url, "--model", MODEL, "--n", 1, "--concurrency", 1)
        result = run("collect", rows, "--out", tmp_path / "out", *options)
    assert result.exit_code == 0, result.stderr
    assert "all wrong 0.0 %, all right 100.0 % of the rows" in result.stdout
    assert "3 episodes of 3 rows, 3 hits, 0 failed" in result.stdout


def test_without_an_endpoint_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    rows = Path(__file__).parents[2] / "data_samples" / "grpo_train_prompts" / "train.jsonl"
    result = run("collect", rows, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "no endpoint" in result.output
    assert not (tmp_path / "out").exists()
