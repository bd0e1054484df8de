"""The figures of a training step, by the names of the trainer's log.

All of it is computed from the rollouts of a step and from nothing else (docs/training.md defines every figure). A
figure is there at every step in which it means something, also where it is 0: the trainer's log takes means over steps.
Nothing here imports ms-swift or torch.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from zoomground.engines.swift.groups import Member, group_figures
from zoomground.engines.swift.tools import tool_figures
from zoomground.protocol.actions import Dialect
from zoomground.protocol.settings import Arm
from zoomground.rewards import RewardSettings, hit
from zoomground.rewards.base import DEFAULT_SETTINGS, hit_in_crop_frame
from zoomground.trajectory import Outcome, StopReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.engines.swift.record import Rollout, StepFacts

COUNTED = ("media_tokens", "nonfinite_logprobs", "logprob_mismatch", "empty_turns")
"""What the scheduler neutralises and counts, in the order of the log."""


def step_figures(
    rollouts: Sequence[Rollout], facts: StepFacts, recipe_hash: str, settings: RewardSettings = DEFAULT_SETTINGS
) -> dict[str, float]:
    """The figures of a step by the names of the trainer's log.

    Args:
        rollouts: Every rollout of the step, of all ranks.
        facts: What they share.
        recipe_hash: Hash of the trainer's recipe.
        settings: Numbers that the rewards share.
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
        **tool_figures(trajectories, settings),
        **group_figures(_members(rollouts, facts)),
        **_lengths(rollouts),
        **_spread(rollouts, facts),
    }
    for arm in Arm:
        hits = [hit(trajectory) for trajectory in trajectories if trajectory.settings.arm is arm]
        if hits and len(hits) < len(trajectories):
            figures[f"hit_rate_{arm}"] = fmean(hits)
    return {f"zoomin/{name}": value for name, value in figures.items()}


def _members(rollouts: Sequence[Rollout], facts: StepFacts) -> list[list[Member]]:
    """By prompt; a rollout of which nobody knows what happened is missing from its group."""
    ordered = sorted(rollouts, key=lambda one: one.position)
    return [
        [Member(hit(one.trajectory), one.trajectory.failed, one.total(facts.weights)) for one in group]
        for _, group in groupby(ordered, key=lambda one: one.position // facts.num_generations)
    ]


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
    figures = {"group_std": fmean(totals)}
    for name in facts.weights:
        parts = [[value for one in group if (value := one.rewards.get(name)) is not None] for group in groups]
        figures[f"group_std/{name}"] = fmean(stdev(values) if len(values) > 1 else 0.0 for values in parts)
    return figures
