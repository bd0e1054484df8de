"""Figures with known values: intervals, size classes, a fixed denominator, pairs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes import crop_text, env, point_text, task
from zoomground.data.trajectories import SavedRecord
from zoomground.errors import ZoomgroundError
from zoomground.evaluate import Share, measure, paired_difference, wilson
from zoomground.geometry import Box, Size
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.rewards.accuracy import Accuracy
from zoomground.task import Refusal
from zoomground.trajectory import StopReason

if TYPE_CHECKING:
    from zoomground.task import Target

SCREEN = Size(1280, 800)
SMALL = Box(640, 400, 660, 420)
LARGE = Box(100, 100, 200, 160)
_TEXT = {True: point_text(507.8, 512.5), False: point_text(1, 1)}


def _record(*texts: str, target: Target = SMALL, total: float | None = None, fail: bool = False) -> SavedRecord:
    episode = env(task(SCREEN, target))
    for text in texts:
        episode.step(text)
    if fail:
        episode.fail(StopReason.ERROR, "out of memory")
    return SavedRecord.of(episode.trajectory(), uuid="x", total=total)


def test_wilson_matches_published_values() -> None:
    assert wilson(8, 10) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611252), abs=1e-6)
    assert wilson(50, 50) == pytest.approx((0.9286524, 1.0), abs=1e-6)
    assert wilson(0, 0) == (0.0, 1.0)


@given(total=st.integers(1, 5000), data=st.data())
def test_wilson_holds_the_share_and_mirrors(total: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, total))
    low, high = wilson(count, total)
    assert 0 <= low <= count / total <= high <= 1
    assert wilson(total - count, total) == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_figures_of_a_mixed_log() -> None:
    zoom = crop_text(400, 400, 600, 600)
    results = measure(
        "tiny",
        [
            _record(zoom, _TEXT[True], total=1.5),
            _record(_TEXT[False], total=0.5),
            _record("no idea", "(1, 1)", total=0.0),
            _record(point_text(117, 160), target=LARGE, total=2.0),
            _record(zoom, fail=True, total=0.0),
        ],
        legible_px=28,
    )
    assert (results.name, results.arm, results.samples, results.failed) == ("tiny", "on", 5, 1)
    assert (results.hits.count, results.hits.total) == (2, 5)
    assert {size: (s.count, s.total) for size, s in results.hits_by_size.items()} == {"small": (1, 4), "large": (1, 1)}
    assert (results.zoomed.count, results.zoomed.total) == (1, 4)
    assert (results.canonical.count, results.canonical.total) == (4, 6)
    assert (results.turns, results.crops, results.corrections) == (6 / 4, 1 / 4, 1 / 4)
    assert results.crop_frame_answers == 0
    assert results.reward == 1.0
    assert results.stop_reasons == {"answered": 4, "error": 1}
    plain = results.to_dict()
    assert plain["hits"]["value"] == 0.4
    assert plain["hits_by_size"]["large"]["value"] == 1.0


@pytest.mark.parametrize(("answer", "counted"), [((100, 100), 1), ((200, 200), 1), ((200.01, 150), 0)])
def test_evl_01_the_edges_of_the_box_count_as_in_the_reward(answer: tuple[float, float], counted: int) -> None:
    played = env(task(Size(1000, 1000), Box(100, 100, 200, 200)))
    played.step(point_text(*answer))
    record = SavedRecord.of(played.trajectory(), uuid="x")
    assert measure("a", [record], legible_px=28).hits.count == counted
    assert Accuracy()(record.trajectory) == counted


def test_img_25_answers_in_the_frame_of_the_last_crop_are_counted_and_earn_nothing() -> None:
    zoom, elsewhere = crop_text(400, 400, 600, 600), crop_text(0, 0, 100, 100)
    middle = SMALL.center.to_norm(SCREEN)
    inside = ((middle.x - 400) * 5, (middle.y - 400) * 5)
    wrong_frame = [_record(zoom, point_text(*inside)), _record(elsewhere, zoom, point_text(*inside))]
    others = [_record(point_text(*inside)), _record(zoom, elsewhere, point_text(*inside)), _record(zoom, _TEXT[True])]
    results = measure("tiny", [*wrong_frame, *others], legible_px=28)
    assert results.crop_frame_answers == 2
    assert results.hits.count == 1


def test_size_is_judged_as_the_policy_sees_it() -> None:
    settings = EpisodeSettings()
    small_view = replace(settings, limits=replace(settings.limits, max_pixels=64 * 32**2))
    for rules, size in ((settings, "large"), (small_view, "small")):
        episode = env(task(SCREEN, Box(0, 0, 40, 40)), rules)
        episode.step(_TEXT[False])
        record = SavedRecord.of(episode.trajectory(), uuid="x")
        assert list(measure("a", [record], legible_px=28).hits_by_size) == [size]


def test_refusals_have_no_size() -> None:
    results = measure("a", [_record(_TEXT[True], target=Refusal())], legible_px=28)
    assert list(results.hits_by_size) == ["no target"]
    assert results.hits.count == 0


def test_one_arm_at_a_time() -> None:
    off = env(settings=EpisodeSettings(arm=Arm.OFF))
    off.step(_TEXT[True])
    with pytest.raises(ZoomgroundError, match="off, on"):
        measure("a", [_record(_TEXT[True]), SavedRecord.of(off.trajectory(), uuid="y")], legible_px=28)
    with pytest.raises(ZoomgroundError, match="no episodes"):
        measure("a", [], legible_px=28)


def test_shares_print_with_their_interval() -> None:
    assert str(Share.of([True] * 8 + [False] * 2)) == "0.800 [0.490, 0.943]"
    assert str(Share.of([])) == "-"


def test_a_paired_difference_sees_what_pairs_share() -> None:
    # 100 rows, equal but for ten that the second gets right: far from noise in pairs.
    first = {str(i): i < 40 for i in range(100)}
    second = {str(i): i < 50 for i in range(100)}
    difference = paired_difference(first, second)
    assert difference.mean == pytest.approx(0.1)
    assert 0 < difference.low < 0.1 < difference.high < 0.2
    assert difference.pairs == 100
    assert paired_difference(first, second) == difference
    back = paired_difference(second, first)
    assert back.mean == -difference.mean
    # The normal approximation of the same interval.
    assert difference.high - difference.low == pytest.approx(2 * 1.96 * math.sqrt(0.09 / 100), rel=0.15)


def test_a_paired_difference_uses_common_rows_only() -> None:
    difference = paired_difference({"a": True, "b": False}, {"b": True, "c": False})
    assert (difference.mean, difference.low, difference.high, difference.pairs) == (1.0, 1.0, 1.0, 1)
    assert str(difference) == "+1.000 [+1.000, +1.000]"
    with pytest.raises(ZoomgroundError, match="no row in common"):
        paired_difference({"a": True}, {"b": True})
