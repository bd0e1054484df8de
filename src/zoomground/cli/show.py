"""``zoomground show LOG``: one saved episode as text and as a picture."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from zoomground.cli.output import AsJson, emit, say
from zoomground.data.files import write_bytes
from zoomground.data.trajectories import SavedRecord, open_screenshot, read_records
from zoomground.errors import ZoomgroundError
from zoomground.images import encode
from zoomground.report.draw import draw
from zoomground.report.words import loss_words, outcome_line


def show(
    log: Annotated[Path, typer.Argument(exists=True, help="A JSONL file of saved trajectories, or a run folder.")],
    *,
    index: Annotated[int, typer.Option(min=0, help="Which record, counted from 0.")] = 0,
    images: Annotated[
        Path | None, typer.Option(exists=True, file_okay=False, help="Folder of the screenshots; default: the log's.")
    ] = None,
    out: Annotated[Path | None, typer.Option(dir_okay=False, help="PNG to draw the episode into.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print one episode of a log; with --out draw it."""
    line = next(islice(read_records(log), index, None), None)
    if line is None:
        raise ZoomgroundError(f"{log}: holds no record with index {index}")
    if out is not None:
        base = log if log.is_dir() else log.parent
        picture = draw(line.record.trajectory, open_screenshot(line.record.trajectory, [images or base]))
        write_bytes(out, encode(picture).data)
    if as_json:
        emit({"picture": None if out is None else str(out), "record": line.record.to_dict()})
    else:
        _tell(line.record)


def _tell(record: SavedRecord) -> None:
    trajectory = record.trajectory
    say(trajectory.task.instruction)
    say(outcome_line(trajectory))
    for number, turn in enumerate(trajectory.turns, start=1):
        how = ", ".join([str(turn.malformed or turn.dialect), *loss_words(record, number - 1)])
        say(f"\n{number}. ({how})")
        say(turn.text)
        for crop in turn.crops:
            region = crop.region
            say(f"   -> {crop.name}: [{region.x1}, {region.y1}, {region.x2}, {region.y2}] px of the screenshot")
    if record.rewards:
        say()
        for name, value in [*record.rewards.items(), ("total", record.total), ("advantage", record.advantage)]:
            say(f"{name:<28}{'-' if value is None else f'{value:.4f}'}")
