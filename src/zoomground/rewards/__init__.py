"""Rewards: pure functions of a finished episode, one file each, and the rubric that weighs them.

The mathematics with worked examples is in ``docs/rewards.md``. `REWARDS` has every shipped reward by name; a new one is
a file here and a line in `zoomground.rewards.rubric`, or is passed to `Rubric` as ``custom``.
"""

from zoomground.rewards.advantages import group_advantages
from zoomground.rewards.base import Quality, Reward, RewardSettings, hit, is_hard
from zoomground.rewards.dense_distance import DENSE_DISTANCE_WEIGHT
from zoomground.rewards.rubric import DEFAULT_WEIGHTS, REWARDS, Breakdown, Rubric

__all__ = [
    "DEFAULT_WEIGHTS",
    "DENSE_DISTANCE_WEIGHT",
    "REWARDS",
    "Breakdown",
    "Quality",
    "Reward",
    "RewardSettings",
    "Rubric",
    "group_advantages",
    "hit",
    "is_hard",
]
