"""``zoomin_accuracy``: did the episode end right?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from zoomground.rewards.base import DEFAULT_SETTINGS, RewardSettings, hit

if TYPE_CHECKING:
    from zoomground.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class Accuracy:
    """1 on a hit, 0 on everything else: a miss, no answer, a failed episode."""

    settings: RewardSettings = DEFAULT_SETTINGS
    name: ClassVar[str] = "zoomin_accuracy"

    def __call__(self, trajectory: Trajectory) -> float:
        """Score an episode: 0 or 1."""
        return float(hit(trajectory))
