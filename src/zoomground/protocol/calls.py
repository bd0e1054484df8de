"""Crop and decline calls, whatever dialect they are written in: their arguments and what is wrong with them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zoomground.protocol import spelling
from zoomground.protocol.actions import Crop, CropUnits, Decline, Dialect, Malformed, Parsed, Reason
from zoomground.protocol.spelling import COMMA, DECIMAL, DOUBLE_QUOTED, SINGLE_QUOTED, SPACE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.protocol.reply import Marks

Argument = tuple[str, object]
"""A keyword and its value as the dialect read it: text, a number, or something that no argument can be."""

CORNERS = ("x1", "y1", "x2", "y2")
MAX_CROPS = 2
"""Crops that one turn may ask for."""

_HEAD = re.compile(rf"(crop_image|decline){SPACE}*[(（]")
_KEYWORD = re.compile(rf"{SPACE}*([A-Za-z_][A-Za-z0-9_]*){SPACE}*={SPACE}*")
_VALUE = re.compile(rf"({DOUBLE_QUOTED}|{SINGLE_QUOTED})|([+-]?{DECIMAL})")
_NEXT = re.compile(rf"{SPACE}*({COMMA})?{SPACE}*([)）])?")


def read_call(text: str, units: CropUnits) -> Crop | Decline | Malformed:
    """Read one call in Python's form; nothing may stand before or after it.

    Args:
        text: ``crop_image(image_path="screen.png", x1=1, y1=2, x2=3, y2=4)`` or ``decline()``.
        units: What the corners are given in.
    """
    head = _HEAD.match(text)
    if head is None:
        return Malformed(Reason.BAD_CALL, "the only action is crop_image(image_path=..., x1=.., y1=.., x2=.., y2=..)")
    arguments = _arguments(text, head.end())
    if isinstance(arguments, Malformed):
        return arguments
    return named_call(head[1], arguments, units)


def named_call(name: str, arguments: Sequence[Argument], units: CropUnits) -> Crop | Decline | Malformed:
    """The call of that name with those arguments, each given once."""
    keys = [key for key, _ in arguments]
    if name == "decline" and not keys:
        return Decline()
    if name != "crop_image":
        return Malformed(Reason.BAD_CALL, "there is no such action")
    if sorted(keys) != sorted(("image_path", *CORNERS)):
        return Malformed(Reason.BAD_CALL, "crop_image takes image_path, x1, y1, x2 and y2, each exactly once")
    values = dict(arguments)
    image_path = values["image_path"]
    if not isinstance(image_path, str) or not image_path:
        return Malformed(Reason.BAD_CALL, "image_path must be the name of an image in quotes")
    corners = [_corner(values[key]) for key in CORNERS]
    return checked_crop(image_path, corners, units)


def checked_crop(image_path: str, corners: Sequence[float | None], units: CropUnits) -> Crop | Malformed:
    """The crop, if its corners are numbers, in range (norm only) and in order."""
    x1, y1, x2, y2 = corners
    if x1 is None or y1 is None or x2 is None or y2 is None or not spelling.finite(x1, y1, x2, y2):
        return Malformed(Reason.BAD_NUMBER, "x1, y1, x2 and y2 must be plain decimals")
    if units == CropUnits.NORM and not spelling.in_range(x1, y1, x2, y2):
        return Malformed(Reason.OUT_OF_RANGE, "x1, y1, x2 and y2 must lie in [0, 1000] of the named image")
    if x1 >= x2 or y1 >= y2:
        return Malformed(Reason.BAD_ORDER, "x1 must be smaller than x2, and y1 smaller than y2")
    return Crop(image_path, x1, y1, x2, y2)


def turn_of(calls: Sequence[Crop | Decline | Malformed], marks: Marks, dialect: Dialect) -> Parsed | Malformed:
    """The turn that these calls make: one or two crops, or one decline that stands alone.

    One bad call spoils the turn: running the other half would be a guess at what was meant.
    """
    crops: list[Crop] = []
    for call in calls:
        if isinstance(call, Malformed):
            return call
        if isinstance(call, Crop):
            crops.append(call)
    if len(crops) < len(calls):
        if len(calls) > 1 or spelling.without_markdown(marks.prose):
            return Malformed(Reason.MIXED, "decline() must stand alone in its turn")
        return Parsed((Decline(),), dialect)
    if len(crops) > MAX_CROPS:
        return Malformed(Reason.TOO_MANY_CROPS, f"a turn may ask for at most {MAX_CROPS} crops")
    return Parsed(tuple(crops), dialect)


def _corner(value: object) -> float | None:
    """A number or a numeric string; True and False are no numbers here."""
    if isinstance(value, str):
        return spelling.number(value)
    return value if isinstance(value, float) else None


def _arguments(text: str, position: int) -> list[Argument] | Malformed:
    """The keyword arguments from after the opening bracket to the end of the text."""
    arguments: list[Argument] = []
    after = _NEXT.match(text, position)
    if after is None or after[1]:
        return Malformed(Reason.BAD_CALL, "arguments must not begin with a comma")
    while not after[2]:
        keyword = _KEYWORD.match(text, after.end())
        value = _VALUE.match(text, keyword.end()) if keyword else None
        if keyword is None or value is None:
            reason = Reason.BAD_NUMBER if keyword and keyword[1] in CORNERS else Reason.BAD_CALL
            return Malformed(reason, "an argument is a keyword with a plain decimal or a quoted name")
        arguments.append((keyword[1], float(value[2]) if value[2] else _unquoted(value[1])))
        after = _NEXT.match(text, value.end())
        if after is None or not (after[1] or after[2]):
            return Malformed(Reason.BAD_NUMBER, "a value is one plain decimal; nothing is computed")
    if after.end() != len(text):
        return Malformed(Reason.BAD_CALL, "one block holds exactly one call")
    return arguments


def _unquoted(quoted: str) -> str:
    """The text between the quotes; only an escaped quote is an escape, because a name may hold a backslash."""
    quote = quoted[0]
    return quoted[1:-1].replace("\\" + quote, quote)
