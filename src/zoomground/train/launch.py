"""Starts the processes of a plan. No other module of the package does.

A stage has a session and a log of its own, and so has each rollout server beside it. Whatever ends the launcher (an
error, Ctrl-C, SIGTERM, SIGKILL) ends everything that they started (`processes`). The run folder's lock is inherited, so
that a launcher cannot be followed by a second one while its stage still writes.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import signal
import subprocess
import time
import urllib.request
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from zoomground.errors import LaunchError
from zoomground.train.meeting import Alone
from zoomground.train.plan import TRAIN_MASTER, Process
from zoomground.train.processes import MARK, Guard, end_marked
from zoomground.train.progress import Progress, last_lines, of_log, of_metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import FrameType

    from zoomground.train.meeting import Meeting
    from zoomground.train.plan import Stage

POLL_S = 0.5
"""How often a running stage is looked at, s."""

ASK_S = 30.0
"""How long a program of the machine may take to answer one question, s."""

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


def run_stage(
    stage: Stage, *, cwd: Path, lock: int, watch: Callable[[Progress], None], meeting: Meeting | None = None
) -> None:
    """Run one stage to its end: its services first, then, when all answer, its command.

    Args:
        stage: What to run.
        cwd: Working folder.
        lock: Descriptor of the run folder's lock.
        watch: Told how far the stage is, every `POLL_S`.
        meeting: The other nodes of the run; default: none.

    Raises:
        LaunchError: If it, one of its services or another node failed; the message holds the end of the log.
    """
    meeting = meeting or Alone()
    running: list[Running] = []
    try:
        running.extend(start(service, cwd=cwd, lock=lock) for service in stage.services)
        await_services(stage, running, meeting)
        if not stage.argv:
            while not meeting.is_over(stage.name):
                _look(running, meeting)
                time.sleep(POLL_S)
            return
        own = start(stage, cwd=cwd, lock=lock, env=_resolved(stage, meeting))
        running.append(own)
        while own.is_running():
            _look(running[:-1], meeting)
            watch(progress_of(stage))
        if own.process.returncode:
            raise LaunchError(failure(stage, own.process.returncode))
    finally:
        # The command first: a trainer that loses its server while it ends writes a page about it.
        for one in reversed(running):
            one.end()
    watch(progress_of(stage))


def await_services(stage: Stage, running: Sequence[Running], meeting: Meeting) -> None:
    """Wait until everything that a stage needs answers; the trainer itself would give up on a slow server.

    Raises:
        LaunchError: If a service ends, or does not answer in its time.
    """
    urls = [*stage.needs, *(service.url for service in stage.services if service.url not in stage.needs)]
    waits_s = max((service.start_s for service in stage.services), default=stage.start_s)
    deadline_s = time.monotonic() + waits_s
    for url in urls:
        while not answers(url):
            _look(running, meeting)
            if time.monotonic() > deadline_s:
                logs = "".join(f"\nits log: {one.spec.log}" for one in running if getattr(one.spec, "url", "") == url)
                raise LaunchError(f"the rollout server {url} did not answer within {waits_s:.0f} s{logs}")
            time.sleep(POLL_S)


_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""The servers are machines of the run: a proxy in the environment is not for them."""


def answers(url: str) -> bool:
    """Whether a service says that it is well."""
    try:
        with _DIRECT.open(f"{url}/health", timeout=5) as response:
            return bool(response.status == HTTPStatus.OK)
    except OSError:
        return False


def _look(services: Sequence[Running], meeting: Meeting) -> None:
    """Whether services and other nodes are well."""
    for one in services:
        if not one.is_running(wait_s=0):
            raise LaunchError(failure(one.spec, one.process.returncode, what="rollout server"))
    meeting.check()


def _resolved(stage: Stage, meeting: Meeting) -> dict[str, str]:
    """The variables that only the meeting of the nodes can tell."""
    return {name: meeting.train_master for name, value in stage.env.items() if value == TRAIN_MASTER}


def progress_of(stage: Stage) -> Progress:
    """How far a stage is, from its metrics or its log."""
    found = of_metrics(stage.metrics) if stage.metrics else of_log(stage.log)
    return found or Progress(0, stage.steps or 0)


@dataclass(frozen=True, slots=True)
class Running:
    """A started process, what it was started from, and who ends it if the launcher cannot."""

    spec: Process
    process: subprocess.Popen[bytes]
    guard: Guard

    def is_running(self, wait_s: float = POLL_S) -> bool:
        """Whether it still runs; looks for at most `wait_s`."""
        try:
            self.process.wait(timeout=wait_s)
        except subprocess.TimeoutExpired:
            return True
        return False

    def end(self) -> None:
        """End it and everything that it started, also what stayed when it ended by itself."""
        end_marked(self.guard.mark, GRACE_S)
        self.process.wait()
        self.guard.dismiss()


def start(spec: Process, *, cwd: Path, lock: int, env: Mapping[str, str] | None = None) -> Running:
    """Start a process of the plan as a group of its own, its output behind what its log already holds.

    Raises:
        LaunchError: If its program is not installed.
    """
    spec.log.parent.mkdir(parents=True, exist_ok=True)
    environment = {name: value for name, value in os.environ.items() if name not in spec.unset}
    environment |= dict(spec.env) | dict(env or {})
    guard = Guard.post(GRACE_S, lock)
    with spec.log.open("a", encoding="utf-8") as log:
        log.write(f"{'' if log.tell() == 0 else chr(10)}$ {spec.shell()}\n")
        log.flush()
        try:
            process = subprocess.Popen(  # noqa: S603 -- the plan's own command, no shell
                spec.argv,
                cwd=cwd,
                env=environment | {MARK: guard.mark},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=(lock,),
            )
        except FileNotFoundError as error:
            guard.dismiss()
            raise LaunchError(
                f"'{spec.name}': {spec.argv[0]} is not installed; install zoomground[train] into this environment"
            ) from error
    note_holder(lock, process.pid)
    return Running(spec, process, guard)


def ask(argv: Sequence[str]) -> str | None:
    """What a small program of the machine answers; None where it is missing, fails, or takes too long."""
    try:
        answer = subprocess.run(argv, capture_output=True, text=True, timeout=ASK_S, check=True)  # noqa: S603 -- no shell
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout


def failure(spec: Process, code: int, *, what: str = "stage") -> str:
    """How a process ended, for a person: the rank that failed first where there are several, and the end of the log."""
    how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    rank = first_failed_rank(spec.log)
    named = f" (rank {rank} failed first)" if rank is not None else ""
    lines = "\n".join(f"  {line}" for line in last_lines(spec.log))
    return f"{what} '{spec.name}' {how}{named}; the end of its log:\n{lines}\nwhole log: {spec.log}"


def first_failed_rank(log: Path) -> int | None:
    """The rank that torchrun names as the root cause in this start's part of a log; None if it names none."""
    text = "\n".join(last_lines(log, count=200))
    _, found, cause = text.rpartition("Root Cause")
    rank = re.search(r"\brank\s*:\s*([0-9]+)", cause) if found else None
    return int(rank[1]) if rank else None
