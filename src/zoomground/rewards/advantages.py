"""Group-relative advantages as the trainer computes them, for logs, shipped samples and tests.

The trainer's own are torch tensors inside its loop; these are the same numbers from plain floats (ms-swift 4.6.0,
estimator ``grpo``): the reward minus the group's mean, over a standard deviation with one degree of freedom taken off
(n - 1) plus 1e-4. Because of that division no margin between two rewards of a group is too small to be learnt.
"""

from __future__ import annotations

from statistics import fmean, stdev
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

ScaleRewards = Literal["group", "batch", "none"]

_EPSILON = 1e-4


def group_advantages(
    totals: Sequence[float], scale_rewards: ScaleRewards = "group", *, group_size: int | None = None
) -> list[float]:
    """Advantage of each episode.

    Args:
        totals: Total rewards, the episodes of one prompt next to each other.
        scale_rewards: What to divide by: the deviation of the own group, of the whole batch, or nothing.
        group_size: Episodes of one prompt; None: all of ``totals`` are one group.

    Raises:
        ValueError: If ``totals`` is not made of whole groups.

    Example:
        >>> [round(a, 2) for a in group_advantages([1.65, 1.65, 0.65, 0.65])]
        [0.87, 0.87, -0.87, -0.87]
        >>> group_advantages([1.5, 0.5], "none")
        [0.5, -0.5]
    """
    size = len(totals) if group_size is None else group_size
    if not totals:
        return []
    if size < 1 or len(totals) % size:
        raise ValueError(f"{len(totals)} totals are not made of whole groups of {size}")
    if scale_rewards not in ("group", "batch", "none"):
        raise ValueError(f"scale_rewards must be 'group', 'batch' or 'none', got '{scale_rewards}'")
    batch_scale = _deviation(totals) + _EPSILON
    advantages: list[float] = []
    for start in range(0, len(totals), size):
        group = totals[start : start + size]
        mean = fmean(group)
        scales = {"group": _deviation(group) + _EPSILON, "batch": batch_scale, "none": 1.0}
        advantages += [(total - mean) / scales[scale_rewards] for total in group]
    return advantages


def _deviation(values: Sequence[float]) -> float:
    return stdev(values) if len(values) > 1 else 0.0
