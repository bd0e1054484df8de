"""Where a demonstration puts its crops: with surroundings, off centre, on round numbers, sometimes wrong on purpose.

All boxes are in [0, 1000] of the picture that is cut from: the screenshot, or an earlier crop.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError
from zoomground.geometry import NORM, Box, Point

if TYPE_CHECKING:
    import random

    from zoomground.geometry import Polygon, Region, Size

_TRIES = 30
_POINT_TRIES = 1000
_STEPS = (100.0, 50.0, 25.0, 10.0, 5.0, 1.0, 0.1, 0.01)
_MIDDLE = 0.3
"""An answer lies within this share of the target's sides from its centre."""


def to_norm(box_px: Box, size: Size) -> Box:
    """A box in px of the screenshot in [0, 1000] of it."""
    a, b = Point(box_px.x1, box_px.y1).to_norm(size), Point(box_px.x2, box_px.y2).to_norm(size)
    return Box(a.x, a.y, b.x, b.y)


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


def in_frame(region: Region, box_norm: Box) -> Box:
    """A box of the screenshot in the frame of a region, clipped to it; without area if it lies outside."""
    a = region.to_crop(Point(box_norm.x1, box_norm.y1))
    b = region.to_crop(Point(box_norm.x2, box_norm.y2))
    x1, y1, x2, y2 = (min(NORM, max(0.0, value)) for value in (a.x, a.y, b.x, b.y))
    return Box(x1, y1, x2, y2)


def around(box: Box, side: float, step: int, rng: random.Random) -> Box:
    """A window that holds all of a box, at a random offset, at least ``side`` wide and high."""
    x1, x2 = _around(box.x1, box.x2, side, step, rng)
    y1, y2 = _around(box.y1, box.y2, side, step, rng)
    return Box(x1, y1, x2, y2)


def cutting(box: Box, side: float, step: int, rng: random.Random) -> Box:
    """A window with an edge that runs through a box, or just misses it."""
    good = around(box, side, step, rng)
    center = box.center
    options = []
    if (edge := _down(center.x, step)) > step:
        options.append(Box(max(0.0, edge - good.width), good.y1, edge, good.y2))
    if (edge := _up(center.x, step)) < NORM - step:
        options.append(Box(edge, good.y1, min(NORM, edge + good.width), good.y2))
    if (edge := _down(center.y, step)) > step:
        options.append(Box(good.x1, max(0.0, edge - good.height), good.x2, edge))
    if (edge := _up(center.y, step)) < NORM - step:
        options.append(Box(good.x1, edge, good.x2, min(NORM, edge + good.height)))
    return rng.choice(options)


def elsewhere(box: Box, side: float, step: int, rng: random.Random) -> Box | None:
    """A window of that side that holds no part of a box; None where the box leaves no room."""
    side = _up(min(side, NORM), step)
    for _ in range(_TRIES):
        x1 = rng.randrange(0, int(NORM - side) + 1, step)
        y1 = rng.randrange(0, int(NORM - side) + 1, step)
        window = Box(x1, y1, x1 + side, y1 + side)
        if window.intersection_area(box) == 0 and not window.contains(box.center):
            return window
    return None


def _around(low: float, high: float, side: float, step: int, rng: random.Random) -> tuple[float, float]:
    slack = max(0.0, side - (high - low))
    start = min(max(0.0, low - rng.uniform(0.1, 0.9) * slack), max(0.0, NORM - side))
    return _down(start, step), min(NORM, _up(max(high, start + side), step))


def _down(value: float, step: int) -> float:
    return float(math.floor(value / step) * step)


def _up(value: float, step: int) -> float:
    return float(math.ceil(value / step) * step)
