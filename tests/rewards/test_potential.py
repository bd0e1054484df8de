"""Potentials, process scores and credit against values that were computed by hand (docs/credit.md)."""

from __future__ import annotations

import pytest
from reward_episodes import SCREEN, Look, episode

from zoomground.geometry import Size
from zoomground.protocol.actions import Reason
from zoomground.rewards import RewardSettings
from zoomground.rewards.potential import process_scores, turn_gains
from zoomground.rewards.turn_credit import terms_of_gains, turn_credit
from zoomground.task import Refusal
from zoomground.trajectory import StopReason, Trajectory, Turn

SETTINGS = RewardSettings()
HALF = Size(960, 540)
"""Seen at half its size the target is 7 px, leg(s0) = 0.25."""

WHOLE = Look(0, 0, 1920, 1080, shown=HALF)
TWICE = Look(480, 270, 1440, 810, shown=Size(960, 540))
"""The middle quarter at its own resolution: inside = 1, s = 14 px, 0.5 of legible."""

CLOSE = Look(800, 400, 1120, 580)
"""A sixth of the screen, four times enlarged: inside = 1, s = min(56, 7 x 6) px, legible."""

CUT = Look(967, 500, 1287, 680)
"""The same size, but half of the surround (x 967 of 946 to 988) is out of it: 0.5 x 1."""

EMPTY = Look(0, 0, 320, 180)
MISSED = (1.0, 1.0)


def seen_half(*turns: list[Look], **how: object) -> Trajectory:
    return episode(*turns, view=HALF, **how)


@pytest.mark.parametrize(
    ("turns", "gains"),
    [
        ([], ()),
        ([[CLOSE]], (0.75,)),
        ([[WHOLE]], (0.0,)),
        ([[EMPTY]], (0.0,)),
        ([[TWICE], [CLOSE]], (0.25, 0.5)),
        ([[CUT], [CLOSE]], (0.25, 0.5)),
        ([[CLOSE], [TWICE]], (0.75, 0.0)),
        ([[CLOSE], [CLOSE], [CLOSE]], (0.75, 0.0, 0.0)),
        ([[EMPTY, TWICE], [CLOSE]], (0.25, 0.5)),
        ([[CLOSE, TWICE]], (0.75,)),
    ],
)
def test_gains_are_the_differences_of_the_best_view_so_far(turns: list[list[Look]], gains: tuple[float, ...]) -> None:
    found = turn_gains(seen_half(*turns), SETTINGS)
    assert found[-1] is None, "the answer's turn ran no crop"
    assert found[:-1] == pytest.approx(gains)


def test_what_is_legible_at_once_cannot_gain() -> None:
    assert turn_gains(episode([CLOSE]), RewardSettings(legible_px=14))[0] == 0.0


def test_only_turns_that_ran_crops_have_a_gain() -> None:
    played = seen_half([CLOSE])
    corrected = Turn("what?", "stop", malformed=Reason.NO_ACTION)
    turns = (corrected, played.turns[0], corrected, played.turns[1])
    assert turn_gains(with_turns(played, *turns), SETTINGS) == (None, 0.75, None, None)
    assert process_scores(with_turns(played, *turns), SETTINGS) == (0.0, 1.0, 0.0, 1.0)


@pytest.mark.parametrize("target", [Refusal(), None])
def test_without_a_place_crops_gain_nothing_and_are_not_judged(target: Refusal | None) -> None:
    declined = seen_half([CLOSE], target=target, stop=StopReason.DECLINED)
    assert turn_gains(declined, SETTINGS) == (0.0, None)
    assert process_scores(declined, SETTINGS) == (None, float(target is not None))


@pytest.mark.parametrize(
    ("turns", "scores"),
    [
        # The crop that finds the target is good before the target is legible, and so is the one that enlarges it.
        ([[TWICE], [CLOSE]], (1.0, 0.5)),
        ([[CUT], [CLOSE]], (0.5, 0.5)),
        ([[CLOSE], [CLOSE]], (1.0, 0.0)),
        # The whole screen contains everything, and is no zoom.
        ([[WHOLE], [TWICE]], (0.0, 1.0)),
        ([[EMPTY]], (0.0,)),
    ],
)
def test_process_scores(turns: list[list[Look]], scores: tuple[float, ...]) -> None:
    assert process_scores(seen_half(*turns), SETTINGS) == pytest.approx((*scores, 1.0))
    assert process_scores(seen_half(*turns, answer=MISSED), SETTINGS) == pytest.approx((*scores, 0.0))


def test_a_last_turn_without_an_answer_scores_nothing() -> None:
    assert process_scores(seen_half([TWICE], stop=StopReason.TURNS_SPENT, answer=None), SETTINGS) == (1.0,)
    cut = with_turns(seen_half(stop=StopReason.LENGTH, answer=None), Turn("[1.00", "length", malformed=Reason.LENGTH))
    assert process_scores(cut, SETTINGS) == (0.0,)


def test_credit_compares_right_episodes_turn_by_turn() -> None:
    group = [
        seen_half([CLOSE]),  # d = 0.75
        seen_half([TWICE], [CLOSE]),  # d = 0.25, 0.5
        seen_half([WHOLE], [CLOSE]),  # d = 0, 0.75
        seen_half([EMPTY], [TWICE], [CLOSE]),  # d = 0, 0.25, 0.5: the third turn has nobody beside it
        seen_half(),
        seen_half([CLOSE], answer=MISSED),
        seen_half([CLOSE], stop=StopReason.ERROR, answer=None),
    ]
    # Means: turn 1 (0.75 + 0.25 + 0 + 0) / 4 = 0.25; turn 2 (0.5 + 0.75 + 0.25) / 3 = 0.5.
    expected = [(0.25, 0), (0, 0, 0), (-0.125, 0.125, 0), (-0.125, -0.125, 0, 0), (0,), (0, 0), (0,)]
    found = turn_credit(group, 0.5, SETTINGS)
    assert [terms == pytest.approx(values) for terms, values in zip(found, expected, strict=True)] == [True] * 7


def test_an_answer_at_a_crops_turn_number_is_not_compared_with_it() -> None:
    assert turn_credit([seen_half(), seen_half([CLOSE])], 1.0, SETTINGS) == [(0.0,), (0.0, 0.0)]


def test_no_credit_without_a_right_episode_or_a_group() -> None:
    assert turn_credit([seen_half([CLOSE], answer=MISSED)] * 3, 1.0, SETTINGS) == [(0.0, 0.0)] * 3
    assert terms_of_gains([], 1.0) == []


def with_turns(trajectory: Trajectory, *turns: Turn) -> Trajectory:
    from dataclasses import replace

    assert trajectory.task.size == SCREEN
    return replace(trajectory, turns=turns)
