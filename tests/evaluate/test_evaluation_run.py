"""Runs go on where they were stopped, nothing twice and nothing lost; what does not belong together does not mix."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from runs import IMAGES, Fake, broken, evaluation

from zoomground.environment import GroundingEnv
from zoomground.errors import RowError, ZoomgroundError
from zoomground.evaluate.items import Scoring
from zoomground.evaluate.jobs import Evaluation
from zoomground.evaluate.log import LOG_NAME, read_results
from zoomground.evaluate.players import AsyncPlayer, BatchPlayer
from zoomground.evaluate.run import run
from zoomground.evaluate.scripted import SCRIPTED
from zoomground.evaluate.summary import Summary
from zoomground.evaluate.verdicts import Verdict
from zoomground.policies.base import Trouble, one_by_one
from zoomground.protocol.actions import ParserMode
from zoomground.protocol.settings import EpisodeSettings

ORACLE = BatchPlayer(one_by_one(SCRIPTED["oracle"]), 2)


def start(one: Evaluation, out: Path, player: Any = ORACLE, **given: Any) -> Summary:
    return Summary.of(one, run(one, player, out, version="1", **given))


@pytest.mark.parametrize("name", sorted(IMAGES))
def test_oracle_and_anti_oracle_in_every_arm_of_every_benchmark(name: str, tmp_path: Path) -> None:
    one = evaluation(name, tmp_path / "data", arms=("on", "off", "forced"))
    right = start(one, tmp_path / "right")
    wrong = start(one, tmp_path / "wrong", BatchPlayer(one_by_one(SCRIPTED["anti-oracle"]), 2))
    for arm in ("on", "off", "forced"):
        assert set(right.arms[arm].scores.averages.values()) == {1.0}
        assert set(wrong.arms[arm].scores.averages.values()) == {0.0}
    assert right.arms["forced"].zoomed.value == 1.0
    assert right.arms["off"].zoomed.value == 0.0


@pytest.mark.parametrize(
    "profile", ["norm1", "norm999+click", "pixels_sent_28+point_tag", "pixels_original+box", "mai_ui"]
)
def test_other_profiles_are_asked_in_their_words_and_read_in_their_convention(profile: str, tmp_path: Path) -> None:
    one = evaluation("osworld_g", tmp_path / "data", profile_name=profile)
    assert list(one.settings) == ["off"]
    found = start(one, tmp_path / "out")
    assert found.arms["off"].scores.overall.count == 3
    (prompt,) = found.prompts.values()
    assert "decline()" in prompt["messages"][0]["text"]
    assert prompt["sent"] == [200, 100]
    saved = read_results(tmp_path / "out")
    assert {result.trajectory.stop_reason.value for result in saved.values()} == {"answered", "declined"}
    with pytest.raises(ZoomgroundError, match="knows no crops, so its only arm is off, not on"):
        evaluation("osworld_g", tmp_path / "data", profile_name=profile, arms=("on",))


def test_errors_are_asked_again_and_stand_apart_from_wrong_answers(tmp_path: Path) -> None:
    one = evaluation("osworld_g", tmp_path / "data", arms=("off",))

    def first(env: GroundingEnv) -> Any:
        return {"aa-0": broken(), "aa-1": "[1.00,1.00]", "bb-0": "no words at all"}[env.task.id]

    fake = Fake(first)
    found = start(one, tmp_path / "out", AsyncPlayer(fake.connect, 2)).arms["off"]
    assert {verdict.value: count for verdict, count in found.scores.counts.items() if count} == {
        "wrong": 1, "wrong_format": 1, "error": 1,
    }  # fmt: skip
    assert found.scores.overall.total == found.scores.total == 3
    assert found.scores.parsed_only.total == 1
    assert found.troubles == {"server_error": 1}
    assert found.failures == {"server_error: it broke": 1}
    assert (found.cost.prompt_tokens, found.cost.corrections) == ((100 + 300) / 2, 1.5)
    again = Fake(lambda env: SCRIPTED["oracle"].reply(env).text)
    found = start(one, tmp_path / "out", AsyncPlayer(again.connect, 2)).arms["off"]
    assert again.asked == {("off", "aa-0"): 1}
    assert found.scores.counts[Verdict.ERROR] == 0
    assert found.scores.overall.count == 1
    assert found.scores.total == 3


def test_a_wrong_set_up_stops_the_run_and_keeps_what_was_answered(tmp_path: Path) -> None:
    one = evaluation("osworld_g", tmp_path / "data", arms=("off",))
    fake = Fake(lambda env: "[1.00,1.00]" if env.task.id == "aa-0" else broken(Trouble.UNAUTHORIZED))
    with pytest.raises(ZoomgroundError, match="unauthorized: it broke; what was answered before is kept"):
        start(one, tmp_path / "out", AsyncPlayer(fake.connect, 1))
    assert fake.asked == {("off", "aa-0"): 1, ("off", "aa-1"): 1}
    assert list(read_results(tmp_path / "out")) == [("off", "aa-0")]


def test_a_screenshot_that_cannot_be_opened_is_an_error_in_the_denominator(tmp_path: Path) -> None:
    one = evaluation("osworld_g", tmp_path / "data", arms=("off",))
    path = tmp_path / "data" / "images" / "bb.png"
    whole = path.read_bytes()
    path.write_bytes(whole[:60])
    for player in (ORACLE, AsyncPlayer(Fake(lambda env: SCRIPTED["oracle"].reply(env).text).connect, 2)):
        found = start(one, tmp_path / "out", player).arms["off"]
        assert (found.scores.counts[Verdict.ERROR], found.scores.total) == (1, 3)
        assert "bb.png" in next(iter(found.failures))
    path.write_bytes(whole)
    assert start(one, tmp_path / "out").arms["off"].scores.overall.count == 3


def test_a_cut_last_line_is_dropped_and_the_last_of_two_counts(tmp_path: Path) -> None:
    one = evaluation("osworld_g", tmp_path / "data", arms=("off",))
    whole = start(one, tmp_path / "out")
    log = tmp_path / "out" / LOG_NAME
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:2]) + lines[2][:100])
    asked = Fake(lambda env: SCRIPTED["oracle"].reply(env).text)
    start(one, tmp_path / "out", AsyncPlayer(asked.connect, 2))
    assert asked.asked == {("off", "bb-0"): 1}
    assert read_results(tmp_path / "out").keys() == {("off", "aa-0"), ("off", "aa-1"), ("off", "bb-0")}
    later = lines[0].replace(b'"text":"[', b'"text":" [')
    assert later != lines[0]
    log.write_bytes(log.read_bytes() + later)
    assert read_results(tmp_path / "out")["off", "aa-0"].trajectory.turns[0].text.startswith(" [")
    assert start(one, tmp_path / "out").arms["off"].hits == whole.arms["off"].hits
    log.write_bytes(b"{}\n" + log.read_bytes())
    with pytest.raises(RowError, match=rf"{LOG_NAME}:1: "):
        start(one, tmp_path / "out")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"model": {"kind": "test", "model": "n"}}, 'model.model: "m" then, "n" now'),
        ({"profile_name": "norm1"}, 'profile.name: "zoomground" then, "norm1" now'),
        ({"recipe_hash": "abc"}, 'recipe: "" then, "abc" now'),
        ({"settings": EpisodeSettings(parser_mode=ParserMode.STRICT)}, "arms.off.parser_mode"),
        ({"scoring": Scoring.PUBLISHED}, "scoring"),
        ({"limit": 2}, "selection.limit: null then, 2 now"),
        ({"arms": ("on",)}, "arms.on: null then"),
    ],
)
def test_what_was_made_with_something_else_does_not_mix(change: dict[str, Any], named: str, tmp_path: Path) -> None:
    start(evaluation("rows", tmp_path / "data", arms=("off",)), tmp_path / "out")
    before = (tmp_path / "out" / LOG_NAME).read_bytes()
    with pytest.raises(ZoomgroundError, match="made with something else; name another folder") as caught:
        start(evaluation("rows", tmp_path / "data", **({"arms": ("off",)} | change)), tmp_path / "out")
    assert named in str(caught.value)
    assert (tmp_path / "out" / LOG_NAME).read_bytes() == before


def test_other_data_and_other_images_do_not_mix(tmp_path: Path) -> None:
    start(evaluation("rows", tmp_path / "data", arms=("off",)), tmp_path / "out")
    image = tmp_path / "data" / "shots" / "a.png"
    whole = image.read_bytes()
    image.write_bytes(whole + b"x")
    with pytest.raises(ZoomgroundError, match="item '.*', arm off: the screenshot shots/a.png is another file"):
        start(evaluation("rows", tmp_path / "data", arms=("off",)), tmp_path / "out")
    image.write_bytes(whole)
    rows = tmp_path / "data" / "held_out.jsonl"
    rows.write_text(rows.read_text("utf-8").replace("Close", "Shut"), "utf-8")
    with pytest.raises(ZoomgroundError, match="data.revision"):
        start(evaluation("rows", tmp_path / "data", arms=("off",)), tmp_path / "out")


def test_two_processes_do_not_write_one_log(tmp_path: Path) -> None:
    one = evaluation("rows", tmp_path / "data", arms=("off",))

    def inner(done: int, *_: int) -> None:
        if done == 0:
            with pytest.raises(ZoomgroundError, match="another process is writing it"):
                start(one, tmp_path / "out")

    start(one, tmp_path / "out", on_progress=inner)


SCRIPT = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = {path!r}
from runs import Fake, evaluation
from zoomground.evaluate.players import AsyncPlayer
from zoomground.evaluate.run import run
from zoomground.evaluate.scripted import SCRIPTED

def play(out, kill_at_reply, kill_at_done):
    asked = 0

    def say(env):
        nonlocal asked
        asked += 1
        if asked == kill_at_reply:
            os.kill(os.getpid(), signal.SIGKILL)
        # A wrong answer here and there, so that the table has something to lose.
        name = "anti-oracle" if env.task.id.startswith("row-2") else "oracle"
        return SCRIPTED[name].reply(env).text

    def killed(done, count):
        if done and done == kill_at_done:
            with (Path(out) / "results.jsonl").open("ab") as stream:
                stream.write(b'{{"uuid": "half')
            os.kill(os.getpid(), signal.SIGKILL)

    one = evaluation("rows", Path("data"), arms=("on", "off", "forced"))
    run(one, AsyncPlayer(Fake(say).connect, 3), Path(out), version="1", on_progress=killed)

# Each run is a process of its own, forked after the imports, which take longer than the run.
for line in sys.stdin:
    out, reply, done = line.split()
    child = os.fork()
    if child == 0:
        play(out, int(reply), int(done))
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def test_killed_ten_times_the_final_table_is_that_of_one_run(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    evaluation("rows", folder)
    rows = [
        {"problem": f"<image>Open {n}", "solution": f"[{10 * n}, 10, {10 * n + 8}, 20]", "images": ["shots/a.png"]}
        | {"id": f"row-{n}"}
        for n in range(8)
    ]
    (folder / "held_out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (tmp_path / "script.py").write_text(SCRIPT.format(path=sys.path), "utf-8")

    def table(out: str) -> tuple[object, ...]:
        one = evaluation("rows", folder, arms=("on", "off", "forced"))
        results = read_results(tmp_path / out)
        return Summary.of(one, results).to_dict({}), {place: one.trajectory for place, one in results.items()}

    command = [sys.executable, "script.py"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, env={"OMP_NUM_THREADS": "1"}, text=True, **pipes) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def play(out: str, reply: int = 0, done: int = 0) -> int:
            print(out, reply, done, file=process.stdin, flush=True)
            return int(process.stdout.readline())

        assert play("whole") == 0
        dice = random.Random(7)
        for kill in range(10):
            log = tmp_path / "killed" / LOG_NAME
            done = log.read_bytes().count(b"\n") if kill else 0
            # While a reply is waited for, or in the middle of a line.
            how = (dice.randint(1, 3), 0) if dice.random() < 0.5 else (0, done + dice.randint(1, 3))
            assert play("killed", *how) == -signal.SIGKILL
        assert play("killed") == 0
        process.stdin.close()
    assert table("killed") == table("whole")
    assert (tmp_path / "killed" / LOG_NAME).read_bytes().count(b"\n") == 3 * len(rows)  # nothing twice
