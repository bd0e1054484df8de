"""Shares and differences, each with the interval that its sample size allows."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
class Mean:
    """A mean over items, with a 95 % bootstrap interval.

    Attributes:
        mean: The mean.
        low: Lower end of the interval.
        high: Upper end.
        items: Items that it is of.
        clusters: Groups of items that were drawn whole.
    """

    mean: float
    low: float
    high: float
    items: int
    clusters: int

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def bootstrap_mean(
    values: Mapping[str, float], clusters: Mapping[str, str] | None = None, *, seed: int = 0, resamples: int = 4000
) -> Mean:
    """The mean of what items came to. Groups of items are drawn whole, so that what they share is not counted twice.

    Args:
        values: A number for each item.
        clusters: The group of each item (the page it is on); None: each item is drawn by itself.
        seed: Seed of the resampling.
        resamples: How many.

    Raises:
        ZoomgroundError: If there is no item.
    """
    if not values:
        raise ZoomgroundError("there is no item, so there is no mean")
    groups: dict[str, list[float]] = {}
    for item in sorted(values):
        groups.setdefault(clusters[item] if clusters else item, []).append(values[item])
    sums = [(math.fsum(group), len(group)) for group in groups.values()]
    rng = random.Random(seed)
    drawn = (rng.choices(sums, k=len(sums)) for _ in range(resamples))
    means = sorted(math.fsum(total for total, _ in one) / sum(count for _, count in one) for one in drawn)
    return Mean(
        mean=fmean(values.values()),
        low=means[int(0.025 * resamples)],
        high=means[max(0, math.ceil(0.975 * resamples) - 1)],
        items=len(values),
        clusters=len(groups),
    )


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better the second of two evaluations was on the rows that both asked.

    Attributes:
        mean: Difference of the hit rates, second minus first.
        low: Lower end of the 95 % bootstrap interval.
        high: Upper end.
        pairs: Rows in common.
        clusters: Groups of rows (pages) that were drawn whole; as many as rows where each was drawn by itself.
    """

    mean: float
    low: float
    high: float
    pairs: int
    clusters: int

    def __str__(self) -> str:
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def paired_difference(
    first: Mapping[str, float],
    second: Mapping[str, float],
    clusters: Mapping[str, str] | None = None,
    *,
    seed: int = 0,
    resamples: int = 4000,
) -> Difference:
    """Paired bootstrap over rows: which rows were asked is luck, that both were asked the same ones is not.

    Args:
        first: Hit or miss by row; or the share of several evaluations that hit.
        second: The same of the other evaluation.
        clusters: The group of each row (the page it is on), drawn whole; None: each row by itself.
        seed: Seed of the resampling.
        resamples: How many.

    Raises:
        ZoomgroundError: If no row is common to both.
    """
    common = first.keys() & second.keys()
    if not common:
        raise ZoomgroundError("the two evaluations have no row in common, so there is nothing to compare")
    differences = {key: float(second[key]) - float(first[key]) for key in common}
    found = bootstrap_mean(differences, clusters, seed=seed, resamples=resamples)
    return Difference(found.mean, found.low, found.high, found.items, found.clusters)


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
