"""A demonstration of any style ends right, is canonical where it is right, and is bad only where it means to be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripted import LARGE, SCREEN, SETTINGS, SMALL, played, screen, unseen

from episodes import task
from zoomground.collect.coarse import Coarse
from zoomground.collect.demonstrations import demonstrate
from zoomground.collect.free import Free
from zoomground.collect.style import Plan
from zoomground.errors import ZoomgroundError
from zoomground.geometry import Box, PixelLimits, Point, Polygon, Size
from zoomground.protocol.actions import CropUnits, Dialect, ParserMode
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.protocol.views import Views
from zoomground.rewards import hit
from zoomground.task import Refusal

if TYPE_CHECKING:
    from zoomground.collect.style import Style
    from zoomground.task import Task

SIZES = [(390, 844), (1280, 800), (1920, 1080), (2560, 1600), (3840, 2160), (5120, 1440)]
LIMITS = [
    PixelLimits(),
    PixelLimits(max_pixels=2048 * 32**2),
    PixelLimits(28, 4 * 28**2, 1280 * 28**2),
    SETTINGS.limits,
]
STYLES = [Free(plans=dict.fromkeys(Plan, 1.0), zoom_legible=0.5, forced=0.3, corrected=0.3, twice=0.5), Coarse()]


@st.composite
def _tasks(draw: st.DrawFn) -> Task:
    size = Size(*draw(st.sampled_from(SIZES)))
    width = draw(st.floats(8, size.width / 2))
    height = draw(st.floats(8, size.height / 2) | st.floats(8, 40))
    x = draw(st.floats(0, 1)) * (size.width - width)
    y = draw(st.floats(0, 1)) * (size.height - height)
    return task(size, Box(x, y, x + width, y + height))


@st.composite
def _rules(draw: st.DrawFn) -> EpisodeSettings:
    return EpisodeSettings(
        limits=draw(st.sampled_from(LIMITS)),
        arm=draw(st.sampled_from(Arm)),
        max_tool_calls=draw(st.integers(0, 4)),
        max_calls_per_turn=draw(st.integers(1, 2)),
        max_corrections=draw(st.integers(0, 3)),
        max_turns=draw(st.integers(2, 8)),
        crop_units=draw(st.sampled_from(CropUnits)),
        parser_mode=draw(st.sampled_from(ParserMode)),
        allow_decline=draw(st.booleans()),
        prompt_ends_in_think=draw(st.booleans()),
    )


@given(task_=_tasks(), rules=_rules(), style=st.sampled_from(STYLES), seed=st.integers(0, 10**6))
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_ends_right_under_any_rules(
    task_: Task, rules: EpisodeSettings, style: Style, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Views, "picture", unseen)
    if isinstance(style, Coarse):
        rules = replace(rules, arm=Arm.ON if rules.arm is Arm.FORCED else rules.arm)
    shown = played(task_, style, settings=rules, seed=seed)
    trajectory = shown.trajectory
    assert hit(trajectory)
    assert len(shown.right) == len(trajectory.turns)
    assert shown.right[-1]
    for turn, right in zip(trajectory.turns, shown.right, strict=True):
        assert turn.finish_reason == "stop"
        if right:
            assert turn.dialect is Dialect.CANONICAL
            assert turn.malformed is None
    if rules.arm is Arm.OFF:
        assert not trajectory.crops
    if rules.arm is Arm.FORCED and rules.max_tool_calls:
        assert trajectory.crops


@given(seed=st.integers(0, 10**6), rules=_rules())
def test_a_refusal_ends_in_a_decline(seed: int, rules: EpisodeSettings) -> None:
    shown = played(
        task(SCREEN, Refusal()), settings=replace(rules, allow_decline=True, limits=SETTINGS.limits), seed=seed
    )
    assert shown.plan is Plan.DECLINE
    assert shown.trajectory.declined
    assert all(shown.right)


@pytest.mark.parametrize("style", STYLES)
def test_a_refusal_needs_the_offer(style: Style) -> None:
    with pytest.raises(ZoomgroundError, match="needs declining to be allowed"):
        played(task(SCREEN, Refusal()), style)


def test_without_a_target_nothing_can_be_demonstrated() -> None:
    with pytest.raises(ZoomgroundError, match="has no target"):
        played(task(SCREEN, None))


@pytest.mark.parametrize("style", STYLES)
def test_equal_seeds_give_equal_demonstrations(style: Style) -> None:
    assert played(style=style, seed=4).trajectory == played(style=style, seed=4).trajectory
    assert len({str(played(style=style, seed=seed).trajectory.turns) for seed in range(8)}) > 4


@pytest.mark.parametrize("style", STYLES)
def test_answers_lie_in_a_polygon_even_when_its_middle_does_not(style: Style) -> None:
    corner = Polygon((Point(0, 0), Point(300, 0), Point(300, 30), Point(30, 30), Point(30, 300), Point(0, 300)))
    for seed in range(10):
        assert hit(played(task(SCREEN, corner), style, seed=seed).trajectory)


@pytest.mark.parametrize("style", STYLES)
def test_a_target_between_two_decimals_is_an_error_that_says_so(style: Style) -> None:
    thin = task(Size(20, 20), Box(5.00001, 5.00001, 5.00002, 5.00002))
    with pytest.raises(ZoomgroundError, match="too small to be answered"):
        demonstrate(thin, screen(thin.size), SETTINGS, 0, style)


@pytest.mark.parametrize("style", [Free(), Coarse()])
def test_arms_offers_and_names_have_their_shares(style: Style) -> None:
    from random import Random

    varied = [style.vary(SMALL, SETTINGS, Random(seed)) for seed in range(2000)]
    arms = [rules.arm for _, rules in varied]
    assert 0.12 < arms.count(Arm.OFF) / 2000 < 0.18
    offered = sum(rules.allow_decline for _, rules in varied) / 2000
    renamed = sum(one.image != SMALL.image for one, _ in varied) / 2000
    if isinstance(style, Free):
        assert 0.03 < arms.count(Arm.FORCED) / 2000 < 0.06
        assert 0.25 < offered < 0.35
        assert 0.45 < renamed < 0.55
        assert style.vary(task(SCREEN, Refusal()), SETTINGS, Random(0))[1].allow_decline
    else:
        assert offered == renamed == arms.count(Arm.FORCED) == 0


def test_legible_targets_are_mostly_answered_at_once_and_others_always_zoomed_into() -> None:
    assert sum(bool(played(LARGE, seed=seed).trajectory.crops) for seed in range(60)) < 15
    assert all(played(SMALL, seed=seed).trajectory.crops for seed in range(60))
