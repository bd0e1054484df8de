"""The bonus for looking closely at hard targets, and the slope for misses."""

from __future__ import annotations

import math

import pytest
from reward_episodes import Look, episode

from zoomground.geometry import Box, Point, Polygon, Size
from zoomground.rewards import RewardSettings, is_hard
from zoomground.rewards.dense_distance import DenseDistance
from zoomground.rewards.zoom_bonus import ZoomBonus
from zoomground.task import Difficulty, Refusal
from zoomground.trajectory import StopReason, Trajectory

TINY = Box(960, 540, 967, 547)
"""7 px square: hard; the whole bonus is earned by a zoom of 28 / 7 = 4. Surround: (953, 533) to (974, 554)."""

bonus = ZoomBonus()
distance = DenseDistance()


def tiny(*looks: Look, **how: object) -> Trajectory:
    return episode(*([look] for look in looks), target=TINY, answer=(502.0, 503.0), **how)  # type: ignore[arg-type]


def around(zoom: float) -> Look:
    width, height = round(1920 / zoom), round(1080 / zoom)
    return Look(960 - width // 2, 540 - height // 2, 960 - width // 2 + width, 540 - height // 2 + height)


@pytest.mark.parametrize(("zoom", "expected"), [(4.0, 1.0), (8.0, 1.0), (2.0, 0.5), (1.5, math.log2(1.5) / 2)])
def test_the_bonus_grows_with_the_logarithm_of_the_zoom_up_to_legibility(zoom: float, expected: float) -> None:
    assert bonus(tiny(around(zoom))) == pytest.approx(expected)


def test_less_than_one_and_a_half_is_no_zoom() -> None:
    assert bonus(tiny(Look(0, 0, 1920, 721))) == 0.0
    assert bonus(tiny(Look(0, 0, 1280, 720))) == pytest.approx(math.log2(1.5) / 2)


def test_the_whole_bonus_is_never_earned_below_a_zoom_of_two() -> None:
    legible = Box(960, 540, 1000, 580)
    trajectory = episode([around(1.6)], target=legible, difficulty=Difficulty.HARD)
    assert bonus(trajectory) == pytest.approx(math.log2(1.6))


def test_the_largest_of_the_crops_that_count() -> None:
    bare = Look(960, 540, 967, 547)
    assert bonus(tiny(around(2.0), bare)) == pytest.approx(0.5)
    assert bonus(tiny(around(2.0), around(4.0))) == 1.0
    assert bonus(tiny(around(4.0), around(2.0))) == 1.0


def test_the_surround_must_be_inside_but_for_rounding() -> None:
    # 100 px wide and high: one row of the surround is one hundredth of it.
    target = Box(900, 500, 910, 580)
    surround = Look(890, 490, 920, 590)
    assert bonus(episode([surround], target=target, answer=(471.0, 500.0))) == 1.0
    assert bonus(episode([Look(890, 491, 920, 590)], target=target, answer=(471.0, 500.0))) == 1.0
    assert bonus(episode([Look(890, 492, 920, 590)], target=target, answer=(471.0, 500.0))) == 0.0


def test_no_bonus_for_a_miss_or_without_a_crop() -> None:
    assert bonus(episode([around(4.0)], target=TINY, answer=(1.0, 1.0))) == 0.0
    assert bonus(tiny()) == 0.0


@pytest.mark.parametrize(
    ("side", "difficulty", "hard"),
    [
        (13, None, True),
        (14, None, False),
        (13, Difficulty.EASY, False),
        (300, Difficulty.HARD, True),
    ],
)
def test_hard_is_what_the_row_says_else_half_of_legible(side: int, difficulty: Difficulty | None, hard: bool) -> None:
    target = Box(960, 540, 960 + side, 540 + side)
    assert is_hard(episode(target=target, difficulty=difficulty), RewardSettings()) is hard


def test_an_easy_row_has_no_bonus() -> None:
    assert bonus(tiny(around(4.0), difficulty=Difficulty.EASY)) == 0.0


def test_hard_follows_the_view_not_the_file() -> None:
    target = Box(960, 540, 980, 560)
    assert not is_hard(episode(target=target), RewardSettings())
    assert is_hard(episode(target=target, view=Size(960, 540)), RewardSettings())
    # 20 px seen at half size, 10 px: a zoom of 2.8 earns it all.
    half = episode([around(2.8)], target=target, answer=(502.0, 505.0), view=Size(960, 540))
    assert bonus(half) == pytest.approx(1.0, abs=1e-3)


def test_a_refusal_has_neither_bonus_nor_slope() -> None:
    how = {"target": Refusal(), "difficulty": Difficulty.HARD}
    declined = episode([around(4.0)], stop=StopReason.DECLINED, **how)  # type: ignore[arg-type]
    assert (bonus(declined), distance(declined)) == (0.0, 1.0)
    answered = episode([around(4.0)], **how)  # type: ignore[arg-type]
    assert (bonus(answered), distance(answered)) == (0.0, 0.0)


def test_a_target_without_extent_earns_no_bonus() -> None:
    assert bonus(episode([around(4.0)], target=Box(960, 540, 960, 547), answer=(500.0, 502.0))) == 0.0


SCREEN_1000 = Size(1000, 2000)
BOX = Box(400, 800, 600, 1200)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ((500, 500), 1.0),
        ((400, 400), 1.0),
        ((650, 500), 0.5 * (1 - 0.05 / 0.25)),
        ((500, 650), 0.5 * (1 - 0.05 / 0.25)),
        ((630, 640), 0.5 * (1 - 0.05 / 0.25)),
        ((850, 500), 0.0),
        ((1000, 1000), 0.0),
        ((600.01, 500), 0.5 * (1 - 0.00001 / 0.25)),
    ],
)
def test_a_miss_earns_by_its_distance_in_shares_of_the_screen(answer: tuple[float, float], expected: float) -> None:
    assert distance(episode(answer=answer, target=BOX, screen=SCREEN_1000)) == pytest.approx(expected)


def test_a_point_in_a_polygons_box_but_not_in_it_is_a_near_miss() -> None:
    triangle = Polygon((Point(400, 800), Point(600, 800), Point(400, 1200)))
    assert distance(episode(answer=(590, 590), target=triangle, screen=SCREEN_1000)) == 0.5


def test_no_answer_no_slope() -> None:
    assert distance(episode(target=BOX, screen=SCREEN_1000, stop=StopReason.TURNS_SPENT)) == 0.0
    assert distance(episode(target=BOX, screen=SCREEN_1000, stop=StopReason.DECLINED)) == 0.0
