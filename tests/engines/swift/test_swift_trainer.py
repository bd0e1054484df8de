"""The trainer's arithmetic: failed episodes move nobody, figures say what happened."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch
from swift.rl_core.advantage import compute_advantages

from episodes import crop_text, env, point_text
from zoomground.data.trajectories import read_records
from zoomground.engines.swift.active import EngineSettings
from zoomground.engines.swift.record import Rollout, StepFacts, log_path, saved_record, step_figures, write_step
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.trajectory import StopReason, Trajectory

pytestmark = [pytest.mark.engine, pytest.mark.filterwarnings("ignore")]


def played(*texts: str, arm: Arm = Arm.ON, fail: bool = False) -> Trajectory:
    made = env(settings=EpisodeSettings(arm=arm))
    for text in texts:
        made.step(text)
    if fail:
        made.fail(StopReason.ERROR, "broken")
    return made.trajectory()


@pytest.mark.parametrize("scale", ["group", "none"])
def test_a_failed_episode_has_no_advantage_and_moves_no_baseline(scale: str) -> None:
    from zoomground.engines.swift.trainer import without_failed

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
    from zoomground.engines.swift.trainer import without_failed

    rewards = torch.tensor([[0.5], [0.0], [1.0], [0.0]])
    kept = without_failed(rewards, [True, True, False, False], 2)
    advantages, _ = compute_advantages(kept, torch.tensor([1.0]), 2)
    assert advantages[:2].tolist() == [0.0, 0.0]
    assert advantages[2] > 0


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
    figures = step_figures(rollouts, "mine")
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
    assert step_figures([], "mine") == {}


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
