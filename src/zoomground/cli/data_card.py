"""``zoomground data-card DIR``: what a folder of rows and screens holds, in figures and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from zoomground.cli.output import AsJson, emit, needs_extra, say, table


def data_card(
    folder: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="Holds rows files and images.")],
    *,
    screens: Annotated[int, typer.Option(min=1, help="Screens on the contact sheet.")] = 24,
    as_json: AsJson = False,
) -> None:
    """Write DIR/card: counts, histograms, a contact sheet with boxes drawn, licences, what the splits share."""
    with needs_extra("report"):
        from zoomground.synth.card.write import write_card  # noqa: PLC0415 -- an optional part
    card = write_card(folder, screens=screens)
    if as_json:
        parts = [{"title": one.title, "head": one.head, "rows": one.rows, "remark": one.remark} for one in card.tables]
        emit({"folder": str(card.folder), "rows": len(card.figures.samples), "screens": card.figures.screens,
              "refusals": card.figures.refusals, "in_common": card.figures.in_common, "tables": parts})  # fmt: skip
        return
    for one in card.tables[:3]:
        say(one.title)
        table(one.head, one.rows)
        say(one.remark + "\n")
    say(f"the whole card: {card.folder / 'index.html'}")
