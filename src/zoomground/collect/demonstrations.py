"""Scripted zoom episodes, played through the real environment from the known target.

A demonstration is a trajectory like any other: every crop really ran, every observation is the environment's own. So
what SFT learns from is, to the letter, what rollouts will see.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.collect.style import Plan
from zoomground.environment import GroundingEnv
from zoomground.errors import ZoomgroundError
from zoomground.rewards import hit

if TYPE_CHECKING:
    from zoomground.collect.style import Style
    from zoomground.images import Screenshot
    from zoomground.protocol.settings import EpisodeSettings
    from zoomground.task import Task
    from zoomground.trajectory import Trajectory


@dataclass(frozen=True)
class Demonstration:
    """A finished episode that ends right.

    Attributes:
        env: The episode, with the pixels of its crops.
        plan: How it found its target.
        right: For each assistant turn, whether a policy should do likewise.
    """

    env: GroundingEnv
    plan: Plan
    right: tuple[bool, ...]

    @property
    def trajectory(self) -> Trajectory:
        """Its record."""
        return self.env.trajectory()


def demonstrate(
    task: Task, screenshot: Screenshot, settings: EpisodeSettings, seed: int | str, style: Style
) -> Demonstration:
    """Play one demonstration.

    Args:
        task: The task, with its target.
        screenshot: Its screenshot.
        settings: Arm, budgets, limits.
        seed: Decides plan, crops and words.
        style: How demonstrations look.

    Raises:
        ZoomgroundError: If the task has no target, is a refusal where declining is not allowed, or no answer with two
            decimals lies in its target.
    """
    if task.target is None:
        raise ZoomgroundError(f"task '{task.id}': has no target; nobody knows what to demonstrate")
    env = GroundingEnv(task, screenshot, settings)
    script = style.script(env, random.Random(f"{seed}/{task.id}"))
    right: list[bool] = []
    for turn in script.turns():
        env.step(turn.text, finish_reason="stop")
        right.append(turn.right)
    if not hit(env.trajectory()):
        raise ZoomgroundError(
            f"task '{task.id}': the demonstration does not end right ({env.stop_reason or 'unfinished'}); a refusal "
            "needs declining to be allowed, anything else is a fault of this program"
        )
    return Demonstration(env, script.plan, tuple(right))
