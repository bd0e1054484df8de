"""What of the finished screens goes into the set, decided in the order of their numbers.

A screen that looks like an earlier one of the other split is left out: else something of what is trained on would be
held out too. Only earlier screens count, so a set of 100 screens is the beginning of one of 200.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from zoomground.synth.plan import Split

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.synth.parts import Part

ALIKE_BITS = 4
"""Two pictures whose difference hashes differ in no more bits are near-duplicates."""

COUNTED = ("kind", "skin", "icon_set", "language", "how", "explicit", "template")
"""Figures of a row's ``meta`` that rows are counted by."""


@dataclass(slots=True)
class _Looks:
    """The difference hashes of one split."""

    seen: np.ndarray[Any, np.dtype[np.uint64]] = field(default_factory=lambda: np.zeros(1024, np.uint64))
    count: int = 0

    def add(self, look: int) -> None:
        if self.count == len(self.seen):
            self.seen = np.concatenate([self.seen, np.zeros_like(self.seen)])
        self.seen[self.count] = look
        self.count += 1

    def nearest(self, look: int) -> int:
        """Bits in which the nearest one differs; 64 if there is none."""
        if not self.count:
            return 64
        return int(np.bitwise_count(self.seen[: self.count] ^ np.uint64(look)).min())


@dataclass(slots=True)
class Tally:
    """Takes finished screens in order.

    Attributes:
        limit: Most rows; None: no limit.
        kept: Rows that each kept screen gives, by number.
        screens: Number of screens taken, also those that gave nothing.
        rows: Number of rows kept.
        elements: Number of elements in the graphs.
        visible: Number of those that passed the gates of visibility.
        rejected: Turned away, by gate.
        counts: Kept rows by figure and value.
        redrawn: Number of screens that were drawn twice.
        unstable: Number of those whose drawings differed.
        alike: Number of screens left out because the other split holds one like it.
        empty: Screens without a row or dense labels, by number: elements found, those that can be seen, those
            turned away by gate.
        failed: Numbers of screens that could not be made.
    """

    limit: int | None = None
    kept: dict[int, int] = field(default_factory=dict)
    screens: int = 0
    rows: int = 0
    elements: int = 0
    visible: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    redrawn: int = 0
    unstable: int = 0
    alike: int = 0
    empty: dict[int, dict[str, Any]] = field(default_factory=dict)
    failed: list[int] = field(default_factory=list)
    _looks: dict[str, _Looks] = field(default_factory=lambda: {split.value: _Looks() for split in Split})

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return self.limit is not None and self.rows >= self.limit

    def add(self, part: Part) -> None:
        """Take the next screen."""
        self.screens += 1
        self.elements += part.elements
        self.visible += part.visible
        self.rejected.update(part.rejected)
        self.redrawn += part.redrawn
        self.unstable += not part.stable
        if not part.rows and not part.dense:
            found = {
                "elements": part.elements,
                "visible": part.visible,
                "rejected": dict(sorted(part.rejected.items())),
            }
            self.empty[part.number] = found
            return
        if part.look is not None:
            if self._is_alike(part.split, part.look):
                self.alike += 1
                return
            self._looks[part.split].add(part.look)
        left = len(part.rows) if self.limit is None else self.limit - self.rows
        rows = part.rows[:left]
        self.kept[part.number] = len(rows)
        self.rows += len(rows)
        self._count("split", part.split, len(rows))
        self._count("screens", part.split, 1)
        for row in rows:
            self._count_row(row)

    def _is_alike(self, split: str, look: int) -> bool:
        """Whether the other split holds a screen that looks like this one."""
        return any(looks.nearest(look) <= ALIKE_BITS for name, looks in self._looks.items() if name != split)

    def fail(self, number: int) -> None:
        """Take note that the next screen could not be made."""
        self.screens += 1
        self.failed.append(number)

    def figures(self) -> dict[str, Any]:
        """All counts, for the manifest."""
        return {
            "screens": self.screens,
            "screens_kept": len(self.kept),
            "screens_without_rows": len(self.empty),
            "empty_screens": {str(number): found for number, found in self.empty.items()},
            "screens_like_another_split": self.alike,
            "screens_failed": self.failed,
            "screens_drawn_twice": self.redrawn,
            "screens_drawn_unequally": self.unstable,
            "rows": self.rows,
            "elements": self.elements,
            "visible": self.visible,
            "rejected": dict(sorted(self.rejected.items())),
            "by": {name: dict(sorted(counts.items())) for name, counts in sorted(self.counts.items())},
        }

    def _count_row(self, row: Mapping[str, Any]) -> None:
        meta = row["meta"]
        for name in COUNTED:
            if name in meta:
                self._count(name, str(meta[name]), 1)
        self._count("size", f"{meta['width']}x{meta['height']}", 1)
        self._count("refusal", str(bool(row.get("refusal", False))), 1)

    def _count(self, name: str, value: str, number: int) -> None:
        self.counts.setdefault(name, Counter())[value] += number
