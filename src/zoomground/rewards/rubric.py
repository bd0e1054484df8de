"""A weighted sum of rewards, with the parts kept apart."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING

from zoomground.errors import RecipeError
from zoomground.rewards.accuracy import Accuracy
from zoomground.rewards.base import DEFAULT_SETTINGS, Reward, RewardSettings
from zoomground.rewards.crop_process import CropProcess
from zoomground.rewards.dense_distance import DenseDistance
from zoomground.rewards.format import Format
from zoomground.rewards.reasoning import Reasoning
from zoomground.rewards.zoom_bonus import ZoomBonus

if TYPE_CHECKING:
    from collections.abc import Callable

    from zoomground.trajectory import Trajectory

REWARDS: Mapping[str, Callable[[RewardSettings], Reward]] = MappingProxyType(
    {reward.name: reward for reward in (Accuracy, CropProcess, Format, ZoomBonus, Reasoning, DenseDistance)}
)
"""Every shipped reward by its registered name."""

DEFAULT_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {Accuracy.name: 1.0, CropProcess.name: 0.3, Format.name: 0.5, ZoomBonus.name: 1.0, Reasoning.name: 0.3}
)
"""The shipped weights: under them any hit beats any miss (a property test holds it)."""


@dataclass(frozen=True, slots=True)
class Breakdown:
    """What an episode earned.

    Attributes:
        values: Each reward's value, None where it did not apply.
        weights: The weight of each.
        total: The sum of weight times value over those that applied.
    """

    values: Mapping[str, float | None]
    weights: Mapping[str, float]
    total: float

    def to_dict(self) -> dict[str, object]:
        """Plain values, ready for JSON."""
        return {"values": dict(self.values), "weights": dict(self.weights), "total": self.total}

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)


@dataclass(frozen=True, slots=True)
class Rubric:
    """Rewards by name with a weight each.

    Attributes:
        weights: Name to weight; names are those of `REWARDS` and of ``custom``.
        settings: Numbers that the rewards share.
        custom: Rewards of your own, beside the shipped ones.

    Raises:
        RecipeError: If a name is unknown or given twice, or a weight is no finite number.

    Example:
        >>> Rubric({"zoomin_acuracy": 1.0})
        Traceback (most recent call last):
        ...
        zoomground.errors.RecipeError: unknown reward 'zoomin_acuracy': did you mean 'zoomin_accuracy'?
    """

    weights: Mapping[str, float] = field(default_factory=lambda: DEFAULT_WEIGHTS)
    settings: RewardSettings = DEFAULT_SETTINGS
    custom: tuple[Reward, ...] = ()
    rewards: tuple[Reward, ...] = field(init=False)

    def __post_init__(self) -> None:
        own = {reward.name: reward for reward in self.custom}
        if len(own) < len(self.custom) or own.keys() & REWARDS.keys():
            raise RecipeError(f"two rewards share a name; names of your own must be new: {', '.join(own)}")
        known = [*REWARDS, *own]
        for name, weight in self.weights.items():
            if name not in known:
                raise RecipeError(f"unknown reward '{name}': {_suggestion(name, known)}")
            if not math.isfinite(weight):
                raise RecipeError(f"the weight of reward '{name}' must be a finite number, got {weight}")
        rewards = tuple(own[name] if name in own else REWARDS[name](self.settings) for name in self.weights)
        object.__setattr__(self, "weights", MappingProxyType(dict(self.weights)))
        object.__setattr__(self, "rewards", rewards)

    def score(self, trajectory: Trajectory) -> Breakdown:
        """Score an episode with every reward of the rubric; to an episode without a target none applies."""
        judged = trajectory.task.target is not None
        values = {reward.name: reward(trajectory) if judged else None for reward in self.rewards}
        total = sum(self.weights[name] * value for name, value in values.items() if value is not None)
        return Breakdown(values, self.weights, float(total))


def _suggestion(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return f"did you mean '{close[0]}'?" if close else f"known are {', '.join(known)}"
