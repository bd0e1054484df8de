"""The page of an evaluation: its tables, and some items with target, crops and answer of every arm drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.cli.output import needs_extra
from zoomground.errors import ImageError
from zoomground.evaluate.picks import picks
from zoomground.images import load_screenshot

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from zoomground.evaluate.log import Result
    from zoomground.evaluate.summary import Summary
    from zoomground.images import Screenshot
    from zoomground.trajectory import Trajectory

PAGE_NAME = "report.html"


def write_eval_page(summary: Summary, results: Mapping[tuple[str, str], Result], out: Path, count: int) -> None:
    """Write the page.

    Args:
        summary: Figures of the run.
        results: Its results, by arm and item.
        out: The HTML file.
        count: Items on the page, each in every arm.

    Raises:
        ZoomgroundError: If the part of the package that makes pages is not installed.
    """
    with needs_extra("report"):
        from zoomground.report.page import Table, write_page  # noqa: PLC0415 -- an optional part
    items = summary.evaluation.items
    chosen = picks({arm: one.hits for arm, one in summary.arms.items()}, count)
    shown = [(results[arm, item], word) for item, word in chosen for arm in summary.arms if (arm, item) in results]
    images = {item.task.image: item.image for item in items.items}

    def open_image(trajectory: Trajectory) -> Screenshot:
        source = images.get(trajectory.task.image)
        if source is None:
            raise ImageError(f"{trajectory.task.image}: the screenshot is not here")
        return load_screenshot(source, name=trajectory.task.image)

    write_page(
        [result.saved for result, _ in shown],
        out,
        open_image,
        title=f"zoomground: {items.name}, {len(items)} items",
        tables=[Table(one.title, one.head, one.rows) for one in summary.tables() if one.rows],
        labels={result.saved.uuid: word for result, word in shown},
    )
