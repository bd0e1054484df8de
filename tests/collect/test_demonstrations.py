"""A demonstration is right in every turn, says nothing that it could not see, and follows its style."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes import screenshot, task
from zoomground.collect.demonstrations import demonstrate
from zoomground.collect.script import COARSE, PLACES, Plan, Style, place, sentences
from zoomground.errors import ZoomgroundError
from zoomground.geometry import Box, PixelLimits, Point, Polygon, Size
from zoomground.protocol.actions import Answer, Crop, Dialect
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.rewards import hit
from zoomground.task import Refusal

if TYPE_CHECKING:
    from zoomground.task import Task
    from zoomground.trajectory import Trajectory

SETTINGS = EpisodeSettings(limits=PixelLimits(factor=32, min_pixels=4 * 32**2, max_pixels=64 * 32**2))
SCREEN = Size(1280, 800)
SMALL = task(SCREEN, Box(900, 120, 918, 136))
LARGE = task(SCREEN, Box(100, 500, 400, 640))


_screen = cache(screenshot)


def _only(plan: Plan) -> Style:
    return Style(zoom_small=1.0, zoom_legible=1.0, plans={plan: 1.0}, silent=0.0)


def _demonstrate(
    task_: Task = SMALL, settings: EpisodeSettings = SETTINGS, seed: int = 0, style: Style | None = None
) -> Trajectory:
    return demonstrate(task_, _screen(task_.size), settings, seed, style)


@st.composite
def _tasks(draw: st.DrawFn) -> Task:
    size = draw(st.sampled_from([Size(1280, 800), Size(1920, 1080), Size(390, 844)]))
    width, height = draw(st.floats(6, 200)), draw(st.floats(6, 120))
    x = draw(st.floats(0, 1)) * (size.width - width)
    y = draw(st.floats(0, 1)) * (size.height - height)
    return task(size, Box(x, y, x + width, y + height))


@given(
    task_=_tasks(),
    seed=st.integers(0, 10**6),
    plan=st.sampled_from(Plan),
    style=st.sampled_from([Style(), COARSE]),
    arm=st.sampled_from(Arm),
    thinks=st.booleans(),
)
def test_every_demonstration_hits_and_is_canonical_in_every_turn(
    task_: Task, seed: int, plan: Plan, style: Style, arm: Arm, thinks: bool
) -> None:
    if arm is Arm.FORCED and plan is Plan.DIRECT:
        return  # a script that never zooms cannot do what that arm asks for
    style = replace(style, plans={plan: 1.0}, zoom_small=1.0, zoom_legible=1.0)
    settings = replace(SETTINGS, arm=arm, prompt_ends_in_think=thinks)
    trajectory = _demonstrate(task_, settings, seed, style)
    assert hit(trajectory)
    for turn in trajectory.turns:
        assert turn.dialect is Dialect.CANONICAL
        assert turn.malformed is None
        assert turn.finish_reason == "stop"
    if arm is Arm.OFF:
        assert not trajectory.crops


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("plan", [plan for plan in Plan if plan is not Plan.DIRECT])
def test_plans_do_what_they_say(plan: Plan, seed: int) -> None:
    trajectory = _demonstrate(seed=seed, style=_only(plan))
    target = SMALL.target.box  # type: ignore[union-attr]
    regions = [crop.region.box_px for crop in trajectory.crops]
    holds = [box.intersection_area(target) == target.area for box in regions]
    assert len(regions) == plan.crops
    assert len(trajectory.turns) == plan.turns
    if plan is Plan.NESTED:
        assert trajectory.crops[1].parent == "crop_1.png"
        assert holds == [True, True]
    elif plan is Plan.PAIR:
        assert sorted(holds) == [False, True]
    elif plan is Plan.CONTEXT:
        assert holds == [True]
    else:
        assert holds[-1]
        assert not holds[0]
        touched = regions[0].intersection_area(target) > 0
        words = "Cut off" if touched else "Not in this crop"
        assert words in trajectory.turns[1].text
        if plan is Plan.WRONG_FIRST:
            assert not touched


def test_crops_show_the_target_legibly_with_its_surroundings() -> None:
    for seed in range(20):
        crop = _demonstrate(seed=seed, style=_only(Plan.CONTEXT)).crops[0]
        scale = crop.shown.width / crop.region.size.width
        assert 16 * scale > 20  # from 4 px on the screenshot as seen
        assert crop.region.size.width > 3 * 18


def test_legible_targets_are_mostly_answered_at_once_and_small_ones_mostly_zoomed() -> None:
    zoomed = {name: sum(bool(_demonstrate(one, seed=seed).crops) for seed in range(60)) for name, one in _PAIR.items()}
    assert zoomed["large"] < 20
    assert zoomed["small"] > 40


_PAIR = {"large": task(SCREEN, Box(100, 300, 700, 640)), "small": SMALL}


def test_thinking_names_a_place_and_never_a_number() -> None:
    known = set(sentences())
    for plan in Plan:
        for seed in range(10):
            for turn in _demonstrate(seed=seed, style=_only(plan)).turns:
                thought = turn.text.split("</think>")[0].removeprefix("<think>")
                assert thought in known
                assert not re.search(r"\d", thought)


def test_round_numbers_where_the_target_has_room() -> None:
    trajectory = _demonstrate(LARGE, style=COARSE, seed=1)
    answer = trajectory.answer
    assert isinstance(answer, Answer)
    assert answer.x % 10 == answer.y % 10 == 0
    for seed in range(10):
        for turn in _demonstrate(seed=seed, style=replace(COARSE, zoom_small=1.0)).turns:
            for action in turn.actions:
                if isinstance(action, Crop):
                    assert not any(value % 100 for value in (action.x1, action.y1, action.x2, action.y2))
                    assert ".00" not in turn.text


def test_stays_within_the_budgets() -> None:
    tight = replace(SETTINGS, max_tool_calls=1, max_turns=2, max_calls_per_turn=1)
    style = Style(zoom_small=1.0)
    for seed in range(20):
        assert len(_demonstrate(settings=tight, seed=seed, style=style).crops) == 1
    assert not _demonstrate(settings=replace(tight, max_turns=1), style=style).crops


def test_equal_seeds_give_equal_demonstrations() -> None:
    assert _demonstrate(seed=4) == _demonstrate(seed=4)
    assert len({str(_demonstrate(seed=seed).turns) for seed in range(8)}) > 4


def test_answers_lie_in_a_polygon_even_when_its_middle_does_not() -> None:
    corner = Polygon((Point(0, 0), Point(300, 0), Point(300, 30), Point(30, 30), Point(30, 300), Point(0, 300)))
    for seed in range(10):
        assert hit(_demonstrate(task(SCREEN, corner), seed=seed))


def test_refusals_decline_where_that_is_allowed_and_are_refused_elsewhere() -> None:
    nothing = task(SCREEN, Refusal())
    assert hit(_demonstrate(nothing, replace(SETTINGS, allow_decline=True)))
    with pytest.raises(ZoomgroundError, match="declining is not allowed"):
        _demonstrate(nothing)


def test_without_a_target_nothing_can_be_demonstrated() -> None:
    with pytest.raises(ZoomgroundError, match="has no target"):
        _demonstrate(task(SCREEN, None))


def test_a_target_between_two_decimals_is_an_error_that_says_so() -> None:
    with pytest.raises(ZoomgroundError, match="too small to be answered"):
        _demonstrate(task(Size(20, 20), Box(5.00001, 5.00001, 5.00002, 5.00002)))


def test_places_are_ninths() -> None:
    centers = [Point(x, y) for y in (100, 500, 900) for x in (100, 500, 900)]
    assert tuple(map(place, centers)) == PLACES
    assert place(Point(-3, 1003)) == "bottom left"
