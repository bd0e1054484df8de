"""Plays episodes to their end: the loop that evaluation, demonstrations and tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.policies.base import BatchPolicy, Policy, one_by_one
from zoomground.trajectory import StopReason, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zoomground.environment import GroundingEnv


def play(env: GroundingEnv, policy: Policy) -> Trajectory:
    """Play one episode."""
    return play_all([env], one_by_one(policy))[0]


def play_all(
    envs: Sequence[GroundingEnv],
    policy: BatchPolicy,
    *,
    on_turn: Callable[[int, int], None] | None = None,
) -> list[Trajectory]:
    """Play many episodes side by side; all running ones are asked together, turn by turn.

    Args:
        envs: Fresh environments.
        policy: Who answers.
        on_turn: Called after each round with the number of finished episodes and of all, for progress.

    Returns:
        One trajectory for each environment, in order. A reply that could not be had fails its own episode only.
    """
    running = [env for env in envs if not env.done]
    while running:
        for env, reply in zip(running, policy.replies(running), strict=True):
            if reply.failure:
                env.fail(StopReason.ERROR, reply.failure)
            else:
                env.step(reply.text, finish_reason=reply.finish_reason)
        running = [env for env in running if not env.done]
        if on_turn is not None:
            on_turn(len(envs) - len(running), len(envs))
    return [env.trajectory() for env in envs]
