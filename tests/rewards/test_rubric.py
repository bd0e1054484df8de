"""Weights, names and sums; the judge's gate; advantages as the trainer computes them."""

from __future__ import annotations

import json
import math
import random

import pytest
from reward_episodes import Look, episode

from zoomground.errors import RecipeError
from zoomground.rewards import DEFAULT_WEIGHTS, REWARDS, Quality, RewardSettings, Rubric, group_advantages, hit
from zoomground.rewards.reasoning import Reasoning, judged
from zoomground.trajectory import StopReason, Trajectory

GOOD = Look(900, 500, 1100, 620)


class Answered:
    """A custom reward that does not apply to every episode."""

    name = "answered"

    def __call__(self, trajectory: Trajectory) -> float | None:
        return None if trajectory.answer is None else 2.0


def test_the_shipped_names_and_weights() -> None:
    assert list(DEFAULT_WEIGHTS.items()) == [
        ("zoomin_accuracy", 1.0),
        ("zoomin_crop_process_gated", 0.3),
        ("zoomin_format", 0.5),
        ("zoomin_zoom_bonus", 1.0),
        ("zoomin_cot_rm", 0.3),
    ]
    assert set(REWARDS) == {*DEFAULT_WEIGHTS, "dense_distance"}
    assert all(reward(RewardSettings()).name == name for name, reward in REWARDS.items())


def test_a_breakdown_holds_the_parts_and_their_weighted_sum() -> None:
    breakdown = Rubric().score(episode([GOOD]))
    assert breakdown.values == pytest.approx(
        {
            "zoomin_accuracy": 1.0,
            "zoomin_crop_process_gated": 0.45,
            "zoomin_format": 1.0,
            "zoomin_zoom_bonus": 0.0,
            "zoomin_cot_rm": 0.5,
        }
    )
    assert breakdown.total == pytest.approx(1.0 + 0.3 * 0.45 + 0.5 + 0.3 * 0.5)


def test_settings_reach_every_reward() -> None:
    settings = RewardSettings(call_cost=0.25, neutral_score=0.0, quality=Quality.IOU)
    values = Rubric(settings=settings).score(episode([Look(960, 540, 974, 554)])).values
    assert values["zoomin_crop_process_gated"] == pytest.approx(0.75)
    assert values["zoomin_cot_rm"] == 0.0


def test_a_reward_that_does_not_apply_neither_gains_nor_loses() -> None:
    rubric = Rubric({"zoomin_format": 1.0, "answered": 3.0}, custom=(Answered(),))
    answered, unanswered = rubric.score(episode()), rubric.score(episode(stop=None))
    assert (answered.total, unanswered.total) == (7.0, 0.0)
    assert unanswered.values == {"zoomin_format": 0.0, "answered": None}


def test_without_a_target_no_reward_applies() -> None:
    breakdown = Rubric().score(episode([GOOD], target=None))
    assert breakdown.values == dict.fromkeys(DEFAULT_WEIGHTS)
    assert breakdown.total == 0
    assert not hit(episode(target=None))
    assert not hit(episode(target=None, stop=StopReason.DECLINED)), "right for a refusal only"


def test_a_breakdown_is_json() -> None:
    rubric = Rubric({"zoomin_format": 0.5, "answered": 1.0}, custom=(Answered(),))
    assert json.loads(rubric.score(episode(stop=None)).to_json()) == {
        "values": {"zoomin_format": 0.0, "answered": None},
        "weights": {"zoomin_format": 0.5, "answered": 1.0},
        "total": 0.0,
    }


def test_a_rubric_cannot_be_changed_from_outside() -> None:
    weights = {"zoomin_format": 1.0}
    rubric = Rubric(weights)
    weights["zoomin_format"] = 5.0
    assert rubric.score(episode()).total == 1.0


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"zoomin_acuracy": 1.0}, "did you mean 'zoomin_accuracy'"),
        ({"zoom_bonus": 1.0}, "did you mean 'zoomin_zoom_bonus'"),
        ({"q": 1.0}, "known are zoomin_accuracy, "),
        ({"zoomin_format": math.nan}, "'zoomin_format' must be a finite number"),
        ({"zoomin_format": math.inf}, "'zoomin_format' must be a finite number"),
    ],
)
def test_wrong_weights_are_refused_with_advice(weights: dict[str, float], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Rubric(weights)


def test_two_rewards_of_one_name_are_refused() -> None:
    with pytest.raises(RecipeError, match="share a name"):
        Rubric({"answered": 1.0}, custom=(Answered(), Answered()))


@pytest.mark.parametrize(
    "wrong",
    [
        {"legible_px": 0},
        {"legible_px": math.inf},
        {"call_cost": -0.1},
        {"call_cost": math.nan},
        {"neutral_score": 1.5},
        {"neutral_score": math.nan},
        {"quality": "overlap"},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(RecipeError, match=next(iter(wrong))):
        RewardSettings(**wrong)  # type: ignore[arg-type]


def test_without_a_judge_every_episode_gets_the_same() -> None:
    hit, miss, failed = episode(), episode(answer=(1.0, 1.0)), episode(stop=None)
    assert {Reasoning()(trajectory) for trajectory in (hit, miss, failed)} == {0.5}


@pytest.mark.parametrize(
    ("answer", "verdict", "expected"),
    [
        ((503.0, 505.0), 0.9, 0.9),
        ((503.0, 505.0), 0.0, 0.0),
        ((503.0, 505.0), None, 0.5),
        ((1.0, 1.0), 0.9, 0.0),
        ((1.0, 1.0), None, 0.0),
    ],
)
def test_a_verdict_counts_on_a_hit_only(answer: tuple[float, float], verdict: float | None, expected: float) -> None:
    assert judged(episode(answer=answer), verdict, RewardSettings()) == expected


@pytest.mark.parametrize("verdict", [-0.1, 1.1, math.nan, 98989.0])
def test_what_is_no_verdict_is_never_a_score(verdict: float) -> None:
    with pytest.raises(ValueError, match="a verdict lies in"):
        judged(episode(), verdict, RewardSettings())


def test_advantages_by_hand() -> None:
    # Mean 0.5; deviation with n - 1: sqrt(4 * 0.25 / 3).
    deviation = math.sqrt(1 / 3)
    expected = [0.5 / (deviation + 1e-4)] * 2 + [-0.5 / (deviation + 1e-4)] * 2
    assert group_advantages([1.0, 1.0, 0.0, 0.0]) == pytest.approx(expected)
    assert group_advantages([1.0, 1.0, 0.0, 0.0], "none") == [0.5, 0.5, -0.5, -0.5]


def test_a_group_of_equals_has_no_advantage() -> None:
    assert group_advantages([0.65] * 8) == pytest.approx([0.0] * 8)
    assert group_advantages([0.7]) == [0.0]
    assert group_advantages([]) == []


def test_no_margin_is_too_small_to_be_learnt() -> None:
    better, *rest = group_advantages([1.615, 1.6, 1.6, 1.6])
    assert better > 1.4
    assert all(value < 0 for value in rest)


def test_groups_are_kept_apart_and_the_batch_shares_its_scale() -> None:
    totals = [1.0, 0.0, 10.0, 8.0]
    assert group_advantages(totals, "none", group_size=2) == [0.5, -0.5, 1.0, -1.0]
    grouped = group_advantages(totals, group_size=2)
    assert grouped[2] == pytest.approx(1.0 / (math.sqrt(2) + 1e-4))
    batch = group_advantages(totals, "batch", group_size=2)
    deviation = math.sqrt((3.75**2 + 4.75**2 + 5.25**2 + 3.25**2) / 3)
    assert batch == pytest.approx([value / (deviation + 1e-4) for value in (0.5, -0.5, 1.0, -1.0)])


@pytest.mark.parametrize(("size", "scale"), [(3, "group"), (0, "group"), (2, "gdpo")])
def test_advantages_of_no_groups_are_refused(size: int, scale: str) -> None:
    with pytest.raises(ValueError, match="groups of|scale_rewards"):
        group_advantages([1.0, 0.0], scale, group_size=size)  # type: ignore[arg-type]


@pytest.mark.engine
@pytest.mark.parametrize("scale", ["group", "batch", "none"])
@pytest.mark.parametrize("size", [1, 2, 8])
@pytest.mark.filterwarnings("ignore")
def test_they_are_the_trainers_own(scale: str, size: int) -> None:
    torch = pytest.importorskip("torch")
    advantage = pytest.importorskip("swift.rl_core.advantage")
    rng = random.Random(size)
    totals = [rng.uniform(-0.2, 2.9) for _ in range(16)]
    theirs, _ = advantage.compute_advantages(
        torch.tensor(totals, dtype=torch.float64)[:, None], torch.ones(1), size, scale_rewards=scale
    )
    assert group_advantages(totals, scale, group_size=size) == pytest.approx(theirs.tolist())  # type: ignore[arg-type]
