"""Where things lie to each other: neighbours and lines, with margins wide enough that two people agree."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.synth.measure import Seen

Side = Literal["right", "left", "below", "above"]
SIDES: tuple[Side, ...] = ("right", "left", "below", "above")

_LINE_OVERLAP = 0.5  # share of the smaller extent by which things of one line must overlap
_SOME_OVERLAP = 0.2  # from here on somebody might say that it lies beside
_NEXT_GAP_PX = 6.0  # how much farther the second nearest must lie than the nearest
_NEAR_PX = 24.0
_FAR = 2.5  # a neighbour lies within so many times the anchor's short side
_TOUCH_PX = 2.0  # borders of neighbours may overlap by this


class Places:
    """The boxes of a screen."""

    def __init__(self, seen: Sequence[Seen]) -> None:
        self._at = {one.index: one.box_px for one in seen}
        self._order = np.array([one.index for one in seen], dtype=np.int64)
        self._edges = np.array([one.box_px for one in seen], dtype=np.float64).reshape(-1, 4).T

    def beside(self, anchor: int, side: str) -> set[int]:
        """What lies next to an element on a side: several if the nearest is not clearly the nearest."""
        left, top, right, bottom = self._at[anchor]
        x1, y1, x2, y2 = self._edges
        if side in {"left", "right"}:
            gap = x1 - right if side == "right" else left - x2
            common, extent = np.minimum(y2, bottom) - np.maximum(y1, top), np.minimum(y2 - y1, bottom - top)
        else:
            gap = y1 - bottom if side == "below" else top - y2
            common, extent = np.minimum(x2, right) - np.maximum(x1, left), np.minimum(x2 - x1, right - left)
        reach = _FAR * max(min(right - left, bottom - top), _NEAR_PX)
        near = (gap > -_TOUCH_PX) & (gap < reach) & (common >= _SOME_OVERLAP * extent) & (self._order != anchor)
        if not near.any():
            return set()
        next_to = near & (gap < gap[near].min() + _NEXT_GAP_PX)
        if next_to.sum() == 1 and not (common >= _LINE_OVERLAP * extent)[next_to].all():
            return set()
        return set(self._order[next_to].tolist())

    def line(self, indices: set[int], order: str) -> tuple[int, ...]:
        """Elements counted from the left or from the top; none if they do not stand in one line."""
        axis = 0 if order == "left" else 1
        across = 1 - axis
        found = sorted(indices, key=lambda index: self._at[index][axis])
        if len(found) < 2:
            return ()
        boxes = [self._at[index] for index in found]
        low, high = max(box[across] for box in boxes), min(box[across + 2] for box in boxes)
        thin = min(box[across + 2] - box[across] for box in boxes)
        apart = all(after[axis] >= before[axis + 2] - _TOUCH_PX for before, after in pairwise(boxes))
        return tuple(found) if apart and high - low >= _LINE_OVERLAP * thin else ()
