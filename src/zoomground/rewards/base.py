"""What every reward is made of: its settings, the seam, and the few figures that several rewards share.

A reward is a pure function of a finished `Trajectory` and of nothing else, so the same object scores training,
evaluation and logs of old runs. An episode that failed by our fault, or still runs, has no answer and so scores
nothing. The figures are those of DESIGN section 4: hit, s0, L, leg(v), hard.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from zoomground.errors import RecipeError
from zoomground.geometry import Point
from zoomground.task import Difficulty, Refusal

if TYPE_CHECKING:
    from zoomground.geometry import Box
    from zoomground.trajectory import Trajectory


class Quality(StrEnum):
    """How good a single crop is.

    - gain: what the crop adds to the legibility of the target in its surroundings (the default).
    - iou: overlap of crop and target; only to compare with earlier recipes, it pays for cropping the known box.
    """

    GAIN = "gain"
    IOU = "iou"


@dataclass(frozen=True, slots=True)
class RewardSettings:
    """Numbers that all rewards share.

    Attributes:
        legible_px: L: a target whose short side is at least this many shown px can be read.
        call_cost: Price of each crop that ran, in units of the crop reward.
        quality: How a crop is judged.
        neutral_score: What the reasoning reward gives where there is no verdict.

    Raises:
        RecipeError: If a number makes no sense.
    """

    legible_px: float = 28.0
    call_cost: float = 0.05
    quality: Quality = Quality.GAIN
    neutral_score: float = 0.5

    def __post_init__(self) -> None:
        if not (math.isfinite(self.legible_px) and self.legible_px > 0):
            raise RecipeError(f"legible_px must be a number of px above 0, got {self.legible_px}")
        if not (math.isfinite(self.call_cost) and self.call_cost >= 0):
            raise RecipeError(f"call_cost must be a finite number of at least 0, got {self.call_cost}")
        if not 0 <= self.neutral_score <= 1:
            raise RecipeError(f"neutral_score must lie in [0, 1], got {self.neutral_score}")
        if self.quality not in tuple(Quality):
            known = ", ".join(Quality)
            raise RecipeError(f"quality must be one of {known}, got '{self.quality}'")


DEFAULT_SETTINGS = RewardSettings()
"""The shipped numbers."""


class Reward(Protocol):
    """One figure of merit of an episode."""

    @property
    def name(self) -> str:
        """The name that weights, logs and the trainer use."""
        ...

    def __call__(self, trajectory: Trajectory) -> float | None:
        """Score an episode.

        Returns:
            A finite number; None where the reward does not apply to the episode, which then neither gains nor loses.
        """
        ...


def hit(trajectory: Trajectory) -> bool:
    """Whether the episode ended right: the answer in the closed target, or a decline where nothing was to be found.

    Without a target nothing is known to be right.
    """
    task = trajectory.task
    if isinstance(task.target, Refusal):
        return trajectory.declined
    answer, place = trajectory.answer, task.place
    if answer is None or place is None:
        return False
    return place.contains(Point(answer.x, answer.y).to_px(task.size))


def hit_in_crop_frame(trajectory: Trajectory) -> bool:
    """Whether a miss would have been a hit if its answer were meant in the coordinates of the last crop.

    A figure for logs, never a reward: it tells a policy that looks wrong from one that answers in the wrong frame.
    """
    answer, place = trajectory.answer, trajectory.task.place
    if answer is None or place is None or not trajectory.crops or hit(trajectory):
        return False
    meant = trajectory.crops[-1].region.to_original(Point(answer.x, answer.y))
    return place.contains(meant.to_px(trajectory.task.size))


def target_box(trajectory: Trajectory) -> Box | None:
    """The target's box in px (of a polygon: its bounding box); None on a refusal task, and without a target."""
    place = trajectory.task.place
    return None if place is None else place.box


def seen_short_side(trajectory: Trajectory, box: Box) -> float:
    """s0: short side of the target's box in px of the screenshot as the policy sees it, after the pixel limit."""
    size, view = trajectory.task.size, trajectory.view
    return min(box.width * view.width / size.width, box.height * view.height / size.height)


def legibility(short_side: float, settings: RewardSettings) -> float:
    """leg(v) = min(1, v / L): 1 from `legible_px` on.

    >>> legibility(7.0, RewardSettings()), legibility(40.0, RewardSettings())
    (0.25, 1.0)
    """
    return min(1.0, short_side / settings.legible_px)


def is_hard(trajectory: Trajectory, settings: RewardSettings) -> bool:
    """Whether the target needs a closer look: the row's word counts; without it, s0 < L / 2. Refusals never are."""
    box = target_box(trajectory)
    if box is None:
        return False
    if trajectory.task.difficulty is not None:
        return trajectory.task.difficulty is Difficulty.HARD
    return seen_short_side(trajectory, box) < settings.legible_px / 2
