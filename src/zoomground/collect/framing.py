"""Where a demonstration puts its crops: with surroundings, off centre, on round numbers, sometimes wrong on purpose.

All boxes are in [0, 1000] of the picture that is cut from: the screenshot, or an earlier crop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

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


def ninth_index(point: Point) -> tuple[int, int]:
    """Column and row, 0 to 2, of the ninth of a picture that a point of [0, 1000] lies in."""
    column, row = (min(2, int(max(0.0, value) * 3 / NORM)) for value in (point.x, point.y))
    return column, row


class Framing(Protocol):
    """How crops are placed."""

    def good(self, target: Box, side: float, rng: random.Random) -> Box:
        """A window that holds all of the target, about ``side`` wide and high."""
        ...

    def cut(self, target: Box, side: float, rng: random.Random) -> Box:
        """A window with an edge that runs through the target, or just misses it."""
        ...

    def elsewhere(self, target: Box, side: float, rng: random.Random) -> Box | None:
        """A window without any part of the target; None where it leaves no room."""
        ...


@dataclass(frozen=True, slots=True)
class FreeWindows:
    """Windows anywhere: the target off centre, corners on round numbers as a person writes them.

    Attributes:
        step: Corners are multiples of this.
    """

    step: int = 10

    def good(self, target: Box, side: float, rng: random.Random) -> Box:
        """See `Framing`."""
        x1, x2 = self._around(target.x1, target.x2, side, rng)
        y1, y2 = self._around(target.y1, target.y2, side, rng)
        return Box(x1, y1, x2, y2)

    def cut(self, target: Box, side: float, rng: random.Random) -> Box:
        """See `Framing`."""
        good, center, step = self.good(target, side, rng), target.center, self.step
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

    def elsewhere(self, target: Box, side: float, rng: random.Random) -> Box | None:
        """See `Framing`."""
        side = _up(min(side, NORM), self.step)
        for _ in range(_TRIES):
            x1 = rng.randrange(0, int(NORM - side) + 1, self.step)
            y1 = rng.randrange(0, int(NORM - side) + 1, self.step)
            window = Box(x1, y1, x1 + side, y1 + side)
            if _misses(window, target):
                return window
        return None

    def _around(self, low: float, high: float, side: float, rng: random.Random) -> tuple[float, float]:
        slack = max(0.0, side - (high - low))
        start = min(max(0.0, low - rng.uniform(0.1, 0.9) * slack), max(0.0, NORM - side))
        return _down(start, self.step), min(NORM, _up(max(high, start + side), self.step))


@dataclass(frozen=True, slots=True)
class NinthWindows:
    """One of nine windows, 400 wide and high: a ninth of the picture with a margin.

    Where a window goes follows from the place that the thinking names, so a checkpoint that has just learnt to speak
    asks for sensible crops. A target that no window holds is framed freely.
    """

    free: FreeWindows = FreeWindows(100)

    def good(self, target: Box, side: float, rng: random.Random) -> Box:
        """See `Framing`; the side is always that of a ninth."""
        window = _ninth(*ninth_index(target.center))
        return window if _holds(window, target) else self.free.good(target, side, rng)

    def cut(self, target: Box, side: float, rng: random.Random) -> Box:
        """See `Framing`; a neighbour of the right ninth."""
        column, row = ninth_index(target.center)
        beside = [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]
        windows = [_ninth(c, r) for c, r in beside if min(c, r) >= 0 and max(c, r) <= 2]
        options = [window for window in windows if not _holds(window, target)]
        return rng.choice(options) if options else self.free.cut(target, side, rng)

    def elsewhere(self, target: Box, side: float, rng: random.Random) -> Box | None:
        """See `Framing`; one of the ninths."""
        del side
        windows = [_ninth(column, row) for column in range(3) for row in range(3)]
        options = [window for window in windows if _misses(window, target)]
        return rng.choice(options) if options else None


def _ninth(column: int, row: int) -> Box:
    return Box(300.0 * column, 300.0 * row, 300.0 * column + 400, 300.0 * row + 400)


def _holds(window: Box, target: Box) -> bool:
    return window.x1 <= target.x1 and target.x2 <= window.x2 and window.y1 <= target.y1 and target.y2 <= window.y2


def _misses(window: Box, target: Box) -> bool:
    return window.intersection_area(target) == 0 and not window.contains(target.center)


def _down(value: float, step: int) -> float:
    return float(math.floor(value / step) * step)


def _up(value: float, step: int) -> float:
    return float(math.ceil(value / step) * step)
