"""The last point of several: what the reported set-up reads when a reply names the points it considered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.protocol import points
from zoomground.protocol.actions import Dialect, Malformed
from zoomground.protocol.dialects import json, loose_point

if TYPE_CHECKING:
    from zoomground.protocol.actions import Parsed
    from zoomground.protocol.reply import Reply

NAME = Dialect.FALLBACK


def read(reply: Reply) -> Parsed | Malformed | None:
    """Read the last point; every one must be readable, so that a box is never mistaken for an answer."""
    marks = reply.marks
    if isinstance(marks, Malformed):
        return marks
    found = loose_point.answers(marks) or json.answers(marks)
    return points.first_fault(found) or points.turn_of(found[-1:], NAME)
