"""Brackets in prose: which of them hold a point, which are a list gone wrong, and which are only words.

A stack of open brackets, closed from the inside. Every character belongs to exactly one bracket's own text, so that
judging all of them takes linear time.

==============================  ======================================
``[512, 407]`` ``（512，407）``  a point
``[1]`` ``[1,2,3]`` ``[]``      malformed: a list of other than two numbers
``[[1,2]]`` ``([1,2])``         malformed: a list of lists
``[1%,2]`` ``[1;2]`` ``[nan,1]``  malformed: numbers that are none
``[Save]`` ``[x,y]`` ``(5)``    prose (a single number in round brackets is how people count)
``click(512,407)``              malformed: another family's dialect
``[512,407)`` ``[512.30,40``    malformed: cut or mismatched
==============================  ======================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from zoomground.protocol import spelling
from zoomground.protocol.actions import Malformed, Reason
from zoomground.protocol.spelling import COMMA, DECIMAL, ROUND_CLOSE, ROUND_OPEN, SPACE, SQUARE_CLOSE, SQUARE_OPEN

MAX_DEPTH = 32
"""Brackets inside brackets; prose has a few, a degenerate reply has thousands."""

_CUT = re.compile(rf"{SPACE}*\+?{DECIMAL}{SPACE}*({COMMA})?")


@dataclass(slots=True)
class _Open:
    """A bracket that is not closed yet."""

    start: int
    square: bool
    call: bool
    """Whether a name stands directly before it, as in ``click(``."""
    own: list[str] = field(default_factory=list)
    nested: bool = False
    """Whether it holds a point or an object, at any depth."""
    checked: bool = False
    """Whether a bracket of the wrong shape was already held against it."""

    @property
    def text(self) -> str:
        return "".join(self.own)


@dataclass(frozen=True, slots=True)
class Bracketed:
    """A closed bracket with two plain numbers."""

    start: int
    content: str
    square: bool


class Brackets:
    """The open brackets at the current place of the text."""

    def __init__(self) -> None:
        self._stack: list[_Open] = []

    def words(self, text: str) -> None:
        """Take the text up to the next mark."""
        if self._stack:
            self._stack[-1].own.append(text)

    def hold(self) -> None:
        """Note that a point or an object stands inside the open bracket."""
        if self._stack:
            self._stack[-1].nested = True

    def open(self, bracket: str, start: int, before: str) -> Malformed | None:
        """Open a bracket at ``start``; ``before`` is the character before it."""
        if len(self._stack) == MAX_DEPTH:
            return Malformed(Reason.BAD_POINT, "brackets are nested too deeply")
        # ASCII only: Chinese writes a word directly before a bracket without making it a call.
        named = before.isascii() and (before.isalnum() or before == "_")
        self._stack.append(_Open(start, bracket in SQUARE_OPEN, named and bracket in ROUND_OPEN))
        return None

    def close(self, bracket: str) -> Bracketed | Malformed | None:
        """Close the innermost bracket if the shapes agree; None for prose."""
        if not self._stack:
            return None
        top = self._stack[-1]
        if bracket not in (SQUARE_CLOSE if top.square else ROUND_CLOSE):
            return _mismatched(top)
        self._stack.pop()
        result = _closed(top)
        if isinstance(result, Bracketed) or top.nested:
            self.hold()
        return result

    def cut(self) -> Malformed | None:
        """What is wrong with the brackets that are still open at the end of the text."""
        for left in self._stack:
            found = _CUT.match(left.text)
            if found and (left.square or found[1]):
                return Malformed(Reason.BAD_POINT, "a bracket with numbers is never closed")
        return None


def _closed(bracket: _Open) -> Bracketed | Malformed | None:
    own = bracket.text
    numbers = spelling.pair(own)
    if bracket.call and (bracket.nested or numbers):
        return Malformed(Reason.FOREIGN, "a call with a point is no action here; write [x.xx,y.yy]")
    if bracket.nested:
        return None if spelling.has_words(own) else Malformed(Reason.BAD_POINT, "a point is not a list of lists")
    if numbers:
        return Bracketed(bracket.start, own, bracket.square)
    if bracket.square and not own.strip(spelling.SPACES):
        return Malformed(Reason.BAD_POINT, "the brackets are empty")
    if spelling.is_numeric(own) and (bracket.square or spelling.fields(own) > 1):
        reason = Reason.BAD_NUMBER if spelling.fields(own) == 2 else Reason.BAD_POINT
        return Malformed(reason, "brackets must hold exactly two plain decimals")
    return None


def _mismatched(top: _Open) -> Malformed | None:
    """A closing bracket of the other shape: prose ("see 1) and 2)"), unless it ends a pair of numbers."""
    if top.checked:
        return None
    top.checked = True
    if spelling.pair(top.text):
        return Malformed(Reason.BAD_POINT, "the brackets of a point must be of one shape")
    return None
