"""Demonstrations for checkpoints of a useful size: crops that make the target legible, mistakes and how to go on.

Legibility decides: a target that can be read is answered at once, another is looked at until it can be read, in as many
steps as one can aim. Some episodes go wrong first, as a policy's own will, and show how to recover.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from zoomground.collect.course import Course, draw_course, plain_course
from zoomground.collect.mistakes import bad_turn
from zoomground.collect.places import answer_point, ninth_index
from zoomground.collect.style import Plan, ScriptedTurn, Style
from zoomground.collect.thinking import Saying, Voice
from zoomground.collect.windows import Sight, any_window
from zoomground.collect.writing import crop_call, with_thought, write_turn
from zoomground.environment import GroundingEnv
from zoomground.geometry import Point
from zoomground.protocol.actions import Answer, Decline
from zoomground.protocol.observation import crop_name
from zoomground.protocol.settings import Arm
from zoomground.rewards.quality import is_repeat
from zoomground.task import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zoomground.geometry import Box
    from zoomground.protocol.actions import Action, Crop, Reason

PLANS: Mapping[Plan, float] = MappingProxyType(
    {
        Plan.CONTEXT: 0.44,
        Plan.NESTED: 0.14,
        Plan.DEEP: 0.07,
        Plan.PAIR: 0.07,
        Plan.MISSED: 0.08,
        Plan.CUT: 0.08,
        Plan.CORRECTED: 0.08,
        Plan.EXHAUSTED: 0.04,
    }
)

_ANSWER_STEP = 0.01
_LEAST_LEVEL = 1.6
"""Least that each of several crops enlarges the one before it."""

_DECLINE_LOOKS: Mapping[int, float] = MappingProxyType({0: 0.4, 1: 0.4, 2: 0.2})
"""Shares of the refusals by the number of crops before declining."""

_LOOK_ZOOM = (1.8, 3.5)
"""How much a crop enlarges that looks for what is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Free(Style):
    """See the module.

    Attributes:
        plans: Weights of the plans among those that zoom.
        corrected: Share of the direct answers that follow a corrected bad turn.
        twice: Share of the corrected demonstrations with a second bad turn.
        refused_first: Share of the demonstrations in the arm ``forced`` that answer before they zoom.
        over_budget: Share of the exhausted budgets with one more crop asked for.
        own_language: Share of the tasks in another known language that are thought about in that language.
    """

    forced: float = 0.05
    offer_decline: float | None = 0.3
    plans: Mapping[Plan, float] = field(default_factory=lambda: dict(PLANS))
    corrected: float = 0.06
    twice: float = 0.15
    refused_first: float = 0.5
    over_budget: float = 0.3
    own_language: float = 0.5

    def script(self, env: GroundingEnv, rng: random.Random) -> _Script:
        """See `Style`."""
        return _Script(env, rng, self)


@dataclass(frozen=True)
class _Script:
    env: GroundingEnv
    rng: random.Random
    style: Free

    @property
    def plan(self) -> Plan:
        return self._course.plan

    def turns(self) -> Iterator[ScriptedTurn]:
        match self.plan:
            case Plan.DECLINE:
                yield from self._declining()
            case Plan.DIRECT:
                yield self._answer_at_once()
            case Plan.CORRECTED:
                yield from self._corrected()
            case Plan.PAIR:
                yield self._two_looks()
                yield self._conclude()
            case Plan.ZOOM_FIRST:
                yield self._answer_at_once(right=False)
                yield from self._approach()
                yield self._conclude()
            case _:
                yield from self._wrong_looks()
                yield from self._approach()
                yield from self._one_crop_too_many()
                yield self._conclude()

    @cached_property
    def _sight(self) -> Sight:
        return Sight(self.env, self.style.legible_px, self.rng)

    @cached_property
    def _voice(self) -> Voice:
        return Voice.of(self.env.task, self.rng, own_language=self.style.own_language)

    @cached_property
    def _course(self) -> Course:
        if isinstance(self.env.task.target, Refusal):
            return Course(Plan.DECLINE)
        style, settings, sight = self.style, self.env.settings, self._sight
        may_crop = settings.crop_budget > 0 and settings.max_turns > 1
        must_crop = may_crop and settings.arm is Arm.FORCED
        course = None
        if must_crop and self._chance(style.refused_first):
            course = draw_course(sight, {Plan.ZOOM_FIRST: 1.0}, self.rng)
        elif may_crop and (must_crop or not sight.is_legible or self._chance(style.zoom_legible)):
            course = draw_course(sight, style.plans, self.rng)
        if course is not None:
            return course
        if must_crop:
            return plain_course(Plan.CONTEXT, sight)
        corrects = settings.max_corrections > 0 and settings.max_turns > 1 and self._chance(style.corrected)
        return Course(Plan.CORRECTED if corrects else Plan.DIRECT)

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share

    # -- answers ------------------------------------------------------------------------------------------------------

    @cached_property
    def _answer(self) -> Answer:
        place = self.env.task.place
        assert place is not None  # noqa: S101 -- a refusal has the plan of declining
        point = answer_point(place, self.env.screenshot.size, _ANSWER_STEP, self.rng)
        return Answer(point.x, point.y)

    @property
    def _spot(self) -> Point:
        return Point(self._answer.x, self._answer.y)

    def _answer_at_once(self, *, right: bool = True) -> ScriptedTurn:
        return self._turn(self._answer, self._at_once, [self._spot], right=right)

    @property
    def _at_once(self) -> Saying:
        return Saying.CLEAR if self._sight.is_legible else Saying.GUESS

    def _conclude(self) -> ScriptedTurn:
        saying, spot = self._finding()
        return self._turn(self._answer, saying, [spot])

    def _finding(self) -> tuple[Saying, Point]:
        """How the last crops show the target, and where in them."""
        last = self.env.trajectory().crop_turns[-1]
        center = self._sight.box_px.center
        number = next((i for i, crop in enumerate(last) if crop.region.box_px.contains(center)), 0)
        region = last[number].region
        if len(last) > 1:
            saying = (Saying.IN_FIRST, Saying.IN_SECOND)[number]
        else:
            saying = Saying.FOUND if self._sight.shown_px(region) >= self.style.legible_px else Saying.FAINT
        return saying, region.to_crop(self._spot)

    # -- right looks --------------------------------------------------------------------------------------------------

    def _approach(self) -> Iterator[ScriptedTurn]:
        """Right crops, each of the one before it; the last one makes the target legible."""
        sight, levels = self._sight, self._course.levels
        zoom = max(sight.draw_zoom(), _LEAST_LEVEL**levels)
        parent = self.env.image_name
        for level in range(1, levels + 1):
            if level < levels:
                window = sight.wide_window(zoom ** (level / levels) * math.exp(self.rng.uniform(-0.1, 0.1)), parent)
            else:
                window = sight.legible_window(zoom, parent)
            saying = self._first_saying(wide=levels > 1) if level == 1 else Saying.FURTHER
            yield self._look(saying, window, parent)
            parent = crop_name(self.env.views.crop_count)

    def _first_saying(self, *, wide: bool = False) -> Saying:
        """Why the next crop of the screenshot is asked for."""
        trajectory = self.env.trajectory()
        if trajectory.crops:
            last = trajectory.crops[-1]
            if is_repeat(last, trajectory.crops[:-1]):
                return Saying.SAME
            return Saying.CUT_OFF if last.region.box_px.intersection_area(self._sight.box_px) > 0 else Saying.ABSENT
        if self.env.settings.arm is Arm.FORCED and (self._sight.is_legible or self._chance(0.3)):
            return Saying.DEMANDED
        if self._sight.is_legible:
            return Saying.MAKE_SURE
        return Saying.WIDE if wide else Saying.LOOK

    def _two_looks(self) -> ScriptedTurn:
        good = self._sight.legible_window(self._sight.draw_zoom(), self.env.image_name)
        windows = self.rng.sample([good, self._course.wrong[0]], 2)
        calls = [crop_call(self.env, window) for window in windows]
        places = [window.center for window in windows]
        close = ninth_index(places[0]) == ninth_index(places[1])
        return self._turn(calls, Saying.COMPARE_CLOSE if close else Saying.COMPARE, places)

    def _look(self, saying: Saying, window: Box, parent: str | None = None, *, right: bool = True) -> ScriptedTurn:
        return self._turn([crop_call(self.env, window, parent)], saying, [window.center], right=right)

    # -- mistakes -----------------------------------------------------------------------------------------------------

    def _wrong_looks(self) -> Iterator[ScriptedTurn]:
        for window in self._course.wrong:
            yield self._look(self._first_saying(), window, right=False)

    def _corrected(self) -> Iterator[ScriptedTurn]:
        """A bad turn, or two, in place of the first look or of the answer; then what was meant."""
        zooms = self._course.levels > 0
        early = not zooms or self._chance(0.5)
        if zooms and early:
            yield from self._bad_looks()
        if zooms:
            yield from self._approach()
        if not (zooms and early):
            yield from self._bad_answers()
        yield self._conclude() if zooms else self._answer_at_once()

    def _bad_looks(self) -> Iterator[ScriptedTurn]:
        window = self._sight.legible_window(self._sight.draw_zoom(), self.env.image_name)
        for _ in range(self._bad_turns):
            yield self._bad(crop_call(self.env, window), self._first_saying(), window.center)

    def _bad_answers(self) -> Iterator[ScriptedTurn]:
        saying, spot = self._finding() if self._course.levels else (self._at_once, self._spot)
        for _ in range(self._bad_turns):
            yield self._bad(self._answer, saying, spot)

    @property
    def _bad_turns(self) -> int:
        settings = self.env.settings
        room = settings.max_turns - self._course.levels - 1
        return 2 if min(settings.max_corrections, room) > 1 and self._chance(self.style.twice) else 1

    def _bad(self, meant: Answer | Crop, saying: Saying, spot: Point) -> ScriptedTurn:
        text = bad_turn(self.env, meant, self.rng)
        return ScriptedTurn(with_thought(text, self._thought(saying, [spot]), self.env.settings), right=False)

    def _one_crop_too_many(self) -> Iterator[ScriptedTurn]:
        """In an exhausted budget, sometimes: one more crop, which is refused."""
        if self.plan is not Plan.EXHAUSTED or not self._chance(self.style.over_budget):
            return
        trajectory = self.env.trajectory()
        if trajectory.settings.max_corrections and len(trajectory.turns) + 2 <= trajectory.settings.max_turns:
            yield self._look(Saying.MAKE_SURE, any_window(4.0, self.rng), right=False)

    # -- declining ----------------------------------------------------------------------------------------------------

    def _declining(self) -> Iterator[ScriptedTurn]:
        settings = self.env.settings
        most = min(settings.crop_budget, settings.max_turns - 1)
        wished = self.rng.choices(list(_DECLINE_LOOKS), list(_DECLINE_LOOKS.values()))[0]
        looks = min(most, max(wished, int(settings.arm is Arm.FORCED)))
        seen: list[Box] = []
        while len(seen) < looks:
            window = any_window(self.rng.uniform(*_LOOK_ZOOM), self.rng)
            if all(window.iou(other) < 0.3 for other in seen):
                yield self._look(Saying.ABSENT if seen else Saying.CHECK, window)
                seen.append(window)
        yield self._turn(Decline(), Saying.STILL_NOTHING if looks else Saying.NOTHING)

    # -- words --------------------------------------------------------------------------------------------------------

    def _turn(
        self,
        actions: Action | Sequence[Action],
        saying: Saying,
        places: Sequence[Point] = (),
        *,
        right: bool = True,
    ) -> ScriptedTurn:
        """A turn; ``places`` are in [0, 1000] of the pictures that its thinking speaks of."""
        return ScriptedTurn(write_turn(actions, self._thought(saying, places), self.env.settings), right)

    def _thought(self, saying: Saying, places: Sequence[Point]) -> str:
        if self._chance(self.style.silent):
            return ""
        return self._voice.say(saying, self.rng, places, after=self._refused)

    @property
    def _refused(self) -> Reason | None:
        """Why the last turn was refused, if it was."""
        turns = self.env.trajectory().turns
        return turns[-1].malformed if turns else None
