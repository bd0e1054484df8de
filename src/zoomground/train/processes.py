"""Ends everything that a stage started, and sees to it that a stage does not outlive its launcher.

A process group is not enough: torchrun gives each rank a session of its own, and whoever kills torchrun leaves the
ranks behind, on their devices. So a stage's processes carry a mark in their environment, which children inherit
whatever else they are given. A launcher that is killed outright can end nobody: a guard beside it waits for that, at
the end of a pipe, and does it.

This file is also the guard's program, so it needs nothing but psutil.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import psutil

MARK = "ZOOMGROUND_STAGE"
"""The variable that holds the mark."""

_POLL_S = 0.05
_FAREWELL = b"."


@dataclass(frozen=True, slots=True)
class Guard:
    """Ends the marked processes once the launcher is gone, however it went.

    Attributes:
        mark: What they carry in `MARK`.
        process: The guard itself.
        leash: Descriptor that only the launcher holds open.
    """

    mark: str
    process: subprocess.Popen[bytes]
    leash: int

    @classmethod
    def post(cls, grace_s: float, lock: int) -> Guard:
        """Start a guard with a new mark.

        Args:
            grace_s: How long the processes may take to end by themselves, s.
            lock: Descriptor of the run folder's lock, which the guard holds as long as any of them runs.
        """
        mark = secrets.token_hex(8)
        read, leash = os.pipe()
        try:
            process = subprocess.Popen(  # noqa: S603 -- this very file
                [sys.executable, "-P", __file__, str(read), mark, str(grace_s)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=(read, lock),
            )
        finally:
            os.close(read)
        return cls(mark, process, leash)

    def dismiss(self) -> None:
        """The launcher has ended everything itself."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self.leash, _FAREWELL)
        os.close(self.leash)
        self.process.wait()


def end_marked(mark: str, grace_s: float) -> None:
    """End every process that carries a mark: asked first, then killed.

    Args:
        mark: What they carry.
        grace_s: How long they may take to end by themselves, s.
    """
    import psutil  # noqa: PLC0415 -- the engine's extra brings it; the command line starts without

    asked = marked(mark)
    for one in asked:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.terminate()
    _await(asked, grace_s)
    # Looked for again: what was started meanwhile is not to stay either.
    while left := marked(mark):
        for one in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()
        _await(left, grace_s)


def marked(mark: str) -> list[psutil.Process]:
    """The processes that carry a mark and still run."""
    import psutil  # noqa: PLC0415 -- as above

    found = psutil.process_iter(["environ"])
    return [one for one in found if (one.info["environ"] or {}).get(MARK) == mark and _runs(one)]


def _await(processes: Iterable[psutil.Process], seconds: float) -> None:
    deadline_s = time.monotonic() + seconds
    while any(map(_runs, processes)) and time.monotonic() < deadline_s:
        time.sleep(_POLL_S)


def _runs(process: psutil.Process) -> bool:
    """Whether it is there and no zombie, which only its parent can put away."""
    import psutil  # noqa: PLC0415 -- as above

    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _guard(read: int, mark: str, grace_s: float) -> None:
    if os.read(read, 1) != _FAREWELL:
        end_marked(mark, grace_s)


if __name__ == "__main__":
    _guard(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
