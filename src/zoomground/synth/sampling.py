"""The sizes of targets and the lengths of instructions that public benchmarks have, and drawing so as to meet them."""

from __future__ import annotations

import bisect
import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping, Sequence

    from zoomground.synth.measure import Seen

Style = Literal["short", "long"]

SHORT_SIDES_PX: tuple[tuple[float, float], ...] = ((0.0, 8.0), (0.1, 17.0), (0.5, 24.0), (0.9, 50.0), (1.0, 240.0))
"""Quantiles of the targets' short side, by share: ScreenSpot-Pro's at 10, 50 and 90 %."""

WORDS: Mapping[Style, tuple[tuple[float, float], ...]] = MappingProxyType(
    {
        "short": ((0.0, 1.0), (0.1, 2.0), (0.5, 4.0), (0.9, 8.0), (1.0, 14.0)),
        "long": ((0.0, 7.0), (0.1, 10.0), (0.5, 14.0), (0.9, 20.0), (1.0, 30.0)),
    }
)
"""Quantiles of the instructions' words: ScreenSpot-Pro's, and those of wordy benchmarks."""


def quantile(points: Sequence[tuple[float, float]], share: float) -> float:
    """The value at a share of a distribution that is known at some shares, with even logarithms between them."""
    at = max(1, min(len(points) - 1, bisect.bisect_left([one for one, _ in points], share)))
    (low, a), (high, b) = points[at - 1], points[at]
    return math.exp(math.log(a) + (math.log(b) - math.log(a)) * (share - low) / (high - low))


_BIN_EDGES_PX = tuple(quantile(SHORT_SIDES_PX, number / 10) for number in range(1, 10))
_BINS = len(_BIN_EDGES_PX) + 1
NEEDLE_SHARE = 0.0002
"""A target below this share of the screen's area is a needle: 0.02 %."""
_NEEDLES_MORE = 2.0
_SAME_ROLE = 0.9
_SAME_PLACE = 0.6


class Draw:
    """Draws elements so that their sizes come near the wanted ones, and their roles and places are spread."""

    _CELLS = 6

    def __init__(self, elements: Sequence[Seen], size_px: tuple[int, int]) -> None:
        self._elements = elements
        bins = np.array([bisect.bisect_left(_BIN_EDGES_PX, one.measured.short_px) for one in elements], dtype=np.int64)
        crowd = np.bincount(bins, minlength=_BINS)
        areas = np.array([one.measured.width_px * one.measured.height_px for one in elements])
        needles = areas < NEEDLE_SHARE * size_px[0] * size_px[1]
        self._weights = np.where(needles, _NEEDLES_MORE, 1.0) / crowd[bins]
        roles = {one.element.role: number for number, one in enumerate(elements)}
        self._roles = np.array([roles[one.element.role] for one in elements], dtype=np.int64)
        middles = np.array([one.measured.centre_px for one in elements]).reshape(-1, 2) / size_px
        columns, rows = (middles * self._CELLS).astype(np.int64).T
        self._cells = columns + self._CELLS * rows
        self._at = {one.index: place for place, one in enumerate(elements)}

    def all(self, rng: random.Random) -> Iterator[Seen]:
        """Every element once; `took` makes its role and place rarer in what follows."""
        left = len(self._elements)
        while left:
            sums = self._weights.cumsum()
            place = min(int(np.searchsorted(sums, rng.random() * sums[-1], side="right")), len(sums) - 1)
            if self._weights[place] > 0:
                self._weights[place] = 0.0
                left -= 1
                yield self._elements[place]

    def took(self, one: Seen) -> None:
        """Count an element that became a row."""
        place = self._at[one.index]
        self._weights[self._roles == self._roles[place]] *= _SAME_ROLE
        self._weights[self._cells == self._cells[place]] *= _SAME_PLACE
