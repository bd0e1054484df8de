"""JSON and what models write for it: Python's quotes, its constants, and trailing commas.

Points are ``{"x": .., "y": ..}`` and ``{"point_2d": [x, y]}``, or a list of one such object. Beside the point an object
may hold texts (a label), nothing else: more numbers would make it a box. The key ``point`` is refused, because one
family of models writes y first under it, and so is ``action``, another family's clicks.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING

from zoomground.protocol import calls, points
from zoomground.protocol.actions import Dialect, Malformed, Reason
from zoomground.protocol.reply import NESTING, Kind
from zoomground.protocol.spelling import DOUBLE_QUOTED, SINGLE_QUOTED, SPACE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zoomground.protocol.actions import Answer, Crop, CropUnits, Decline, Parsed
    from zoomground.protocol.reply import Marks, Reply

NAME = Dialect.JSON

MAX_DEPTH = 4
"""Brackets of a JSON text inside each other; the deepest form that is read has two."""

_TOKEN = re.compile(
    rf"(?P<space>{SPACE}+)"
    rf"|(?P<double>{DOUBLE_QUOTED})|(?P<single>{SINGLE_QUOTED})"
    r"|(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<word>[A-Za-z]+)"
    r"|(?P<sign>[{}\[\]:,，：])"
)
_CONSTANTS = {"true": "true", "True": "true", "false": "false", "False": "false", "null": "null", "None": "null"}
_SIGNS = {"，": ",", "：": ":"}
_REQUOTED = {"\\'": "'", '"': '\\"'}
_REFUSED = frozenset({"point", "action"})


class _UnreadableError(ValueError):
    """The text is no JSON, not even with the tolerated slips."""


def read(reply: Reply) -> Parsed | Malformed | None:
    """Read one point as an object, or one or two calls in ``<tool_call>``."""
    marks = reply.marks
    if isinstance(marks, Malformed):
        return marks
    tools = marks.of(Kind.TOOL_CALL)
    if tools:
        return calls.turn_of([_call(mark.content, reply.units) for mark in tools], marks, NAME)
    return points.turn_of(answers(marks), NAME)


def answers(marks: Marks) -> list[Answer | Malformed]:
    """The points of all JSON texts, in order."""
    found: list[Answer | Malformed] = []
    for mark in marks.of(Kind.OBJECT):
        try:
            value = load(mark.content)
        except _UnreadableError as error:
            return [Malformed(Reason.BAD_POINT, str(error))]
        found.extend(_point(item) for item in (value if isinstance(value, list) else [value]))
    return found


def load(text: str) -> object:
    """The value of a JSON text, all numbers as floats.

    Raises:
        _UnreadableError: If the text cannot be read, gives a key twice, or holds a number that is no finite decimal.
    """
    strict = " ".join(_strict_tokens(text))
    try:
        return json.loads(strict, parse_int=float, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise _UnreadableError("the JSON object cannot be read") from error


def _strict_tokens(text: str) -> Iterable[str]:
    """The tokens of the text as strict JSON writes them."""
    tokens: list[str] = []
    position = depth = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        depth += NESTING.get(token[0], 0) if token else 0
        if token is None or depth > MAX_DEPTH:
            raise _UnreadableError("the JSON object cannot be read")
        position = token.end()
        if token.lastgroup == "space":
            continue
        written = _strict(token)
        if written in {"}", "]"} and tokens and tokens[-1] == ",":
            tokens.pop()
        tokens.append(written)
    return tokens


def _strict(token: re.Match[str]) -> str:
    match token.lastgroup:
        case "single":
            inner = re.sub(r"\\.|\"", lambda part: _REQUOTED.get(part[0], part[0]), token[0][1:-1])
            return f'"{inner}"'
        case "number":
            value = float(token[0])
            if not math.isfinite(value):
                raise _UnreadableError("a number is too large")
            return repr(value)
        case "word":
            if token[0] not in _CONSTANTS:
                raise _UnreadableError("the JSON object holds a word without quotes")
            return _CONSTANTS[token[0]]
        case _:
            return _SIGNS.get(token[0], token[0])


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _UnreadableError("a key is given twice")
    return value


def _point(value: object) -> Answer | Malformed:
    if not isinstance(value, dict) or _REFUSED & value.keys():
        return Malformed(Reason.BAD_POINT, "a point is written [x.xx,y.yy]")
    rest = dict(value)
    pair = rest.pop("point_2d") if "point_2d" in rest else [rest.pop("x", None), rest.pop("y", None)]
    texts_only = all(isinstance(extra, str) for extra in rest.values())
    if not texts_only or not isinstance(pair, list) or len(pair) != 2:
        return Malformed(Reason.BAD_POINT, "a point is written [x.xx,y.yy]")
    x, y = pair
    if not isinstance(x, float) or not isinstance(y, float):
        return Malformed(Reason.BAD_NUMBER, "both values of a point must be plain decimals")
    return points.checked_point(x, y)


def _call(content: str, units: CropUnits) -> Crop | Decline | Malformed:
    try:
        value = load(content)
    except _UnreadableError as error:
        return Malformed(Reason.BAD_CALL, str(error))
    if not isinstance(value, dict) or value.keys() != {"name", "arguments"}:
        return Malformed(Reason.BAD_CALL, "a tool call holds exactly a name and arguments")
    name, arguments = value["name"], value["arguments"]
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return Malformed(Reason.BAD_CALL, "a tool call's name is a text and its arguments are an object")
    return calls.named_call(name, list(arguments.items()), units)
