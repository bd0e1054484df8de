"""Saved trajectories: one JSON line an episode, with what training knew about it beside the episode itself.

A record holds the whole `Trajectory`, so every reward can be computed again from it, and the values that were in force
when it was written, so that the two can be compared. Images are references: the screenshot by the path of the data
row, crops by the path that `zoomground rebuild-crops` writes them to.

Files grow by one flushed line at a time, one file for each rank. A process that is killed leaves at most one cut last
line; readers drop it, and the next writer removes it before it appends.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import TypeAdapter, ValidationError

from zoomground.data.files import append, replacing
from zoomground.data.jsonl import BYTE_ORDER_MARK
from zoomground.errors import ImageError, RowError, ZoomgroundError
from zoomground.images import Screenshot, load_screenshot
from zoomground.protocol.messages import to_openai
from zoomground.trajectory import Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import TracebackType

RECORD_SCHEMA: Literal[1] = 1
"""Number of this record's form; raised when a field changes its meaning."""

CROPS_FOLDER = "crops"
"""Folder beside the log that crop references point into."""

_SAFE_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")
_SAFE_CROP = re.compile(r"crop_[1-9][0-9]{0,3}\.png")


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRecord:
    """One saved episode.

    Attributes:
        uuid: Unique in the log; also the name of the folder of this episode's crops, so it is checked to be one.
        trajectory: The episode.
        rewards: Value of each reward by its registered name; None where it does not apply.
        total: Weighted sum of the rewards.
        advantage: What training multiplied the log-probabilities by.
        step: Training step, counted from 1.
        prompt_group: Number of the prompt; all generations of one prompt in one step share it.
        generation: Number of this rollout within its group.
        scale_rewards: How advantages were scaled: ``group``, ``batch`` or ``none``.
        weights: Weight of each reward when the total was made.
        reward_settings: Other numbers that the rewards were computed with (call cost, quality ...).
        recipe_hash: Hash of the recipe in force.
        rank: Process that wrote the record.
        messages: The conversation in the chat-completions form, images as references.
        turn_credit: What training added to the advantage of each turn; empty: nothing.
        turns_out: Why training left each turn out of the loss, None: it stayed in; empty: all stayed.
        usage: What the episode cost, where it is known: prompt_tokens, completion_tokens, seconds, requests.

    Raises:
        ZoomgroundError: If the uuid could not be a folder's name, or what belongs to turns is not one entry a turn.
    """

    uuid: str
    trajectory: Trajectory
    rewards: dict[str, float | None] = field(default_factory=dict)
    total: float | None = None
    advantage: float | None = None
    step: int | None = None
    prompt_group: int | None = None
    generation: int | None = None
    scale_rewards: str | None = None
    weights: dict[str, float] = field(default_factory=dict)
    reward_settings: dict[str, Any] = field(default_factory=dict)
    recipe_hash: str = ""
    rank: int = 0
    messages: list[dict[str, Any]] = field(default_factory=list)
    turn_credit: list[float] = field(default_factory=list)
    turns_out: list[str | None] = field(default_factory=list)
    usage: dict[str, float] = field(default_factory=dict)
    schema: Literal[1] = RECORD_SCHEMA

    def __post_init__(self) -> None:
        if not _SAFE_ID.fullmatch(self.uuid):
            raise ZoomgroundError(f"uuid {self.uuid[:60]!r}: must be letters, digits, '.', '_', '-', at most 128")
        turns = len(self.trajectory.turns)
        for name, entries in (("turn_credit", self.turn_credit), ("turns_out", self.turns_out)):
            if len(entries) not in {0, turns}:
                raise ZoomgroundError(f"{name} holds {len(entries)} entries for {turns} turns")

    @classmethod
    def of(cls, trajectory: Trajectory, *, uuid: str, **figures: Any) -> Self:
        """A record whose messages are those of the trajectory; ``figures`` are the other fields by name."""
        return cls(uuid=uuid, trajectory=trajectory, messages=replayable(trajectory, uuid), **figures)

    def to_json(self) -> str:
        """One line of JSON without its line end; `from_json` gives an equal record back."""
        return _ADAPTER.dump_json(self).decode("utf-8")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        values: dict[str, Any] = _ADAPTER.dump_python(self, mode="json")
        return values

    @classmethod
    def from_json(cls, line: str | bytes) -> SavedRecord:
        """Read one line.

        Raises:
            RowError: If the line is no record of this schema; file and line number are blank, readers fill them in.
        """
        return _parse(line, "<line>", 0)


_ADAPTER = TypeAdapter(SavedRecord)


@dataclass(frozen=True, slots=True)
class RecordLine:
    """A record and where it stands."""

    file: Path
    line: int
    record: SavedRecord


def crop_path(uuid: str, crop_name: str) -> str:
    """Where the crop of an episode lies, relative to the log's folder.

    Raises:
        ZoomgroundError: If either name could lead out of that folder.
    """
    if not _SAFE_ID.fullmatch(uuid) or not _SAFE_CROP.fullmatch(crop_name):
        raise ZoomgroundError(f"no file name can be made of uuid {uuid[:60]!r} and crop {crop_name[:60]!r}")
    return str(PurePosixPath(CROPS_FOLDER, uuid, crop_name))


def replayable(trajectory: Trajectory, uuid: str) -> list[dict[str, Any]]:
    """The conversation in the chat-completions form; an image's URL is its path relative to the log's folder."""
    crops = {crop.name for crop in trajectory.crops}
    return to_openai(
        trajectory.messages(), lambda name: crop_path(uuid, name) if name in crops else trajectory.task.image
    )


def log_files(path: Path) -> list[Path]:
    """Files of a log: the file itself, or the ``*.jsonl`` of a folder or of its folder ``trajectories``.

    Raises:
        ZoomgroundError: If there are none.
    """
    if path.is_file():
        return [path]
    files = sorted(path.glob("trajectories/*.jsonl")) or sorted(path.glob("*.jsonl"))
    if not files:
        raise ZoomgroundError(f"{path}: holds no trajectories; name a JSONL file or a run folder")
    return files


def read_records(path: Path, *, on_error: Callable[[RowError], None] | None = None) -> Iterator[RecordLine]:
    """Read a log, file after file, line after line.

    A last line without a line end that cannot be read was cut by a killed process and is left out.

    Args:
        path: A JSONL file or a run folder.
        on_error: Gets each bad line's error, and reading goes on; without it the first one is raised.

    Raises:
        RowError: On a bad line; it names file, line and field.
        ZoomgroundError: If there is no log.
    """
    for file in log_files(path):
        with file.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.strip():
                    continue
                try:
                    yield RecordLine(file, number, _parse(line, str(file), number))
                except RowError as error:
                    if not line.endswith(b"\n"):
                        break
                    if on_error is None:
                        raise
                    on_error(error)


def _parse(line: str | bytes, file: str, number: int) -> SavedRecord:
    if isinstance(line, bytes):
        line = line.removeprefix(BYTE_ORDER_MARK)
    try:
        return _ADAPTER.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "record"
        raise RowError(file, number, where, f"{first['msg']} (a saved record of schema {RECORD_SCHEMA})") from error
    except ZoomgroundError as error:
        raise RowError(file, number, "record", str(error)) from error


def open_screenshot(trajectory: Trajectory, folders: Sequence[Path] = ()) -> Screenshot:
    """Open the screenshot of a saved episode and make sure that it is the same file as then.

    Args:
        trajectory: The episode.
        folders: Where a relative reference is looked for, in order, with its folders and by its base name.

    Raises:
        ImageError: If it is not found, cannot be opened, or is another file.
    """
    reference = trajectory.task.image
    screenshot = load_screenshot(reference if reference.startswith("data:") else _find(reference, folders))
    if trajectory.image_sha256 not in ("", screenshot.sha256):
        raise ImageError(
            f"{screenshot.source}: not the screenshot of task '{trajectory.task.id}': its sha256 is "
            f"{screenshot.sha256[:12]}..., the record says {trajectory.image_sha256[:12]}..."
        )
    return screenshot


def _find(reference: str, folders: Sequence[Path]) -> Path:
    candidates = [base / name for base in folders for name in (reference, Path(reference).name)]
    if Path(reference).is_absolute() or not folders:
        candidates.append(Path(reference))
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    places = ", ".join(str(folder) for folder in folders) or "the working folder"
    raise ImageError(f"screenshot '{reference[:200]}' is in none of: {places}; say where by --images")


class RecordWriter(AbstractContextManager["RecordWriter"]):
    """Appends records to one file; each is flushed before `write` returns.

    Args:
        path: The file; its folder is made. A last line that an earlier process left cut is removed first.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        _mend(path)
        self._path = path
        self._stream = path.open("ab", buffering=0)

    def write(self, record: SavedRecord) -> None:
        """Append one record.

        Raises:
            ZoomgroundError: If the disk is full.
        """
        append(self._stream, record.to_json().encode("utf-8") + b"\n", self._path)

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._stream.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def write_records(path: Path, records: Iterable[SavedRecord]) -> int:
    """Write a whole log at once, beside its place and then renamed; the number of records is returned."""
    count = 0
    with replacing(path) as partial:
        partial.unlink(missing_ok=True)
        with RecordWriter(partial) as writer:
            for record in records:
                writer.write(record)
                count += 1
    return count


def _mend(path: Path) -> None:
    """Make a file end with a line end: a complete last record gets one, a cut one is removed."""
    if not path.exists() or path.stat().st_size == 0:
        return
    with path.open("rb") as stream:
        stream.seek(-1, 2)
        if stream.read(1) == b"\n":
            return
    data = path.read_bytes()
    start = data.rfind(b"\n") + 1
    try:
        _parse(data[start:], str(path), 0)
    except RowError:
        with path.open("r+b") as stream:
            stream.truncate(start)
    else:
        with path.open("ab") as stream:
            stream.write(b"\n")
