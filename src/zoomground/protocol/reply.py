"""What stands outside the thinking, cut into marks that the dialects read.

One pass from left to right finds the places where something other than prose stands: tagged blocks, JSON objects,
bracketed points, calls. Here is decided what holds for every dialect: what is never allowed outside thinking, and that
one turn is written in one way. What a mark means is its dialect's business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from zoomground.protocol import spelling
from zoomground.protocol.actions import CropUnits, Malformed, Reason
from zoomground.protocol.brackets import Bracketed, Brackets
from zoomground.protocol.spelling import COMMA, DOUBLE_QUOTED, SINGLE_QUOTED, SPACE, SPACES

NESTING = {"{": 1, "[": 1, "}": -1, "]": -1}
"""How a bracket of a JSON text changes the depth."""

_MARK = re.compile(
    r"<(?P<tag>/?(?:action|tool_call|function|parameter)\b[^<>\n]*)>"
    r"|(?P<foreign></?(?:points?|b?box|quad|ref|click)\b[^<>\n]*>)"
    r"|(?P<escaped>&(?:lt|#0*60|#x0*3c);\s*+/?\s*+[a-z|])"
    rf"|(?P<call>(?-i:crop_image){SPACE}*[(（]|(?-i:decline)\({SPACE}*\))"
    rf"|(?P<object>(?:\[{SPACE}*)?\{{{SPACE}*[\"'])"
    r"|(?P<open>[\[(［（])"
    r"|(?P<close>[\])］）])",
    re.ASCII | re.IGNORECASE,
)
_FORBIDDEN = {
    "escaped": Malformed(Reason.ESCAPED_TAG, "tags must not be HTML-escaped"),
    "foreign": Malformed(Reason.FOREIGN, "point, box and click tags are not read here; write [x.xx,y.yy]"),
}
_FUNCTION = re.compile(r"<function=", re.ASCII | re.IGNORECASE)
# A quote that opens no string matches alone, so that it ends the search and is not tried again from the next quote.
_OBJECT_PART = re.compile(rf"{DOUBLE_QUOTED}|{SINGLE_QUOTED}|[\"'{{}}\[\]]")
_JOINT = re.compile(rf"{SPACE}*{COMMA}{SPACE}*")


class Kind(StrEnum):
    """The ways to write an action; a turn uses one of them."""

    POINT = "point"
    OBJECT = "object"
    ACTION = "action"
    TOOL_CALL = "tool_call"
    FUNCTION = "function"
    BARE_CALL = "bare_call"


_BLOCKS = {"action": Kind.ACTION, "tool_call": Kind.TOOL_CALL, "function=": Kind.FUNCTION}
_CLOSING = {kind: re.compile(rf"</{kind.value}>", re.ASCII | re.IGNORECASE) for kind in _BLOCKS.values()}


@dataclass(frozen=True, slots=True)
class Mark:
    """A place where something other than prose stands; ``content`` is what is between its brackets or tags."""

    kind: Kind
    start: int
    end: int
    content: str


@dataclass(frozen=True, slots=True)
class Marks:
    """All marks, of one kind, in order, and the prose around them."""

    items: tuple[Mark, ...]
    prose: str

    def of(self, kind: Kind) -> tuple[Mark, ...]:
        """The marks, if they are of that kind."""
        return self.items if self.items and self.items[0].kind is kind else ()


@dataclass(frozen=True)
class Reply:
    """A reply without its thinking, as the dialects see it."""

    outside: str
    """Text outside the thinking."""
    lead: int
    """Length of the part of ``outside`` that stood before the thinking."""
    plain: bool
    """Whether nothing was taken off that a canonical reply does not have."""
    units: CropUnits

    @cached_property
    def marks(self) -> Marks | Malformed:
        """The marks, or what makes the turn unreadable in every tolerant dialect."""
        marks = _Scan(self.outside).run()
        if isinstance(marks, Malformed) or not marks.items:
            return marks
        points = marks.of(Kind.POINT) or marks.of(Kind.OBJECT)
        # Of several points only the last can count; of calls all do.
        if (points[-1] if points else marks.items[0]).start < self.lead:
            return Malformed(Reason.THINKING, "thinking must stand before the action")
        return marks


class _Scan:
    """One pass over the text outside the thinking."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._brackets = Brackets()
        self._marks: list[Mark] = []
        self._squares: list[bool] = []

    def run(self) -> Marks | Malformed:
        while (found := _MARK.search(self._text, self._position)) is not None:
            self._brackets.words(self._text[self._position : found.start()])
            self._position = found.end()
            fault = self._take(found)
            if fault is not None:
                return fault
        self._brackets.words(self._text[self._position :])
        return self._brackets.cut() or self._corner_pair() or self._result()

    def _take(self, found: re.Match[str]) -> Malformed | None:
        match found.lastgroup:
            case "tag":
                return self._block(found)
            case "object":
                return self._object(found.start())
            case "call":
                return self._bare_call()
            case "open":
                start = found.start()
                return self._brackets.open(found[0], start, self._text[start - 1] if start else "")
            case "close":
                return self._close(found)
            case forbidden:
                return _FORBIDDEN[str(forbidden)]

    def _block(self, found: re.Match[str]) -> Malformed | None:
        tag = found["tag"].lower()
        kind = _BLOCKS.get("function=" if tag.startswith("function=") else tag)
        closing = _CLOSING[kind].search(self._text, self._position) if kind else None
        if kind is None or closing is None:
            return Malformed(Reason.BAD_CALL, "a call's tags must be opened and closed")
        if kind is Kind.FUNCTION:
            content = self._text[found.start() : closing.end()]
        else:
            content = spelling.without_markdown(self._text[self._position : closing.start()])
        if kind is Kind.TOOL_CALL and _FUNCTION.match(content):
            kind = Kind.FUNCTION
        return self._add(kind, found.start(), closing.end(), content)

    def _object(self, start: int) -> Malformed | None:
        depth, position = 0, start
        while (part := _OBJECT_PART.search(self._text, position)) is not None:
            position = part.end()
            depth += NESTING.get(part[0], 0)
            if part[0] in {'"', "'"}:
                break
            if depth == 0:
                self._brackets.hold()
                return self._add(Kind.OBJECT, start, position, self._text[start:position])
        return Malformed(Reason.BAD_POINT, "the JSON object cannot be read")

    def _bare_call(self) -> Malformed | None:
        """A call without tags must be all that stands outside thinking, so it takes the whole text."""
        if self._marks:
            return Malformed(Reason.MIXED, "a call without tags must stand alone")
        self._position = len(self._text)
        self._brackets = Brackets()
        return self._add(Kind.BARE_CALL, 0, self._position, spelling.without_markdown(self._text))

    def _close(self, found: re.Match[str]) -> Malformed | None:
        result = self._brackets.close(found[0])
        if isinstance(result, Bracketed):
            self._squares.append(result.square)
            return self._add(Kind.POINT, result.start, found.end(), result.content)
        return result

    def _add(self, kind: Kind, start: int, end: int, content: str) -> Malformed | None:
        if self._marks and self._marks[0].kind is not kind:
            return Malformed(Reason.MIXED, "a turn is either crops or one point, written in one way")
        self._marks.append(Mark(kind, start, end, content))
        self._position = end
        return None

    def _corner_pair(self) -> Malformed | None:
        """``(a,b),(c,d)`` is a box: its last corner is not where anybody would click."""
        for i in range(1, len(self._squares)):
            if self._squares[i - 1] or self._squares[i]:
                continue
            if _JOINT.fullmatch(self._text, self._marks[i - 1].end, self._marks[i].start):
                return Malformed(Reason.BAD_POINT, "two corners are a box; write one point [x.xx,y.yy]")
        return None

    def _result(self) -> Marks:
        gaps, position = [], 0
        for mark in self._marks:
            gaps.append(self._text[position : mark.start])
            position = mark.end
        return Marks(tuple(self._marks), "".join((*gaps, self._text[position:])).strip(SPACES))
