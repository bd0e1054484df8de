"""What a downloaded benchmark is made of: its faults, its screenshots, its groups, and how large its targets are."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from zoomground.errors import ImageError
from zoomground.evaluate.items import Fate, Fault
from zoomground.images import read_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from zoomground.evaluate.items import Item, ItemSet
    from zoomground.geometry import Box, Size

SEEN_MPX = (1, 2, 4)
"""Sizes in Mpx (millions) to which models shrink screenshots."""

PATCH_PX = 14
"""A target thinner than one patch of a vision model can hardly be seen."""

_SAME_SHAPE = 0.01
"""How much two aspect ratios may differ in rounding."""


@dataclass(frozen=True, slots=True)
class TargetSizes:
    """How large the targets are and how long the instructions, of the items that have a target.

    Attributes:
        short_px: Short side in px: 10th, 50th and 90th percentile.
        area_percent: Median share of the screen, in percent.
        thin_percent: Percent of the targets thinner than `PATCH_PX` on a screenshot shrunk to each of `SEEN_MPX`.
        words: Length of the instructions in words: 10th, 50th and 90th percentile.
    """

    short_px: tuple[float, float, float]
    area_percent: float
    thin_percent: tuple[float, ...]
    words: tuple[float, float, float]


def target_sizes(items: Iterable[Item]) -> TargetSizes | None:
    """How large the targets are; None if there is none.

    Args:
        items: The items; of a polygon its box counts.
    """
    kept = [(item, place.box) for item in items if (place := item.task.place) is not None]
    if not kept:
        return None
    pairs = [(box, item.size) for item, box in kept]
    short = [min(box.width, box.height) for box, _ in pairs]
    return TargetSizes(
        short_px=_spread(short),
        area_percent=_percentile([100 * box.area / size.area for box, size in pairs], 0.5),
        thin_percent=tuple(100 * sum(_seen(*pair, mpx) < PATCH_PX for pair in pairs) / len(pairs) for mpx in SEEN_MPX),
        words=_spread([float(len(item.task.instruction.split())) for item, _ in kept]),
    )


def _seen(box: Box, size: Size, mpx: int) -> float:
    """Short side in px once the screenshot is shrunk to at most so many Mpx."""
    return min(box.width, box.height) * min(1.0, math.sqrt(mpx * 1e6 / size.area))


def _spread(values: Sequence[float]) -> tuple[float, float, float]:
    return _percentile(values, 0.1), _percentile(values, 0.5), _percentile(values, 0.9)


def _percentile(values: Sequence[float], share: float) -> float:
    """A value that occurs, with this share of the values below it."""
    return sorted(values)[min(math.floor(share * len(values)), len(values) - 1)]


def screenshot_faults(items: ItemSet, on_file: Callable[[], None] | None = None) -> list[Fault]:
    """What is wrong with the screenshots that are there: unreadable, or another size than annotated.

    Args:
        items: The set.
        on_file: Called after each file.
    """
    by_file: dict[Path, Item] = {}
    for item in items.items:
        if isinstance(item.image, Path):
            by_file.setdefault(item.image, item)
    found: list[Fault] = []
    for path, item in by_file.items():
        if (fault := _screenshot_fault(path, item)) is not None:
            found.append(fault)
        if on_file is not None:
            on_file()
    return found


def _screenshot_fault(path: Path, item: Item) -> Fault | None:
    try:
        size = read_size(path)
    except ImageError as error:
        return Fault("image", f"the screenshot cannot be opened: {error}", Fate.PROBLEM, item.id, path)
    if size == item.size:
        return None
    text = f"is {_text(size)}, annotated as {_text(item.size)}"
    if abs(size.width * item.size.height / (size.height * item.size.width) - 1) > _SAME_SHAPE:
        return Fault("image size", f"{text}: another picture?", Fate.PROBLEM, item.id, path)
    text += "; answers are scored in the annotated size, as in the official score"
    return Fault("image size", text, Fate.KEPT, item.id, path)


def counted(faults: Iterable[Fault]) -> dict[Fate, dict[str, int]]:
    """How many faults of each kind came to which end."""
    counts = Counter((fault.fate, fault.kind) for fault in faults)
    return {
        fate: {kind: count for (its, kind), count in sorted(counts.items()) if its is fate}
        for fate in Fate
        if any(its is fate for its, _ in counts)
    }


def _text(size: Size) -> str:
    return f"{size.width}x{size.height} px"
