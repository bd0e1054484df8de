"""``zoomground report RUN_DIR``: metrics by step, curves, and a page of some episodes."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter, ValidationError

from zoomground.cli.output import AsJson, complain, emit, finish, needs_extra, say, table
from zoomground.errors import RowError, ZoomgroundError
from zoomground.evaluate import Results
from zoomground.evaluate.runner import RESULTS_NAME
from zoomground.evaluate.table import COLUMNS, results_rows

_RESULTS = TypeAdapter(Results)


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
    results = evaluations(run_dir)
    tables = [Table("Held-out rows", COLUMNS, results_rows(results))] if results else []
    errors: list[RowError] = []
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
                "evaluations": [one.to_dict() for one in results],
                "unreadable": [str(error) for error in errors],
            }
        )
    else:
        head = ("step", "episodes", "reward", "hit", "zoom", "canonical")
        rows = ((s.step, s.episodes, s.reward, s.hit_rate, s.zoom_rate, s.canonical_share) for s in made.steps)
        table(head, rows)
        if results:
            table(COLUMNS, results_rows(results))
        say(f"{made.episodes} episodes, {made.shown} on the page: {made.page}")
    for error in errors:
        complain(error)
    finish(problems=bool(errors))


def evaluations(run_dir: Path) -> list[Results]:
    """The results of every evaluation of a run, by the name of their folder.

    Raises:
        ZoomgroundError: If a file of results is damaged.
    """
    found = []
    for file in sorted(run_dir.glob(f"evaluation/**/{RESULTS_NAME}")):
        try:
            found.append(_RESULTS.validate_json(file.read_bytes()))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise ZoomgroundError(f"{file}: no results of an evaluation: {first['loc']}: {first['msg']}") from error
    return found
