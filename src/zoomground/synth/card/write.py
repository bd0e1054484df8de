"""Writes a card: ``CARD.md``, ``index.html``, the histograms and the sheet, into the folder ``card`` of a set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined

from zoomground.data.files import replacing
from zoomground.synth.card.figures import SetFigures, read_set
from zoomground.synth.card.pictures import choose, write_histograms, write_sheet
from zoomground.synth.card.text import TITLE, Table, markdown, tables

if TYPE_CHECKING:
    from zoomground.synth.card.figures import Sample

_HISTOGRAMS, _SHEET = "histograms.png", "sheet.webp"


@dataclass(frozen=True, slots=True)
class Card:
    """A card that was written.

    Attributes:
        folder: Where it lies.
        figures: What it says.
        tables: The same as tables.
    """

    folder: Path
    figures: SetFigures
    tables: tuple[Table, ...]


def write_card(folder: Path, *, screens: int = 24) -> Card:
    """Write the card of a folder of rows and screens.

    Args:
        folder: Holds rows files and their images.
        screens: Number of screens on the sheet.

    Raises:
        ZoomgroundError: If there is no rows file, or a row is wrong.
    """
    figures = read_set(folder)
    parts = tuple(tables(figures))
    out = folder / "card"
    out.mkdir(exist_ok=True)
    shown = choose(figures.samples, screens)
    write_histograms(figures, out / _HISTOGRAMS)
    write_sheet(shown, out / _SHEET)
    pictures = (("Histograms", _HISTOGRAMS), ("A look at the screens", _SHEET))
    said = [[str(number), _said(one)] for number, one in enumerate(shown, 1)]
    asked = Table("What they ask", ("number", "instruction"), said)
    _write(out / "CARD.md", markdown(TITLE, parts, [*pictures], asked))
    templates = Environment(
        loader=PackageLoader("zoomground.synth.card", "."), autoescape=True, undefined=StrictUndefined
    )
    page = templates.get_template("page.html")
    _write(
        out / "index.html",
        page.render(title=TITLE, tables=parts, asked=asked, histograms=_HISTOGRAMS, sheet=_SHEET),
    )
    return Card(out, figures, parts)


def _said(sample: Sample) -> str:
    how = sample.meta.get("how")
    return f"{sample.row.task.instruction} ({how})" if how else sample.row.task.instruction


def _write(path: Path, text: str) -> None:
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8")
