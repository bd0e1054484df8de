"""Where a demonstration puts its crops: so that the target becomes legible, as a person would ask for them.

A window is chosen by what the environment would really show of it, after rounding and enlarging. It holds the target
with its surroundings, off centre, with corners on round numbers; it is as wide as legibility allows, or a little less.
All windows are boxes in [0, 1000] of the picture that they are cut from: the screenshot, or an earlier crop.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from zoomground.collect.places import in_frame, to_norm
from zoomground.collect.writing import crop_call
from zoomground.environment import GroundingEnv
from zoomground.geometry import NORM, Box, Region
from zoomground.protocol.observation import CropView
from zoomground.rewards.base import seen_short_side
from zoomground.rewards.quality import REPEAT_IOU, short_side_in_crop, surround

if TYPE_CHECKING:
    from zoomground.geometry import Size

REACH = 8.0
"""Most that one crop enlarges: nobody can aim at less than an eighth of a picture's width and height."""

LEAST_ZOOM = 1.4
"""Least that a crop enlarges; with less it would show again what was already seen."""

_LADDER = 1.12
_RUNGS = 30
"""A window that does not make the target legible is tried again, smaller by this factor, so often."""

_MARGIN = 0.08
"""Least room around what a window must hold, as a share of it."""

_STEPS = (50.0, 25.0, 10.0, 5.0, 1.0, 0.5, 0.1, 0.01)
_STEP_SHARE = 0.12
"""Corners are multiples of the largest step that is at most this share of the window's side."""

_SLACK = 1e-6
"""Binary fractions must not push a corner that lies on a step to the next one."""

_TRIES = 40
_MOST_NEED = 1000.0


@dataclass(frozen=True)
class Sight:
    """The target of an episode as the policy sees it, and the windows that show it.

    Attributes:
        env: The running episode; its task has a target.
        legible_px: Short side from which a target can be read, px.
        rng: Decides sizes and places.
    """

    env: GroundingEnv
    legible_px: float
    rng: random.Random

    @cached_property
    def box_px(self) -> Box:
        """The target's box."""
        place = self.env.task.place
        assert place is not None  # noqa: S101 -- a refusal has nothing to be seen
        return place.box

    @cached_property
    def seen_px(self) -> float:
        """Short side of the target on the screenshot as seen."""
        return seen_short_side(self.env.trajectory(), self.box_px)

    @property
    def is_legible(self) -> bool:
        """Whether it can be read without a crop."""
        return self.seen_px >= self.legible_px

    @property
    def need(self) -> float:
        """How much it must be enlarged to be read; below 1 for a legible one."""
        return min(_MOST_NEED, self.legible_px / max(self.seen_px, 1e-9))

    @cached_property
    def held_px(self) -> Box:
        """What a right crop holds: the target with its surroundings; without them if these fill the screen."""
        size = self.env.screenshot.size
        for box in (surround(self.box_px, size), self.box_px.grown(1.0, size)):
            if _zoom_of(box, size) >= LEAST_ZOOM:
                return box
        return self.box_px

    @property
    def room(self) -> float:
        """The most that a crop can enlarge and still hold all that it must."""
        return _zoom_of(surround(self.box_px, self.env.screenshot.size), self.env.screenshot.size)

    def shown_px(self, region: Region) -> float:
        """s(c): short side of the target on the crop of a region as it would be shown."""
        settings = self.env.settings
        shown = settings.limits.shown_size(region.size, settings.crop_upscale_factor, settings.crop_max_pixels)
        return short_side_in_crop(CropView("", "", region, shown, "", ""), self.box_px, seen_px=self.seen_px)

    def draw_zoom(self) -> float:
        """How much the last crop enlarges: enough, seldom much more than that."""
        low = max(1.05 * self.need, 1.6)
        high = max(low, min(max(2.0 * self.need, 2.6), REACH))
        return math.exp(self.rng.uniform(math.log(low), math.log(high)))

    def legible_window(self, zoom: float, parent: str) -> Box:
        """A window that makes the target legible; where none does, the one that comes closest.

        Args:
            zoom: The wished enlargement of the screenshot; more is taken where the target is not legible yet.
            parent: Name of the picture that is cut.
        """
        shape = self._draw_shape()
        windows = [self._window(zoom, shape, parent)]
        for rung in range(1, _RUNGS):
            if self._shown_px(windows[-1], parent) >= self.legible_px:
                return windows[-1]
            windows.append(self._window(zoom * _LADDER**rung, shape, parent))
        return max(windows, key=lambda window: self._shown_px(window, parent))

    def wide_window(self, zoom: float, parent: str) -> Box:
        """A window that holds the target and enlarges as said, whether that makes it legible or not."""
        return self._window(zoom, self._draw_shape(), parent)

    def cut_window(self, zoom: float) -> Box | None:
        """A window of the screenshot with an edge through the target; None where that leaves too little."""
        target = self._framed(self.box_px, self._whole)
        window = self._window(zoom, self._draw_shape(), self.env.image_name)
        options: list[Box] = []
        if (x := self._edge(target.x1, target.x2)) is not None:
            options += [replace(window, x1=max(0.0, x - window.width), x2=x)]
            options += [replace(window, x1=x, x2=min(NORM, x + window.width))]
        if (y := self._edge(target.y1, target.y2)) is not None:
            options += [replace(window, y1=max(0.0, y - window.height), y2=y)]
            options += [replace(window, y1=y, y2=min(NORM, y + window.height))]
        # At the border of the screen hardly anything would be left of some of them.
        options = [option for option in options if option.area > window.area / 2]
        return self.rng.choice(options) if options else None

    def missing_window(self, zoom: float) -> Box | None:
        """A window of the screenshot without any part of the target or its surroundings; None where there is none."""
        held = self._framed(surround(self.box_px, self.env.screenshot.size), self._whole)
        for _ in range(_TRIES):
            window = any_window(zoom, self.rng)
            if window.intersection_area(held) == 0 and not window.contains(held.center):
                return window
        return None

    @property
    def _whole(self) -> Region:
        return Region.whole(self.env.screenshot.size)

    def _shown_px(self, window: Box, parent: str) -> float:
        return self.shown_px(self.env.views.compose(crop_call(self.env, window, parent)))

    def _draw_shape(self) -> _Shape:
        """Proportions between those of a square and of the screen, and where in the window the target lies."""
        rng, size = self.rng, self.env.screenshot.size
        ratio = (size.width / size.height) ** rng.choice((0.0, 0.5, 1.0)) * math.exp(rng.uniform(-0.4, 0.4))
        return _Shape(ratio, rng.uniform(0.12, 0.88), rng.uniform(0.12, 0.88))

    def _window(self, zoom: float, shape: _Shape, parent: str) -> Box:
        """The window of this size and shape around what must be held, on round numbers of the parent."""
        size, held = self.env.screenshot.size, self.held_px
        area = size.area / zoom**2
        width = min(size.width, max(math.sqrt(area * shape.ratio), held.width * (1 + 2 * _MARGIN)))
        height = min(size.height, max(area / width, held.height * (1 + 2 * _MARGIN)))
        x1 = _slid(held.x1 - shape.left * (width - held.width), width, size.width)
        y1 = _slid(held.y1 - shape.top * (height - held.height), height, size.height)
        return rounded(self._framed(Box(x1, y1, x1 + width, y1 + height), self.env.views.region(parent)))

    def _framed(self, box_px: Box, region: Region) -> Box:
        """A box of the screenshot in [0, 1000] of a region, clipped to it."""
        return in_frame(region, to_norm(box_px, self.env.screenshot.size))

    def _edge(self, low: float, high: float) -> float | None:
        """The roundest number well inside a range; None if none with a few decimals is."""
        reach = 0.3 * (high - low)
        for step in _STEPS:
            first, last = math.ceil((low + reach) / step), math.floor((high - reach) / step)
            if first <= last:
                return _multiple(self.rng.randint(first, last), step)
        return None


@dataclass(frozen=True, slots=True)
class _Shape:
    ratio: float
    left: float
    top: float


def any_window(zoom: float, rng: random.Random) -> Box:
    """A window anywhere on a picture, in [0, 1000] of it."""
    stretch = math.exp(rng.uniform(-0.3, 0.3))
    width, height = min(NORM, NORM / zoom * stretch), min(NORM, NORM / zoom / stretch)
    x1, y1 = rng.uniform(0, NORM - width), rng.uniform(0, NORM - height)
    return rounded(Box(x1, y1, x1 + width, y1 + height))


def repeated(window: Box) -> Box:
    """Nearly the same window once more."""
    step = math.floor(0.02 * min(window.width, window.height))
    moved = Box(max(0.0, window.x1 - step), window.y1, max(window.width, window.x2 - step), window.y2)
    return moved if moved.iou(window) >= REPEAT_IOU else window


def rounded(window: Box) -> Box:
    """A window with its corners moved outward to numbers as round as its size allows."""
    side = min(window.width, window.height)
    step = next((one for one in _STEPS if one <= _STEP_SHARE * side), _STEPS[-1])
    x1, y1 = (_multiple(math.floor(value / step + _SLACK), step) for value in (window.x1, window.y1))
    x2, y2 = (min(NORM, _multiple(math.ceil(value / step - _SLACK), step)) for value in (window.x2, window.y2))
    return Box(x1, y1, max(x2, x1 + _STEPS[-1]), max(y2, y1 + _STEPS[-1]))


def _multiple(count: int, step: float) -> float:
    return round(count * step, 2)


def _slid(start: float, length: float, limit: float) -> float:
    return min(max(0.0, start), limit - length)


def _zoom_of(box: Box, size: Size) -> float:
    return math.sqrt(size.area / max(box.area, 1.0))
