"""``zoomin_cot_rm``: was the reasoning sound? A judge says so; without one, every episode gets the same score.

The same score for all is a constant, and a constant gives no gradient: the weight may stay in the recipe whether or
not a judge is configured. With a judge, `judged` turns its verdict into the reward; asking for verdicts takes time and
a network, so it is done by the judge's own client, never in here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from zoomground.rewards.base import DEFAULT_SETTINGS, RewardSettings, hit

if TYPE_CHECKING:
    from zoomground.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class Reasoning:
    """The neutral score for every episode: what the reward is while no endpoint is configured."""

    settings: RewardSettings = DEFAULT_SETTINGS
    name: ClassVar[str] = "zoomin_cot_rm"

    def __call__(self, trajectory: Trajectory) -> float:  # noqa: ARG002 -- the same for all is the point
        """Score an episode: `RewardSettings.neutral_score`."""
        return self.settings.neutral_score


def judged(trajectory: Trajectory, verdict: float | None, settings: RewardSettings) -> float:
    """The reward where an endpoint is configured: 0 on a miss, whatever the judge thinks of the words.

    Args:
        trajectory: The episode.
        verdict: The judge's score in [0, 1]; None if the call failed or was not made.
        settings: Holds the neutral score, which stands for a verdict that could not be had.

    Raises:
        ValueError: If the verdict is outside [0, 1]: reading it as a score was the judge client's mistake.
    """
    if verdict is not None and not 0 <= verdict <= 1:
        raise ValueError(f"a verdict lies in [0, 1], got {verdict}; anything else is a failed call: pass None")
    if not hit(trajectory):
        return 0.0
    return settings.neutral_score if verdict is None else verdict
