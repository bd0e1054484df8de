"""How often a policy hits each row: whether RL can work on these prompts, and which rows it would learn from.

A group of rollouts that all hit or all miss gives GRPO nothing to compare; only rows in between do.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zoomground.rewards.base import hit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zoomground.data.trajectories import SavedRecord


@dataclass(frozen=True, slots=True)
class Tries:
    """What came of the episodes of one row.

    Attributes:
        hits: Those that hit.
        played: Those that were played to an end of the policy's own making.
        failed: Those that broke; they say nothing about the policy.
    """

    hits: int
    played: int
    failed: int = 0

    @property
    def rate(self) -> float | None:
        """Share of hits; None if nothing was played."""
        return self.hits / self.played if self.played else None

    def pass_at(self, k: int) -> float | None:
        """Unbiased estimate of the chance that at least one of ``k`` episodes hits; None with fewer than ``k`` played.

        >>> Tries(hits=2, played=4).pass_at(2)
        0.8333333333333334
        """
        if not 1 <= k <= self.played:
            return None
        return 1.0 - math.comb(self.played - self.hits, k) / math.comb(self.played, k)


@dataclass(frozen=True, slots=True)
class PassRates:
    """Pass rates of a set of rows.

    Attributes:
        n: Episodes that were wanted of each row.
        by_key: What came of each row.
    """

    n: int
    by_key: Mapping[str, Tries]

    @classmethod
    def of(cls, keys: Iterable[str], records: Mapping[str, Sequence[SavedRecord]], n: int) -> PassRates:
        """Count the episodes of each row."""
        return cls(n, {key: _tries(records.get(key, ())) for key in keys})

    def pass_at(self, k: int) -> float | None:
        """Mean of `Tries.pass_at` over the rows with enough episodes; None if there are none."""
        values = [value for tries in self.by_key.values() if (value := tries.pass_at(k)) is not None]
        return sum(values) / len(values) if values else None

    @property
    def all_wrong(self) -> float | None:
        """Share of rows that nothing hit."""
        return self._share(lowest=0.0, highest=0.0)

    @property
    def all_right(self) -> float | None:
        """Share of rows that everything hit."""
        return self._share(lowest=1.0, highest=1.0)

    def inside(self, lowest: float, highest: float) -> list[str]:
        """Keys of the rows whose pass rate lies in [lowest, highest]."""
        return [key for key, tries in self.by_key.items() if tries.rate is not None and lowest <= tries.rate <= highest]

    def _share(self, *, lowest: float, highest: float) -> float | None:
        known = sum(tries.played > 0 for tries in self.by_key.values())
        return len(self.inside(lowest, highest)) / known if known else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        tries = self.by_key.values()
        ks = sorted({1, *(2**power for power in range(self.n.bit_length()) if 2**power <= self.n), self.n})
        return {
            "rows": len(self.by_key),
            "n": self.n,
            "episodes": sum(one.played for one in tries),
            "failed": sum(one.failed for one in tries),
            "hits": sum(one.hits for one in tries),
            "pass_at": {str(k): self.pass_at(k) for k in ks},
            "all_wrong": self.all_wrong,
            "all_right": self.all_right,
        }


def by_row(records: Iterable[SavedRecord], row_keys: Mapping[str, str]) -> dict[str, list[SavedRecord]]:
    """Records by the key of their row; ``row_keys`` gives it for each uuid, others are left out."""
    found: dict[str, list[SavedRecord]] = defaultdict(list)
    for record in records:
        if record.uuid in row_keys:
            found[row_keys[record.uuid]].append(record)
    return found


def _tries(records: Sequence[SavedRecord]) -> Tries:
    played = [record for record in records if not record.trajectory.failed]
    return Tries(sum(hit(record.trajectory) for record in played), len(played), len(records) - len(played))
