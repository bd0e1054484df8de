"""What a training step leaves behind: one saved record a rollout, and the figures of the step.

Each process writes its own file, named by rank and process id, so that neither ranks on a shared disk nor a restarted
run write into each other's. Nothing here imports ms-swift or torch.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import groupby
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from zoomground.data.trajectories import RecordWriter, SavedRecord
from zoomground.protocol.actions import Dialect
from zoomground.protocol.settings import Arm
from zoomground.rewards import hit
from zoomground.rewards.base import hit_in_crop_frame
from zoomground.trajectory import Outcome, StopReason, Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from zoomground.engines.swift.active import EngineSettings

LOG_FOLDER = "trajectories"
"""Folder of the log inside the trainer's output folder."""

COUNTED = ("media_tokens", "nonfinite_logprobs", "logprob_mismatch", "empty_turns")
"""What the scheduler neutralises and counts, in the order of the log."""

_ALIKE = 1e-6
"""A group whose totals deviate by less has no signal; rewards come in single precision."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """One rollout as the trainer knows it after the advantages.

    Attributes:
        uuid: The request's id.
        trajectory: The episode.
        rewards: Value of each reward by name, as the trainer weighed it.
        advantage: What the loss multiplies by; 0 for a failed episode.
        position: Place among all rollouts of the step, over all ranks; generations of a prompt are neighbours.
        counts: What was neutralised, by kind.
        turn_tokens: Tokens that were sampled in each turn.
        recipe_hash: Hash of the recipe that it was played by.
        cpu_s: CPU seconds that its environment took.
        wait_s: Seconds that it waited for its environment.
    """

    uuid: str
    trajectory: Trajectory
    rewards: Mapping[str, float | None]
    advantage: float
    position: int
    counts: Mapping[str, int]
    turn_tokens: tuple[int, ...] = ()
    recipe_hash: str = ""
    cpu_s: float = 0.0
    wait_s: float = 0.0

    def total(self, weights: Mapping[str, float]) -> float:
        """Weighted sum of the rewards that apply."""
        return sum(weights[name] * value for name, value in self.rewards.items() if value is not None)


@dataclass(frozen=True, slots=True)
class StepFacts:
    """What all rollouts of a step share.

    Attributes:
        step: Training step, counted from 1.
        num_generations: Rollouts of each prompt.
        weights: Weight of each reward by name.
        scale_rewards: How advantages were scaled.
        rank: This process.
    """

    step: int
    num_generations: int
    weights: Mapping[str, float]
    scale_rewards: str
    rank: int


def log_path(folder: Path, rank: int) -> Path:
    """The file of this process."""
    return folder / f"rank{rank:04d}-{os.getpid()}.jsonl"


def saved_record(rollout: Rollout, facts: StepFacts, settings: EngineSettings) -> SavedRecord:
    """The record of a rollout: enough to compute rewards and advantages again."""
    return SavedRecord.of(
        rollout.trajectory,
        uuid=rollout.uuid,
        rewards=dict(rollout.rewards),
        total=rollout.total(facts.weights),
        advantage=rollout.advantage,
        step=facts.step,
        prompt_group=rollout.position // facts.num_generations,
        generation=rollout.position % facts.num_generations,
        scale_rewards=facts.scale_rewards,
        weights=dict(facts.weights),
        reward_settings=asdict(settings.rewards),
        recipe_hash=settings.recipe_hash,
        rank=facts.rank,
    )


def write_step(path: Path, records: Iterable[SavedRecord]) -> None:
    """Append the records of one step.

    Raises:
        OSError: If the file cannot be written.
    """
    with RecordWriter(path) as writer:
        for record in records:
            writer.write(record)


def step_figures(rollouts: Sequence[Rollout], facts: StepFacts, recipe_hash: str) -> dict[str, float]:
    """The figures of a step by the names of the trainer's log.

    Args:
        rollouts: Every rollout of the step, of all ranks.
        facts: What they share.
        recipe_hash: Hash of the trainer's recipe.
    """
    if not rollouts:
        return {}
    trajectories = [rollout.trajectory for rollout in rollouts]
    total = sum((Counter(rollout.counts) for rollout in rollouts), Counter())
    turns = [turn for trajectory in trajectories for turn in trajectory.turns]
    outcomes = [trajectory.stop_reason.outcome for trajectory in trajectories if trajectory.stop_reason is not None]
    figures = {
        "hit_rate": fmean(hit(trajectory) for trajectory in trajectories),
        "zoom_rate": fmean(bool(trajectory.crops) for trajectory in trajectories),
        "crop_frame_answers": fmean(hit_in_crop_frame(trajectory) for trajectory in trajectories),
        "crops": fmean(len(trajectory.crops) for trajectory in trajectories),
        "turns": fmean(len(trajectory.turns) for trajectory in trajectories),
        "corrections": fmean(trajectory.corrections for trajectory in trajectories),
        "canonical_share": fmean(turn.dialect is Dialect.CANONICAL for turn in turns) if turns else 0.0,
        "truncated": outcomes.count(Outcome.TRUNCATED) / len(trajectories),
        "failed": outcomes.count(Outcome.FAILED) / len(trajectories),
        "other_recipe": fmean(rollout.recipe_hash != recipe_hash for rollout in rollouts),
        "seconds/environment_cpu": sum(rollout.cpu_s for rollout in rollouts),
        # A server plays its episodes side by side: they cannot prolong a step by more than the longest wait of one.
        "seconds/environment_longest": max(rollout.wait_s for rollout in rollouts),
        **{name: float(total[name]) for name in COUNTED},
        **_lengths(rollouts),
        **_spread(rollouts, facts),
    }
    for arm in Arm:
        hits = [hit(trajectory) for trajectory in trajectories if trajectory.settings.arm is arm]
        if hits and len(hits) < len(trajectories):
            figures[f"hit_rate_{arm}"] = fmean(hits)
    return {f"zoomin/{name}": value for name, value in figures.items()}


def _lengths(rollouts: Sequence[Rollout]) -> dict[str, float]:
    """Sampled tokens by turn and by episode, and the share of each that was cut.

    The limit on completions is one on a turn; a length over a whole episode says nothing of how near it is.
    """
    turns = [tokens for rollout in rollouts for tokens in rollout.turn_tokens]
    episodes = [sum(rollout.turn_tokens) for rollout in rollouts if rollout.turn_tokens]
    cut = sum(rollout.trajectory.stop_reason is StopReason.LENGTH for rollout in rollouts)
    played = sum(len(rollout.trajectory.turns) for rollout in rollouts)
    figures = {"cut_turns": cut / played if played else 0.0, "cut_episodes": cut / len(rollouts)}
    for name, lengths in (("turn_tokens", turns), ("episode_tokens", episodes)):
        if lengths:
            figures |= {name: fmean(lengths), f"{name}_max": float(max(lengths))}
    return figures


def _spread(rollouts: Sequence[Rollout], facts: StepFacts) -> dict[str, float]:
    """Deviation within a group, mean over the groups: of the total, which is all that GRPO sees, and of each part.

    Parts that vary and cancel teach nothing, and their own figures look healthy. Failed episodes take no part.
    """
    ordered = sorted((one for one in rollouts if not one.trajectory.failed), key=lambda one: one.position)
    groups = [list(group) for _, group in groupby(ordered, key=lambda one: one.position // facts.num_generations)]
    groups = [group for group in groups if len(group) > 1]
    if not groups:
        return {}
    totals = [stdev(one.total(facts.weights) for one in group) for group in groups]
    figures = {"group_std": fmean(totals), "groups_alike": fmean(total < _ALIKE for total in totals)}
    for name in facts.weights:
        parts = [[value for one in group if (value := one.rewards.get(name)) is not None] for group in groups]
        figures[f"group_std/{name}"] = fmean(stdev(values) if len(values) > 1 else 0.0 for values in parts)
    return figures
