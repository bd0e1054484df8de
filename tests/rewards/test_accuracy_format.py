"""Hit and form: closed edges, polygons, refusals, and what the end of an episode is worth."""

from __future__ import annotations

import math

import pytest
from reward_episodes import SCREEN, Look, episode

from zoomground.geometry import Box, Point, Polygon, Size
from zoomground.protocol.actions import Dialect
from zoomground.rewards import REWARDS, RewardSettings, hit
from zoomground.rewards.accuracy import Accuracy
from zoomground.rewards.format import Format
from zoomground.task import Refusal, Target
from zoomground.trajectory import StopReason

THOUSAND = Size(1000, 1000)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ((100, 100), 1.0),
        ((200, 200), 1.0),
        ((100, 200), 1.0),
        ((150, 100), 1.0),
        ((200.01, 150), 0.0),
        ((150, 99.99), 0.0),
    ],
)
def test_evl_01_the_edges_of_the_box_are_inside(answer: tuple[float, float], expected: float) -> None:
    assert Accuracy()(episode(answer=answer, target=Box(100, 100, 200, 200), screen=THOUSAND)) == expected


@pytest.mark.parametrize("width", [390, 1280, 1366, 1440, 1920, 2560, 3840, 5120])
def test_every_answer_that_names_a_whole_pixel_hits_an_edge_there(width: int) -> None:
    # Two decimals name a whole px exactly where width * hundredths is a multiple of 100,000.
    for hundredths in range(0, 100_001, 100_000 // math.gcd(width, 100_000)):
        px = width * hundredths // 100_000
        for target in (Box(px, 0, px + 5, 9), Box(px - 5, 0, px, 9)):
            assert hit(episode(answer=(hundredths / 100, 0.0), target=target, screen=Size(width, 10)))


def test_the_corners_of_the_screen_can_be_hit() -> None:
    screen = Size(5120, 1440)
    assert hit(episode(answer=(1000.0, 1000.0), target=Box(5106, 1426, 5120, 1440), screen=screen))
    assert hit(episode(answer=(0.0, 0.0), target=Box(0, 0, 1, 1), screen=screen))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [((500, 300), True), ((450, 350), True), ((500, 250), True), ((410, 210), False), ((500, 201), True)],
)
def test_a_polygon_counts_not_its_box(answer: tuple[float, float], expected: bool) -> None:
    diamond = Polygon((Point(500, 200), Point(600, 300), Point(500, 400), Point(400, 300)))
    assert hit(episode(answer=answer, target=diamond, screen=THOUSAND)) is expected


@pytest.mark.parametrize(
    ("target", "stop", "expected"),
    [
        (Refusal(), StopReason.DECLINED, 1.0),
        (Refusal(), StopReason.ANSWERED, 0.0),
        (Box(0, 0, 1920, 1080), StopReason.DECLINED, 0.0),
        (Refusal(), StopReason.CORRECTIONS_SPENT, 0.0),
    ],
)
def test_declining_is_right_where_nothing_is_to_be_found(target: Target, stop: StopReason, expected: float) -> None:
    assert Accuracy()(episode(target=target, stop=stop)) == expected


@pytest.mark.parametrize("stop", [stop for stop in StopReason if stop is not StopReason.ANSWERED] + [None])
def test_an_episode_without_an_answer_earns_nothing_but_the_neutral_constant(stop: StopReason | None) -> None:
    trajectory = episode([Look(900, 500, 1100, 600)], stop=stop)
    scores = {name: reward(RewardSettings())(trajectory) for name, reward in REWARDS.items()}
    form = 1.0 if stop is StopReason.DECLINED else 0.0
    assert scores == dict.fromkeys(REWARDS, 0.0) | {"zoomin_cot_rm": 0.5, "zoomin_format": form}


@pytest.mark.parametrize("dialect", list(Dialect))
def test_only_the_canonical_form_is_form(dialect: Dialect) -> None:
    assert Format()(episode(dialect=dialect)) == float(dialect is Dialect.CANONICAL)


def test_form_does_not_ask_whether_the_answer_is_right() -> None:
    assert Format()(episode(answer=(1.0, 1.0))) == 1.0


def test_rl_27_a_cut_turn_has_no_form() -> None:
    assert Format()(episode(finish_reason="length")) == 0.0
    assert Format()(episode(finish_reason=None)) == 1.0


def test_a_canonical_decline_has_form() -> None:
    assert Format()(episode(target=Refusal(), stop=StopReason.DECLINED)) == 1.0


def test_a_crop_as_last_turn_has_none() -> None:
    assert Format()(episode([Look(0, 0, 500, 500)], stop=StopReason.TURNS_SPENT)) == 0.0


def test_earlier_slips_do_not_cost_form() -> None:
    assert Format()(episode([Look(0, 0, 500, 500)], screen=SCREEN)) == 1.0
