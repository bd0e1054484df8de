"""One point in brackets: any shape and width of bracket, any number of decimals, prose, Markdown or tags around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.protocol import points, spelling
from zoomground.protocol.actions import Dialect, Malformed
from zoomground.protocol.reply import Kind

if TYPE_CHECKING:
    from zoomground.protocol.actions import Answer, Parsed
    from zoomground.protocol.reply import Marks, Reply

NAME = Dialect.LOOSE_POINT


def read(reply: Reply) -> Parsed | Malformed | None:
    """Read the only bracketed pair outside thinking; None if there are several."""
    if isinstance(reply.marks, Malformed):
        return reply.marks
    return points.turn_of(answers(reply.marks), NAME)


def answers(marks: Marks) -> list[Answer | Malformed]:
    """All bracketed pairs, in order."""
    pairs = [spelling.pair(mark.content) for mark in marks.of(Kind.POINT)]
    return [points.checked_point(*pair) for pair in pairs if pair is not None]
