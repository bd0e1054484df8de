"""Which endpoint is asked next: the least busy one that is well; one that keeps failing is left alone for a while.

An endpoint that fails several times in a row rests, twice as long each time. When its rest is over one request tries
it, and only one: if that fails it rests again, if it is answered the endpoint is well. What an endpoint says to a
single request (a refused prompt, an unreadable verdict) says nothing about its health.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.policies.base import Trouble
from zoomground.policies.endpoint import Endpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


FIRST_REST_S = 60.0
LONGEST_REST_S = 960.0

FAULTS_BEFORE_REST = 8
"""So many faults in a row are too many; a busy server drops a few. A wrong set-up is one too many at once."""

_UNWELL = frozenset({Trouble.CONNECTION, Trouble.TIMEOUT, Trouble.SERVER_ERROR, Trouble.MALFORMED_BODY})
"""What says something about an endpoint. One that asks for fewer requests is well, and is given time."""


@dataclass(slots=True, eq=False)
class Line:
    """One endpoint and how it is doing.

    Attributes:
        endpoint: Whom it leads to.
        in_flight: Requests that are out.
        faults: Faults in a row since it last answered or rested.
        rests: Rests in a row; 0: it is well.
        rests_until: When the last rest ends, by the clock.
        answers: Answers so far.
    """

    endpoint: Endpoint
    in_flight: int = 0
    faults: int = 0
    rests: int = 0
    rests_until: float = 0.0
    answers: int = 0

    def is_resting(self, now: float) -> bool:
        """Whether it is left alone."""
        return self.rests > 0 and now < self.rests_until

    def is_due(self, now: float) -> bool:
        """Whether one request may find out if it is well again."""
        return self.rests > 0 and now >= self.rests_until and not self.in_flight

    def answered(self) -> None:
        """It answered."""
        self.faults = self.rests = 0
        self.answers += 1

    def failed(self, trouble: Trouble, now: float) -> None:
        """A request failed."""
        if self.is_resting(now):
            return  # it was sent before the rest began
        if not trouble.is_setup and trouble not in _UNWELL:
            return
        self.faults += 1
        if self.rests or trouble.is_setup or self.faults >= FAULTS_BEFORE_REST:
            self.rest(now)

    def rest(self, now: float) -> None:
        """Leave it alone, twice as long as the last time."""
        self.rests_until = now + min(LONGEST_REST_S, FIRST_REST_S * 2**self.rests)
        self.rests += 1
        self.faults = 0


class Exchange:
    """Gives lines to requests. It lives as long as one event loop; the lines outlive it.

    Args:
        lines: All endpoints.
        clock: Seconds that only go forward.
    """

    def __init__(self, lines: Sequence[Line], clock: Callable[[], float]) -> None:
        self._lines = lines
        self._clock = clock
        self._changed = asyncio.Event()

    async def take(self, avoid: Line | None = None) -> Line | None:
        """A line to send one request over, to be given back by `release`; None if every endpoint rests.

        Args:
            avoid: The line that this request just failed over: taken again only if there is no other.
        """
        while True:
            now = self._clock()
            line = self._choose(now, avoid)
            if line is not None:
                line.in_flight += 1
                return line
            if all(line.is_resting(now) for line in self._lines):
                return None
            # The only ones that do not rest are being tried by somebody else.
            await self._changed.wait()

    def has_other(self, line: Line) -> bool:
        """Whether a request that failed over this line can go elsewhere at once."""
        return any(other.rests == 0 for other in self._lines if other is not line)

    def release(self, line: Line) -> None:
        """Give a line back, after it was told how the request went."""
        line.in_flight -= 1
        self._changed.set()
        self._changed.clear()

    def _choose(self, now: float, avoid: Line | None) -> Line | None:
        due = next((line for line in self._lines if line.is_due(now)), None)
        if due is not None:
            return due
        well = [line for line in self._lines if line.rests == 0]
        return min(well, key=lambda line: (line is avoid, line.in_flight), default=None)
