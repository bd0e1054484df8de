"""The results of a run on the disk: one line for each item and arm, and what all of them were made with.

A line is a saved episode, as training writes it, with a section ``evaluation``; so ``zoomground show`` and ``score``
read it as they read any log. Lines are only ever appended: a killed run leaves whole lines and at most one that is
cut, which is dropped; of several lines for one item and arm the last one counts.
"""

from __future__ import annotations

import fcntl
import json
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from pydantic import BaseModel, ConfigDict, ValidationError

from zoomground.data.files import append, write_bytes
from zoomground.data.trajectories import SavedRecord
from zoomground.errors import RowError, ZoomgroundError
from zoomground.policies.base import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zoomground.trajectory import Trajectory

LOG_NAME = "results.jsonl"
CARD_NAME = "run.json"

_EXCERPT = 60


class Mark(BaseModel):
    """What an evaluation notes beside an episode.

    Attributes:
        item: Id of the item.
        arm: The arm it was asked in.
        prompt: Hash of the opening messages.
        parameters: Hash of everything that stands beside the messages in a request.
        sent: Width and height in px of the image that was sent; None if none was.
        usage: What the replies cost.
        trouble: What was the matter with the last reply, if it has a name.
    """

    model_config = ConfigDict(frozen=True)

    item: str
    arm: str
    prompt: str
    parameters: str
    sent: tuple[int, int] | None = None
    usage: Usage = Usage()
    trouble: str | None = None


class _Line(BaseModel):
    evaluation: Mark


@dataclass(frozen=True, slots=True)
class Result:
    """One line."""

    saved: SavedRecord
    mark: Mark

    @property
    def trajectory(self) -> Trajectory:
        """The episode."""
        return self.saved.trajectory

    @property
    def place(self) -> tuple[str, str]:
        """Arm and item: there is one result for each."""
        return self.mark.arm, self.mark.item

    def to_json(self) -> str:
        """The line, without its end."""
        evaluation = json.dumps({"evaluation": self.mark.model_dump(mode="json")}, ensure_ascii=False)
        return f"{self.saved.to_json()[:-1]}, {evaluation[1:]}"


@dataclass(slots=True)
class Log:
    """An open log; see `opened`.

    Attributes:
        path: The file.
        stream: The same, open for appending.
        results: What it holds, by arm and item.
    """

    path: Path
    stream: FileIO
    results: dict[tuple[str, str], Result]

    def write(self, result: Result) -> None:
        """Append a result; it is in the file when this returns.

        Raises:
            ZoomgroundError: If the disk is full.
        """
        append(self.stream, result.to_json().encode("utf-8") + b"\n", self.path)
        self.results[result.place] = result


@contextmanager
def opened(folder: Path, card: Mapping[str, Any]) -> Iterator[Log]:
    """The log of a run, for going on; only one process may have it.

    Args:
        folder: Folder of the run; it is made.
        card: What the run is made with. A log that was made with something else is refused.

    Raises:
        RowError: If a line, other than a cut last one, is no result.
        ZoomgroundError: If the log was made with something else, or another process writes it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / LOG_NAME
    with path.open("ab", buffering=0) as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ZoomgroundError(f"{path}: another process is writing it; wait for that one, or stop it") from error
        _check_card(folder, card, empty=path.stat().st_size == 0)
        with path.open("rb") as lines:
            results, length = _read(lines, path)
        stream.truncate(length)
        yield Log(path, stream, results)


def read_results(folder: Path) -> dict[tuple[str, str], Result]:
    """The results of a run, by arm and item.

    Raises:
        RowError: If a line, other than a cut last one, is no result.
        ZoomgroundError: If there is no log.
    """
    path = folder / LOG_NAME
    if not path.is_file():
        raise ZoomgroundError(f"{folder}: holds no {LOG_NAME}; name the folder of a run of zoomground eval")
    with path.open("rb") as stream:
        return _read(stream, path)[0]


def read_card(folder: Path) -> dict[str, Any]:
    """What a run was made with.

    Raises:
        ZoomgroundError: If there is no such file.
    """
    path = folder / CARD_NAME
    try:
        card = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise ZoomgroundError(f"{folder}: holds no {CARD_NAME}; name the folder of a run of zoomground eval") from error
    except ValueError as error:
        raise ZoomgroundError(f"{path}: is not JSON ({error}); name another folder for the run") from error
    if not isinstance(card, dict):
        raise ZoomgroundError(f"{path}: is no JSON object; name another folder for the run")
    return card


def differences(then: Any, now: Any, name: str = "") -> list[str]:
    """What differs between two cards, by dotted name."""
    if isinstance(then, dict) and isinstance(now, dict):
        return [
            one
            for key in dict.fromkeys((*then, *now))
            for one in differences(then.get(key), now.get(key), f"{name}.{key}" if name else key)
        ]
    return [] if then == now else [f"{name}: {_short(then)} then, {_short(now)} now"]


def made_with_something_else(folder: Path, card: Mapping[str, Any]) -> list[str]:
    """How the run in a folder was made otherwise than this card says; nothing if it was not, or there is none.

    Raises:
        ZoomgroundError: If the folder's card cannot be read.
    """
    if not (folder / CARD_NAME).exists():
        return []
    return differences(read_card(folder), json.loads(json.dumps(card)))


def _check_card(folder: Path, card: Mapping[str, Any], *, empty: bool) -> None:
    plain = json.loads(json.dumps(card))
    if not (folder / CARD_NAME).exists():
        if not empty:
            raise ZoomgroundError(f"{folder}: holds {LOG_NAME} without {CARD_NAME}; name another folder")
    elif not empty:
        if found := made_with_something_else(folder, plain):
            raise ZoomgroundError(
                f"{folder}: holds results that were made with something else; name another folder. It differs in "
                + "; ".join(found)
            )
        return
    # Written before the first result, so that no result is ever without it.
    write_bytes(folder / CARD_NAME, (json.dumps(plain, indent=2, ensure_ascii=False) + "\n").encode("utf-8"))


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _EXCERPT else text[:_EXCERPT] + "..."


def _read(stream: BinaryIO, path: Path) -> tuple[dict[tuple[str, str], Result], int]:
    """The results, the last of each place, and the length in bytes of the whole lines."""
    results: dict[tuple[str, str], Result] = {}
    length = 0
    for number, line in enumerate(stream, start=1):
        if not line.endswith(b"\n"):
            break
        length += len(line)
        try:
            result = Result(SavedRecord.from_json(line), _Line.model_validate_json(line).evaluation)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise RowError(str(path), number, where or "record", f"{first['msg']} (a result)") from error
        except RowError as error:
            raise RowError(str(path), number, error.field, error.problem) from error
        results[result.place] = result
    return results, length
