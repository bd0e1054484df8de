"""From rows files to the dataset file that ms-swift reads: messages, one absolute image path, the task in one column.

ms-swift resolves a relative image path against its own working folder, rewrites columns whose names it knows, and
loads images without looking at their orientation, at every turn of every rollout. So everything is settled here: paths
are absolute, the task travels as JSON in a column of our own with the path of the original, from which crops are cut,
and the image of a prompt is an upright file of the size that the policy sees.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground.data import jsonl
from zoomground.data.files import write_bytes
from zoomground.data.rows import read_data_set
from zoomground.data.shown import write_shown
from zoomground.data.targets import solution_text
from zoomground.engines.swift.session import TASK_COLUMN, Assignment, is_off_arm
from zoomground.errors import ZoomgroundError
from zoomground.images import display_name, encode, load_screenshot
from zoomground.protocol import prompts
from zoomground.protocol.messages import to_tagged
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.task import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zoomground.data.rows import Row
    from zoomground.geometry import PixelLimits
    from zoomground.task import Task

SHOWN_FOLDER = "shown"
"""Folder beside the dataset file for screenshots as the policy sees them."""

ORIGINALS_FOLDER = "originals"
"""Folder beside the dataset file for originals that the rows hold as data URIs."""


@dataclass(slots=True)
class Written:
    """What `write_dataset` wrote.

    Attributes:
        rows: Number of prompts.
        off: How many of them are trained without zoom.
        left_out: Rows that refuse, left out because the recipe offers no decline.
        inlined: Rows that hold their screenshot as a data URI, which becomes a file.
    """

    rows: int = 0
    off: int = 0
    left_out: int = 0
    inlined: int = 0


def write_dataset(rows_files: Sequence[Path], out: Path, *, settings: EpisodeSettings, off_share: float) -> Written:
    """Write the dataset file of GRPO; an existing one is replaced when the new one is whole.

    Args:
        rows_files: Training rows, in order.
        out: The dataset file (``.jsonl``).
        settings: The rules; their arm is that of the prompts that may zoom.
        off_share: Share of the prompts that are trained without zoom, chosen by the task's id.

    Raises:
        RowError: If a row is wrong.
        ZoomgroundError: If nothing is left to train on.
    """
    written = Written()
    out.parent.mkdir(parents=True, exist_ok=True)
    jsonl.write(out, _prompts(rows_files, out.parent, settings, off_share, written))
    return written


def _prompts(
    rows_files: Sequence[Path], folder: Path, settings: EpisodeSettings, off_share: float, written: Written
) -> Iterator[dict[str, Any]]:
    pictures: dict[tuple[Path, str], _Picture] = {}
    for row in read_data_set(rows_files):
        if isinstance(row.task.target, Refusal) and not settings.allow_decline:
            written.left_out += 1
            continue
        if (source := (row.file, row.task.image)) not in pictures:
            pictures[source] = _picture(row, folder, settings.limits)
        picture = pictures[source]
        task = replace(row.task, image=str(picture.original))
        off = settings.arm is Arm.ON and is_off_arm(task.id, off_share)
        written.rows += 1
        written.off += off
        written.inlined += row.image_path is None
        yield prompt_row(task, picture.shown, replace(settings, arm=Arm.OFF if off else settings.arm))
    if not written.rows:
        refusals = f"; {written.left_out} rows refuse, allow_decline is off" if written.left_out else ""
        names = ", ".join(str(file) for file in rows_files) or "no files"
        raise ZoomgroundError(f"no prompt to train on in {names}{refusals}")


def prompt_row(task: Task, shown: Path, settings: EpisodeSettings) -> dict[str, Any]:
    """The dataset row of a task.

    Args:
        task: The task; its image is the path of the original.
        shown: The screenshot as the policy sees it.
        settings: The rules, in the arm of the row.
    """
    opening = prompts.opening(
        instruction=task.instruction, image_name=display_name(task.image), size=task.size, settings=settings
    )
    return {
        "messages": [to_tagged(message) for message in opening],
        "images": [str(shown)],
        "solution": "[]" if task.place is None else solution_text(task.place.box),
        TASK_COLUMN: Assignment(task, settings.arm, task.image).to_json(),
    }


@dataclass(frozen=True, slots=True)
class _Picture:
    """The files of one screenshot."""

    original: Path
    shown: Path


def _picture(row: Row, folder: Path, limits: PixelLimits) -> _Picture:
    screenshot = load_screenshot(row.image_source, name=f"{row.file}:{row.line}")
    shown = write_shown(screenshot, limits, folder / SHOWN_FOLDER)
    if row.image_path is not None:
        return _Picture(row.image_path.resolve(), shown)
    name = display_name(row.task.image).rpartition(".")[0] or "screenshot"
    original = folder.resolve() / ORIGINALS_FOLDER / screenshot.sha256[:16] / f"{name}.png"
    if not original.exists():
        write_bytes(original, encode(screenshot.pixels).data)
    return _Picture(original, shown)
