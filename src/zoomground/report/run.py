"""The report of a run folder: metrics by step, the curves, and a page of some of its episodes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from zoomground.data.files import write_bytes
from zoomground.data.health_log import health_of
from zoomground.data.trajectories import open_screenshot, read_records
from zoomground.errors import RowError, ZoomgroundError
from zoomground.report.curves import write_curves
from zoomground.report.figures import EpisodeFigures, StepFigures, step_figures
from zoomground.report.page import Table, write_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from zoomground.data.trajectories import SavedRecord

METRICS_FILE = "metrics.jsonl"
CURVES_FILE = "curves.png"
PAGE_FILE = "report.html"


@dataclass(frozen=True, slots=True)
class RunReport:
    """What was written.

    Attributes:
        steps: Figures of each training step.
        episodes: Episodes in the log.
        shown: Episodes on the page.
        metrics: The figures as JSON lines.
        curves: The chart.
        page: The HTML page.
    """

    steps: Sequence[StepFigures]
    episodes: int
    shown: int
    metrics: Path
    curves: Path
    page: Path


def write_report(
    run_dir: Path,
    *,
    folders: Sequence[Path] = (),
    count: int = 24,
    tables: Sequence[Table] = (),
    on_error: Callable[[RowError], None] | None = None,
) -> RunReport:
    """Write metrics, curves and page into a run folder.

    Args:
        run_dir: Holds ``trajectories/*.jsonl``.
        folders: Where screenshots with relative paths are looked for.
        count: Episodes on the page; whole groups are taken, from the end and the beginning in turn.
        tables: Shown above the episodes: results of an evaluation.
        on_error: Gets the error of each bad line, which is left out; without it the first one is raised.

    Raises:
        ZoomgroundError: If there is no log, or no episode in it.
    """
    keys: list[tuple[int, int]] = []
    figures: list[EpisodeFigures] = []
    for line in read_records(run_dir, on_error=on_error):
        figures.append(EpisodeFigures.of(line.record))
        keys.append(_key(line.record, len(keys)))
    if not figures:
        raise ZoomgroundError(f"{run_dir}: its log holds no episode")
    wanted = choose(keys, count)
    records = [
        line.record
        for number, line in enumerate(read_records(run_dir, on_error=_already_told))
        if number < len(keys) and keys[number] in wanted
    ]
    records.sort(key=lambda record: (record.step or 0, record.prompt_group or 0, record.generation or 0))
    steps = step_figures(figures)
    report = RunReport(
        steps, len(figures), len(records), run_dir / METRICS_FILE, run_dir / CURVES_FILE, run_dir / PAGE_FILE
    )
    _write_metrics(steps, report.metrics)
    if steps:
        write_curves(steps, report.curves, health_of(run_dir, on_error))
    write_page(
        records,
        report.page,
        partial(open_screenshot, folders=folders),
        title=f"zoomground: {run_dir.resolve().name}",
        tables=tables,
        picture=report.curves if steps else None,
    )
    return report


def read_steps(metrics: Path) -> list[StepFigures]:
    """The figures of each step, as `write_report` wrote them.

    Raises:
        RowError: If a line is none of ours.
    """
    found = []
    for number, line in enumerate(metrics.read_bytes().splitlines(), start=1):
        try:
            found.append(StepFigures(**json.loads(line)))
        except (ValueError, TypeError) as error:
            raise RowError(str(metrics), number, "line", f"{error} (figures of a step)") from error
    return found


def choose(keys: Sequence[tuple[int, int]], count: int) -> set[tuple[int, int]]:
    """The groups to show: the last, the first, the last but one ... until ``count`` episodes are together.

    Args:
        keys: Step and group of each episode.
        count: Episodes wanted; the last group that is taken may go over.
    """
    ordered = sorted(set(keys))
    inwards = chain.from_iterable(zip(reversed(ordered), ordered, strict=True))
    chosen: set[tuple[int, int]] = set()
    for key in inwards:
        if sum(kept in chosen for kept in keys) >= count:
            break
        chosen.add(key)
    return chosen


def _key(record: SavedRecord, number: int) -> tuple[int, int]:
    """Step and group; an episode without a group is its own."""
    return record.step or 0, number if record.prompt_group is None else record.prompt_group


def _already_told(error: RowError) -> None:
    """Bad lines were reported by the first pass."""


def _write_metrics(steps: Sequence[StepFigures], out: Path) -> None:
    write_bytes(out, "".join(json.dumps(asdict(step)) + "\n" for step in steps).encode("utf-8"))
