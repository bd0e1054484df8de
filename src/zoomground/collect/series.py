"""A series of demonstrations: which rows come when, and the rules each is played by.

Demonstration number i depends on the arguments and on i alone, so any part of a series can be played anywhere.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from zoomground.collect.demonstrations import Demonstration, demonstrate
from zoomground.collect.style import Style
from zoomground.data.rows import Row, read_data_set
from zoomground.errors import RowError, ZoomgroundError
from zoomground.images import load_screenshot
from zoomground.protocol.settings import EpisodeSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zoomground.images import Screenshot

_REVISION = 1
"""Raised when the same arguments make other demonstrations than before, so that two halves never come together."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """A row and the number of its demonstration."""

    number: int
    row: Row


@dataclass(frozen=True, slots=True)
class Series:
    """All that decides demonstration number i.

    Attributes:
        rows_files: Where the rows come from.
        rows: The rows that can be demonstrated.
        seed: Decides rows, plans and words.
        settings: Budgets and limits; the arm of those that are of no other arm by the style's shares.
        style: How demonstrations look.
    """

    rows_files: Sequence[Path]
    rows: tuple[Row, ...]
    seed: int
    settings: EpisodeSettings
    style: Style

    @classmethod
    def of(cls, rows_files: Sequence[Path], seed: int, settings: EpisodeSettings, style: Style) -> Self:
        """Read the rows.

        Raises:
            RowError: If a row is wrong.
            ZoomgroundError: If no row can be demonstrated.
        """
        rows = tuple(row for row in read_data_set(rows_files) if style.demonstrates(row.task, settings))
        if not rows:
            names = ", ".join(str(file) for file in rows_files) or "no rows files"
            raise ZoomgroundError(f"{names}: no row that can be demonstrated")
        return cls(rows_files, rows, seed, settings, style)

    def parts(self, start: int, stop: int) -> Iterator[list[Numbered]]:
        """The rows from one number up to another, those of one screenshot together."""
        numbered = (Numbered(*one) for one in itertools.islice(enumerate(self._order()), start, stop))
        for _, part in itertools.groupby(numbered, key=lambda one: _picture(one.row)):
            yield list(part)

    def play(self, part: Sequence[Numbered]) -> Iterator[Demonstration]:
        """Play rows of one screenshot.

        Raises:
            RowError: If a row cannot be demonstrated.
        """
        screenshot = load_screenshot(part[0].row.image_source)
        for one in part:
            try:
                yield self._play(one, screenshot)
            except ZoomgroundError as error:
                raise RowError(str(one.row.file), one.row.line, "solution", str(error)) from error

    def fingerprint(self) -> dict[str, Any]:
        """Plain values, equal for equal series."""
        style = {one.name: str(getattr(self.style, one.name)) for one in fields(self.style)}
        return {
            "revision": _REVISION,
            "rows": [hashlib.sha256(file.read_bytes()).hexdigest() for file in self.rows_files],
            "seed": self.seed,
            "settings": asdict(self.settings),
            "style": {"name": type(self.style).__name__, **style},
        }

    def _order(self) -> Iterator[Row]:
        """All rows before any comes again, in a new order each time; rows of one screenshot stay together."""
        for turn in itertools.count():
            rng = random.Random(f"{self.seed}/order/{turn}")
            by_picture: dict[tuple[Path, str], list[Row]] = {}
            for row in rng.sample(self.rows, len(self.rows)):
                by_picture.setdefault(_picture(row), []).append(row)
            yield from itertools.chain.from_iterable(by_picture.values())

    def _play(self, one: Numbered, screenshot: Screenshot) -> Demonstration:
        rng = random.Random(f"{self.seed}/demonstration/{one.number}")
        task, settings = self.style.vary(one.row.task, self.settings, rng)
        return demonstrate(task, screenshot, settings, f"{self.seed}/{one.number}", self.style)


def _picture(row: Row) -> tuple[Path, str]:
    return row.file.parent, row.task.image
