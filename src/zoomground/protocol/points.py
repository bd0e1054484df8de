"""Points, whatever dialect they are written in: their range, and the turn that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.protocol import spelling
from zoomground.protocol.actions import Answer, Dialect, Malformed, Parsed, Reason

if TYPE_CHECKING:
    from collections.abc import Sequence


def checked_point(x: float, y: float) -> Answer | Malformed:
    """The point, if it lies in [0, 1000] x [0, 1000]; never rescaled to fit."""
    if not spelling.in_range(x, y):
        return Malformed(Reason.OUT_OF_RANGE, "both numbers of the point must lie in [0, 1000]")
    return Answer(x, y)


def first_fault(points: Sequence[Answer | Malformed]) -> Malformed | None:
    """What is wrong with the first bad point: one out of range spoils the turn, whichever point is meant."""
    return next((point for point in points if isinstance(point, Malformed)), None)


def turn_of(points: Sequence[Answer | Malformed], dialect: Dialect) -> Parsed | Malformed | None:
    """The turn that these points make; None if they are none or several."""
    fault = first_fault(points)
    if fault is not None:
        return fault
    if len(points) != 1 or not isinstance(points[0], Answer):
        return None
    return Parsed((points[0],), dialect)
