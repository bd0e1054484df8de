"""The course of an episode of the free style: a plan that is drawn among those that target and budget allow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.collect.style import Plan
from zoomground.collect.windows import LEAST_ZOOM, REACH, repeated
from zoomground.geometry import Box
from zoomground.protocol.settings import Arm

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

    from zoomground.collect.windows import Sight
    from zoomground.protocol.settings import EpisodeSettings

_LEVELS: Mapping[Plan, int] = {Plan.CONTEXT: 1, Plan.PAIR: 1, Plan.NESTED: 2, Plan.DEEP: 3}
"""Right crops, each of the one before it, of the plans that say so; the others take what the target needs."""

_LEAST_NEED: Mapping[Plan, float] = {Plan.NESTED: 1.5, Plan.DEEP: 3.0, Plan.EXHAUSTED: 1.0}
_LEAST_ROOM: Mapping[Plan, float] = {Plan.NESTED: 3.0, Plan.DEEP: 6.0}
"""How small a target must be, and how much room there must be for zooming, so that a plan makes sense."""


@dataclass(frozen=True, slots=True)
class Course:
    """A plan and what it needs to be carried out.

    Attributes:
        plan: The plan.
        levels: Right crops, each of the one before it; 0 for none.
        wrong: Windows of the screenshot that do not show the target as it should be shown.
    """

    plan: Plan
    levels: int = 0
    wrong: tuple[Box, ...] = ()


def draw_course(sight: Sight, weights: Mapping[Plan, float], rng: random.Random) -> Course | None:
    """A course that looks closer, None where no plan with a weight can be carried out.

    Args:
        sight: The target.
        weights: Weight of each plan.
        rng: Decides.
    """
    possible = {plan: weight for plan, weight in weights.items() if weight > 0 and _is_possible(plan, sight)}
    while possible:
        plan = rng.choices(list(possible), list(possible.values()))[0]
        wrong = _wrong_windows(plan, sight, rng)
        if wrong is not None:
            return Course(plan, _levels(plan, sight), wrong)
        del possible[plan]
    return None


def plain_course(plan: Plan, sight: Sight) -> Course:
    """A course without wrong crops, as far as the budget goes."""
    return Course(plan, _levels(plan, sight))


def _levels(plan: Plan, sight: Sight) -> int:
    """Crops that lead to the target: more than one where one cannot aim finely enough to reach it at once."""
    needed = math.ceil(math.log(max(sight.need, 1.01)) / math.log(REACH))
    settings = sight.env.settings
    most = max(1, min(settings.crop_budget, settings.max_turns - 1))
    return min(max(_LEVELS.get(plan, 1), needed), most)


def _is_possible(plan: Plan, sight: Sight) -> bool:
    settings, levels = sight.env.settings, _levels(plan, sight)
    cost = _costs(levels, settings.crop_budget).get(plan)
    if cost is None or levels != _LEVELS.get(plan, levels):
        return False
    if plan is Plan.ZOOM_FIRST and settings.arm is not Arm.FORCED:
        return False
    fits = sight.room >= max(LEAST_ZOOM, _LEAST_ROOM.get(plan, 0.0)) and sight.need > _LEAST_NEED.get(plan, 0.0)
    return fits and cost.is_met_by(settings)


@dataclass(frozen=True, slots=True)
class _Cost:
    crops: int
    turns: int
    corrections: int = 0
    crops_in_a_turn: int = 1

    def is_met_by(self, settings: EpisodeSettings) -> bool:
        return (
            self.crops <= settings.crop_budget
            and self.turns <= settings.max_turns
            and self.corrections <= settings.max_corrections
            and self.crops_in_a_turn <= settings.max_calls_per_turn
        )


def _costs(levels: int, budget: int) -> dict[Plan, _Cost]:
    """What each plan that looks closer takes, the answer included."""
    straight = _Cost(levels, levels + 1)
    one_wrong = _Cost(levels + 1, levels + 2)
    one_bad = _Cost(levels, levels + 2, corrections=1)
    return {
        Plan.CONTEXT: straight,
        Plan.NESTED: straight,
        Plan.DEEP: straight,
        Plan.PAIR: _Cost(2, 2, crops_in_a_turn=2),
        Plan.MISSED: one_wrong,
        Plan.CUT: one_wrong,
        Plan.CORRECTED: one_bad,
        Plan.ZOOM_FIRST: one_bad,
        Plan.EXHAUSTED: _Cost(max(2, levels + 1), budget + 1),
    }


def _wrong_windows(plan: Plan, sight: Sight, rng: random.Random) -> tuple[Box, ...] | None:
    """The windows that do not show the target; None if the screen has no place for them."""
    match plan:
        case Plan.PAIR | Plan.MISSED:
            missing = sight.missing_window(_aimed(sight))
            return None if missing is None else (missing,)
        case Plan.CUT:
            cut = sight.cut_window(_aimed(sight))
            return None if cut is None else (cut,)
        case Plan.EXHAUSTED:
            return _until_one_is_left(sight, sight.env.settings.crop_budget - _levels(plan, sight), rng)
        case _:
            return ()


def _until_one_is_left(sight: Sight, count: int, rng: random.Random) -> tuple[Box, ...] | None:
    windows: list[Box] = []
    while len(windows) < count:
        kind = rng.choice(("missed", "cut", "repeated") if windows else ("missed", "cut"))
        if kind == "repeated":
            windows.append(repeated(windows[-1]))
            continue
        zoom = _aimed(sight)
        window = sight.missing_window(zoom) if kind == "missed" else sight.cut_window(zoom)
        if window is None:
            return None
        windows.append(window)
    return tuple(windows)


def _aimed(sight: Sight) -> float:
    return min(sight.draw_zoom(), REACH)
