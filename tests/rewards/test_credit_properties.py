"""What holds for the credit of any group of episodes that the real environment played."""

from __future__ import annotations

from itertools import zip_longest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes import crop_text, env, point_text, task
from zoomground.geometry import Box, Size
from zoomground.protocol.settings import EpisodeSettings
from zoomground.rewards import RewardSettings, hit
from zoomground.rewards.base import legibility, seen_short_side
from zoomground.rewards.potential import process_scores, turn_gains
from zoomground.rewards.turn_credit import turn_credit
from zoomground.trajectory import Trajectory

SCREEN, TARGET = Size(320, 200), Box(150, 90, 157, 97)
SETTINGS = RewardSettings()
HIT, MISS = point_text(480, 467), point_text(1, 1)

sides = st.tuples(st.integers(0, 900), st.integers(60, 1000)).map(lambda pair: (pair[0], min(1000, sum(pair))))
windows = st.builds(lambda x, y: crop_text(x[0], y[0], x[1], y[1]), sides, sides)
near = st.integers(5, 300).map(lambda r: crop_text(max(0, 480 - r), max(0, 467 - r), 480 + r, 467 + r))
texts = st.lists(st.one_of(windows, near, st.just("what?")), max_size=3)
scripts = st.tuples(texts, st.sampled_from([HIT, HIT, MISS])).map(lambda pair: (*pair[0], pair[1]))
groups = st.lists(scripts, min_size=1, max_size=5)


def play(script: tuple[str, ...]) -> Trajectory:
    made = env(task(SCREEN, TARGET), EpisodeSettings(crop_max_pixels=12_000))
    for text in script:
        if not made.done:
            made.step(text)
    return made.trajectory()


@settings(max_examples=80)
@given(groups, st.floats(0.01, 2), st.randoms(use_true_random=False))
def test_terms_of_a_turn_number_sum_to_0_whatever_the_order(
    group: list[tuple[str, ...]], coefficient: float, dice: object
) -> None:
    played = [play(script) for script in group]
    terms = turn_credit(played, coefficient, SETTINGS)
    assert [sum(column) for column in zip_longest(*terms, fillvalue=0.0)] == pytest.approx([0.0] * max(map(len, terms)))
    for trajectory, own in zip(played, terms, strict=True):
        assert len(own) == len(trajectory.turns)
        assert all(term == 0 or turn.crops for term, turn in zip(own, trajectory.turns, strict=True))
        assert hit(trajectory) or not any(own)
    order = list(range(len(played)))
    dice.shuffle(order)
    mixed = turn_credit([played[index] for index in order], coefficient, SETTINGS)
    assert [pytest.approx(own) for own in mixed] == [terms[index] for index in order]


@settings(max_examples=80)
@given(scripts)
def test_gains_telescope_and_a_crop_that_gained_nothing_earns_nothing(script: tuple[str, ...]) -> None:
    trajectory = play(script)
    gains = turn_gains(trajectory, SETTINGS)
    start = legibility(seen_short_side(trajectory, TARGET), SETTINGS)
    assert all(gain is None or gain >= 0 for gain in gains)
    assert sum(gain or 0.0 for gain in gains) <= 1 - start + 1e-9
    scores = process_scores(trajectory, SETTINGS)
    assert all(score is not None and 0 <= score <= 1 for score in scores)


@settings(max_examples=60)
@given(groups, near)
def test_a_repeated_crop_gains_nothing(group: list[tuple[str, ...]], window: str) -> None:
    once, twice = play((window, HIT)), play((window, window, HIT))
    gains = turn_gains(twice, SETTINGS)
    assert gains[0] == turn_gains(once, SETTINGS)[0]
    assert gains[1] == 0
    terms = turn_credit([twice, *(play(script) for script in group)], 1.0, SETTINGS)
    assert terms[0][1] <= 0
