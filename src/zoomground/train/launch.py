"""Starts the processes of a plan. No other module of the package does.

A stage is one process group with a log of its own. Whatever ends the launcher (an error, Ctrl-C, SIGTERM) ends the
group too. The run folder's lock is inherited by every process, so that even a launcher that was killed outright cannot
be followed by a second one while its stage still writes.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

from zoomground.errors import LaunchError
from zoomground.train.progress import Progress, last_lines, of_log, of_metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType

    from zoomground.train.plan import Stage

POLL_S = 0.5
"""How often a running stage is looked at, s."""

GRACE_S = 15.0
"""How long a stopped stage may take to end by itself, s."""


class StoppedError(KeyboardInterrupt):
    """The launcher was asked to end (SIGTERM); handled like Ctrl-C."""


@contextlib.contextmanager
def stoppable() -> Iterator[None]:
    """Make SIGTERM end the launcher as Ctrl-C does, so that its stage is ended with it."""

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 -- the signature of a signal handler
        raise StoppedError

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[int]:
    """Hold the lock of a run folder; gives the descriptor that its processes inherit.

    Raises:
        LaunchError: If another launcher, or a process that one left behind, holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="utf-8") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            stream.seek(0)
            holder = stream.read().strip() or "unknown"
            raise LaunchError(
                f"the run folder {path.parent} is in use (process {holder}); wait for it, or stop it, and start again"
            ) from error
        note_holder(stream.fileno(), os.getpid())
        yield stream.fileno()


def note_holder(lock: int, pid: int) -> None:
    """Write into the lock who holds it, for the message that a second launcher shows."""
    os.ftruncate(lock, 0)
    os.write(lock, f"{pid}\n".encode())


def run_stage(stage: Stage, *, cwd: Path, lock: int, watch: Callable[[Progress], None]) -> None:
    """Run one stage to its end.

    Args:
        stage: What to run.
        cwd: Working folder.
        lock: Descriptor of the run folder's lock.
        watch: Told how far the stage is, every `POLL_S`.

    Raises:
        LaunchError: If it failed; the message holds the end of its log and the log's path.
    """
    stage.log.parent.mkdir(parents=True, exist_ok=True)
    with stage.log.open("a", encoding="utf-8") as log:
        log.write(f"{'' if log.tell() == 0 else chr(10)}$ {stage.shell()}\n")
        log.flush()
        process = _start(stage, cwd=cwd, lock=lock, log=log)
        note_holder(lock, process.pid)
        try:
            while _running(process):
                watch(progress_of(stage))
        except BaseException:
            _end(process)
            raise
    if process.returncode:
        raise LaunchError(_failure(stage, process.returncode))
    watch(progress_of(stage))


def progress_of(stage: Stage) -> Progress:
    """How far a stage is, from its metrics or its log."""
    found = of_metrics(stage.metrics) if stage.metrics else of_log(stage.log)
    return found or Progress(0, stage.steps or 0)


def _start(stage: Stage, *, cwd: Path, lock: int, log: Any) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if name not in stage.unset} | dict(stage.env)
    try:
        return subprocess.Popen(  # noqa: S603 -- the plan's own command, no shell
            stage.argv,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=(lock,),
        )
    except FileNotFoundError as error:
        raise LaunchError(
            f"stage '{stage.name}': {stage.argv[0]} is not installed; install zoomground[train] into this environment"
        ) from error


def _running(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(timeout=POLL_S)
    except subprocess.TimeoutExpired:
        return True
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the whole group: asked first, then killed."""
    _signal(process, signal.SIGTERM)
    deadline = time.monotonic() + GRACE_S
    while time.monotonic() < deadline and _running(process):
        pass
    # Also when the leader is gone: a child of it may have stayed.
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _failure(stage: Stage, code: int) -> str:
    how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    lines = "\n".join(f"  {line}" for line in last_lines(stage.log))
    return f"stage '{stage.name}' {how}; the end of its log:\n{lines}\nwhole log: {stage.log}"
