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
