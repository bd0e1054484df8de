"""The sizes of targets and the lengths of instructions that public benchmarks have, and drawing so as to meet them."""

from __future__ import annotations

import bisect
import math
from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

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
_BIN_SHARES = (0.1,) * 10


def _size_bin(short_px: float) -> int:
    return bisect.bisect_left(_BIN_EDGES_PX, short_px)


class Draw:
    """Draws elements so that their sizes come near the wanted ones, and their roles and places are spread."""

    _CELLS = 6

    def __init__(self, elements: Sequence[Seen], size_px: tuple[int, int]) -> None:
        self._left = list(elements)
        bins = [_size_bin(one.measured.short_px) for one in elements]
        crowd = Counter(bins)
        self._weights = [_BIN_SHARES[at] / crowd[at] for at in bins]
        self._cells = {one.index: self._cell(one, size_px) for one in elements}
        self._places: Counter[tuple[int, int]] = Counter()

    def _cell(self, one: Seen, size_px: tuple[int, int]) -> tuple[int, int]:
        x, y = one.measured.centre_px
        return int(self._CELLS * x / size_px[0]), int(self._CELLS * y / size_px[1])

    def all(self, rng: random.Random, taken: Mapping[str, int]) -> Iterator[Seen]:
        """Every element once; ``taken`` holds how often each role has become a row so far."""
        while self._left:
            weights = [
                weight
                / (1 + taken.get(f"role {one.element.role}", 0)) ** 0.5
                / (1 + self._places[self._cells[one.index]])
                for one, weight in zip(self._left, self._weights, strict=True)
            ]
            at = rng.choices(range(len(self._left)), weights)[0]
            self._weights.pop(at)
            yield self._left.pop(at)

    def took(self, one: Seen) -> None:
        """Count an element that became a row."""
        self._places[self._cells[one.index]] += 1
