"""The one way in which the prompt asks for a turn; the format reward pays for nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zoomground.protocol import calls, points
from zoomground.protocol.actions import Decline, Dialect, Malformed, Parsed
from zoomground.protocol.spelling import CANONICAL_SPACES

if TYPE_CHECKING:
    from zoomground.protocol.actions import Crop
    from zoomground.protocol.reply import Reply

NAME = Dialect.CANONICAL

_WHOLE = r"(?:0|[1-9][0-9]*)"
_POINT = re.compile(rf"\[({_WHOLE}\.[0-9]{{2}}),({_WHOLE}\.[0-9]{{2}})\]")
_CORNER = rf"({_WHOLE}(?:\.[0-9]+)?)"
# A name may hold a backslash, which stands for itself; it holds no quote and no line break (DESIGN section 2, Turns).
_CROP = re.compile(
    r'<action>crop_image\(image_path="([^"\r\n]+)", '
    rf"x1={_CORNER}, y1={_CORNER}, x2={_CORNER}, y2={_CORNER}\)</action>[{CANONICAL_SPACES}]*"
)
_DECLINE = "<action>decline()</action>"


def read(reply: Reply) -> Parsed | Malformed | None:
    """Read the exact text: a point with two decimals each, one or two tagged crops, or a tagged decline."""
    if not reply.plain:
        return None
    text = reply.outside.strip(CANONICAL_SPACES)
    if text == _DECLINE:
        return Parsed((Decline(),), NAME)
    point = _POINT.fullmatch(text)
    if point is not None:
        return points.turn_of([points.checked_point(float(point[1]), float(point[2]))], NAME)
    return _crops(text, reply)


def _crops(text: str, reply: Reply) -> Parsed | Malformed | None:
    crops: list[Crop] = []
    position = 0
    while position < len(text) and len(crops) < calls.MAX_CROPS:
        found = _CROP.match(text, position)
        if found is None:
            return None
        name, *corners = found.groups()
        crop = calls.checked_crop(name, [float(corner) for corner in corners], reply.units)
        if isinstance(crop, Malformed):
            return crop
        crops.append(crop)
        position = found.end()
    return Parsed(tuple(crops), NAME) if crops and position == len(text) else None
