"""Where the time of a step goes: phases that lie inside each other, each charged with its own part alone."""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Stopwatch:
    """Adds up the seconds of named phases; while an inner phase runs, the outer one stands still.

    Args:
        clock: Seconds that only go forward.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._open: list[str] = []
        self._since_s = 0.0
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._inside = 0

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Charge what runs inside to a phase."""
        self._charge()
        self._open.append(name)
        try:
            yield
        finally:
            self._charge()
            self._open.pop()

    @contextmanager
    def together(self, name: str) -> Iterator[None]:
        """Charge to a phase what coroutines of one thread do side by side: from the first one in to the last one out.

        No other phase may be opened meanwhile.
        """
        self._inside += 1
        if self._inside == 1:
            self._charge()
            self._open.append(name)
        try:
            yield
        finally:
            self._inside -= 1
            if not self._inside:
                self._charge()
                self._open.pop()

    def _charge(self) -> None:
        """Give the time since the last change to the phase that was running."""
        now_s = self._clock()
        if self._open:
            self._seconds[self._open[-1]] += now_s - self._since_s
        self._since_s = now_s

    def take(self) -> dict[str, float]:
        """Seconds of each finished part since the last call, by phase."""
        self._charge()
        taken = dict(self._seconds)
        self._seconds.clear()
        return taken
