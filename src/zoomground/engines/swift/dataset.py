"""From rows files to the dataset file that ms-swift reads: messages, one absolute image path, the task in one column.

ms-swift resolves a relative image path against its own working folder, rewrites columns whose names it knows, and
loads images without looking at their orientation. So everything is settled here: paths are absolute, the task travels
as JSON in a column of our own, and a picture that ms-swift would see differently gets an upright copy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from zoomground.data import jsonl
from zoomground.data.rows import read_rows
from zoomground.data.targets import solution_text
from zoomground.engines.swift.pictures import seen_alike
from zoomground.engines.swift.session import TASK_COLUMN, Assignment, is_off_arm
from zoomground.errors import ZoomgroundError
from zoomground.images import display_name, encode, load_screenshot
from zoomground.protocol import prompts
from zoomground.protocol.messages import to_tagged
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.task import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from zoomground.data.rows import Row
    from zoomground.task import Task

IMAGES_FOLDER = "images"
"""Folder beside the dataset file for screenshots that had to be written again."""


@dataclass(slots=True)
class Written:
    """What `write_dataset` wrote.

    Attributes:
        rows: Number of prompts.
        off: How many of them are trained without zoom.
        left_out: Rows that refuse, left out because the recipe offers no decline.
        copies: Screenshots that were written again.
    """

    rows: int = 0
    off: int = 0
    left_out: int = 0
    copies: int = 0


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
    jsonl.write(out, _prompts(rows_files, out.parent / IMAGES_FOLDER, settings, off_share, written))
    return written


def _prompts(
    rows_files: Sequence[Path], images: Path, settings: EpisodeSettings, off_share: float, written: Written
) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    for number, file in enumerate(rows_files, start=1):
        for row in read_rows(file):
            if isinstance(row.task.target, Refusal) and not settings.allow_decline:
                written.left_out += 1
                continue
            # Ids are unique in a file; two files may share some.
            name = row.task.id if row.task.id not in seen else f"{number}:{row.task.id}"
            seen.add(name)
            path, is_copy = _picture(row, images)
            task = replace(row.task, id=name, image=str(path))
            off = settings.arm is Arm.ON and is_off_arm(name, off_share)
            written.rows += 1
            written.off += off
            written.copies += is_copy
            yield _prompt(task, replace(settings, arm=Arm.OFF if off else settings.arm))
    if not written.rows:
        refusals = f"; {written.left_out} rows refuse, allow_decline is off" if written.left_out else ""
        names = ", ".join(str(file) for file in rows_files) or "no files"
        raise ZoomgroundError(f"no prompt to train on in {names}{refusals}")


def _prompt(task: Task, settings: EpisodeSettings) -> dict[str, Any]:
    opening = prompts.opening(
        instruction=task.instruction, image_name=display_name(task.image), size=task.size, settings=settings
    )
    return {
        "messages": [to_tagged(message) for message in opening],
        "images": [task.image],
        "solution": "[]" if isinstance(task.target, Refusal) else solution_text(task.target.box),
        TASK_COLUMN: Assignment(task, settings.arm).to_json(),
    }


def _picture(row: Row, images: Path) -> tuple[Path, bool]:
    """Path of the row's screenshot as ms-swift may load it, and whether that is a copy made here."""
    name = display_name(row.task.image)
    if row.image_path is not None and seen_alike(row.image_path, str(row.image_path)):
        return row.image_path.resolve(), False
    screenshot = load_screenshot(row.image_source, name=f"{row.file}:{row.line}")
    copy = images / screenshot.sha256[:16] / f"{name.rpartition('.')[0] or name}.png"
    if not copy.exists():
        copy.parent.mkdir(parents=True, exist_ok=True)
        partial = copy.with_name(copy.name + ".partial")
        partial.write_bytes(encode(screenshot.pixels).data)
        partial.replace(copy)
    return copy.resolve(), True
