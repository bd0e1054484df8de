"""``zoomground report RUN_DIR``: metrics by step, curves, and a page of some episodes."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from zoomground.cli.output import AsJson, complain, emit, finish, needs_extra, say, table
from zoomground.errors import RowError
from zoomground.train.folder import RunFolder
from zoomground.train.summary import summarise


def report(
    run_dir: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="Holds trajectories/*.jsonl.")],
    *,
    images: Annotated[
        Path | None, typer.Option(exists=True, file_okay=False, help="Folder of the screenshots; default: RUN_DIR.")
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="Episodes on the page; groups stay whole.")] = 24,
    as_json: AsJson = False,
) -> None:
    """Write metrics.jsonl, curves.png and report.html into a run folder."""
    with needs_extra("report"):
        from zoomground.report.page import Table  # noqa: PLC0415 -- an optional part
        from zoomground.report.run import write_report  # noqa: PLC0415
    errors: list[RowError] = []
    # The second reading of the log, for the page, tells of bad lines.
    summary = summarise(RunFolder(run_dir, run_dir / "logs"), on_error=lambda _: None)
    tables = [Table(*parts) for parts in summary.tables()]
    made = write_report(run_dir, folders=[images or run_dir], count=count, tables=tables, on_error=errors.append)
    if as_json:
        emit(
            {
                "episodes": made.episodes,
                "shown": made.shown,
                "page": str(made.page),
                "curves": str(made.curves) if made.steps else None,
                "metrics": str(made.metrics),
                "steps": [asdict(step) for step in made.steps],
                "summary": summary.to_dict(),
                "unreadable": [str(error) for error in errors],
            }
        )
    else:
        columns = ("step", "episodes", "reward", "hit", "zoom", "canonical")
        rows = ((s.step, s.episodes, s.reward, s.hit_rate, s.zoom_rate, s.canonical_share) for s in made.steps)
        table(columns, rows)
        for title, head, cells in summary.tables():
            say(f"\n{title}")
            table(head, cells)
        say(f"{made.episodes} episodes, {made.shown} on the page: {made.page}")
    for error in errors:
        complain(error)
    finish(problems=bool(errors))
