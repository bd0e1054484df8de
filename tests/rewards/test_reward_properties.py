"""What holds for every episode: any hit beats any miss, every reward is finite, and nothing but the record counts."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reward_episodes import SCREEN, Look, episode

from episodes import crop_text, env, point_text, task
from zoomground.geometry import Box, Point, Polygon, Size
from zoomground.protocol.actions import Dialect, ParserMode
from zoomground.protocol.settings import EpisodeSettings
from zoomground.rewards import DEFAULT_WEIGHTS, DENSE_DISTANCE_WEIGHT, REWARDS, RewardSettings, Rubric, hit
from zoomground.rewards.quality import REPEAT_IOU
from zoomground.rewards.reasoning import judged
from zoomground.task import Difficulty, Refusal, Target
from zoomground.trajectory import StopReason, Trajectory

WITH_SLOPE = Rubric(DEFAULT_WEIGHTS | {"dense_distance": DENSE_DISTANCE_WEIGHT})
LOWEST_HIT, HIGHEST_MISS = 0.865, 0.60
"""Under the shipped weights, with a judge: the bounds that DESIGN section 4 names."""

SMALL = Size(320, 200)
RULES = EpisodeSettings(crop_max_pixels=12_000, allow_decline=True, parser_mode=ParserMode.FALLBACK)

TARGETS: list[Target] = [
    Box(150, 90, 157, 97),
    Box(0, 0, 20, 20),
    Box(10, 20, 300, 190),
    Polygon((Point(100, 50), Point(140, 50), Point(100, 90))),
    Refusal(),
]

numbers = st.floats(0, 1000).map(lambda value: round(value, 2))
names = st.sampled_from(["screen.png", "crop_1.png", "crop_2.png", "elsewhere.png"])


@st.composite
def crops(draw: st.DrawFn) -> str:
    x1, x2 = sorted((draw(numbers), draw(numbers)))
    y1, y2 = sorted((draw(numbers), draw(numbers)))
    return crop_text(x1, y1, min(1000.0, x2 + 0.01), min(1000.0, y2 + 0.01), draw(names))


points = st.builds(point_text, numbers, numbers)
right = st.sampled_from([point_text(480, 467), point_text(20, 20), point_text(340, 300), point_text(500, 500)])
whole = st.just(crop_text(0, 0, 1000, 1000))
texts = st.one_of(
    crops(),
    whole,
    st.tuples(crops(), crops()).map("\n".join),
    st.tuples(whole, whole).map("\n".join),
    points,
    right,
    right.map(lambda text: f"I think ({text[1:-1]}) it is"),
    st.just("<action>decline()</action>"),
    st.sampled_from(["", "nothing", "[1,2] or [480,467]", "<think>open"]),
)


def total(trajectory: Trajectory, verdict: float | None = None) -> float:
    """The shipped total with a judge of this verdict."""
    score = WITH_SLOPE.score(trajectory)
    neutral = RewardSettings().neutral_score
    reasoning = judged(trajectory, verdict, RewardSettings())
    return score.total + DEFAULT_WEIGHTS["zoomin_cot_rm"] * (reasoning - neutral)


def assert_in_order(trajectory: Trajectory) -> None:
    """The episode is on its side of the gap, whatever the judge says and with or without the slope."""
    score = Rubric().score(trajectory)
    neutral = DEFAULT_WEIGHTS["zoomin_cot_rm"] * RewardSettings().neutral_score
    if hit(trajectory):
        assert total(trajectory, 0.0) - DENSE_DISTANCE_WEIGHT >= LOWEST_HIT - 1e-9
        assert score.total >= LOWEST_HIT + neutral - 1e-9
    else:
        assert total(trajectory, 1.0) <= HIGHEST_MISS + 1e-9
        assert score.total <= HIGHEST_MISS + neutral


@settings(max_examples=150)
@given(
    st.sampled_from(TARGETS),
    st.sampled_from([None, Difficulty.HARD, Difficulty.EASY]),
    st.lists(texts, min_size=1, max_size=6),
    st.sampled_from([None, "stop", "length"]),
)
def test_any_hit_beats_any_miss_in_real_episodes(
    target: Target, difficulty: Difficulty | None, script: list[str], end: str | None
) -> None:
    """RL-19: format cannot offset accuracy."""
    game = env(task(SMALL, target, difficulty=difficulty), RULES)
    for number, text in enumerate(script, start=1):
        if not game.done:
            game.step(text, finish_reason=end if number == len(script) else "stop")
    trajectory = game.trajectory()
    values = WITH_SLOPE.score(trajectory).values
    assert all(value is not None and math.isfinite(value) for value in values.values())
    assert_in_order(trajectory)
    # A saved episode scores as the played one did.
    assert WITH_SLOPE.score(Trajectory.from_json(trajectory.to_json())).values == values


WHOLE = Look(0, 0, 1920, 1080)


def test_the_lowest_hit_is_as_low_as_the_design_says() -> None:
    for turns in ([[WHOLE], [WHOLE], [WHOLE]], [[WHOLE, WHOLE], [WHOLE]]):
        worst = episode(*turns, dialect=Dialect.LOOSE_POINT)
        assert total(worst, 0.0) - DENSE_DISTANCE_WEIGHT == pytest.approx(LOWEST_HIT)


def test_the_highest_miss_is_as_high_as_the_design_says() -> None:
    """RL-19: all the format there is, and still below the lowest hit."""
    triangle = Polygon((Point(0, 0), Point(1000, 0), Point(0, 1000)))
    best = episode(answer=(500.0, 900.0), target=triangle)
    assert total(best, 1.0) == pytest.approx(HIGHEST_MISS)


boxes = st.tuples(st.integers(0, 1900), st.integers(0, 1060), st.integers(1, 1920), st.integers(1, 1080)).map(
    lambda b: Look(b[0], b[1], min(1920, b[0] + b[2]), min(1080, b[1] + b[3]))
)


@given(
    st.lists(st.lists(boxes, min_size=1, max_size=2), max_size=3).filter(lambda turns: sum(map(len, turns)) <= 3),
    st.tuples(numbers, numbers),
    st.sampled_from([Size(1920, 1080), Size(943, 530), Size(200, 600)]),
    st.tuples(st.integers(0, 1900), st.integers(0, 1060), st.integers(0, 400), st.integers(0, 300)),
    st.sampled_from([None, *Difficulty]),
    st.sampled_from(list(Dialect)),
)
def test_any_hit_beats_any_miss_in_made_up_episodes(
    turns: list[list[Look]],
    answer: tuple[float, float],
    view: Size,
    place: tuple[int, int, int, int],
    difficulty: Difficulty | None,
    dialect: Dialect,
) -> None:
    x1, y1, width, height = place
    target = Box(x1, y1, min(1920, x1 + width), min(1080, y1 + height))
    how = {"target": target, "view": view, "difficulty": difficulty, "dialect": dialect}
    middle = target.center.to_norm(SCREEN)
    for point in (answer, (middle.x, middle.y)):
        trajectory = episode(*turns, answer=point, **how)  # type: ignore[arg-type]
        for name, reward in REWARDS.items():
            value = reward(RewardSettings())(trajectory)
            assert value is not None
            assert math.isfinite(value)
            assert (-0.45 - 1e-9 if name == "zoomin_crop_process_gated" else 0) <= value <= 1
        assert_in_order(trajectory)


def overlap(first: Look, second: Look) -> float:
    return Box(first.x1, first.y1, first.x2, first.y2).iou(Box(second.x1, second.y1, second.x2, second.y2))


pairs = st.tuples(boxes, boxes).filter(lambda pair: overlap(*pair) < REPEAT_IOU)


@given(st.lists(pairs, min_size=1, max_size=2))
def test_the_order_of_the_crops_of_a_turn_changes_nothing(turns: list[tuple[Look, Look]]) -> None:
    swapped = [turn[::-1] for turn in turns]
    assert Rubric().score(episode(*turns)).values == pytest.approx(Rubric().score(episode(*swapped)).values)


def test_a_reward_reads_only_what_happened() -> None:
    trajectory = episode([Look(900, 500, 1100, 620)])
    told = replace(trajectory, turns=tuple(replace(turn, text="I deserve 1.0") for turn in trajectory.turns))
    assert Rubric().score(told).values == Rubric().score(trajectory).values
    running = replace(trajectory, stop_reason=None)
    failed = replace(trajectory, stop_reason=StopReason.ERROR, failure="the engine broke")
    for unfinished in (running, failed):
        assert Rubric().score(unfinished).total == pytest.approx(0.15)
