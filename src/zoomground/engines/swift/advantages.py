"""What ms-swift's advantages must not hold: rewards of failed episodes, and the noise of groups that are all alike."""

from __future__ import annotations

import torch

from zoomground.engines.swift.groups import ALIKE


def without_failed(rewards: torch.Tensor, failed: list[bool], num_generations: int) -> torch.Tensor:
    """The rewards with those of failed episodes replaced by the mean of the others of their group.

    A failed episode then has advantage 0 and moves nobody's baseline.

    Args:
        rewards: One row a rollout, one column a reward; generations of a prompt are neighbours.
        failed: One flag a rollout.
        num_generations: Rollouts of each prompt.
    """
    if not any(failed):
        return rewards
    groups = rewards.clone().view(-1, num_generations, rewards.shape[1])
    gone = torch.tensor(failed, device=rewards.device).view(-1, num_generations)
    for group, out in zip(groups, gone, strict=True):
        if out.any():
            group[out] = 0.0 if out.all() else group[~out].nanmean(dim=0)
    return groups.view_as(rewards)


def without_noise(
    advantages: torch.Tensor, rewards: torch.Tensor, weights: torch.Tensor, num_generations: int
) -> torch.Tensor:
    """The advantages with those of groups in which all earned the same at exactly 0.

    The mean of eight equal numbers in single precision is not that number; divided by next to no deviation the
    difference becomes an advantage of up to 1e-3, which Adam scales up where no other group teaches and whose sign the
    turn filter would read.

    Args:
        advantages: One a rollout.
        rewards: One row a rollout, one column a reward; generations of a prompt are neighbours.
        weights: One a reward.
        num_generations: Rollouts of each prompt.
    """
    totals = (rewards.double() * weights.double()).nansum(dim=1).view(-1, num_generations)
    alike = totals.amax(dim=1) - totals.amin(dim=1) < ALIKE
    return advantages.masked_fill(alike.repeat_interleave(num_generations), 0.0)
