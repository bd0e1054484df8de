"""``zoomin_format``: did the episode end in the canonical form?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from zoomground.protocol.actions import Dialect
from zoomground.rewards.base import DEFAULT_SETTINGS, RewardSettings
from zoomground.trajectory import StopReason

if TYPE_CHECKING:
    from zoomground.trajectory import Trajectory

_ENDED = (StopReason.ANSWERED, StopReason.DECLINED)


@dataclass(frozen=True, slots=True)
class Format:
    """1 if the final turn is a canonical answer (or allowed decline) and was not cut; right or wrong does not matter.

    Only the final turn counts: earlier slips already cost correction rounds. A crop as last turn is no answer.
    """

    settings: RewardSettings = DEFAULT_SETTINGS
    name: ClassVar[str] = "zoomin_format"

    def __call__(self, trajectory: Trajectory) -> float:
        """Score an episode: 0 or 1."""
        if trajectory.stop_reason not in _ENDED:
            return 0.0
        last = trajectory.turns[-1]
        return float(last.dialect is Dialect.CANONICAL and last.finish_reason != "length")
