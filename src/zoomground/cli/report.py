"""``zoomground report RUN_DIR``: metrics by step, curves, and a page of some episodes."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zoomground.cli.output import AsJson, complain, emit, finish, needs_extra, say, table

if TYPE_CHECKING:
    from zoomground.errors import RowError


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
        from zoomground.report.run import write_report  # noqa: PLC0415 -- an optional part
    errors: list[RowError] = []
    made = write_report(run_dir, folders=[images or run_dir], count=count, on_error=errors.append)
    if as_json:
        emit(
            {
                "episodes": made.episodes,
                "shown": made.shown,
                "page": str(made.page),
                "curves": str(made.curves) if made.steps else None,
                "metrics": str(made.metrics),
                "steps": [asdict(step) for step in made.steps],
                "unreadable": [str(error) for error in errors],
            }
        )
    else:
        head = ("step", "episodes", "reward", "hit", "zoom", "canonical")
        rows = ((s.step, s.episodes, s.reward, s.hit_rate, s.zoom_rate, s.canonical_share) for s in made.steps)
        table(head, rows)
        say(f"{made.episodes} episodes, {made.shown} on the page: {made.page}")
    for error in errors:
        complain(error)
    finish(problems=bool(errors))
