"""Figures of tool use and of groups, each against hand-made episodes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from episodes import crop_text, env, point_text, task
from zoomground.engines.swift.groups import Member, group_figures, in_groups, is_alike, is_all_wrong
from zoomground.engines.swift.tools import crop_depths, is_free_thinking, is_harmed, tool_figures
from zoomground.geometry import Box, Size
from zoomground.protocol.actions import ParserMode
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.rewards import RewardSettings
from zoomground.task import Refusal, Target
from zoomground.trajectory import StopReason, Trajectory

# On a screen of 1280x800: 20 px are below the 28 of a legible target, 40 px are above.
SMALL, LARGE = Box(640.0, 400.0, 660.0, 420.0), Box(640.0, 400.0, 680.0, 440.0)
HIT, MISS = point_text(505, 510), point_text(1, 1)
HOLDS = crop_text(400, 400, 600, 600)
ELSEWHERE = crop_text(0, 0, 200, 200)
SETTINGS = RewardSettings()


def played(*texts: str, target: Target = SMALL, arm: Arm = Arm.ON, fail: bool = False, **rules: object) -> Trajectory:
    made = env(task(Size(1280, 800), target), EpisodeSettings(arm=arm, **rules))  # type: ignore[arg-type]
    for text in texts:
        made.step(text)
    if fail:
        made.fail(StopReason.ERROR, "broken")
    return made.trajectory()


def figures(*trajectories: Trajectory) -> dict[str, float]:
    return tool_figures(trajectories, SETTINGS)


def test_the_zoom_rate_that_is_watched_is_that_of_prompts_that_may_choose() -> None:
    """An arm that cannot zoom, or must, would hold the rate of a policy off 0 and 1 for ever."""
    some = [played(HOLDS, HIT), played(HIT), played(HIT), played(MISS, arm=Arm.OFF), played(HOLDS, HIT, arm=Arm.FORCED)]
    assert figures(*some)["zoom_rate_on"] == pytest.approx(1 / 3)
    assert "zoom_rate_on" not in figures(played(MISS, arm=Arm.OFF))


def test_crops_by_depth() -> None:
    nested = played(
        HOLDS,
        crop_text(200, 200, 800, 800, name="crop_1.png"),
        crop_text(200, 200, 800, 800, name="crop_2.png"),
        HIT,
    )
    assert crop_depths(nested) == [1, 2, 3]
    siblings = played(HOLDS + "\n" + ELSEWHERE, crop_text(100, 100, 900, 900, name="crop_1.png"), HIT)
    assert crop_depths(siblings) == [1, 1, 2]
    found = figures(nested, siblings, played(HIT), played(HOLDS, fail=True))
    assert found["crops_depth_1"] == pytest.approx(3 / 3)
    assert found["crops_depth_2"] == pytest.approx(2 / 3)
    assert found["crops_depth_3"] == pytest.approx(1 / 3)
    deep = [HOLDS, *(crop_text(100, 100, 900, 900, name=f"crop_{number}.png") for number in (1, 2, 3)), HIT]
    deeper = figures(played(*deep, max_tool_calls=4))
    assert (deeper["crops_depth_1"], deeper["crops_depth_2"], deeper["crops_depth_3"]) == (1, 1, 2)


def test_gain_counts_the_crop_turns_that_show_the_target_better_than_all_before() -> None:
    # The crop that holds it is better than the screenshot; the same again is not, nor is one beside the target.
    assert figures(played(HOLDS, HIT))["crop_gain"] == 1
    assert figures(played(HOLDS, HOLDS, ELSEWHERE, HIT))["crop_gain"] == pytest.approx(1 / 3)
    assert figures(played(ELSEWHERE + "\n" + HOLDS, HIT))["crop_gain"] == 1, "two crops of a turn are one try"
    assert figures(played(HOLDS, HIT, target=LARGE))["crop_gain"] == 0, "it was legible without"
    assert "crop_gain" not in figures(played(HIT))
    assert "crop_gain" not in figures(played(HOLDS, MISS, target=Refusal()))


def test_harm_is_a_miss_that_zooming_may_have_cost() -> None:
    assert not is_harmed(played(HOLDS, MISS), SETTINGS), "it looked at the right place"
    assert is_harmed(played(HOLDS, ELSEWHERE, MISS), SETTINGS), "the target was lost on the way"
    assert is_harmed(played(HOLDS, MISS, target=LARGE), SETTINGS), "it was legible without zooming"
    assert not is_harmed(played(ELSEWHERE, HIT), SETTINGS), "a hit is a hit"
    assert not is_harmed(played(MISS, target=LARGE), SETTINGS), "nothing was zoomed"
    # Cut by one px of its box.
    cut = crop_text(507.8125, 400, 700, 700)
    assert is_harmed(played(cut, MISS), SETTINGS)
    some = [played(HOLDS, MISS), played(ELSEWHERE, MISS), played(HOLDS, HIT), played(HOLDS, HIT), played(MISS)]
    assert figures(*some)["crop_harm"] == pytest.approx(1 / 4)
    assert "crop_harm" not in figures(played(HOLDS, MISS, target=Refusal()), played(MISS))


def test_shares_of_dialects_corrections_and_free_thinking_are_of_all_turns() -> None:
    some = [
        played("<think>where is it?</think>", "(500, 510)", parser_mode=ParserMode.FALLBACK),
        played("I would say [1, 2] or [3, 4]", parser_mode=ParserMode.FALLBACK),
        played(crop_text(400, 400, 600, 600, name="nowhere.png"), HIT),
    ]
    found = figures(*some)
    assert found["dialect/canonical"] == pytest.approx(2 / 5)
    assert found["dialect/loose_point"] == pytest.approx(1 / 5)
    assert found["dialect/fallback"] == pytest.approx(1 / 5)
    assert found["dialect/unread"] == pytest.approx(1 / 5)
    assert sum(value for name, value in found.items() if name.startswith("dialect/")) == pytest.approx(1)
    assert found["correction/empty"] == pytest.approx(1 / 5)
    assert found["correction/unknown_image"] == pytest.approx(1 / 5)
    assert found["correction/no_action"] == 0
    assert found["free_thinking"] == pytest.approx(1 / 5)


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("I look for the File menu first.", True),
        ("<think>where?</think>", True),
        ("<think>where? perhaps [1.00,2.00]", True),
        ("<think>there</think> It stands in the menu bar.", True),
        ("", False),
        (" \n", False),
        (point_text(1, 1), False),
        ("<think>there</think>\n" + point_text(1, 1), False),
        (HOLDS + "\n<think>too late</think>", False),
        ("[1.00,2.00] or [3.00,4.00]", False),
        ('<action>crop_image(image_path="screen.png")</action>', False),
    ],
)
def test_free_thinking_is_words_without_an_action(text: str, free: bool) -> None:
    assert is_free_thinking(played(text).turns[0]) is free


def test_failed_episodes_have_no_part() -> None:
    assert figures(played(HOLDS, "what?", fail=True)) == {}
    assert figures() == {}
    assert figures(played(HIT), played("what?", fail=True))["free_thinking"] == 0


def member(total: float, *, hit: bool = False, failed: bool = False) -> Member:
    return Member(hit, failed, total)


def test_groups_that_teach_nothing_are_told_apart() -> None:
    right = [member(2.0, hit=True), member(2.0, hit=True)]
    wrong = [member(0.5), member(0.5)]
    cancels = [member(1.0, hit=True), member(1.0)]
    learns = [member(1.0, hit=True), member(0.5)]
    dense = [member(0.5), member(0.4)]
    found = group_figures([right, wrong, cancels, learns, dense])
    assert found == {
        "groups_all_wrong": pytest.approx(2 / 5),
        "groups_all_right": pytest.approx(1 / 5),
        "groups_alike": pytest.approx(3 / 5),
        "groups_alike/all_wrong": pytest.approx(1 / 5),
        "groups_alike/all_right": pytest.approx(1 / 5),
        "groups_alike/otherwise": pytest.approx(1 / 5),
    }
    assert group_figures([]) == {}


def test_a_failed_episode_neither_saves_nor_spoils_a_group() -> None:
    broken = member(0.0, failed=True)
    assert is_alike([member(2.0, hit=True), member(2.0, hit=True), broken])
    assert is_alike([member(2.0, hit=True), broken])
    assert is_alike([broken, broken])
    assert not is_alike([member(2.0, hit=True), member(0.5), broken])
    assert is_all_wrong([member(0.5), replace(broken, hit=True)])
    assert not is_all_wrong([broken, broken]), "nobody missed"


def test_the_noise_of_single_precision_is_no_signal() -> None:
    assert is_alike([member(0.885), member(0.885 + 5e-7)])
    assert not is_alike([member(0.885), member(0.885 + 5e-3)])


def test_generations_of_a_prompt_are_neighbours() -> None:
    members = [member(float(number)) for number in range(6)]
    assert in_groups(members, 2) == [members[:2], members[2:4], members[4:]]
