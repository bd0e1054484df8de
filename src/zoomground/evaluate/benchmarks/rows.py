"""Training rows as a benchmark: a rows file, or a folder of them; groups are the words in each row's ``meta``."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from zoomground.data.rows import Row, check_rows
from zoomground.errors import RowError, ZoomgroundError
from zoomground.evaluate.items import MICRO, UNREADABLE, Average, Benchmark, Fate, Fault, Item, ItemSet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LAYOUT = (
    "a file of training rows (JSON lines with problem, solution and images), or a folder with *.jsonl files of them"
)


def _read(folder: Path) -> ItemSet:
    files = [folder] if folder.is_file() else sorted(folder.glob("*.jsonl"))
    if not files:
        raise ZoomgroundError(f"{folder}: holds no rows; expected {LAYOUT}")
    return of_files(files, folder.stem if folder.is_file() else folder.resolve().name)


def of_files(files: Sequence[Path], name: str) -> ItemSet:
    """The rows of several files as one set.

    Args:
        files: The rows files.
        name: What the set is called.
    """
    items: dict[str, Item] = {}
    faults: list[Fault] = []
    digest = hashlib.sha256()
    for number, file in enumerate(files, start=1):
        digest.update(hashlib.sha256(file.read_bytes()).digest())

        def take(row: Row, number: int = number) -> RowError | None:
            item = _item(row)
            while item.id in items:  # as `read_data_set` names rows of several files
                item = replace(item, task=replace(item.task, id=f"{number}:{item.id}"))
            items[item.id] = item
            return None

        report = check_rows(file, open_images=False, on_row=take)
        faults += [_fault(error, UNREADABLE, Fate.PROBLEM) for error in report.errors]
        faults += [_fault(warning, "odd", Fate.KEPT) for warning in report.warnings]
    if not items:
        faults.append(Fault("count", f"{name} holds no readable row", Fate.PROBLEM))
    return ItemSet(
        name=f"rows:{name}",
        items=tuple(items.values()),
        revision=digest.hexdigest()[:16],
        layout="rows",
        faults=tuple(faults),
        files=tuple(files),
    )


def _item(row: Row) -> Item:
    return Item(row.task, row.image_source, _groups(row), file=row.file, number=row.line)


def _groups(row: Row) -> Mapping[str, str]:
    words = {name: value for name, value in row.task.meta.items() if isinstance(value, str) and value}
    if row.task.difficulty is not None:
        words["difficulty"] = row.task.difficulty.value
    return MappingProxyType(words)


def _fault(error: RowError, kind: str, fate: Fate) -> Fault:
    text = f"field '{error.field}': {error.problem}"
    return Fault(kind, text, fate, file=Path(error.file), number=error.line, field=error.field)


BENCHMARK = Benchmark(
    name="rows",
    title="Training rows",
    about="any file or folder of training rows; groups are the words in meta",
    read=_read,
    layout=LAYOUT,
    axes=(),
    averages=(MICRO, Average("without refusals", refusals=False)),
)
