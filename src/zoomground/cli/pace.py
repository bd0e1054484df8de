"""How far a long run is: a bar on a terminal, a line now and then elsewhere; with rate and time left."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.progress import Progress, TaskID

from zoomground.cli.output import note, progress

if TYPE_CHECKING:
    from collections.abc import Iterator


_LINE_EVERY_S = 10.0


@dataclass(slots=True)
class Pace:
    """Shows how far a run is. What an earlier run did does not count for the rate."""

    bar: Progress
    task: TaskID
    unit: str
    _begun: float = field(default_factory=time.monotonic)
    _first: int | None = None
    _next_line: float = field(default_factory=lambda: time.monotonic() + _LINE_EVERY_S)

    def show(self, done: int, count: int, errors: int) -> None:
        """Show it."""
        if self._first is None:
            self._first, self._begun = done, time.monotonic()
        now = time.monotonic()
        rate = (done - self._first) / max(now - self._begun, 1e-9)
        text = f"{rate:.1f} {self.unit}/s" + (f", {errors} errors" if errors else "")
        self.bar.update(self.task, completed=done, total=count, description=text)
        if self.bar.disable and now >= self._next_line and rate:
            self._next_line = now + _LINE_EVERY_S
            note(f"{done} of {count}, {text}, {(count - done) / rate:.0f} s left")


@contextmanager
def pace(unit: str) -> Iterator[Pace]:
    """A display that is taken away at the end."""
    with progress() as bar:
        yield Pace(bar, bar.add_task("starting", total=None), unit)
