"""Turn-level credit: which crop of a right episode deserves more of it, from the potential of `turn_gains`.

Group-relative advantages give all turns of an episode the same weight. A term on top of it tells its crop turns apart:

    term_t = coefficient x (d_t - mean of d over the group's turns of the same number)

It is gated by the outcome (a miss and a failed episode have no terms), and compares like with like: a first crop, which
looks for the target, with the first crops of the other right episodes. So the terms of a group sum to 0 for each turn
number: they move credit between crops and do not by themselves pay for zooming more, or less, often.
"""

from __future__ import annotations

from itertools import zip_longest
from statistics import fmean
from typing import TYPE_CHECKING

from zoomground.rewards.base import hit
from zoomground.rewards.potential import turn_gains

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.rewards.base import RewardSettings
    from zoomground.trajectory import Trajectory


def credited_gains(trajectory: Trajectory, settings: RewardSettings) -> tuple[float | None, ...]:
    """The gains that take part in a group's credit: those of crop turns of an episode that hit, None for all others."""
    return turn_gains(trajectory, settings) if hit(trajectory) else (None,) * len(trajectory.turns)


def terms_of_gains(group: Sequence[Sequence[float | None]], coefficient: float) -> list[tuple[float, ...]]:
    """The terms of one prompt's episodes.

    Args:
        group: `credited_gains` of each episode.
        coefficient: What a whole unit of potential is worth, in units of the advantage.

    Returns:
        One term a turn: 0 where the gain is None, and for a turn that has nobody to be compared with.

    Example:
        >>> terms_of_gains([(0.5, None), (0.25, 0.5, None), (None,)], 1.0)
        [(0.125, 0.0), (-0.125, 0.0, 0.0), (0.0,)]
    """
    by_number = [[gain for gain in gains if gain is not None] for gains in zip_longest(*group)]
    means = [fmean(gains) if gains else 0.0 for gains in by_number]
    return [
        tuple(0.0 if gain is None else coefficient * (gain - mean) for gain, mean in zip(gains, means, strict=False))
        for gains in group
    ]


def turn_credit(group: Sequence[Trajectory], coefficient: float, settings: RewardSettings) -> list[tuple[float, ...]]:
    """The terms of one prompt's episodes, one a turn."""
    return terms_of_gains([credited_gains(trajectory, settings) for trajectory in group], coefficient)
