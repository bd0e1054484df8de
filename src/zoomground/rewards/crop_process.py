"""``zoomin_crop_process_gated``: were the crops worth their price? Paid only when the answer is right.

Ungated, the reward would pay for cropping right and answering wrong. Costs make idle crops a loss: each call, each
repeat, and each further try that shows nothing better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from zoomground.rewards.base import DEFAULT_SETTINGS, RewardSettings, hit
from zoomground.rewards.quality import crop_quality, is_repeat

if TYPE_CHECKING:
    from zoomground.protocol.observation import CropView
    from zoomground.trajectory import Trajectory

REPEAT_COST = 0.1
"""Price of a crop that shows again what was already seen."""

STALE_COST = 0.1
"""Price of a later crop turn that shows nothing better."""

STEP = 0.05
"""What a later turn must add to the best quality so far not to be stale."""

_SLACK = 1e-9
"""A step of exactly `STEP` counts, whatever its binary fraction."""


@dataclass(frozen=True, slots=True)
class CropProcess:
    """Best quality over the crops minus repeats, stale turns and calls; 0 unless hit and at least one crop ran."""

    settings: RewardSettings = DEFAULT_SETTINGS
    name: ClassVar[str] = "zoomin_crop_process_gated"

    def __call__(self, trajectory: Trajectory) -> float:
        """Score an episode: at most 1, negative where the crops cost more than they showed."""
        crops = trajectory.crops
        if not crops or not hit(trajectory):
            return 0.0
        best, penalties = 0.0, 0.0
        earlier: list[CropView] = []
        for turn in trajectory.crop_turns:
            repeats = 0
            for crop in turn:
                repeats += is_repeat(crop, earlier)
                earlier.append(crop)
            quality = max(crop_quality(crop, trajectory, self.settings) for crop in turn)
            first = len(earlier) == len(turn)
            stale = not first and not repeats and quality < best + STEP - _SLACK
            penalties += REPEAT_COST * repeats + STALE_COST * stale
            best = max(best, quality)
        return best - penalties - self.settings.call_cost * len(crops)
