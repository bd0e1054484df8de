"""The trainer's arithmetic: failed episodes move nobody, figures say what happened."""

from __future__ import annotations

import math
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from swift.rl_core.advantage import compute_advantages

from episodes import crop_text, env, point_text
from zoomground.data.trajectories import read_records
from zoomground.engines.swift.active import EngineSettings
from zoomground.engines.swift.health import step_figures
from zoomground.engines.swift.record import Rollout, StepFacts, log_path, saved_record, write_step
from zoomground.errors import ZoomgroundError
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.trajectory import StopReason, Trajectory

pytestmark = [pytest.mark.engine, pytest.mark.filterwarnings("ignore")]

WEIGHTS = {"zoomin_accuracy": 1.0, "zoomin_format": 0.5}
FACTS = StepFacts(3, num_generations=4, weights=WEIGHTS, scale_rewards="group", rank=0)


def played(*texts: str, arm: Arm = Arm.ON, fail: bool = False) -> Trajectory:
    made = env(settings=EpisodeSettings(arm=arm))
    for text in texts:
        made.step(text)
    if fail:
        made.fail(StopReason.ERROR, "broken")
    return made.trajectory()


@pytest.mark.parametrize("scale", ["group", "none"])
def test_a_failed_episode_has_no_advantage_and_moves_no_baseline(scale: str) -> None:
    from zoomground.engines.swift.advantages import without_failed

    rewards = torch.tensor(
        [[1.0, 0.2], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    )
    failed = [False, False, False, True, False, False, False, False]
    weights = torch.tensor([1.0, 0.5])
    kept = without_failed(rewards, failed, 4)
    assert rewards[3].tolist() == [0.0, 0.0], "what is logged stays"
    advantages, _ = compute_advantages(kept, weights, 4, scale_rewards=scale)
    assert advantages[3].item() == pytest.approx(0.0, abs=1e-5)
    alone, _ = compute_advantages(rewards[:3], weights, 3, scale_rewards="none")
    if scale == "none":
        assert advantages[:3].tolist() == pytest.approx(alone.tolist(), abs=1e-6)
    assert torch.equal(kept[4:], rewards[4:])


def test_a_group_that_failed_whole_has_no_advantage() -> None:
    from zoomground.engines.swift.advantages import without_failed

    rewards = torch.tensor([[0.5], [0.0], [1.0], [0.0]])
    kept = without_failed(rewards, [True, True, False, False], 2)
    advantages, _ = compute_advantages(kept, torch.tensor([1.0]), 2)
    assert advantages[:2].tolist() == [0.0, 0.0]
    assert advantages[2] > 0


@pytest.mark.parametrize("scale", ["group", "batch", "none"])
@pytest.mark.parametrize("value", [0.65, 0.1, 1.3])
def test_a_group_that_is_all_alike_has_no_advantage_not_even_by_rounding(scale: str, value: float) -> None:
    from zoomground.engines.swift.advantages import without_noise

    rewards = torch.tensor([[value, 0.3]] * 8 + [[float(hit), 0.0] for hit in (1, 0, 0, 1, 1, 0, 1, 1)])
    weights = torch.tensor([1.0, 0.5])
    advantages, _ = compute_advantages(rewards, weights, 8, scale_rewards=scale)
    kept = without_noise(advantages, rewards, weights, 8)
    assert torch.equal(kept[8:], advantages[8:])
    assert kept[:8].tolist() == [0.0] * 8


def test_a_reward_that_does_not_apply_makes_no_group_varied() -> None:
    from zoomground.engines.swift.advantages import without_noise

    rewards = torch.tensor([[0.0, 0.65], [math.nan, 0.65], [0.5, 0.65], [0.0, 0.65]])
    kept = without_noise(torch.full((4,), 1e-4), rewards, torch.tensor([1.0, 1.0]), 2)
    assert kept.tolist() == pytest.approx([0.0, 0.0, 1e-4, 1e-4])


def test_figures_of_a_step() -> None:
    some = [
        played(point_text(505, 510)),
        played(crop_text(400, 400, 600, 600), point_text(505, 510)),
        played("what?", "(1, 1)"),
        played(point_text(1, 1), arm=Arm.OFF),
        played(crop_text(400, 400, 600, 600), fail=True),
    ]
    counts = [{"media_tokens": 2}, {}, {"media_tokens": 1, "nonfinite_logprobs": 4}, {}, {}]
    rollouts = [
        Rollout(f"u{number}", trajectory, {}, 0.0, number, counts[number], recipe_hash="mine" if number else "other")
        for number, trajectory in enumerate(some)
    ]
    figures = step_figures(rollouts, FACTS, "mine")
    assert figures["zoomin/other_recipe"] == pytest.approx(1 / 5)
    assert figures["zoomin/hit_rate"] == pytest.approx(2 / 5)
    assert figures["zoomin/zoom_rate"] == pytest.approx(2 / 5)
    assert figures["zoomin/crops"] == pytest.approx(2 / 5)
    assert figures["zoomin/crop_frame_answers"] == 0
    assert figures["zoomin/corrections"] == pytest.approx(1 / 5)
    assert figures["zoomin/canonical_share"] == pytest.approx(5 / 7)
    assert figures["zoomin/failed"] == pytest.approx(1 / 5)
    assert figures["zoomin/truncated"] == 0
    assert figures["zoomin/media_tokens"] == 3
    assert figures["zoomin/nonfinite_logprobs"] == 4
    assert figures["zoomin/hit_rate_off"] == 0
    assert figures["zoomin/hit_rate_on"] == pytest.approx(2 / 4)
    assert step_figures([], FACTS, "mine") == {}


def group(values: list[tuple[float, float]], *, first: int = 0, fail: int | None = None) -> list[Rollout]:
    """Rollouts of one prompt with an accuracy and a format each."""
    return [
        Rollout(
            f"u{first + number}",
            played(fail=True) if number == fail else played(point_text(1, 1)),
            {"zoomin_accuracy": accuracy, "zoomin_format": form},
            0.0,
            first + number,
            {},
        )
        for number, (accuracy, form) in enumerate(values)
    ]


def test_rl_19_parts_that_cancel_show_as_a_group_without_spread() -> None:
    """RL-19: every part varies, the weighted sum is 1 in every sample: nothing is learned, and the log says so."""
    cancel = group([(1.0, 0.0), (0.0, 2.0), (1.0, 0.0), (0.0, 2.0)])
    figures = step_figures(cancel, FACTS, "")
    assert figures["zoomin/group_std"] == 0
    assert figures["zoomin/groups_alike"] == 1
    assert figures["zoomin/group_std/zoomin_accuracy"] == pytest.approx(math.sqrt(1 / 3))
    assert figures["zoomin/group_std/zoomin_format"] == pytest.approx(math.sqrt(4 / 3))
    learns = group([(1.0, 1.0), (0.0, 1.0), (1.0, 1.0), (0.0, 1.0)], first=4)
    figures = step_figures([*learns, *cancel], FACTS, "")
    assert figures["zoomin/group_std"] == pytest.approx(math.sqrt(1 / 3) / 2)
    assert figures["zoomin/groups_alike"] == 0.5
    # Groups that differ from each other are no spread within a group.
    apart = [*group([(1.0, 0.0)] * 4), *group([(0.0, 0.0)] * 4, first=4)]
    assert step_figures(apart, FACTS, "")["zoomin/groups_alike"] == 1


def test_a_failed_episode_has_no_part_in_the_spread() -> None:
    figures = step_figures(group([(1.0, 1.0), (0.0, 0.0), (1.0, 1.0), (1.0, 1.0)], fail=1), FACTS, "")
    assert figures["zoomin/group_std"] == 0
    assert "zoomin/group_std" not in step_figures(group([(1.0, 1.0), (0.0, 0.0)], fail=1), FACTS, "")


def test_rl_29_lengths_by_turn_and_by_episode_are_apart() -> None:
    """RL-29: three turns of 512 are at the limit of 512, an episode of 1,536 tokens is not above it."""
    long = Rollout("a", played("x", "y", "z"), {}, 0.0, 0, {}, turn_tokens=(512, 512, 512))
    short = Rollout("b", played(point_text(1, 1)), {}, 0.0, 1, {}, turn_tokens=(16,))
    made = env()
    made.step("a thought without an end", finish_reason="length")
    cut = Rollout("c", made.trajectory(), {}, 0.0, 2, {}, turn_tokens=(512,))
    figures = step_figures([long, short, cut], FACTS, "")
    assert figures["zoomin/turn_tokens"] == pytest.approx((4 * 512 + 16) / 5)
    assert figures["zoomin/turn_tokens_max"] == 512
    assert figures["zoomin/episode_tokens"] == pytest.approx((1536 + 16 + 512) / 3)
    assert figures["zoomin/episode_tokens_max"] == 1536
    assert figures["zoomin/cut_turns"] == pytest.approx(1 / 5)
    assert figures["zoomin/cut_episodes"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(("lost", "ends"), [(0, False), (4, False), (5, True), (8, True)])
def test_rl_23_a_run_ends_only_above_a_rate_of_samples_that_could_not_be_scored(lost: int, ends: bool) -> None:
    from zoomground.engines.swift.trainer import ZoomgroundGRPOTrainer

    good = SimpleNamespace(registered="zoomin_format", unscored_in_batch=0, last_failure="")
    bad = SimpleNamespace(registered="zoomin_accuracy", unscored_in_batch=lost, last_failure="KeyError: 'x'")
    trainer = SimpleNamespace(_doors=[good, bad])
    if not ends:
        ZoomgroundGRPOTrainer._refuse_unscored(trainer, 8)
        return
    with pytest.raises(ZoomgroundError, match=rf"zoomin_accuracy could not score {lost} of the 8 .*KeyError: 'x'"):
        ZoomgroundGRPOTrainer._refuse_unscored(trainer, 8)


def test_a_batch_that_could_not_be_scored_is_refused_before_a_remedy_hides_it() -> None:
    from zoomground.engines.swift.stopwatch import Stopwatch
    from zoomground.engines.swift.trainer import ZoomgroundGRPOTrainer

    door = SimpleNamespace(registered="zoomin_accuracy", unscored_in_batch=8, last_failure="")

    def remedied(samples: list[object], rewards: object) -> tuple[list[object], object]:
        door.unscored_in_batch = 0
        return samples, rewards

    trainer = SimpleNamespace(
        _stopwatch=Stopwatch(),
        _plays_grounding=True,
        _has_remedies=True,
        _doors=[door],
        _compute_rewards_per_func=lambda samples: None,
        _remedied=remedied,
    )
    trainer._refuse_unscored = lambda samples: ZoomgroundGRPOTrainer._refuse_unscored(trainer, samples)
    with pytest.raises(ZoomgroundError, match="could not score 8 of the 8"):
        ZoomgroundGRPOTrainer._score_completions(trainer, [object()] * 8)
    door.unscored_in_batch = 0
    assert len(ZoomgroundGRPOTrainer._score_completions(trainer, [object()] * 8)) == 8


def test_the_log_has_one_file_a_process_and_reads_back(tmp_path: Path) -> None:
    facts = StepFacts(3, num_generations=4, weights={"zoomin_accuracy": 0.5}, scale_rewards="group", rank=2)
    settings = EngineSettings(recipe_hash="abc")
    rollout = Rollout("chatcmpl-1", played(point_text(505, 510)), {"zoomin_accuracy": 1.0, "own": None}, 0.75, 9, {})
    path = log_path(tmp_path / "trajectories", rank=2)
    assert path.name == f"rank0002-{os.getpid()}.jsonl"
    write_step(path, [saved_record(rollout, facts, settings)])
    write_step(path, [saved_record(rollout, facts, settings)])
    one, two = (line.record for line in read_records(tmp_path))
    assert one == two
    assert (one.prompt_group, one.generation, one.step, one.rank) == (2, 1, 3, 2)
    assert (one.total, one.advantage, one.recipe_hash) == (0.5, 0.75, "abc")
    assert one.reward_settings["call_cost"] == settings.rewards.call_cost
    assert "base64" not in path.read_text(encoding="utf-8")
