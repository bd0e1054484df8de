"""Results as a table for people; the same cells as plain text for a page or a README."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.evaluate.metrics import Results

COLUMNS = ("policy", "arm", "rows", "hit rate", "small", "large", "zoomed", "canonical", "bad turns", "failed")


def results_rows(results: Sequence[Results]) -> list[list[str]]:
    """One line of cells for each evaluation, in the order of `COLUMNS`; shares with their 95 % intervals."""
    return [
        [
            one.name,
            one.arm,
            str(one.samples),
            str(one.hits),
            *(str(one.hits_by_size[size]) if size in one.hits_by_size else "-" for size in ("small", "large")),
            f"{one.zoomed.value:.2f}",
            f"{one.canonical.value:.3f}",
            f"{one.corrections:.2f}",
            str(one.failed),
        ]
        for one in results
    ]


def results_table(results: Sequence[Results], title: str = "Evaluation") -> Table:
    """A table for the terminal."""
    table = Table(title=title)
    for number, column in enumerate(COLUMNS):
        table.add_column(column, justify="left" if number < 2 else "right")
    for cells in results_rows(results):
        table.add_row(*cells)
    return table
