"""The audit: the shipped rewards pass, rewards that are known to be hackable fail by name."""

from __future__ import annotations

import json

import pytest

from zoomground.audit import AuditReport, audit_rewards, audit_samples
from zoomground.audit.cheats import CHEATS
from zoomground.geometry import Box, PixelLimits, Size
from zoomground.protocol.actions import CropUnits, ParserMode
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.rewards import DEFAULT_WEIGHTS, DENSE_DISTANCE_WEIGHT, Quality, RewardSettings, Rubric
from zoomground.rewards.base import hit
from zoomground.task import Difficulty, Refusal, Task
from zoomground.trajectory import Trajectory

NAMES = [cheat.name for cheat in CHEATS]
FEW = audit_samples(seed=1)[::6]
"""Enough for what does not depend on the grid."""


def winners(report: AuditReport) -> set[str]:
    return {cheat.name for cheat in report.winners}


def test_no_cheat_pays_under_the_shipped_rewards() -> None:
    report = audit_rewards()
    assert report.passed, report.winners
    assert report.honest_misses == 0
    assert [cheat.name for cheat in report.cheats] == NAMES
    # Every cheat was tried on many samples: an audit that tries nothing passes too.
    assert all(cheat.samples >= 50 for cheat in report.cheats)
    assert report.samples >= 300


def test_other_places_give_the_same_verdict() -> None:
    assert audit_rewards(samples=audit_samples(seed=2)[1::3]).passed


def test_a_slope_for_misses_pays_no_cheat() -> None:
    weights = DEFAULT_WEIGHTS | {"dense_distance": DENSE_DISTANCE_WEIGHT}
    report = audit_rewards(Rubric(weights), samples=FEW)
    assert report.passed, report.winners


def test_the_overlap_of_earlier_recipes_pays_for_the_known_box() -> None:
    report = audit_rewards(Rubric(settings=RewardSettings(quality=Quality.IOU)), samples=FEW)
    assert not report.passed
    assert {"vanity", "exact_box", "cutting", "always_zooms"} <= winners(report)
    assert all(cheat.worst_margin > 0 and cheat.worst_sample for cheat in report.winners)


def test_free_calls_pay_for_zooming_on_legible_targets_no_more_than_not() -> None:
    report = audit_rewards(Rubric(settings=RewardSettings(call_cost=0.0)), samples=FEW)
    assert report.passed
    assert next(cheat.worst_margin for cheat in report.cheats if cheat.name == "always_zooms") == pytest.approx(0.0)


class CallBonus:
    """What a naive recipe does: a constant for calling the tool."""

    name = "call_bonus"

    def __call__(self, trajectory: Trajectory) -> float:
        return float(len(trajectory.crops))


def test_a_constant_for_calling_is_found_out() -> None:
    report = audit_rewards(Rubric(DEFAULT_WEIGHTS | {"call_bonus": 0.5}, custom=(CallBonus(),)), samples=FEW)
    assert {"repeats", "jitter", "always_zooms", "whole_image"} <= winners(report)


class UngatedCrops:
    """Pays for a crop that holds the target whether or not the answer is right, and nothing for the answer."""

    name = "ungated"

    def __call__(self, trajectory: Trajectory) -> float:
        return 2.0 * bool(trajectory.crops) - float(hit(trajectory))


def test_a_reward_that_ignores_the_answer_is_found_out() -> None:
    report = audit_rewards(Rubric({"ungated": 1.0}, custom=(UngatedCrops(),)), samples=FEW)
    assert {"ends_on_a_crop", "crop_coordinates"} <= winners(report)


@pytest.mark.parametrize(
    "episode",
    [
        EpisodeSettings(parser_mode=ParserMode.FALLBACK),
        EpisodeSettings(crop_units=CropUnits.PIXELS, prompt_ends_in_think=True),
        EpisodeSettings(max_tool_calls=1, max_calls_per_turn=1, max_corrections=0),
        EpisodeSettings(arm=Arm.FORCED),
        EpisodeSettings(limits=PixelLimits(28, 3136, 1_003_520), crop_max_pixels=1_003_520),
    ],
    ids=["fallback", "pixels", "one-crop", "forced-recipe", "28px-patches"],
)
def test_it_passes_under_the_rules_of_other_recipes(episode: EpisodeSettings) -> None:
    report = audit_rewards(episode=episode, samples=FEW)
    assert report.passed, report.winners


def test_spam_is_read_by_the_fallback_and_still_earns_less() -> None:
    fallback = audit_rewards(episode=EpisodeSettings(parser_mode=ParserMode.FALLBACK), samples=FEW)
    tolerant = audit_rewards(samples=FEW)
    means = [next(c.mean_margin for c in r.cheats if c.name == "coordinate_spam") for r in (fallback, tolerant)]
    assert means[1] < means[0] < 0


def test_own_samples_are_counted_for_each_view() -> None:
    size = Size(1920, 1080)
    tasks = [
        Task("tiny", "Click", "a.png", size, Box(100, 100, 110, 110), Difficulty.HARD),
        Task("none", "Click", "a.png", size, Refusal()),
    ]
    report = audit_rewards(samples=tasks)
    assert report.passed
    assert report.samples == 2 * 3
    by_name = {cheat.name: cheat for cheat in report.cheats}
    assert by_name["never_zooms"].samples == 3
    assert by_name["whole_image"].samples == 6
    assert by_name["exact_box"].worst_sample.startswith("tiny seen at ")


def test_an_audit_without_samples_proves_nothing() -> None:
    report = audit_rewards(samples=[])
    assert not report.passed
    assert report.cheats[0].worst_margin is None


def test_the_report_is_json() -> None:
    report = json.loads(audit_rewards(samples=FEW[:3]).to_json())
    assert report["passed"] is True
    assert [cheat["name"] for cheat in report["cheats"]] == NAMES
    assert set(report["cheats"][0]) == {
        "name",
        "about",
        "samples",
        "wins",
        "worst_margin",
        "worst_sample",
        "mean_margin",
    }


def test_the_same_seed_gives_the_same_samples() -> None:
    assert audit_samples(3) == audit_samples(3) != audit_samples(4)
    for task in audit_samples():
        if not isinstance(task.target, Refusal):
            box = task.target.box
            assert 0 <= box.x1 < box.x2 <= task.size.width
            assert 0 <= box.y1 < box.y2 <= task.size.height
