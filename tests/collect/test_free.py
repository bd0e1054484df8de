"""Each plan of the free style does what it says, marks its mistakes, and makes the target legible."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scripted import LARGE, SCREEN, SETTINGS, SMALL, only, played, screen, unseen

from episodes import task
from zoomground.collect.demonstrations import Demonstration
from zoomground.collect.free import Free
from zoomground.collect.style import Plan
from zoomground.environment import GroundingEnv
from zoomground.geometry import Box, PixelLimits, Region, Size
from zoomground.policies.oracle import Oracle
from zoomground.protocol.actions import Answer, Crop, Dialect, Reason
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.protocol.views import Views
from zoomground.rewards.base import seen_short_side
from zoomground.rewards.quality import inside, is_repeat, short_side_in_crop
from zoomground.task import Refusal, Task

TINY = task(Size(3840, 2160), Box(2401, 1203, 2411, 1213))
SEEDS = range(6)


@pytest.fixture(autouse=True)
def _unseen_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Views, "picture", unseen)


def _box(shown: Demonstration) -> Box:
    target = shown.trajectory.task.target
    assert not isinstance(target, Refusal)
    return target.box


def _shown_px(shown: Demonstration, number: int) -> float:
    trajectory, box = shown.trajectory, _box(shown)
    return short_side_in_crop(trajectory.crops[number], box, seen_px=seen_short_side(trajectory, box))


def _whole(shown: Demonstration) -> list[bool]:
    return [inside(crop, _box(shown)) > 0.999 for crop in shown.trajectory.crops]


@pytest.mark.parametrize("seed", SEEDS)
def test_context_is_one_crop_that_can_be_read(seed: int) -> None:
    shown = played(style=only(Plan.CONTEXT), seed=seed)
    assert shown.plan is Plan.CONTEXT
    assert shown.right == (True, True)
    assert _whole(shown) == [True]
    assert _shown_px(shown, 0) >= 28


@pytest.mark.parametrize(("plan", "levels"), [(Plan.NESTED, 2), (Plan.DEEP, 3)])
@pytest.mark.parametrize("seed", SEEDS)
def test_nested_crops_are_each_cut_from_the_one_before(plan: Plan, levels: int, seed: int) -> None:
    shown = played(TINY, only(plan), settings=EpisodeSettings(limits=PixelLimits(max_pixels=2048 * 32**2)), seed=seed)
    crops = shown.trajectory.crops
    assert [crop.parent for crop in crops] == ["screen.png", "crop_1.png", "crop_2.png"][:levels]
    assert all(shown.right)
    assert len(shown.right) == levels + 1
    assert _whole(shown) == [True] * levels
    assert _shown_px(shown, -1) >= 28
    zooms = [1.0, *(crop.region.zoom for crop in crops)]
    assert all(after > 1.15 * before for before, after in itertools.pairwise(zooms))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_pair_is_one_turn_with_the_target_in_one_crop(seed: int) -> None:
    shown = played(style=only(Plan.PAIR), seed=seed)
    assert shown.right == (True, True)
    assert len(shown.trajectory.turns[0].crops) == 2
    assert sorted(_whole(shown)) == [False, True]
    number = _whole(shown).index(True)
    assert ("first" if number == 0 else "second") in shown.trajectory.turns[1].text
    assert _shown_px(shown, number) >= 28


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("plan", [Plan.MISSED, Plan.CUT])
def test_a_wrong_first_crop_is_not_trained_on_and_is_recovered_from(plan: Plan, seed: int) -> None:
    shown = played(style=only(plan), seed=seed)
    assert shown.right == (False, True, True)
    assert [crop.parent for crop in shown.trajectory.crops] == ["screen.png", "screen.png"]
    first = shown.trajectory.crops[0].region.box_px.intersection_area(_box(shown))
    assert first == 0 if plan is Plan.MISSED else 0 < first < _box(shown).area
    assert _whole(shown) == [False, True]
    assert _shown_px(shown, 1) >= 28


@pytest.mark.parametrize("seed", SEEDS)
def test_an_exhausted_budget_ends_with_a_good_crop_and_the_words_of_the_environment(seed: int) -> None:
    shown = played(style=only(Plan.EXHAUSTED, over_budget=0.0), seed=seed)
    assert shown.right == (False, False, True, True)
    assert _whole(shown) == [False, False, True]
    reply = shown.trajectory.turns[2].reply
    assert reply is not None
    assert "No crops remain" in reply.text


def test_an_exhausted_budget_can_repeat_a_crop_and_says_so_afterwards() -> None:
    repeats = 0
    for seed in range(40):
        shown = played(style=only(Plan.EXHAUSTED), seed=seed)
        if is_repeat(shown.trajectory.crops[1], shown.trajectory.crops[:1]):
            repeats += 1
            assert shown.right[1] is False
    assert 4 < repeats < 30


@pytest.mark.parametrize("seed", SEEDS)
def test_a_crop_beyond_the_budget_is_refused_and_not_trained_on(seed: int) -> None:
    shown = played(style=only(Plan.EXHAUSTED, over_budget=1.0), seed=seed)
    assert shown.trajectory.turns[3].malformed is Reason.OVER_BUDGET
    assert shown.right == (False, False, True, False, True)


def _bad(shown: Demonstration) -> list[bool]:
    return [turn.malformed is not None for turn in shown.trajectory.turns]


@pytest.mark.parametrize(
    ("task_", "arm", "style"),
    [
        (SMALL, Arm.ON, only(Plan.CORRECTED)),
        (SMALL, Arm.FORCED, only(Plan.CORRECTED, refused_first=0.0)),
        (SMALL, Arm.OFF, only(Plan.CORRECTED, corrected=1.0)),
        (LARGE, Arm.ON, Free(zoom_legible=0.0, corrected=1.0)),
    ],
)
def test_corrected_turns_are_refused_by_the_environment_and_then_done_right(task_: Task, arm: Arm, style: Free) -> None:
    reasons = set()
    for seed in range(40):
        shown = played(task_, replace(style, twice=0.3), settings=replace(SETTINGS, arm=arm), seed=seed)
        assert shown.plan is Plan.CORRECTED
        assert _bad(shown) == [not right for right in shown.right]
        assert 1 <= shown.right.count(False) <= 2
        reasons |= {turn.malformed for turn in shown.trajectory.turns if turn.malformed}
        assert bool(shown.trajectory.crops) == (task_ is SMALL and arm is not Arm.OFF)
    assert len(reasons) >= 5
    if task_ is SMALL and arm is Arm.ON:
        assert {Reason.UNKNOWN_IMAGE, Reason.MIXED, Reason.BAD_CALL, Reason.NO_ACTION} <= reasons
    if arm is Arm.OFF:
        assert Reason.OVER_BUDGET in reasons


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("task_", [SMALL, LARGE])
def test_a_direct_answer_where_a_crop_is_demanded_is_not_trained_on(task_: Task, seed: int) -> None:
    rules = replace(SETTINGS, arm=Arm.FORCED)
    shown = played(task_, Free(refused_first=1.0), settings=rules, seed=seed)
    if task_ is SMALL:
        assert shown.plan is Plan.ZOOM_FIRST
        assert shown.trajectory.turns[0].malformed is Reason.ZOOM_FIRST
        assert isinstance(shown.trajectory.turns[0].actions[0], Answer)
        assert shown.right == (False, True, True)
    else:  # fills the screen: nothing is gained by a crop, but one is asked for
        assert all(shown.right)
    assert shown.trajectory.crops


def test_refusals_are_declined_at_once_or_after_looking() -> None:
    rules = replace(SETTINGS, allow_decline=True)
    looks = [len(played(task(SCREEN, Refusal()), settings=rules, seed=seed).trajectory.crops) for seed in range(60)]
    assert set(looks) == {0, 1, 2}
    forced = replace(rules, arm=Arm.FORCED)
    assert all(played(task(SCREEN, Refusal()), settings=forced, seed=seed).trajectory.crops for seed in range(10))


def test_without_zoom_answers_come_at_once() -> None:
    shown = played(style=Free(corrected=0.0), settings=replace(SETTINGS, arm=Arm.OFF))
    assert shown.plan is Plan.DIRECT
    assert shown.right == (True,)


def test_weights_decide_the_plans() -> None:
    plans = [played(style=Free(plans={Plan.CONTEXT: 3.0, Plan.CUT: 1.0}), seed=seed).plan for seed in range(200)]
    assert 0.65 < plans.count(Plan.CONTEXT) / 200 < 0.85
    assert set(plans) == {Plan.CONTEXT, Plan.CUT}


def test_what_cannot_be_aimed_at_in_one_step_is_reached_in_several() -> None:
    speck = task(Size(5120, 1440), Box(4000, 700, 4008, 708))
    rules = EpisodeSettings(limits=PixelLimits(max_pixels=512 * 32**2), crop_max_pixels=1_000_000)
    for seed in range(10):
        shown = played(
            speck, Free(plans={Plan.CONTEXT: 1.0, Plan.NESTED: 1.0, Plan.MISSED: 1.0}), settings=rules, seed=seed
        )
        assert shown.plan is not Plan.CONTEXT
        assert _shown_px(shown, -1) >= 28
        assert shown.trajectory.crops[-1].parent == f"crop_{len(shown.trajectory.crops) - 1}.png"


@given(
    size=st.sampled_from([Size(390, 844), Size(1920, 1080), Size(3840, 2160), Size(5120, 1440)]),
    width=st.floats(8, 60),
    height=st.floats(8, 60),
    x=st.floats(0, 1),
    y=st.floats(0, 1),
    max_tokens=st.sampled_from([256, 1024, 4096, 16384]),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_last_right_crop_is_as_legible_as_an_honest_players(
    size: Size, width: float, height: float, x: float, y: float, max_tokens: int, seed: int
) -> None:
    left, top = x * (size.width - width), y * (size.height - height)
    task_ = task(size, Box(left, top, left + width, top + height))
    rules = EpisodeSettings(limits=PixelLimits(max_pixels=max_tokens * 32**2), crop_max_pixels=500_000)
    env = GroundingEnv(task_, screen(size), rules)
    shown = played(task_, Free(), settings=rules, seed=seed)
    if not shown.trajectory.crops:
        assert seen_short_side(env.trajectory(), _box(shown)) >= 28
        return
    honest = Oracle().window(env)
    view = rules.limits.shown_size(honest.size, rules.crop_upscale_factor, rules.crop_max_pixels)
    honest_px = min(
        width * view.width / honest.size.width,
        height * view.height / honest.size.height,
        seen_short_side(env.trajectory(), _box(shown)) * honest.zoom,
    )
    best = max(_shown_px(shown, i) for i, whole in enumerate(_whole(shown)) if whole)
    # Round numbers cost a little where not even the tightest window makes it legible.
    assert best >= min(28.0, 0.7 * honest_px)


def test_corners_are_round_and_the_target_is_off_centre() -> None:
    offsets, numbers = [], []
    for seed in range(60):
        shown = played(style=only(Plan.CONTEXT), seed=seed)
        call = shown.trajectory.turns[0].actions[0]
        assert isinstance(call, Crop)
        numbers += [call.x1, call.y1, call.x2, call.y2]
        assert ".00" not in shown.trajectory.turns[0].text
        middle, center = Region.whole(SCREEN).box_norm.center, _box(shown).center.to_norm(SCREEN)
        assert middle != center
        offsets.append(abs((center.x - call.x1) / (call.x2 - call.x1) - 0.5))
    assert sum(number % 5 == 0 for number in numbers) / len(numbers) > 0.95
    assert sum(number % 10 == 0 for number in numbers) / len(numbers) > 0.7
    assert max(offsets) > 0.2
    assert math.fsum(offsets) / len(offsets) > 0.1


def test_right_turns_are_canonical_and_most_think() -> None:
    silent = thinking = 0
    for seed in range(100):
        shown = played(seed=seed)
        for turn, right in zip(shown.trajectory.turns, shown.right, strict=True):
            assert not right or turn.dialect is Dialect.CANONICAL
            silent += not turn.text.startswith("<think>")
            thinking += turn.text.startswith("<think>")
    assert 0.05 < silent / (silent + thinking) < 0.16
