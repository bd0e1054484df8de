"""``zoomground compare RUN RUN...``: runs against the first one, item by item."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from zoomground.cli.output import AsJson, complain, emit, finish, note, say, table
from zoomground.evaluate.compare import Run, compare, item_differences, read_run
from zoomground.evaluate.log import differences
from zoomground.evaluate.pairs import PAIR_COLUMNS, pair_rows


def compare_runs(
    runs: Annotated[
        list[Path], typer.Argument(exists=True, file_okay=False, help="Folders of runs, the one to compare with first.")
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Compare runs on the same items, in pairs; exit 1 if the items differ."""
    if len(runs) < 2:
        raise typer.BadParameter("name two runs at least", param_hint="RUNS")
    first, *others = (read_run(folder) for folder in runs)
    apart = [f"{first.name} and {other.name}: {one}" for other in others for one in item_differences(first, other)]
    if apart:
        if as_json:
            emit({"ok": False, "differences": apart})
        for one in apart:
            complain(one)
        finish(problems=True)
    found = compare([first, *others])
    if as_json:
        emit(
            {
                "ok": True,
                "metric": first.metric,
                "items": len(first.asks),
                "errors": {one.name: one.errors for one in (first, *others)},
                "pairs": [one.to_dict() for one in found],
                "made_with": {other.name: differences(first.card, other.card) for other in others},
            }
        )
        return
    say(f"{first.metric}, {len(first.asks)} items, percent; each run minus {first.name}")
    table(PAIR_COLUMNS, pair_rows(found))
    for other in others:
        _tell(first, other)


def _tell(first: Run, other: Run) -> None:
    say(f"\n{other.name} was made with something else than {first.name}:")
    for line in differences(first.card, other.card) or ["nothing that is written down"]:
        say(f"  {line}")
    for one in (first, other):
        if one.errors:
            note(f"warning: {one.name} holds {one.errors} errors, which count as misses; let it finish first")
