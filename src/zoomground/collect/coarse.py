"""Demonstrations for checkpoints of a few million weights: nine windows, round numbers, few sentences.

Where a window goes follows from the place that the thinking names, so a checkpoint that has just learnt to speak asks
for sensible crops.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from zoomground.collect.places import answer_point, in_frame, ninth_index, to_norm
from zoomground.collect.style import Plan, ScriptedTurn, Style
from zoomground.collect.writing import crop_call, write_turn
from zoomground.environment import GroundingEnv
from zoomground.geometry import NORM, Box, Point, Polygon
from zoomground.protocol.actions import Action, Answer, Decline
from zoomground.protocol.observation import crop_name
from zoomground.rewards.base import seen_short_side
from zoomground.rewards.quality import surround
from zoomground.task import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_MIN_SIDE = 60.0
_MAX_SIDE = 600.0
"""Sides of crops in [0, 1000]: below, no surroundings would be left; above, nothing would be enlarged."""

_WIDE_SIDE = 500.0
"""Least side of a wide first crop."""

_STEP = 100
"""Corners of windows that are no ninths are multiples of this."""

_ANSWER_STEP = 10.0

_ROWS = ("top", "middle", "bottom")
_COLUMNS = ("left", "centre", "right")
PLACES = tuple(f"{row} {column}" for row in _ROWS for column in _COLUMNS)
"""Ninths of a picture, row by row."""


class Saying(StrEnum):
    """Occasions to think aloud."""

    CLEAR = "clear"
    GUESS = "guess"
    LOOK = "look"
    MAKE_SURE = "make_sure"
    WIDE = "wide"
    FURTHER = "further"
    CUT_OFF = "cut_off"
    ABSENT = "absent"
    COMPARE = "compare"
    FOUND = "found"
    IN_FIRST = "in_first"
    IN_SECOND = "in_second"
    NOTHING = "nothing"


_FORMS: Mapping[Saying, tuple[str, ...]] = MappingProxyType(
    {
        Saying.CLEAR: ("Clear enough, {place}.", "I see it, {place}."),
        Saying.GUESS: ("Small, but probably {place}.", "It should be {place}."),
        Saying.LOOK: ("Small. Look closer, {place}.", "Hard to read from here. Zoom in, {place}."),
        Saying.MAKE_SURE: ("Look closer to be sure, {place}.",),
        Saying.WIDE: ("Start with a wide crop, {place}.",),
        Saying.FURTHER: ("Zoom in further, {place} of the crop.",),
        Saying.CUT_OFF: ("Cut off. Move the crop, {place} of the screenshot.",),
        Saying.ABSENT: ("Not in this crop. Look {place} of the screenshot.",),
        Saying.COMPARE: ("Two places could be meant. Compare them.",),
        Saying.FOUND: ("There it is, {place} of the crop.", "Found it, {place} of the crop."),
        Saying.IN_FIRST: ("It is in the first crop, {place}.",),
        Saying.IN_SECOND: ("It is in the second crop, {place}.",),
        Saying.NOTHING: ("Nothing here is what was asked for.",),
    }
)

_CROPS: Mapping[Plan, int] = MappingProxyType(
    {Plan.CONTEXT: 1, Plan.NESTED: 2, Plan.CUT: 2, Plan.MISSED: 2, Plan.PAIR: 2}
)
"""The plans of this style that zoom, and how many crops each asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coarse(Style):
    """See the module.

    Zooming and answering at once both stay open, because such a checkpoint learns shares long before it learns to tell
    sizes; RL has to find both to compare them.

    Attributes:
        zoom_small: Share of the targets below `legible_px` that are zoomed into.
        plans: Weights of the plans among those that zoom.
    """

    legible_px: float = 12.0
    zoom_legible: float = 0.35
    silent: float = 0.0
    renamed: float = 0.0
    zoom_small: float = 0.65
    plans: Mapping[Plan, float] = field(
        default_factory=lambda: {
            Plan.CONTEXT: 0.8,
            Plan.NESTED: 0.05,
            Plan.CUT: 0.05,
            Plan.MISSED: 0.05,
            Plan.PAIR: 0.05,
        }
    )

    def script(self, env: GroundingEnv, rng: random.Random) -> _Script:
        """See `Style`."""
        return _Script(env, rng, self)

    def sentences(self) -> list[str]:
        """See `Style`."""
        forms = [form for variants in _FORMS.values() for form in variants]
        return [
            text for form in forms for text in ([form.format(place=p) for p in PLACES] if "{place}" in form else [form])
        ]


def place(point: Point) -> str:
    """The ninth of a picture that a point of [0, 1000] lies in.

    >>> place(Point(100, 500)), place(Point(1000, 1000))
    ('middle left', 'bottom right')
    """
    column, row = ninth_index(point)
    return PLACES[row * 3 + column]


@dataclass(frozen=True)
class _Script:
    env: GroundingEnv
    rng: random.Random
    style: Coarse

    @cached_property
    def plan(self) -> Plan:
        if isinstance(self.env.task.target, Refusal):
            return Plan.DECLINE
        settings, style = self.env.settings, self.style
        zooms = self.rng.random() < (style.zoom_legible if self._is_legible else style.zoom_small)
        possible = {
            plan: weight
            for plan, weight in style.plans.items()
            if _CROPS[plan] <= settings.crop_budget
            and (2 if plan in {Plan.CONTEXT, Plan.PAIR} else 3) <= settings.max_turns
            and (plan is not Plan.PAIR or settings.max_calls_per_turn > 1)
        }
        if not zooms or not possible:
            return Plan.DIRECT
        return self.rng.choices(list(possible), list(possible.values()))[0]

    def turns(self) -> Iterator[ScriptedTurn]:
        if self.plan is Plan.DECLINE:
            yield self._turn(Decline(), Saying.NOTHING)
        elif self.plan is Plan.DIRECT:
            answer = self._answer()
            saying = Saying.CLEAR if self._is_legible else Saying.GUESS
            yield self._turn(answer, saying, Point(answer.x, answer.y))
        else:
            yield from self._looks()
            yield self._conclude()

    def _looks(self) -> Iterator[ScriptedTurn]:
        """The turns that ask for crops; after the last of them a crop holds the whole target."""
        side = self._side()
        wrong = elsewhere(self._target, self.rng)
        if self.plan is Plan.NESTED:
            yield self._look(Saying.WIDE, good(self._target, max(side, _WIDE_SIDE), self.rng))
            yield self._look_further()
            return
        right = good(self._target, side, self.rng)
        first = Saying.MAKE_SURE if self._is_legible else Saying.LOOK
        if self.plan is Plan.PAIR and wrong is not None:
            windows = self.rng.sample([right, wrong], 2)
            yield self._turn([crop_call(self.env, window) for window in windows], Saying.COMPARE)
            return
        if self.plan is Plan.CUT:
            yield self._look(first, cut(self._target, side, self.rng), right=False)
            yield self._look(self._complaint(), right)
        elif self.plan is Plan.MISSED and wrong is not None:
            yield self._look(first, wrong, right=False)
            yield self._look(self._complaint(), right)
        else:
            yield self._look(first, right)

    def _look(self, saying: Saying, window: Box, *, right: bool = True) -> ScriptedTurn:
        return self._turn([crop_call(self.env, window)], saying, window.center, right=right)

    def _look_further(self) -> ScriptedTurn:
        name = crop_name(1)
        region = self.env.views.region(name)
        side = min(_MAX_SIDE, self._side() * region.zoom)
        window = good(in_frame(region, self._target), side, self.rng)
        return self._turn([crop_call(self.env, window, name)], Saying.FURTHER, window.center)

    def _complaint(self) -> Saying:
        """What is wrong with the last crop, as it shows itself."""
        region = self.env.trajectory().crops[-1].region
        return Saying.CUT_OFF if region.box_px.intersection_area(self._box_px) > 0 else Saying.ABSENT

    def _conclude(self) -> ScriptedTurn:
        answer = self._answer()
        last = self.env.trajectory().crop_turns[-1]
        spots = [crop.region.to_crop(Point(answer.x, answer.y)) for crop in last]
        # The nearest to the middle: of two crops in a turn only one holds the target.
        number = min(range(len(spots)), key=lambda i: abs(spots[i].x - NORM / 2) + abs(spots[i].y - NORM / 2))
        saying = Saying.FOUND if len(last) == 1 else (Saying.IN_FIRST, Saying.IN_SECOND)[number]
        return self._turn(answer, saying, spots[number])

    def _turn(
        self, actions: Action | Sequence[Action], saying: Saying, at: Point | None = None, *, right: bool = True
    ) -> ScriptedTurn:
        """A turn; ``at`` is where the thinking points, in [0, 1000] of the picture that it speaks of."""
        silent = self.rng.random() < self.style.silent
        thought = "" if silent else self.rng.choice(_FORMS[saying]).format(place=place(at or Point(0, 0)))
        return ScriptedTurn(write_turn(actions, thought, self.env.settings), right)

    @property
    def _box_px(self) -> Box:
        return self._place.box

    @property
    def _place(self) -> Box | Polygon:
        place = self.env.task.place
        assert place is not None  # noqa: S101 -- a refusal has the plan of declining
        return place

    @property
    def _target(self) -> Box:
        """The target with its surroundings, in [0, 1000] of the screenshot."""
        return to_norm(surround(self._box_px, self.env.screenshot.size), self.env.screenshot.size)

    @property
    def _is_legible(self) -> bool:
        return seen_short_side(self.env.trajectory(), self._box_px) >= self.style.legible_px

    def _side(self) -> float:
        """Side of a crop in which the target is legible, in [0, 1000] of the screenshot."""
        wanted = NORM * seen_short_side(self.env.trajectory(), self._box_px) / self.style.legible_px
        return min(_MAX_SIDE, max(_MIN_SIDE, wanted * self.rng.uniform(0.6, 1.0)))

    def _answer(self) -> Answer:
        point = answer_point(self._place, self.env.screenshot.size, _ANSWER_STEP, self.rng)
        return Answer(point.x, point.y)


def good(target: Box, side: float, rng: random.Random) -> Box:
    """The ninth that holds all of the target; where none does, a window about ``side`` wide and high."""
    window = _ninth(*ninth_index(target.center))
    if _holds(window, target):
        return window
    x1, x2 = _around(target.x1, target.x2, side, rng)
    y1, y2 = _around(target.y1, target.y2, side, rng)
    return Box(x1, y1, x2, y2)


def cut(target: Box, side: float, rng: random.Random) -> Box:
    """A neighbour of the right ninth; where all of those hold the target, a window with an edge through it."""
    column, row = ninth_index(target.center)
    beside = [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]
    windows = [_ninth(c, r) for c, r in beside if min(c, r) >= 0 and max(c, r) <= 2]
    options = [window for window in windows if not _holds(window, target)]
    return rng.choice(options) if options else _through(target, good(target, side, rng), rng)


def elsewhere(target: Box, rng: random.Random) -> Box | None:
    """A ninth without any part of the target; None where it leaves no room."""
    windows = [_ninth(column, row) for column in range(3) for row in range(3)]
    options = [
        window for window in windows if window.intersection_area(target) == 0 and not window.contains(target.center)
    ]
    return rng.choice(options) if options else None


def _through(target: Box, window: Box, rng: random.Random) -> Box:
    center, options = target.center, []
    if (edge := _down(center.x)) > _STEP:
        options.append(Box(max(0.0, edge - window.width), window.y1, edge, window.y2))
    if (edge := _up(center.x)) < NORM - _STEP:
        options.append(Box(edge, window.y1, min(NORM, edge + window.width), window.y2))
    if (edge := _down(center.y)) > _STEP:
        options.append(Box(window.x1, max(0.0, edge - window.height), window.x2, edge))
    if (edge := _up(center.y)) < NORM - _STEP:
        options.append(Box(window.x1, edge, window.x2, min(NORM, edge + window.height)))
    return rng.choice(options)


def _ninth(column: int, row: int) -> Box:
    """A ninth with a margin: 400 wide and high."""
    return Box(300.0 * column, 300.0 * row, 300.0 * column + 400, 300.0 * row + 400)


def _holds(window: Box, target: Box) -> bool:
    return window.x1 <= target.x1 and target.x2 <= window.x2 and window.y1 <= target.y1 and target.y2 <= window.y2


def _around(low: float, high: float, side: float, rng: random.Random) -> tuple[float, float]:
    slack = max(0.0, side - (high - low))
    start = min(max(0.0, low - rng.uniform(0.1, 0.9) * slack), max(0.0, NORM - side))
    return _down(start), min(NORM, _up(max(high, start + side)))


def _down(value: float) -> float:
    return float(math.floor(value / _STEP) * _STEP)


def _up(value: float) -> float:
    return float(math.ceil(value / _STEP) * _STEP)
