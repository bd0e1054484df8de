"""What a stopped training stage left behind, and how the next start goes on from it.

ms-swift writes a checkpoint into its final folder, file by file; the trainer's state comes last. A folder without it
was cut, and is removed. What was logged after the last whole checkpoint will be done again, so it is taken out of the
logs first: nothing stands in them twice.
"""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

from zoomground.data.files import write_bytes
from zoomground.data.trajectories import log_files, read_records, write_records
from zoomground.errors import ZoomgroundError

if TYPE_CHECKING:
    from pathlib import Path

_CHECKPOINT = re.compile(r"checkpoint-([1-9][0-9]*)")
_STATE = "trainer_state.json"


def checkpoint_step(folder: Path) -> int | None:
    """The step of a whole checkpoint; None for a cut one, or for any other folder."""
    named = _CHECKPOINT.fullmatch(folder.name)
    if named is None or not (folder / _STATE).is_file():
        return None
    try:
        state = json.loads((folder / _STATE).read_text(encoding="utf-8"))
    except ValueError:
        return None
    return int(named[1]) if state.get("global_step") == int(named[1]) else None


def last_checkpoint(output_dir: Path) -> Path | None:
    """The newest whole checkpoint of a training stage; None if there is none."""
    whole = {step: path for path in output_dir.glob("checkpoint-*") if (step := checkpoint_step(path)) is not None}
    return whole[max(whole)] if whole else None


def rewind(output_dir: Path, trajectories: Path | None = None) -> None:
    """Take back what a stopped stage did after its last whole checkpoint.

    Args:
        output_dir: ms-swift's output folder.
        trajectories: Folder of the trajectories that the stage logged.
    """
    last = last_checkpoint(output_dir)
    if last is None:
        shutil.rmtree(output_dir, ignore_errors=True)
        if trajectories is not None:
            shutil.rmtree(trajectories, ignore_errors=True)
        return
    step = checkpoint_step(last) or 0
    for folder in output_dir.glob("checkpoint-*"):
        if checkpoint_step(folder) is None:
            shutil.rmtree(folder)
    _rewind_metrics(output_dir / "logging.jsonl", step)
    if trajectories is not None and trajectories.is_dir():
        _rewind_trajectories(trajectories, step)


def read_metrics(path: Path) -> list[dict[str, object]]:
    """The lines of ms-swift's ``logging.jsonl`` that are figures of a step, each with ``step``.

    Lines that were cut, and the summary that follows the last step, are left out.
    """
    if not path.is_file():
        return []
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        step, slash, _ = str(row.get("global_step/max_steps", "")).partition("/")
        if slash and step.isdecimal() and "train_runtime" not in row:
            rows.append({"step": int(step), **row})
    return rows


def _rewind_metrics(path: Path, step: int) -> None:
    kept = [row for row in read_metrics(path) if int(str(row.pop("step"))) <= step]
    write_bytes(path, "".join(json.dumps(row) + "\n" for row in kept).encode("utf-8"))


def _rewind_trajectories(folder: Path, step: int) -> None:
    try:
        files = log_files(folder)
    except ZoomgroundError:
        return
    for file in files:
        kept = [line.record for line in read_records(file) if line.record.step is None or line.record.step <= step]
        write_records(file, kept)
