"""What is kept of sampled episodes: the hits as SFT messages, and the rows of a middling pass rate as rows."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from zoomground.collect.pictures import Pictures
from zoomground.collect.rows import sft_row
from zoomground.data import jsonl
from zoomground.data.files import write_bytes
from zoomground.data.rows import write_rows
from zoomground.images import load_screenshot
from zoomground.protocol.actions import Dialect
from zoomground.rewards.base import hit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zoomground.data.rows import Row
    from zoomground.data.trajectories import SavedRecord

HITS_NAME = "hits.jsonl"
PICTURES_NAME = "hits.images"
ROWS_NAME = "rows.jsonl"


def write_hits(rows: Sequence[Row], records: Mapping[str, Sequence[SavedRecord]], out: Path) -> int:
    """Write the episodes that hit as a data set in the form of the demonstrations; gives their number.

    Of episodes of a row in which the same words were said, one is kept. Turns that are not canonical stay in the
    conversation and out of the loss; an episode without any canonical turn teaches nothing and is left out.

    Args:
        rows: The rows.
        records: The episodes of each row, by its key.
        out: Folder of the data set.

    Raises:
        ImageError: If a screenshot is another one now.
    """
    pictures = Pictures(out / PICTURES_NAME)
    return jsonl.write(
        out / HITS_NAME,
        (line for row in rows for line in _hits(row, records.get(row.key, ()), pictures, out)),
    )


def _hits(row: Row, records: Iterable[SavedRecord], pictures: Pictures, out: Path) -> Iterator[dict[str, Any]]:
    said: dict[tuple[str, ...], SavedRecord] = {}
    for record in sorted(records, key=lambda one: one.generation or 0):
        if not record.trajectory.failed and hit(record.trajectory):
            said.setdefault(tuple(turn.text for turn in record.trajectory.turns), record)
    if not said:
        return
    screenshot = load_screenshot(row.image_source, name=f"{row.file}:{row.line}")
    for record in said.values():
        trajectory = record.trajectory
        trained = [turn.malformed is None and turn.dialect is Dialect.CANONICAL for turn in trajectory.turns]
        if not any(trained):
            continue
        note = {"task": row.task.id, "generation": record.generation, "crops": len(trajectory.crops)}
        files = pictures.of_saved(trajectory, screenshot)
        yield sft_row(trajectory, files, trained, note, out)


def write_kept_rows(rows: Iterable[Row], keys: Iterable[str], out: Path) -> int:
    """Write the rows with these keys and copies of their images, as a rows file of its own; gives their number."""
    wanted = set(keys)
    return write_rows(out / ROWS_NAME, (_moved(row, out) for row in rows if row.key in wanted))


def _moved(row: Row, out: Path) -> dict[str, Any]:
    """The row with its id written down, because that may come from file and line, and its image beside the new file."""
    moved = {**row.raw, "id": row.task.id}
    if row.image_path is not None:
        reference = PurePosixPath("images", row.task.image)
        file = out / reference
        if not file.exists():
            write_bytes(file, row.image_path.read_bytes())
        moved["images"] = [str(reference)]
    return moved


def write_rates(out: Path, figures: Mapping[str, Any]) -> Path:
    """Write the figures of a run."""
    file = out / "pass_rates.json"
    write_bytes(file, (json.dumps(figures, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))
    return file
