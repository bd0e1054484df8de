"""Training rows: ``{"problem": "<image>Open File", "solution": "[4,2,36,18]", "images": ["a.png"]}``, one a line.

`read_rows` is what training and evaluation read with: it stops at the first fault, because a run on half a data set is
worse than none. `check_rows` is what `zoomground validate` shows: every fault at once. Both hold each row against its
image, since a box means nothing without the picture that it was drawn on.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground.data import jsonl
from zoomground.data.fields import FieldError, read_fields
from zoomground.data.image_paths import FIELD as IMAGES_FIELD
from zoomground.data.image_paths import ImageFolder, MissingImageError
from zoomground.data.targets import read_target
from zoomground.errors import ImageError, RowError
from zoomground.geometry import Polygon, Size
from zoomground.images import load_screenshot, read_size
from zoomground.task import Difficulty, Refusal, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from zoomground.data.fields import RowFields

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_MAX_STEM = 80

_FIRST_NAMES = 3
"""How many missing images a summary names."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row that passed every check, and where it stands.

    Attributes:
        file: The rows file.
        line: Line number, counted from 1.
        raw: The row as it stands in the file.
        task: What it asks. ``task.image`` is the path as written.
        image_path: The image file; None if the row holds the image as a data URI.
        warnings: What a person should look at, each naming file, line and field.
    """

    file: Path
    line: int
    raw: dict[str, Any]
    task: Task
    image_path: Path | None
    warnings: tuple[RowError, ...] = ()

    @property
    def image_source(self) -> Path | str:
        """What `zoomground.images.load_screenshot` opens."""
        return self.task.image if self.image_path is None else self.image_path

    @property
    def key(self) -> str:
        """The id as a name that is safe in file names; different ids give different keys."""
        task_id = self.task.id
        stem = _UNSAFE.sub("-", task_id).strip("-")[:_MAX_STEM]
        return stem if stem == task_id else f"{stem}-{hashlib.sha256(task_id.encode()).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class RowsReport:
    """What `check_rows` found in one file.

    Attributes:
        file: The rows file.
        rows: Number of good rows.
        blank: Number of blank lines; they are skipped.
        errors: One for each bad line, in order.
        warnings: What is allowed but odd.
        missing: Images that are not there, as written, each once.
        refusals: Good rows that refuse.
        polygons: Good rows with a polygon.
        difficulties: Good rows by what they say of themselves; rows that say nothing are not in it.
    """

    file: Path
    rows: int
    blank: int
    errors: tuple[RowError, ...]
    warnings: tuple[RowError, ...]
    missing: tuple[str, ...]
    refusals: int
    polygons: int
    difficulties: dict[Difficulty, int]

    @property
    def ok(self) -> bool:
        """Whether the file can be trained on: some rows, no fault."""
        return self.rows > 0 and not self.errors

    def summary(self) -> str:
        """One line for a person."""
        parts = [_counted(self.rows, "good row"), _counted(len(self.errors), "error")]
        parts.append(_counted(len(self.warnings), "warning"))
        if self.blank:
            parts.append(_counted(self.blank, "blank line") + " skipped")
        text = f"{self.file}: {', '.join(parts)}"
        if self.missing:
            names = ", ".join(self.missing[:_FIRST_NAMES])
            more = ", ..." if len(self.missing) > _FIRST_NAMES else ""
            text += f"; {_counted(len(self.missing), 'image')} missing: {names}{more}"
        return text


def read_rows(path: str | Path, *, open_images: bool = False) -> Iterator[Row]:
    """Read rows one after the other and hold each against its image.

    Args:
        path: The rows file. Image paths are relative to its folder.
        open_images: Decode each image wholly, so that a file that is cut short is found; otherwise headers are read.

    Raises:
        RowError: At the first bad row.
        ZoomgroundError: If the file cannot be opened.
    """
    reader = _Reader(Path(path), open_images=open_images)
    for line in jsonl.read(reader.file):
        yield reader.row(line)


def read_data_set(files: Iterable[str | Path]) -> Iterator[Row]:
    """Read the rows of several files as one data set, in order: an id that an earlier file has taken gets a prefix.

    The prefix is the file's place among the files, ``2:rows:1``. So ids are unique in the data set, rows of a first or
    only file keep theirs, and a further file changes none before it.

    Args:
        files: The rows files.

    Raises:
        RowError: At the first bad row.
        ZoomgroundError: If a file cannot be opened.
    """
    taken: set[str] = set()
    for number, file in enumerate(files, start=1):
        for row in read_rows(file):
            name = row.task.id
            while name in taken:
                name = f"{number}:{name}"
            taken.add(name)
            yield row if name == row.task.id else replace(row, task=replace(row.task, id=name))


def check_rows(
    path: str | Path, *, open_images: bool = True, on_row: Callable[[Row], RowError | None] | None = None
) -> RowsReport:
    """Read a whole rows file and report every fault.

    Args:
        path: The rows file.
        open_images: As in `read_rows`.
        on_row: A further check of each row that passed the others; what it gives makes the row a bad one.

    Raises:
        ZoomgroundError: If the file cannot be opened.
    """
    reader = _Reader(Path(path), open_images=open_images)
    errors: list[RowError] = []
    warnings: list[RowError] = []
    counts: Counter[object] = Counter()
    for line in jsonl.scan(reader.file):
        match line:
            case jsonl.JsonLine():
                try:
                    row = reader.row(line)
                except RowError as error:
                    errors.append(error)
                    continue
                if on_row is not None and (fault := on_row(row)) is not None:
                    errors.append(fault)
                else:
                    warnings.extend(row.warnings)
                    counts.update((Row, type(row.task.target), row.task.difficulty))
            case jsonl.BlankLine():
                counts[jsonl.BlankLine] += 1
            case jsonl.BadLine() | jsonl.CutLine():
                errors.append(line.error)
    return RowsReport(
        file=reader.file,
        rows=counts[Row],
        blank=counts[jsonl.BlankLine],
        errors=tuple(errors),
        warnings=tuple(warnings),
        missing=tuple(reader.missing),
        refusals=counts[Refusal],
        polygons=counts[Polygon],
        difficulties={kind: counts[kind] for kind in Difficulty if counts[kind]},
    )


def write_rows(path: str | Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write rows beside the file and rename; the number of rows is returned. Images are not looked at.

    Raises:
        RowError: If the fields of a row are wrong; the file that was there stays as it was.
    """
    file = Path(path)
    return jsonl.write(file, _checked(file, rows))


@dataclass(slots=True)
class _Reader:
    """What one pass over a file remembers: ids, image sizes, folders."""

    file: Path
    open_images: bool
    missing: dict[str, None] = field(default_factory=dict)
    _ids: dict[str, int] = field(default_factory=dict)
    _sizes: dict[Path, Size | FieldError] = field(default_factory=dict)
    _folder: ImageFolder = field(init=False)

    def __post_init__(self) -> None:
        self._folder = ImageFolder(self.file.parent)

    def row(self, line: jsonl.JsonLine) -> Row:
        """Check one row.

        Raises:
            RowError: If it is wrong.
        """
        try:
            return self._row(line)
        except FieldError as error:
            raise self._error(line.line, error.field, error.problem) from error

    def _row(self, line: jsonl.JsonLine) -> Row:
        fields = read_fields(line.value)
        name = self._id(fields, line.line)
        image = fields.images[0]
        try:
            image_path = self._folder.resolve(image)
        except MissingImageError:
            self.missing[image] = None
            raise
        size = self._size(image, image_path)
        checked = read_target(fields, size)
        difficulty = Difficulty(fields.difficulty) if fields.difficulty else None
        task = Task(name, fields.instruction, image, size, checked.target, difficulty, fields.meta)
        warnings = tuple(self._error(line.line, notice.field, notice.text) for notice in checked.notices)
        return Row(self.file, line.line, line.value, task, image_path, warnings)

    def _id(self, fields: RowFields, line: int) -> str:
        name = f"{self.file.stem}:{line}" if fields.id is None else str(fields.id)
        earlier = self._ids.setdefault(name, line)
        if earlier != line:
            raise FieldError("id", f"{name!r} is the id of line {earlier} too; ids are unique in a file")
        return name

    def _size(self, image: str, path: Path | None) -> Size:
        if path is None:
            return self._measure(image, "data URI")
        if path not in self._sizes:
            try:
                self._sizes[path] = self._measure(path, image)
            except FieldError as error:
                self._sizes[path] = error
        size = self._sizes[path]
        if isinstance(size, FieldError):
            raise size
        return size

    def _measure(self, source: str | Path, name: str) -> Size:
        try:
            return load_screenshot(source, name=name).size if self.open_images else read_size(source, name=name)
        except ImageError as error:
            raise FieldError(IMAGES_FIELD, str(error)) from error

    def _error(self, line: int, name: str, problem: str) -> RowError:
        return RowError(str(self.file), line, name, problem)


def _checked(file: Path, rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(rows, start=1):
        raw = dict(row)
        try:
            read_fields(raw)
        except FieldError as error:
            raise RowError(str(file), number, error.field, error.problem) from error
        yield raw


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")
