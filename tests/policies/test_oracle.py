"""The honest player: right everywhere, one context crop where the target is not legible, none where it is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes import env, task
from zoomground.errors import ZoomgroundError
from zoomground.geometry import Box, PixelLimits, Point, Polygon, Size
from zoomground.policies.oracle import Oracle, final_action, inner_point
from zoomground.protocol.actions import CropUnits, Dialect
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.rewards import RewardSettings, Rubric, hit
from zoomground.rewards.base import seen_short_side
from zoomground.rewards.quality import inside, short_side_in_crop
from zoomground.rollout import play
from zoomground.task import Difficulty, Refusal, Target
from zoomground.trajectory import Trajectory

SMALL = EpisodeSettings(crop_max_pixels=120_000)
"""Crops of these tests are small, to be quick."""


def played(target: Target, rules: EpisodeSettings = SMALL) -> Trajectory:
    return play(env(task(target=target), rules), Oracle())


def test_a_legible_target_is_answered_directly() -> None:
    trajectory = played(Box(640, 400, 680, 428))
    assert trajectory.crops == ()
    assert hit(trajectory)


def test_without_a_target_there_is_no_right_end() -> None:
    with pytest.raises(ZoomgroundError, match="task 't1' has no target"):
        final_action(env(task(target=None)))


def test_a_target_off_the_screen_has_no_right_end() -> None:
    with pytest.raises(ZoomgroundError, match="lies outside the screenshot"):
        final_action(env(task(target=Box(9000, 10, 9100, 20))))


def test_an_illegible_target_gets_one_crop_that_shows_it_legibly_with_its_surround() -> None:
    box = Box(640, 400, 680, 427)
    trajectory = played(box)
    (crop,) = trajectory.crops
    assert inside(crop, box) == 1.0
    assert short_side_in_crop(crop, box, seen_px=seen_short_side(trajectory, box)) >= 28
    assert hit(trajectory)


def test_what_counts_as_legible_is_the_rewards_setting() -> None:
    episode = env(task(target=Box(640, 400, 680, 427)), SMALL)
    assert play(episode, Oracle(RewardSettings(legible_px=27))).crops == ()


def test_the_view_decides_not_the_file() -> None:
    seen_small = replace(SMALL, limits=PixelLimits(max_pixels=300_000))
    assert len(played(Box(640, 400, 680, 428), seen_small).crops) == 1


def test_the_window_is_the_roomiest_that_does() -> None:
    box = Box(640, 400, 664, 424)
    assert Oracle().window(env(task(target=box))).zoom == pytest.approx(2.0, rel=0.01)
    # With smaller crops the same target needs a closer look to be shown as large.
    assert Oracle().window(env(task(target=box), SMALL)).zoom > 3


def test_a_row_that_says_hard_is_looked_at_where_there_is_room_to_zoom() -> None:
    small, large = Box(600, 400, 640, 440), Box(100, 100, 1200, 700)
    for box, crops in ((small, 1), (large, 0)):
        episode = env(task(target=box, difficulty=Difficulty.HARD), SMALL)
        assert len(play(episode, Oracle()).crops) == crops


def test_a_refusal_is_declined() -> None:
    trajectory = played(Refusal(), replace(SMALL, allow_decline=True))
    assert trajectory.declined
    assert trajectory.crops == ()


@pytest.mark.parametrize(
    ("rules", "crops"),
    [
        (replace(SMALL, arm=Arm.OFF), 0),
        (replace(SMALL, arm=Arm.FORCED), 1),
        (replace(SMALL, max_tool_calls=0), 0),
        (replace(SMALL, max_turns=1), 0),
        (replace(SMALL, crop_units=CropUnits.PIXELS), 1),
        (replace(SMALL, prompt_ends_in_think=True), 1),
    ],
    ids=["off", "forced", "no-crops", "one-turn", "pixels", "open-thinking"],
)
def test_it_plays_by_the_rules_of_the_episode(rules: EpisodeSettings, crops: int) -> None:
    trajectory = played(Box(1266, 786, 1280, 800), rules)
    assert hit(trajectory)
    assert len(trajectory.crops) == crops
    assert trajectory.corrections == 0
    assert {turn.dialect for turn in trajectory.turns} == {Dialect.CANONICAL}


def test_the_forced_arm_gets_its_crop_even_on_a_legible_target() -> None:
    assert len(played(Box(640, 400, 700, 460), replace(SMALL, arm=Arm.FORCED)).crops) == 1


@pytest.mark.parametrize(
    "corners",
    [
        [(0, 0), (40, 0), (40, 40)],
        [(100, 100), (130, 100), (130, 130), (120, 130), (120, 110), (100, 110)],
        [(0, 0), (30, 0), (30, 30), (0, 30), (0, 28), (28, 28), (28, 2), (0, 2)],
    ],
    ids=["triangle", "hook", "hollow"],
)
def test_a_polygon_is_answered_inside_it(corners: list[tuple[int, int]]) -> None:
    polygon = Polygon(tuple(Point(x, y) for x, y in corners))
    assert polygon.contains(inner_point(polygon))
    assert hit(played(polygon))


@settings(max_examples=40)
@given(
    st.sampled_from([Size(390, 844), Size(1280, 800), Size(5120, 1440)]),
    st.integers(1, 300),
    st.integers(1, 120),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_the_window_on_any_target_is_cut_as_asked_and_holds_the_surround(
    size: Size, width: int, height: int, across: float, down: float
) -> None:
    x1, y1 = round(across * (size.width - width)), round(down * (size.height - height))
    box = Box(x1, y1, x1 + width, y1 + height)
    rules = replace(SMALL, crop_max_pixels=4096, limits=PixelLimits(max_pixels=200_000))
    episode = env(task(size, box), rules)
    window = Oracle().window(episode)
    trajectory = play(episode, Oracle())
    assert Rubric().score(trajectory).values["zoomin_accuracy"] == 1.0
    for crop in trajectory.crops:
        assert crop.region == window
        assert inside(crop, box) == 1.0
