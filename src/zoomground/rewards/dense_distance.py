"""``dense_distance``: a slope for misses, off by default.

In groups where every answer misses, accuracy gives no gradient; the distance still does. It is only ever a part of
what a hit earns, and it is off because a dense reward is learnt before the sparse one that matters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from zoomground.geometry import Point
from zoomground.rewards.base import DEFAULT_SETTINGS, RewardSettings, hit, target_box

if TYPE_CHECKING:
    from zoomground.geometry import Box
    from zoomground.trajectory import Trajectory

NEAR_MISS = 0.5
"""What a miss on the very edge earns."""

REACH = 0.25
"""Distance, in shares of the screen, at which nothing is left."""

DENSE_DISTANCE_WEIGHT = 0.2
"""The weight to switch it on with: any hit still beats any miss."""


@dataclass(frozen=True, slots=True)
class DenseDistance:
    """1 on a hit; a readable miss 0.5 x max(0, 1 - d / 0.25), d to the target's box in shares of the screen; else 0."""

    settings: RewardSettings = DEFAULT_SETTINGS
    name: ClassVar[str] = "dense_distance"

    def __call__(self, trajectory: Trajectory) -> float:
        """Score an episode: 0 to 1."""
        if hit(trajectory):
            return 1.0
        box, answer = target_box(trajectory), trajectory.answer
        if box is None or answer is None:
            return 0.0
        size = trajectory.task.size
        share = _distance(Point(answer.x, answer.y).to_px(size), box, size.width, size.height)
        return NEAR_MISS * max(0.0, 1 - share / REACH)


def _distance(point: Point, box: Box, width: int, height: int) -> float:
    """Distance to the box with each axis measured in shares of the screen, 0 inside."""
    dx = max(box.x1 - point.x, 0.0, point.x - box.x2) / width
    dy = max(box.y1 - point.y, 0.0, point.y - box.y2) / height
    return math.hypot(dx, dy)
