"""The coarse style: few sentences, nine windows, round numbers."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from scripted import LARGE, SCREEN, SETTINGS, SMALL, played

from episodes import task
from zoomground.collect.coarse import PLACES, Coarse, place
from zoomground.collect.style import Plan
from zoomground.geometry import Box, Point
from zoomground.protocol.actions import Answer, Crop

COARSE = Coarse()
ZOOMING = (Plan.CONTEXT, Plan.NESTED, Plan.CUT, Plan.MISSED, Plan.PAIR)


def _only(plan: Plan) -> Coarse:
    return replace(COARSE, zoom_small=1.0, zoom_legible=1.0, plans={plan: 1.0})


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("plan", ZOOMING)
def test_plans_do_what_they_say(plan: Plan, seed: int) -> None:
    shown = played(style=_only(plan), seed=seed)
    target = SMALL.target.box  # type: ignore[union-attr]
    regions = [crop.region.box_px for crop in shown.trajectory.crops]
    holds = [box.intersection_area(target) == target.area for box in regions]
    assert shown.plan is plan
    assert all(shown.right) is (plan not in {Plan.CUT, Plan.MISSED})
    if plan is Plan.NESTED:
        assert shown.trajectory.crops[1].parent == "crop_1.png"
        assert holds == [True, True]
    elif plan is Plan.PAIR:
        assert sorted(holds) == [False, True]
    elif plan is Plan.CONTEXT:
        assert holds == [True]
    else:
        assert holds == [False, True]
        assert shown.right == (False, True, True)
        touched = regions[0].intersection_area(target) > 0
        words = "Cut off" if touched else "Not in this crop"
        assert words in shown.trajectory.turns[1].text
        if plan is Plan.MISSED:
            assert not touched


def test_thinking_is_one_of_the_countable_sentences() -> None:
    known = set(COARSE.sentences())
    for plan in ZOOMING:
        for seed in range(10):
            for turn in played(style=_only(plan), seed=seed).trajectory.turns:
                thought = turn.text.split("</think>")[0].removeprefix("<think>")
                assert thought in known
                assert not re.search(r"\d", thought)


def test_zooming_and_answering_at_once_both_stay_open() -> None:
    huge = task(SCREEN, Box(100, 300, 700, 640))
    zoomed = {
        name: sum(bool(played(one, COARSE, seed=seed).trajectory.crops) for seed in range(60))
        for name, one in (("large", huge), ("small", SMALL))
    }
    assert 10 < zoomed["large"] < 32
    assert 28 < zoomed["small"] < 55


def test_round_numbers_where_the_target_has_room() -> None:
    answer = played(LARGE, COARSE, seed=1).trajectory.answer
    assert isinstance(answer, Answer)
    assert answer.x % 10 == answer.y % 10 == 0
    for seed in range(10):
        for turn in played(style=replace(COARSE, zoom_small=1.0), seed=seed).trajectory.turns:
            for action in turn.actions:
                if isinstance(action, Crop):
                    assert not any(value % 100 for value in (action.x1, action.y1, action.x2, action.y2))
                    assert ".00" not in turn.text


def test_stays_within_the_budgets() -> None:
    tight = replace(SETTINGS, max_tool_calls=1, max_turns=2, max_calls_per_turn=1)
    style = replace(COARSE, zoom_small=1.0)
    for seed in range(20):
        assert len(played(style=style, settings=tight, seed=seed).trajectory.crops) == 1
    assert not played(style=style, settings=replace(tight, max_turns=1)).trajectory.crops


def test_places_are_ninths() -> None:
    centers = [Point(x, y) for y in (100, 500, 900) for x in (100, 500, 900)]
    assert tuple(map(place, centers)) == PLACES
    assert place(Point(-3, 1003)) == "bottom left"
