"""Plays episodes to their end: the loop that evaluation, demonstrations and tests share."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from zoomground.policies.base import AsyncPolicy, BatchPolicy, Policy, Reply, one_by_one

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zoomground.environment import GroundingEnv
    from zoomground.trajectory import Trajectory


def play(env: GroundingEnv, policy: Policy) -> Trajectory:
    """Play one episode."""
    return play_all([env], one_by_one(policy))[0]


async def play_async(
    env: GroundingEnv, policy: AsyncPolicy, *, on_reply: Callable[[Reply], None] | None = None
) -> Trajectory:
    """Play one episode while others run in the same event loop.

    Crops are cut and encoded in a thread: Pillow lets go of the interpreter there, so other episodes go on.

    Args:
        env: A fresh environment.
        policy: Who answers.
        on_reply: Gets each reply before it is carried out, for counting what it cost.
    """
    while not env.done:
        reply = await policy.reply(env)
        if on_reply is not None:
            on_reply(reply)
        if reply.failure:
            env.fail(reply.stop_reason, reply.failure)
        else:
            await asyncio.to_thread(env.step, reply.text, finish_reason=reply.finish_reason)
    return env.trajectory()


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
                env.fail(reply.stop_reason, reply.failure)
            else:
                env.step(reply.text, finish_reason=reply.finish_reason)
        running = [env for env in running if not env.done]
        if on_turn is not None:
            on_turn(len(envs) - len(running), len(envs))
    return [env.trajectory() for env in envs]
