"""One call without tags. In prose it would be talk about a call, so it must be all that stands outside thinking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.protocol import calls
from zoomground.protocol.actions import Dialect, Malformed
from zoomground.protocol.reply import Kind

if TYPE_CHECKING:
    from zoomground.protocol.actions import Parsed
    from zoomground.protocol.reply import Reply

NAME = Dialect.BARE


def read(reply: Reply) -> Parsed | Malformed | None:
    """Read the whole text as one call; a Markdown fence around it is let through."""
    marks = reply.marks
    if isinstance(marks, Malformed):
        return marks
    found = marks.of(Kind.BARE_CALL)
    if not found:
        return None
    return calls.turn_of([calls.read_call(mark.content, reply.units) for mark in found], marks, NAME)
