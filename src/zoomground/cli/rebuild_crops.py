"""``zoomground rebuild-crops LOG``: every crop of saved trajectories again, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zoomground.cli.output import AsJson, complain, emit, finish, progress, say
from zoomground.data.chat import rebuilt_crop
from zoomground.data.files import write_bytes
from zoomground.data.trajectories import crop_path, open_screenshot, read_records
from zoomground.errors import ImageError, ZoomgroundError

if TYPE_CHECKING:
    from zoomground.data.trajectories import SavedRecord
    from zoomground.errors import RowError
    from zoomground.images import Screenshot


def rebuild_crops(
    log: Annotated[Path, typer.Argument(exists=True, help="A JSONL file of saved trajectories, or a run folder.")],
    *,
    images: Annotated[
        Path | None, typer.Option(exists=True, file_okay=False, help="Folder of the screenshots; default: the log's.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(file_okay=False, help="Folder for crops/UUID/crop_N.png; default: the log's.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Cut the crops of a log again from its screenshots and compare each with the hash that the log holds.

    A screenshot that is missing or another one, a crop whose bytes differ, and a log without a record are problems
    (exit code 1).
    """
    base = log if log.is_dir() else log.parent
    folders = [base] if images is None else [images]
    target = base if out is None else out
    problems: list[str] = []
    written = records = 0
    errors: list[RowError] = []
    opened: dict[tuple[str, str], Screenshot] = {}
    with progress() as bar:
        task = bar.add_task("crops", total=None)
        for line in read_records(log, on_error=errors.append):
            records += 1
            good, bad = _rebuild(line.record, folders, target, opened)
            written += good
            problems += [f"{line.file}:{line.line}: {problem}" for problem in bad]
            bar.advance(task, good)
    problems += [str(error) for error in errors]
    if not records:
        problems.append(f"{log}: no record could be read")
    if as_json:
        emit({"crops": written, "out": str(target), "problems": problems})
    else:
        say(f"{written} crops written to {target}, equal to the recorded ones byte for byte")
    for problem in problems:
        complain(problem)
    finish(problems=bool(problems))


def _rebuild(
    record: SavedRecord, folders: list[Path], out: Path, opened: dict[tuple[str, str], Screenshot]
) -> tuple[int, list[str]]:
    """Write the crops of one episode; the number of good ones and what is wrong with the others are returned."""
    trajectory = record.trajectory
    if not trajectory.crops:
        return 0, []
    key = (trajectory.task.image, trajectory.image_sha256)
    if key not in opened:
        # Episodes of one prompt stand together: one screenshot in memory is enough.
        opened.clear()
        try:
            opened[key] = open_screenshot(trajectory, folders)
        except ImageError as error:
            return 0, [str(error)]
    bad = []
    for view in trajectory.crops:
        try:
            write_bytes(out / crop_path(record.uuid, view.name), rebuilt_crop(view, opened[key]).data)
        except ZoomgroundError as error:
            bad.append(f"{record.uuid}/{view.name}: {error}")
    return len(trajectory.crops) - len(bad), bad
