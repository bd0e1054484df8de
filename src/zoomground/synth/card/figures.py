"""The figures of a data set: counts, quantiles of sizes and instruction lengths, and what its splits have in common."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from zoomground.data.elements import rows_files
from zoomground.data.rows import Row, read_rows
from zoomground.errors import ZoomgroundError
from zoomground.synth.plan import shared
from zoomground.synth.sampling import NEEDLE_SHARE
from zoomground.task import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


QUANTILES = (0.1, 0.5, 0.9)
COUNTED = ("kind", "skin", "icon_set", "language", "how", "explicit", "role")
"""Figures of a row's ``meta`` that are counted, where rows have them."""

_LEGIBLE_PX = 14.0
_SHOWN_PX = 2_000_000
_4K_PX = 3840 * 2160
_UNSPACED = frozenset({"zh", "ja", "th"})


@dataclass(frozen=True, slots=True)
class Reference:
    """A public benchmark's figures, to hold a set against.

    Attributes:
        name: The benchmark.
        short_px: Quantiles (10, 50, 90 %) of the targets' short side in px.
        words: Quantiles of the words of an instruction.
        area_percent: Median share of the screen's area, in per cent.
        blurred_percent: Targets under 14 px when the screenshot is shrunk to 2 Mpx, in per cent.
    """

    name: str
    short_px: tuple[float, float, float]
    words: tuple[float, float, float]
    area_percent: float
    blurred_percent: float


SCREENSPOT_PRO = Reference("ScreenSpot-Pro", (17, 24, 50), (2, 4, 8), 0.036, 37)


@dataclass(frozen=True, slots=True)
class Sample:
    """What the figures need of one row."""

    row: Row
    short_px: float | None
    area_share: float | None
    words: int | None
    shown_px: float | None
    """Short side when the screenshot is shrunk to 2 Mpx."""

    @property
    def meta(self) -> Mapping[str, Any]:
        """The row's own figures."""
        return self.row.task.meta


@dataclass(frozen=True, slots=True)
class SetFigures:
    """A whole folder.

    Attributes:
        files: Samples by rows file.
        manifest: What ``synth`` says of the set; empty if it did not make it.
    """

    files: Mapping[str, tuple[Sample, ...]]
    manifest: Mapping[str, Any] = field(default_factory=dict)

    @property
    def samples(self) -> tuple[Sample, ...]:
        """All rows."""
        return tuple(one for samples in self.files.values() for one in samples)

    @property
    def screens(self) -> int:
        """Number of pictures."""
        return len({one.row.image_source for one in self.samples})

    @property
    def refusals(self) -> int:
        """Number of rows that ask for something that is not there."""
        return sum(isinstance(one.row.task.target, Refusal) for one in self.samples)

    def values(self, name: str) -> list[float]:
        """All values of ``short_px``, ``area_share``, ``words`` or ``shown_px``, where rows have one."""
        found = (_value(one, name) for one in self.samples)
        return [value for value in found if value is not None]

    def count(self, name: str) -> Counter[str]:
        """Rows by a figure of their ``meta``."""
        return Counter(_word(one.meta[name]) for one in self.samples if name in one.meta)

    @property
    def blurred_percent(self) -> float:
        """Targets whose short side falls under 14 px when the screenshot is shrunk to 2 Mpx, in per cent."""
        return _percent([value < _LEGIBLE_PX for value in self.values("shown_px")])

    @property
    def tiny_4k_percent(self) -> float | None:
        """Targets under 0.02 % of the screen's area among those on 4K screens, in per cent; None without 4K screens."""
        large = [
            one.area_share < NEEDLE_SHARE
            for one in self.samples
            if one.area_share is not None and one.row.task.size.area >= _4K_PX
        ]
        return _percent(large) if large else None

    @property
    def in_common(self) -> dict[str, list[str]]:
        """What the rows files have in common, by figure; only for two files."""
        if len(self.files) != 2:
            return {}
        one, two = ([sample.meta for sample in samples] for samples in self.files.values())
        return shared(one, two)


def read_set(folder: Path, *, may_lack_rows: bool = False) -> SetFigures:
    """The figures of a folder: ``train.jsonl`` and ``heldout.jsonl``, or whatever rows files it holds.

    Args:
        folder: The set.
        may_lack_rows: Whether a set of dense labels alone will do.

    Raises:
        ZoomgroundError: If there is no rows file, or a row is wrong.
    """
    files = sorted(rows_files(folder), key=lambda one: (one.name != "train.jsonl", one.name))
    if not files and not may_lack_rows:
        raise ZoomgroundError(f"{folder} holds no rows file (*.jsonl)")
    samples = {file.name: tuple(_sample(row) for row in read_rows(file)) for file in files}
    samples = {name: found for name, found in samples.items() if found}
    if not samples and not may_lack_rows:
        raise ZoomgroundError(f"{folder}: its rows files hold no row")
    return SetFigures(samples, _manifest(folder / "manifest.json"))


def quantiles(values: Sequence[float], at: Sequence[float] = QUANTILES) -> tuple[float, ...]:
    """Quantiles by linear interpolation; none of nothing.

    >>> quantiles([1, 2, 3], [0.5, 1.0])
    (2.0, 3.0)
    """
    if not values:
        return ()
    ordered = sorted(values)
    return tuple(_between(ordered, share * (len(ordered) - 1)) for share in at)


def _between(ordered: Sequence[float], place: float) -> float:
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return float(ordered[low] + (ordered[high] - ordered[low]) * (place - low))


def _sample(row: Row) -> Sample:
    task = row.task
    words = None if task.meta.get("language") in _UNSPACED else len(task.instruction.split())
    if task.place is None:
        return Sample(row, None, None, words, None)
    box = task.place.box
    short = min(box.width, box.height)
    shrunk = min(1.0, math.sqrt(_SHOWN_PX / task.size.area))
    return Sample(row, short, box.area / task.size.area, words, short * shrunk)


def _value(sample: Sample, name: str) -> float | None:
    found: dict[str, float | None] = {
        "short_px": sample.short_px,
        "area_share": sample.area_share,
        "words": sample.words,
        "shown_px": sample.shown_px,
    }
    return found[name]


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _percent(flags: Sequence[bool]) -> float:
    return 100 * sum(flags) / len(flags) if flags else 0.0


def _manifest(file: Path) -> Mapping[str, Any]:
    if not file.is_file():
        return {}
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ZoomgroundError(f"{file} is not JSON ({error}); remove it, or make the set again") from error
    return found if isinstance(found, dict) else {}
