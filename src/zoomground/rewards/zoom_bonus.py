"""``zoomin_zoom_bonus``: on a hard target that was hit, pay for having looked closely enough.

The scale is logarithmic and ends where the target becomes legible (at least a zoom of 2): more zoom than needed earns
nothing. Only crops that keep the surround whole count, so that the bonus cannot be had by cropping the known box.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from zoomground.rewards.base import DEFAULT_SETTINGS, RewardSettings, hit, is_hard, seen_short_side, target_box
from zoomground.rewards.quality import inside

if TYPE_CHECKING:
    from zoomground.trajectory import Trajectory

MIN_ZOOM = 1.5
"""A crop that enlarges less than this is no zoom."""

MIN_INSIDE = 0.99
"""Share of the surround that must be in the crop; the rest is left to rounding."""

MIN_FULL_ZOOM = 2.0
"""The zoom that earns the whole bonus is never less than this."""


@dataclass(frozen=True, slots=True)
class ZoomBonus:
    """clip(log2 zoom / log2 max(2, L / s0), 0, 1), the largest over the crops that count; 0 unless hit and hard."""

    settings: RewardSettings = DEFAULT_SETTINGS
    name: ClassVar[str] = "zoomin_zoom_bonus"

    def __call__(self, trajectory: Trajectory) -> float:
        """Score an episode: 0 to 1."""
        box = target_box(trajectory)
        if box is None or not hit(trajectory) or not is_hard(trajectory, self.settings):
            return 0.0
        seen = seen_short_side(trajectory, box)
        if seen <= 0:
            # A target without extent never becomes legible, however large the zoom.
            return 0.0
        full = max(MIN_FULL_ZOOM, self.settings.legible_px / seen)
        zooms = [crop.region.zoom for crop in trajectory.crops if inside(crop, box) >= MIN_INSIDE]
        best = max((zoom for zoom in zooms if zoom >= MIN_ZOOM), default=1.0)
        return min(1.0, math.log2(best) / math.log2(full))
