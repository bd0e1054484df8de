"""``play``: a person's lines are turns; crops, page and log are left behind."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from verbs import run

from saved import DIRECT_HIT, ZOOM_HIT, episode, picture
from zoomground.data.trajectories import crop_path, read_records
from zoomground.trajectory import StopReason


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    return picture(tmp_path / "screen.png")


def lines(*texts: str) -> str:
    return "".join(text.replace("\n", "\\\n") + "\n" for text in texts)


def test_an_episode_with_a_crop_is_scored_and_kept(shot: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ("play", shot, "Open the File menu", "--target", "640,400,652,412", "--out", out, "--json")
    result = run(*arguments, text=lines(*ZOOM_HIT))
    assert result.exit_code == 0, result.stderr
    outcome = json.loads(result.stdout)
    assert outcome["stop_reason"] == "answered"
    assert outcome["point"] == [504.5, 507.5]
    assert outcome["rewards"]["zoomin_accuracy"] == 1
    (line,) = read_records(out)
    (crop,) = line.record.trajectory.crops
    assert outcome["crops"] == [str(out / crop_path("play", crop.name))]
    urls = [
        part["image_url"]["url"]
        for message in line.record.messages
        for part in message["content"]
        if isinstance(part, dict) and part["type"] == "image_url"
    ]
    assert urls[0] == str(shot.resolve())
    assert hashlib.sha256((out / urls[1]).read_bytes()).hexdigest() == crop.sha256, "the log names what is there"
    played = line.record.trajectory
    assert played.turns == episode(shot).turns
    assert line.record.total == outcome["total"]
    page = Path(outcome["page"]).read_text("utf-8")
    assert "Open the File menu" in page
    assert "zoomin_accuracy" in page


def test_the_person_reads_what_the_policy_reads(shot: Path, tmp_path: Path) -> None:
    result = run("play", shot, "Open the File menu", "--out", tmp_path / "out", text=lines(*ZOOM_HIT))
    reply = episode(shot).turns[0].reply
    assert reply is not None
    assert "Instruction: Open the File menu" in result.stderr
    assert reply.text.splitlines()[1] in result.stderr
    assert "turn 2 of 6, 2 crops left" in result.stderr


def test_the_page_is_there_before_the_first_turn(shot: Path, tmp_path: Path) -> None:
    result = run("play", shot, "Open the File menu", "--out", tmp_path / "out", text="")
    assert result.exit_code == 1
    assert "the input ended before the episode did" in result.stderr
    assert "still running" not in (tmp_path / "out" / "index.html").read_text("utf-8")
    (line,) = read_records(tmp_path / "out")
    assert line.record.trajectory.stop_reason is StopReason.ERROR


def test_without_a_target_nothing_is_called_right_or_wrong(shot: Path, tmp_path: Path) -> None:
    result = run("play", shot, "Open", "--out", tmp_path / "out", text=lines(*DIRECT_HIT))
    assert result.exit_code == 0
    assert "zoomin_accuracy" not in result.stdout
    assert "no target, not scored" in result.stdout
    (line,) = read_records(tmp_path / "out")
    assert line.record.trajectory.task.target is None
    log = tmp_path / "out" / "trajectories.jsonl"
    later = run("score", log)
    assert (later.exit_code, later.stdout) == (0, "1 record: no target, not scored\n")
    assert json.loads(run("score", log, "--json").stdout)["without_target"] == 1
    assert run("show", log).stdout.splitlines()[1].startswith("no target  ·  answered")
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert ">hit<" not in page
    assert ">miss<" not in page
    assert "declining is right" not in page


def test_arms_and_declining(shot: Path, tmp_path: Path) -> None:
    off = run("play", shot, "Open", "--arm", "off", "--out", tmp_path / "off", text=lines(*ZOOM_HIT))
    assert "Crops left" not in off.stderr
    (line,) = read_records(tmp_path / "off")
    assert line.record.trajectory.crops == ()
    declined = run("play", shot, "Open", "--decline", "--out", tmp_path / "d", text="<action>decline()</action>\n")
    assert "declined" in declined.stdout


def test_three_bad_turns_end_it(shot: Path, tmp_path: Path) -> None:
    result = run("play", shot, "Open", "--out", tmp_path / "out", "--json", text=lines("a", "", "b", "c", "d"))
    assert result.exit_code == 0
    assert json.loads(result.stdout)["stop_reason"] == "corrections_spent"


@pytest.mark.parametrize("target", ["1,2,3", "a,b,c,d", "9,9,1,1"])
def test_a_target_that_is_none(shot: Path, target: str) -> None:
    assert run("play", shot, "Open", "--target", target, text="").exit_code == 2


def test_the_screenshot_is_never_overwritten_by_its_own_crop(tmp_path: Path) -> None:
    shot = picture(tmp_path / "crops" / "play" / "crop_1.png")
    before = shot.read_bytes()
    result = run("play", shot, "Open the File menu", "--out", tmp_path, text=lines(*DIRECT_HIT))
    assert result.exit_code == 2
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [shot]
    assert shot.read_bytes() == before


@pytest.mark.parametrize("target", ["0,0,1281,10", "-1,0,10,10", "5000,5000,6000,6000"])
def test_a_target_outside_the_screenshot_is_wrong_use(shot: Path, tmp_path: Path, target: str) -> None:
    result = run("play", shot, "Open it", f"--target={target}", "--out", tmp_path / "out", text=lines(*DIRECT_HIT))
    assert result.exit_code == 2
    assert "reaches outside the 1280x800 screenshot" in result.stderr


def test_a_closed_stdin_is_said(shot: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "zoomground", "play", str(shot), "Open it", "--out", str(tmp_path / "out")]
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    closed = subprocess.run(
        ["sh", "-c", '"$@" <&-', "sh", *command], env=environ, capture_output=True, text=True, check=False
    )
    assert closed.returncode == 1
    assert closed.stderr.endswith("error: stdin is closed; pipe something into it, or use a terminal\n")
    assert "Traceback" not in closed.stderr
