"""Figures of an evaluation, each with the interval that its sample size allows.

The denominator is fixed: every row that was asked counts. An episode that failed by our fault is no hit, and is told
apart in `Results.failed`, so that a broken run can neither look better than it is nor pass for a bad policy.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from zoomground.errors import ZoomgroundError
from zoomground.protocol.actions import Dialect
from zoomground.rewards.base import hit, hit_in_crop_frame, seen_short_side, target_box

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zoomground.data.trajectories import SavedRecord
    from zoomground.trajectory import Trajectory

SMALL, LARGE, NO_TARGET = "small", "large", "no target"
"""Size classes: whether the target can be read on the screenshot as the policy sees it."""

_Z95 = 1.959963984540054
"""Two-sided 95 % point of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many, with a 95 % Wilson interval.

    Attributes:
        count: How many did.
        total: Of how many.
        low: Lower end of the interval.
        high: Upper end.
    """

    count: int
    total: int
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[bool]) -> Share:
        """The share of true values."""
        kept = list(values)
        low, high = wilson(sum(kept), len(kept))
        return cls(sum(kept), len(kept), low, high)

    @property
    def value(self) -> float:
        """The share itself; 0 of 0 is 0."""
        return self.count / self.total if self.total else 0.0

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]" if self.total else "-"


def wilson(count: int, total: int) -> tuple[float, float]:
    """The 95 % Wilson score interval; (0, 1) if there is nothing.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    if total == 0:
        return 0.0, 1.0
    share, z2 = count / total, _Z95 * _Z95
    center = (share + z2 / (2 * total)) / (1 + z2 / total)
    reach = _Z95 / (1 + z2 / total) * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    # Rounding must not push an end past a share of exactly 0 or 1.
    return (0.0 if count == 0 else center - reach), (1.0 if count == total else center + reach)


@dataclass(frozen=True, slots=True)
class Results:
    """What an evaluation came to.

    Attributes:
        name: What was evaluated, for tables.
        arm: The arm that was played.
        samples: Rows that were asked.
        failed: Episodes among them that broke by our fault; they count as misses.
        hits: Share of all rows that ended right.
        hits_by_size: The same for each size class that occurs.
        zoomed: Share of the episodes that did not fail in which a crop ran.
        canonical: Share of their turns that were written in the canonical form.
        turns: Mean number of turns, of episodes that did not fail; likewise the next three.
        crops: Mean number of crops.
        corrections: Mean number of bad turns.
        crop_frame_answers: Number of misses that would be hits in the coordinates of their last crop.
        reward: Mean total reward.
        stop_reasons: How many episodes ended in which way.
    """

    name: str
    arm: str
    samples: int
    failed: int
    hits: Share
    hits_by_size: dict[str, Share]
    zoomed: Share
    canonical: Share
    turns: float
    crops: float
    corrections: float
    crop_frame_answers: int
    reward: float
    stop_reasons: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; each share with its value."""
        values = asdict(self)
        for name in ("hits", "zoomed", "canonical"):
            values[name]["value"] = getattr(self, name).value
        for size, share in self.hits_by_size.items():
            values["hits_by_size"][size]["value"] = share.value
        return values


def measure(name: str, records: Sequence[SavedRecord], *, legible_px: float) -> Results:
    """Sum up finished episodes, one for each row that was asked.

    Args:
        name: What was evaluated.
        records: The episodes of one arm.
        legible_px: Short side in px, as seen, from which a target counts as large.

    Raises:
        ZoomgroundError: If there are none, or they are of several arms.
    """
    trajectories = [record.trajectory for record in records]
    arms = {trajectory.settings.arm.value for trajectory in trajectories}
    if len(arms) != 1:
        raise ZoomgroundError(f"'{name}': results are of one arm, got {', '.join(sorted(arms)) or 'no episodes'}")
    sizes = [size_class(trajectory, legible_px) for trajectory in trajectories]
    kept = [record for record in records if not record.trajectory.failed]
    played = [record.trajectory for record in kept]
    return Results(
        name=name,
        arm=arms.pop(),
        samples=len(records),
        failed=len(records) - len(kept),
        hits=Share.of(map(hit, trajectories)),
        hits_by_size={
            size: Share.of(hit(one) for one, its in zip(trajectories, sizes, strict=True) if its == size)
            for size in (SMALL, LARGE, NO_TARGET)
            if size in sizes
        },
        zoomed=Share.of(bool(one.crops) for one in played),
        canonical=Share.of(turn.dialect is Dialect.CANONICAL for one in played for turn in one.turns),
        turns=_mean([len(one.turns) for one in played]),
        crops=_mean([len(one.crops) for one in played]),
        corrections=_mean([one.corrections for one in played]),
        crop_frame_answers=sum(map(hit_in_crop_frame, played)),
        reward=_mean([record.total for record in kept if record.total is not None]),
        stop_reasons=dict(Counter(one.stop_reason.value for one in trajectories if one.stop_reason).most_common()),
    )


def size_class(trajectory: Trajectory, legible_px: float) -> str:
    """Whether the target can be read on the screenshot as seen; refusals have none."""
    box = target_box(trajectory)
    if box is None:
        return NO_TARGET
    return LARGE if seen_short_side(trajectory, box) >= legible_px else SMALL


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the second of two evaluations was on the rows that both asked.

    Attributes:
        mean: Difference of the hit rates, second minus first.
        low: Lower end of the 95 % bootstrap interval.
        high: Upper end.
        pairs: Rows in common.
    """

    mean: float
    low: float
    high: float
    pairs: int

    def __str__(self) -> str:
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def paired_difference(
    first: Mapping[str, bool], second: Mapping[str, bool], *, seed: int = 0, resamples: int = 4000
) -> Difference:
    """Paired bootstrap over rows: which rows were asked is luck, that both were asked the same ones is not.

    Args:
        first: Hit or miss by row.
        second: The same of the other evaluation.
        seed: Seed of the resampling.
        resamples: How many.

    Raises:
        ZoomgroundError: If no row is common to both.
    """
    common = sorted(first.keys() & second.keys())
    if not common:
        raise ZoomgroundError("the two evaluations have no row in common, so there is nothing to compare")
    differences = [int(second[key]) - int(first[key]) for key in common]
    rng = random.Random(seed)
    means = sorted(fmean(rng.choices(differences, k=len(differences))) for _ in range(resamples))
    return Difference(
        fmean(differences), means[int(0.025 * resamples)], means[max(0, math.ceil(0.975 * resamples) - 1)], len(common)
    )


@dataclass(frozen=True, slots=True)
class McNemar:
    """Whether two evaluations of the same items differ, judged by the items on which they disagree.

    Attributes:
        gained: Items that only the second got right.
        lost: Items that only the first got right.
        both: Items that both got right.
        neither: Items that both got wrong.
        p_value: Two-sided exact binomial probability of a split at least as uneven, if neither were better.
    """

    gained: int
    lost: int
    both: int
    neither: int
    p_value: float


def mcnemar(first: Mapping[str, bool], second: Mapping[str, bool]) -> McNemar:
    """The exact McNemar test on the items that both asked.

    >>> mcnemar({"a": True, "b": False, "c": False}, {"a": True, "b": True, "c": True}).p_value
    0.5

    Raises:
        ZoomgroundError: If no item is common to both.
    """
    common = first.keys() & second.keys()
    if not common:
        raise ZoomgroundError("the two evaluations have no row in common, so there is nothing to compare")
    counts = Counter((first[key], second[key]) for key in common)
    gained, lost = counts[False, True], counts[True, False]
    trials = gained + lost
    tail = sum(math.comb(trials, count) for count in range(min(gained, lost) + 1))
    p_value = min(1.0, 2 * tail / 2**trials)
    return McNemar(gained, lost, counts[True, True], counts[False, False], p_value)


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0
