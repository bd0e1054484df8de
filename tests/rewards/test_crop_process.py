"""What crops earn and cost, rule by rule. Values are worked out by hand from DESIGN section 4."""

from __future__ import annotations

from itertools import permutations

import pytest
from reward_episodes import TARGET, Look, episode

from zoomground.geometry import Box, Point, Polygon, Size
from zoomground.rewards import Quality, RewardSettings
from zoomground.rewards.crop_process import CropProcess
from zoomground.rewards.quality import crop_quality, surround
from zoomground.task import Refusal
from zoomground.trajectory import StopReason

# The target is 14 px square at (960, 540); its surround 42 px square from (946, 526) to (988, 568); leg(s0) = 0.5.
GOOD = Look(900, 500, 1100, 620)
"""All of the surround, and legible: quality 0.5."""
OTHER = Look(800, 450, 1000, 570)
"""As good as `GOOD`, and overlapping little."""
NOTHING = Look(0, 0, 300, 200)
"""Nothing of the target."""
WHOLE = Look(0, 0, 1920, 1080)

score = CropProcess()


def test_a_good_crop_earns_its_gain_less_its_price() -> None:
    assert score(episode([GOOD])) == pytest.approx(0.5 - 0.05)


def test_nothing_is_earned_without_a_hit_or_without_a_crop() -> None:
    assert score(episode([GOOD], answer=(10.0, 10.0))) == 0.0
    assert score(episode([WHOLE], [WHOLE], answer=(10.0, 10.0))) == 0.0
    assert score(episode()) == 0.0


def test_a_crop_on_a_legible_target_only_costs() -> None:
    assert score(episode([Look(900, 400, 1300, 700)], target=Box(960, 500, 1060, 560))) == pytest.approx(-0.05)


def test_quality_counts_the_share_of_the_surround() -> None:
    half = Look(946, 526, 988, 547)
    assert score(episode([half])) == pytest.approx(0.5 * 0.5 - 0.05)


def test_the_target_counts_whole_where_the_crop_cuts_it() -> None:
    # 7 px of the target's width are in the crop, shown 28 px wide; the whole would be shown 56 px wide.
    cut = Look(946, 526, 967, 568, shown=Size(42, 84))
    assert score(episode([cut])) == pytest.approx(0.5 * (1.0 - 0.5) - 0.05)
    smaller = Look(946, 526, 967, 568, shown=Size(21, 42))
    assert score(episode([smaller])) == pytest.approx(-0.05)


def test_blowing_up_a_large_share_of_the_screen_is_no_zoom() -> None:
    # Shown four times enlarged, but zoom is only 2560/2400: s(c) is bounded by s0 * zoom, not by the pixels.
    most = Look(0, 0, 1800, 1000, shown=Size(7200, 4000))
    zoom = (1920 * 1080 / (1800 * 1000)) ** 0.5
    assert score(episode([most])) == pytest.approx(0.5 * (zoom - 1) - 0.05)


def test_a_crop_that_shows_the_target_smaller_than_the_screenshot_has_no_negative_quality() -> None:
    trajectory = episode([Look(900, 500, 1100, 620, shown=Size(100, 60))])
    assert crop_quality(trajectory.crops[0], trajectory, RewardSettings()) == 0.0
    assert score(trajectory) == pytest.approx(-0.05)


def test_a_repeat_costs_a_tenth_and_no_second_penalty() -> None:
    assert score(episode([GOOD], [GOOD])) == pytest.approx(0.5 - 0.1 - 2 * 0.05)
    assert score(episode([GOOD], [GOOD], [GOOD])) == pytest.approx(0.5 - 2 * 0.1 - 3 * 0.05)


def test_the_whole_screenshot_is_a_repeat() -> None:
    assert score(episode([WHOLE])) == pytest.approx(-0.1 - 0.05)
    # 95 % x 95 % overlaps the whole by 0.9025.
    assert score(episode([Look(0, 0, 1824, 1026)], target=Box(0, 0, 200, 200), answer=(1, 1))) == pytest.approx(-0.15)
    # 94 % x 95 % by 0.893.
    assert score(episode([Look(0, 0, 1805, 1026)], target=Box(0, 0, 200, 200), answer=(1, 1))) == pytest.approx(-0.05)


def test_an_overlap_of_exactly_nine_tenths_is_a_repeat() -> None:
    first, nine_tenths = Look(900, 500, 1000, 600), Look(900, 500, 990, 600)
    assert score(episode([first, nine_tenths])) == pytest.approx(0.5 - 0.1 - 2 * 0.05)
    assert score(episode([first, Look(900, 500, 989, 600)])) == pytest.approx(0.5 - 2 * 0.05)


def test_a_turn_that_shows_nothing_better_costs_a_tenth() -> None:
    assert score(episode([GOOD], [OTHER])) == pytest.approx(0.5 - 0.1 - 2 * 0.05)
    assert score(episode([GOOD], [NOTHING])) == pytest.approx(0.5 - 0.1 - 2 * 0.05)


def test_a_turn_that_shows_something_better_is_free_but_for_the_call() -> None:
    assert score(episode([NOTHING], [GOOD])) == pytest.approx(0.5 - 2 * 0.05)


def test_the_first_crop_turn_is_never_stale() -> None:
    assert score(episode([NOTHING])) == pytest.approx(-0.05)


@pytest.mark.parametrize(
    ("rows", "better_rows", "stale"),
    [(6, 9, False), (15, 18, False), (15, 17, True), (15, 15, True), (18, 15, True)],
)
def test_better_means_by_a_twentieth_at_least(rows: int, better_rows: int, stale: bool) -> None:
    # The target is 10 px square, its surround 30: with L = 20 each of its 30 rows is 1/60 of quality, three are 0.05.
    target = Box(960, 540, 970, 550)
    looks = [Look(x1, 530, x1 + 200, 530 + height) for x1, height in ((800, rows), (900, better_rows))]
    best = max(rows, better_rows) / 60
    process = CropProcess(RewardSettings(legible_px=20))
    trajectory = episode([looks[0]], [looks[1]], target=target, answer=(502.0, 504.0))
    assert process(trajectory) == pytest.approx(best - 0.1 * stale - 2 * 0.05)


def test_two_crops_of_a_turn_are_one_try() -> None:
    assert score(episode([NOTHING, GOOD])) == pytest.approx(0.5 - 2 * 0.05)
    assert score(episode([GOOD, OTHER])) == pytest.approx(0.5 - 2 * 0.05)
    assert score(episode([NOTHING], [GOOD, OTHER])) == pytest.approx(0.5 - 3 * 0.05)


def test_a_repeat_within_a_turn_costs() -> None:
    assert score(episode([GOOD, GOOD])) == pytest.approx(0.5 - 0.1 - 2 * 0.05)


def test_a_turn_with_a_repeat_and_something_better_pays_for_the_repeat_alone() -> None:
    assert score(episode([NOTHING], [NOTHING, GOOD])) == pytest.approx(0.5 - 0.1 - 3 * 0.05)


def test_the_order_of_the_crops_of_a_turn_does_not_matter() -> None:
    looks = (GOOD, OTHER, NOTHING, WHOLE, Look(910, 505, 1105, 621))
    for first, second in permutations(looks, 2):
        for before in ([], [[OTHER]]):
            assert score(episode(*before, [first, second])) == pytest.approx(score(episode(*before, [second, first])))


def test_a_crop_repeats_what_stands_before_it_in_the_same_turn() -> None:
    # `slid` overlaps GOOD and `further` by more than 0.9 each, those two overlap by less: `further` repeats nothing
    # unless `slid` was asked for before it.
    slid, further = Look(908, 500, 1108, 620), Look(916, 500, 1116, 620)
    assert score(episode([GOOD], [slid, further])) == pytest.approx(0.5 - 2 * 0.1 - 3 * 0.05)
    assert score(episode([GOOD], [further, slid])) == pytest.approx(0.5 - 0.1 - 3 * 0.05)


def test_the_price_of_a_call_is_a_setting() -> None:
    assert CropProcess(RewardSettings(call_cost=0.2))(episode([GOOD])) == pytest.approx(0.5 - 0.2)


def test_what_is_legible_is_a_setting() -> None:
    assert CropProcess(RewardSettings(legible_px=14))(episode([GOOD])) == pytest.approx(-0.05)


def test_a_smaller_view_makes_crops_worth_more() -> None:
    assert score(episode([GOOD], view=Size(960, 540))) == pytest.approx(0.75 - 0.05)


def test_the_shorter_side_as_seen_decides_when_the_view_is_distorted() -> None:
    # 14 px are 7 px across and 14 px down in this view: s0 = 7.
    assert score(episode([GOOD], view=Size(960, 1080))) == pytest.approx(0.75 - 0.05)


def test_a_refusal_has_nothing_to_find_but_the_costs_stand() -> None:
    declined = {"target": Refusal(), "stop": StopReason.DECLINED}
    assert score(episode(**declined)) == 0.0
    assert score(episode([GOOD], **declined)) == pytest.approx(-0.05)
    assert score(episode([WHOLE], **declined)) == pytest.approx(-0.15)
    assert score(episode([GOOD], [OTHER], **declined)) == pytest.approx(-0.1 - 2 * 0.05)


def test_a_polygon_is_judged_by_its_box() -> None:
    box = TARGET
    diamond = Polygon((Point(967, 540), Point(974, 547), Point(967, 554), Point(960, 547)))
    assert diamond.box == box
    assert score(episode([GOOD], target=diamond)) == score(episode([GOOD]))


def test_iou_pays_for_the_bare_box() -> None:
    iou = CropProcess(RewardSettings(quality=Quality.IOU))
    assert iou(episode([Look(960, 540, 974, 554)])) == pytest.approx(1.0 - 0.05)
    assert iou(episode([GOOD])) == pytest.approx(14 * 14 / (200 * 120) - 0.05)
    assert iou(episode([GOOD], target=Refusal(), stop=StopReason.DECLINED)) == pytest.approx(-0.05)


def test_the_surround_is_clipped_to_the_screen() -> None:
    corner = Box(1906, 1066, 1920, 1080)
    assert surround(corner, Size(1920, 1080)) == Box(1892, 1052, 1920, 1080)
    assert score(episode([Look(1892, 1052, 1920, 1080)], target=corner, answer=(999.0, 999.0))) == pytest.approx(0.45)


def test_a_target_without_area_does_not_break_the_arithmetic() -> None:
    line = Box(967, 540, 967, 554)
    assert score(episode([GOOD], target=line, answer=(967 / 1.92, 505.0))) == pytest.approx(-0.05)
