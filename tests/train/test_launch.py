"""Processes of a plan: logs, failures, interruption, the lock. The processes here are small Python programs."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from zoomground.errors import LaunchError
from zoomground.train import launch
from zoomground.train.launch import StoppedError, locked, run_stage, stoppable
from zoomground.train.plan import Stage
from zoomground.train.progress import Progress


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "POLL_S", 0.02)
    monkeypatch.setattr(launch, "GRACE_S", 0.5)


def stage(tmp_path: Path, program: str, **more: object) -> Stage:
    return Stage("try", (sys.executable, "-c", program), tmp_path / "logs" / "try.log", **more)  # type: ignore[arg-type]


def run(tmp_path: Path, what: Stage) -> list[Progress]:
    seen: list[Progress] = []
    with locked(tmp_path / ".lock") as lock:
        run_stage(what, cwd=tmp_path, lock=lock, watch=seen.append)
    return seen


def test_output_environment_and_command_are_in_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NNODES", "1")
    program = (
        "import os, sys; print('out', os.environ['A'], os.environ.get('NNODES'), os.getcwd()); sys.stderr.write('err')"
    )
    run(tmp_path, stage(tmp_path, program, env={"A": "a b"}, unset=("NNODES",)))
    log = (tmp_path / "logs" / "try.log").read_text()
    assert log.startswith("$ env -u NNODES A='a b' ")
    assert f"out a b None {tmp_path}" in log
    assert log.endswith("err")


def test_a_second_start_keeps_the_first_log(tmp_path: Path) -> None:
    run(tmp_path, stage(tmp_path, "print('one')"))
    run(tmp_path, stage(tmp_path, "print('two')"))
    log = (tmp_path / "logs" / "try.log").read_text()
    assert log.index("one\n") < log.index("two\n")
    assert log.count("$ ") == 2


def test_failure_shows_the_end_of_the_log_and_where_it_is(tmp_path: Path) -> None:
    program = "print('\\n'.join(f'line {n}' for n in range(100))); print('bar 1\\rbar 2'); raise SystemExit(3)"
    with pytest.raises(LaunchError) as caught:
        run(tmp_path, stage(tmp_path, program))
    message = str(caught.value)
    assert "exit code 3" in message
    assert "line 99" in message
    assert "line 1\n" not in message
    assert "bar 2" in message
    assert "bar 1" not in message
    assert str(tmp_path / "logs" / "try.log") in message


def test_a_killed_stage_names_the_signal(tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match="signal 9"):
        run(tmp_path, stage(tmp_path, "import os; os.kill(os.getpid(), 9)"))


def test_missing_program(tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match="not installed"):
        run(tmp_path, Stage("try", (str(tmp_path / "nowhere"),), tmp_path / "try.log"))


def test_progress_of_our_own_stages(tmp_path: Path) -> None:
    program = "from zoomground.train.progress import tell; tell(1, 4, 'x'); tell(4, 4, 'all')"
    source = str(Path(launch.__file__).parents[2])
    seen = run(tmp_path, stage(tmp_path, program, env={"PYTHONPATH": source}))
    assert seen[-1] == Progress(4, 4, "all")


def test_progress_of_a_training_stage(tmp_path: Path) -> None:
    metrics = tmp_path / "logging.jsonl"
    metrics.write_text('{"reward": 0.5, "loss": 0.25, "global_step/max_steps": "3/20"}\n{"cut": ')
    seen = run(tmp_path, stage(tmp_path, "pass", metrics=metrics, steps=20))
    assert (seen[-1].done, seen[-1].total) == (3, 20)
    assert "reward 0.5" in seen[-1].note


def test_interruption_ends_the_whole_group(tmp_path: Path) -> None:
    """A child of the stage that ignores SIGTERM and holds the lock is gone too."""
    child = (
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('here', flush=True); "
        "signal.alarm(30); signal.pause()"
    )
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}], close_fds=False)"
    log = tmp_path / "logs" / "try.log"

    def interrupt(_: Progress) -> None:
        if "\nhere" in log.read_text():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), locked(tmp_path / ".lock") as lock:
        run_stage(stage(tmp_path, program), cwd=tmp_path, lock=lock, watch=interrupt)
    started = time.monotonic()
    with (tmp_path / ".lock").open() as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
    assert time.monotonic() - started < 10


def test_sigterm_is_an_interruption() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(StoppedError), stoppable():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_second_launcher_is_refused_and_told_who_holds_the_folder(tmp_path: Path) -> None:
    with locked(tmp_path / ".lock"), pytest.raises(LaunchError, match=rf"in use \(process {os.getpid()}\)"):  # noqa: SIM117
        with locked(tmp_path / ".lock"):
            pass


def test_the_lock_outlives_a_launcher_that_was_killed(tmp_path: Path) -> None:
    with locked(tmp_path / ".lock") as lock:
        left_behind = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE, pass_fds=(lock,)
        )
    with pytest.raises(LaunchError, match="in use"), locked(tmp_path / ".lock"):
        pass
    left_behind.communicate()
    with locked(tmp_path / ".lock"):
        pass
