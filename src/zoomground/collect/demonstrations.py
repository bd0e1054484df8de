"""Scripted zoom episodes, played through the real environment from the known target.

A demonstration is a trajectory like any other: every crop really ran, every observation is the environment's own. So
what SFT learns from is, to the letter, what rollouts will see.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.collect import framing
from zoomground.collect.script import Plan, Saying, Style, say
from zoomground.environment import GroundingEnv
from zoomground.errors import ZoomgroundError
from zoomground.geometry import NORM, Box, Point, Polygon
from zoomground.protocol.actions import Action, Answer, Crop, Decline
from zoomground.protocol.observation import crop_name
from zoomground.protocol.render import render
from zoomground.rewards.base import seen_short_side
from zoomground.rewards.quality import surround
from zoomground.task import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zoomground.images import Screenshot
    from zoomground.protocol.settings import EpisodeSettings
    from zoomground.task import Task
    from zoomground.trajectory import Trajectory

_MIN_SIDE = 60.0
_MAX_SIDE = 600.0
"""Sides of crops in [0, 1000]: below, no surroundings would be left; above, nothing would be enlarged."""

_WIDE_SIDE = 500.0
"""Least side of a wide first crop."""

_WHOLE_NUMBER = re.compile(r"(=\d+)\.00")


def demonstrate(
    task: Task, screenshot: Screenshot, settings: EpisodeSettings, seed: int | str, style: Style | None = None
) -> Trajectory:
    """Play one demonstration; it ends with a hit, and every turn of it is canonical.

    Args:
        task: The task, with its target.
        screenshot: Its screenshot.
        settings: Arm, budgets, limits.
        seed: Decides plan, crops and words.
        style: How demonstrations look.

    Raises:
        ZoomgroundError: If the task is a refusal and declining is not allowed.
    """
    return play_script(task, screenshot, settings, seed, style).trajectory()


def play_script(
    task: Task, screenshot: Screenshot, settings: EpisodeSettings, seed: int | str, style: Style | None = None
) -> GroundingEnv:
    """The finished episode of `demonstrate`, with the pixels of its crops."""
    if task.target is None:
        raise ZoomgroundError(f"task '{task.id}': has no target; nobody knows what to demonstrate")
    if isinstance(task.target, Refusal) and not settings.allow_decline:
        raise ZoomgroundError(f"task '{task.id}': a refusal cannot be demonstrated where declining is not allowed")
    env = GroundingEnv(task, screenshot, settings)
    script = _Script(env, random.Random(f"{seed}/{task.id}"), style or Style())
    for text in script.turns():
        env.step(text, finish_reason="stop")
    return env


@dataclass(frozen=True, slots=True)
class _Script:
    """Writes the turns of one episode, each after the one before it was carried out."""

    env: GroundingEnv
    rng: random.Random
    style: Style

    def turns(self) -> Iterator[str]:
        if isinstance(self.env.task.target, Refusal):
            yield self._turn(Decline(), Saying.NOTHING)
            return
        plan = self._plan()
        if plan is Plan.DIRECT:
            saying = Saying.CLEAR if self._is_legible else Saying.GUESS
            answer = self._answer()
            yield self._turn(answer, saying, Point(answer.x, answer.y))
            return
        yield from self._looks(plan)
        yield self._conclude()

    def _plan(self) -> Plan:
        settings, style = self.env.settings, self.style
        zooms = self.rng.random() < (style.zoom_legible if self._is_legible else style.zoom_small)
        possible = {
            plan: weight
            for plan, weight in style.plans.items()
            if plan.crops <= settings.crop_budget
            and plan.turns <= settings.max_turns
            and plan.crops_in_a_turn <= settings.max_calls_per_turn
        }
        if not zooms or not possible:
            return Plan.DIRECT
        return self.rng.choices(list(possible), list(possible.values()))[0]

    def _looks(self, plan: Plan) -> Iterator[str]:
        """The turns that ask for crops; after the last of them a crop holds the whole target."""
        side, frames = self._side(), self.style.framing
        wrong = frames.elsewhere(self._target, side, self.rng)
        if plan is Plan.NESTED:
            yield self._look(Saying.WIDE, frames.good(self._target, max(side, _WIDE_SIDE), self.rng))
            yield self._look_further()
            return
        good = frames.good(self._target, side, self.rng)
        first = Saying.MAKE_SURE if self._is_legible else Saying.LOOK
        if plan is Plan.PAIR and wrong is not None:
            windows = self.rng.sample([good, wrong], 2)
            yield self._turn([self._crop(window) for window in windows], Saying.COMPARE)
            return
        if plan is Plan.RECOVERED:
            yield self._look(first, frames.cut(self._target, side, self.rng))
            yield self._look(self._complaint(), good)
        elif plan is Plan.WRONG_FIRST and wrong is not None:
            yield self._look(first, wrong)
            yield self._look(self._complaint(), good)
        else:
            yield self._look(first, good)

    def _look(self, saying: Saying, window: Box) -> str:
        return self._turn([self._crop(window)], saying, window.center)

    def _look_further(self) -> str:
        name = crop_name(1)
        region = self.env.views.region(name)
        target = framing.in_frame(region, self._target)
        side = min(_MAX_SIDE, self._side() * region.zoom)
        window = self.style.framing.good(target, side, self.rng)
        return self._turn([self._crop(window, name)], Saying.FURTHER, window.center)

    def _complaint(self) -> Saying:
        """What is wrong with the last crop, as it shows itself."""
        region = self.env.trajectory().crops[-1].region
        return Saying.CUT_OFF if region.box_px.intersection_area(self._box_px) > 0 else Saying.ABSENT

    def _conclude(self) -> str:
        answer = self._answer()
        last = self.env.trajectory().crop_turns[-1]
        spots = [crop.region.to_crop(Point(answer.x, answer.y)) for crop in last]
        # The nearest to the middle: of two crops in a turn only one holds the target.
        number = min(range(len(spots)), key=lambda i: abs(spots[i].x - NORM / 2) + abs(spots[i].y - NORM / 2))
        saying = Saying.FOUND if len(last) == 1 else (Saying.IN_FIRST, Saying.IN_SECOND)[number]
        return self._turn(answer, saying, spots[number])

    def _turn(self, actions: Action | Sequence[Action], saying: Saying, at: Point | None = None) -> str:
        """The turn's text; ``at`` is where the thinking points, in [0, 1000] of the picture that it speaks of."""
        silent = self.rng.random() < self.style.silent
        thought = "" if silent else say(saying, at or Point(0, 0), self.rng)
        if self.env.settings.prompt_ends_in_think:
            return f"{thought}\n</think>\n\n{_short(render(actions))}"
        return _short(render(actions, think=thought or None))

    def _crop(self, window: Box, name: str | None = None) -> Crop:
        return Crop(name or self.env.image_name, window.x1, window.y1, window.x2, window.y2)

    @property
    def _box_px(self) -> Box:
        return self._place.box

    @property
    def _place(self) -> Box | Polygon:
        place = self.env.task.place
        assert place is not None  # noqa: S101 -- `turns` and `play_script` sorted those out
        return place

    @property
    def _target(self) -> Box:
        """The target with its surroundings, in [0, 1000] of the screenshot."""
        return framing.to_norm(surround(self._box_px, self.env.screenshot.size), self.env.screenshot.size)

    @property
    def _is_legible(self) -> bool:
        return seen_short_side(self.env.trajectory(), self._box_px) >= self.style.legible_px

    def _side(self) -> float:
        """Side of a crop in which the target is legible, in [0, 1000] of the screenshot."""
        wanted = NORM * seen_short_side(self.env.trajectory(), self._box_px) / self.style.legible_px
        return min(_MAX_SIDE, max(_MIN_SIDE, wanted * self.rng.uniform(0.6, 1.0)))

    def _answer(self) -> Answer:
        point = framing.answer_point(self._place, self.env.screenshot.size, self.style.answer_step, self.rng)
        return Answer(point.x, point.y)


def _short(text: str) -> str:
    """The same crop calls with whole numbers written as such: as canonical, and fewer tokens."""
    return _WHOLE_NUMBER.sub(r"\1", text)
