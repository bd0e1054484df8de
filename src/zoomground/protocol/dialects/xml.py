"""Tagged calls that are not canonical: ``<action>`` spelt another way inside, and ``<function=..><parameter=..>``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zoomground.protocol import calls
from zoomground.protocol.actions import Dialect, Malformed, Reason
from zoomground.protocol.reply import Kind
from zoomground.protocol.spelling import SPACE, SPACES

if TYPE_CHECKING:
    from zoomground.protocol.actions import Crop, CropUnits, Decline, Parsed
    from zoomground.protocol.reply import Reply

NAME = Dialect.XML

_TAGS = re.ASCII | re.IGNORECASE
_OPENING = re.compile(r"<function=([A-Za-z_]+)>", _TAGS)
_PARAMETER = re.compile(rf"{SPACE}*<parameter=([A-Za-z0-9_]+)>([^<]*)</parameter>", _TAGS)
_CLOSING = re.compile(rf"{SPACE}*</function>", _TAGS)


def read(reply: Reply) -> Parsed | Malformed | None:
    """Read one or two tagged calls."""
    marks = reply.marks
    if isinstance(marks, Malformed):
        return marks
    actions, functions = marks.of(Kind.ACTION), marks.of(Kind.FUNCTION)
    if actions:
        return calls.turn_of([calls.read_call(mark.content, reply.units) for mark in actions], marks, NAME)
    if functions:
        return calls.turn_of([_function(mark.content, reply.units) for mark in functions], marks, NAME)
    return None


def _function(content: str, units: CropUnits) -> Crop | Decline | Malformed:
    opening = _OPENING.match(content)
    if opening is None:
        return Malformed(Reason.BAD_CALL, "the function's tag cannot be read")
    arguments: list[calls.Argument] = []
    position = opening.end()
    while (parameter := _PARAMETER.match(content, position)) is not None:
        arguments.append((parameter[1], parameter[2].strip(SPACES)))
        position = parameter.end()
    if not _CLOSING.fullmatch(content, position):
        return Malformed(Reason.BAD_CALL, "a function holds parameters and nothing else, each with its closing tag")
    return calls.named_call(opening[1], arguments, units)
