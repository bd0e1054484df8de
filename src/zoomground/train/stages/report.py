"""The curves and the page of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.report.page import Table
from zoomground.report.run import write_report
from zoomground.train.progress import tell
from zoomground.train.stages import carry_out
from zoomground.train.summary import summarise

if TYPE_CHECKING:
    from zoomground.recipe import LoadedRecipe
    from zoomground.train.folder import RunFolder


def report(loaded: LoadedRecipe, folder: RunFolder) -> None:
    """Write metrics, curves and page into the run folder."""
    made = write_report(
        folder.root,
        folders=sorted({file.parent for file in loaded.train_rows()}),
        count=loaded.recipe.report.trajectories,
        tables=[Table(*parts) for parts in summarise(folder).tables()],
    )
    tell(made.shown, made.shown, str(made.page))


if __name__ == "__main__":
    carry_out(report)
