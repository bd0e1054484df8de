"""What a stage started ends with it, whatever session it is in, and with a launcher that was killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from zoomground.errors import LaunchError
from zoomground.train import launch
from zoomground.train.launch import locked, run_stage
from zoomground.train.plan import Stage
from zoomground.train.processes import MARK, Guard, end_marked, marked

SOURCE = Path(launch.__file__).parents[2]
DEADLINE_S = 60.0

STUBBORN = """
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(sys.argv[1], "w").write(str(os.getpid()))
signal.alarm(120)
while True:
    signal.pause()
"""
"""A rank that SIGTERM does not end."""

TORCHRUN = f"""
import subprocess, sys
subprocess.Popen([sys.executable, "-c", {STUBBORN!r}, sys.argv[1]], start_new_session=True)
"""
"""As torchrun starts its ranks: in sessions of their own; then it is gone."""

LAUNCHER = f"""
import sys
from pathlib import Path
from zoomground.train import launch
from zoomground.train.launch import locked, run_stage
from zoomground.train.plan import Stage
launch.GRACE_S = 0.2
folder = Path(sys.argv[1])
program = {TORCHRUN!r} + "\\nimport signal; signal.alarm(120); signal.pause()"
stage = Stage("grpo", (sys.executable, "-c", program, str(folder / "pid")), folder / "grpo.log")
with locked(folder / ".lock") as lock:
    run_stage(stage, cwd=folder, lock=lock, watch=lambda _: None)
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "POLL_S", 0.02)
    monkeypatch.setattr(launch, "GRACE_S", 0.2)


@pytest.fixture
def own_mark() -> Iterator[str]:
    mark = f"test{os.getpid()}"
    yield mark
    end_marked(mark, 0)


def until(there: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not there():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def said(path: Path) -> int:
    until(lambda: path.exists() and path.read_text(encoding="utf-8"))
    return int(path.read_text(encoding="utf-8"))


def runs(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_a_rank_that_its_torchrun_left_behind_ends_with_the_stage(tmp_path: Path) -> None:
    argv = (sys.executable, "-c", TORCHRUN + "raise SystemExit(3)", str(tmp_path / "pid"))
    stage = Stage("grpo", argv, tmp_path / "grpo.log")
    with locked(tmp_path / ".lock") as lock, pytest.raises(LaunchError, match="exit code 3"):
        run_stage(stage, cwd=tmp_path, lock=lock, watch=lambda _: said(tmp_path / "pid"))
    assert not (tmp_path / "pid").exists() or not runs(said(tmp_path / "pid"))


def test_a_launcher_that_is_killed_leaves_nothing_behind(tmp_path: Path) -> None:
    """Its guard ends the rank in a session of its own, and holds the folder until that is done."""
    argv = [sys.executable, "-c", LAUNCHER, str(tmp_path)]
    launcher = subprocess.Popen(argv, env=os.environ | {"PYTHONPATH": str(SOURCE)})
    rank = said(tmp_path / "pid")
    guards = [one for one in psutil.Process(launcher.pid).children() if "processes.py" in " ".join(one.cmdline())]
    launcher.send_signal(signal.SIGKILL)
    launcher.wait()
    until(lambda: not runs(rank))
    until(lambda: not any(one.is_running() for one in guards))
    with locked(tmp_path / ".lock"):
        pass


def test_a_guard_that_is_dismissed_ends_nobody(tmp_path: Path, own_mark: str) -> None:
    with locked(tmp_path / ".lock") as lock:
        guard = Guard.post(0, lock)
    other = subprocess.Popen(
        [sys.executable, "-c", STUBBORN, str(tmp_path / "pid")], env=os.environ | {MARK: guard.mark}
    )
    said(tmp_path / "pid")
    guard.dismiss()
    assert [one.pid for one in marked(guard.mark)] == [other.pid]
    end_marked(guard.mark, 0)
    assert other.wait() == -signal.SIGKILL


def test_those_without_the_mark_are_left_alone(tmp_path: Path, own_mark: str) -> None:
    mine, other = (
        subprocess.Popen([sys.executable, "-c", STUBBORN, str(tmp_path / mark)], env=os.environ | {MARK: mark})
        for mark in (own_mark, f"not-{own_mark}")
    )
    said(tmp_path / own_mark)
    said(tmp_path / f"not-{own_mark}")
    end_marked(own_mark, 0.1)
    assert mine.wait() == -signal.SIGKILL
    assert other.poll() is None
    end_marked(f"not-{own_mark}", 0)
    other.wait()
