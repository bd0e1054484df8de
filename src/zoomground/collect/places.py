"""Points, boxes and places that scripts of every style write and speak of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError
from zoomground.geometry import NORM, Box, Point

if TYPE_CHECKING:
    import random

    from zoomground.geometry import Polygon, Region, Size

_POINT_TRIES = 1000
_STEPS = (100.0, 50.0, 25.0, 10.0, 5.0, 1.0, 0.1, 0.01)
_MIDDLE = 0.3
"""An answer lies within this share of the target's sides from its centre."""


def to_norm(box_px: Box, size: Size) -> Box:
    """A box in px of the screenshot in [0, 1000] of it."""
    a, b = Point(box_px.x1, box_px.y1).to_norm(size), Point(box_px.x2, box_px.y2).to_norm(size)
    return Box(a.x, a.y, b.x, b.y)


def in_frame(region: Region, box_norm: Box) -> Box:
    """A box of the screenshot in the frame of a region, clipped to it; without area if it lies outside."""
    a = region.to_crop(Point(box_norm.x1, box_norm.y1))
    b = region.to_crop(Point(box_norm.x2, box_norm.y2))
    x1, y1, x2, y2 = (min(NORM, max(0.0, value)) for value in (a.x, a.y, b.x, b.y))
    return Box(x1, y1, x2, y2)


def ninth_index(point: Point) -> tuple[int, int]:
    """Column and row, 0 to 2, of the ninth of a picture that a point of [0, 1000] lies in.

    >>> ninth_index(Point(100, 500)), ninth_index(Point(1000, 1000))
    ((0, 1), (2, 2))
    """
    column, row = (min(2, int(max(0.0, value) * 3 / NORM)) for value in (point.x, point.y))
    return column, row


def answer_point(target: Box | Polygon, size: Size, step: float, rng: random.Random) -> Point:
    """A point in the middle of a target, on the roundest numbers that it has room for, in [0, 1000].

    Args:
        target: The target in px.
        size: Size of the screenshot in px.
        step: The coordinates are multiples of this, or of a finer step for a smaller target.
        rng: Decides where in the middle.

    Raises:
        ZoomgroundError: If no point with two decimals lies in the target.
    """
    box = to_norm(target.box, size)
    reach_x, reach_y = _MIDDLE * box.width, _MIDDLE * box.height
    x = box.center.x + rng.uniform(-0.5, 0.5) * reach_x
    y = box.center.y + rng.uniform(-0.5, 0.5) * reach_y
    for finer in (one for one in _STEPS if one <= step):
        point = Point(_nearest(x, finer), _nearest(y, finer))
        near = abs(point.x - box.center.x) <= reach_x and abs(point.y - box.center.y) <= reach_y
        if near and target.contains(point.to_px(size)):
            return point
    for _ in range(_POINT_TRIES):
        point = Point(_nearest(rng.uniform(box.x1, box.x2), 0.01), _nearest(rng.uniform(box.y1, box.y2), 0.01))
        if target.contains(point.to_px(size)):
            return point
    raise ZoomgroundError(f"no point with two decimals lies in the target {target.box}; it is too small to be answered")


def _nearest(value: float, step: float) -> float:
    return min(NORM, max(0.0, round(round(value / step) * step, 2)))
