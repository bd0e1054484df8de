"""What one finished screen leaves behind beside its picture, so that a killed run goes on where it was.

A part is written after its picture and renamed into place: if the part is there, the screen is whole. Parts lie in a
hidden folder of the set; deleting it costs nothing but the possibility to make the set larger later.
"""

from __future__ import annotations

import fcntl
import json
import shutil
import time
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground.data.files import replacing
from zoomground.errors import ZoomgroundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FOLDER = ".synth"
_PARTIAL = ".partial"
_WAITS, _WAIT_S = 600, 0.1


@dataclass(frozen=True, slots=True)
class Part:
    """A finished screen.

    Attributes:
        number: Its place in the set.
        split: What it is for.
        image: Path of its picture below the set's folder; empty if the screen has neither rows nor dense labels.
        sha256: The picture's.
        size_bytes: The picture's.
        look: Difference hash of the picture, for near-duplicates; None: nobody looked.
        rows: Its rows, as they go into the rows file.
        elements: Number of elements in its graph.
        visible: Number of those that passed the gates of visibility.
        rejected: Elements and instructions that a gate turned away, by gate.
        redrawn: Whether it was drawn twice, to compare.
        stable: Whether both drawings were equal.
        dense: Whether its elements are listed; the list is kept beside the part.
    """

    number: int
    split: str
    image: str
    sha256: str
    size_bytes: int
    look: int | None
    rows: tuple[Mapping[str, Any], ...]
    elements: int
    visible: int
    rejected: Mapping[str, int]
    redrawn: bool = False
    stable: bool = True
    dense: bool = False


@dataclass(frozen=True, slots=True)
class Workshop:
    """The files of a set that is being made.

    Attributes:
        out: Folder of the set.
    """

    out: Path

    @property
    def _hidden(self) -> Path:
        return self.out / _FOLDER

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other runs out while the block runs; what a killed run left half-written is swept away first.

        Raises:
            ZoomgroundError: If another run works in this folder.
        """
        self._hidden.mkdir(parents=True, exist_ok=True)
        with (self._hidden / "run.lock").open("a") as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ZoomgroundError(f"{self.out}: another run is writing here; wait for it, or stop it") from None
            self._wait_for_workers()
            self.sweep()
            yield

    @contextmanager
    def attended(self) -> Iterator[None]:
        """A worker is here while the block runs: it may outlive a killed run by the screen at hand."""
        with (self._hidden / "workers.lock").open("a") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH)
            yield

    def _wait_for_workers(self) -> None:
        """Wait until the workers of a killed run have left."""
        with (self._hidden / "workers.lock").open("a") as stream:
            for _ in range(_WAITS):
                try:
                    fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    time.sleep(_WAIT_S)
                else:
                    return
        raise ZoomgroundError(f"{self.out}: workers of a killed run do not end; end them, or name a new folder")

    def sweep(self) -> None:
        """Remove what was being written when a run was killed."""
        for folder in (self.out, self._hidden):
            for file in folder.rglob(f"*{_PARTIAL}"):
                file.unlink(missing_ok=True)

    def begin(self, terms: Mapping[str, Any]) -> None:
        """Hold what this run makes against what the folder was begun with.

        Args:
            terms: Everything that decides the files, but how many screens there are.

        Raises:
            ZoomgroundError: If the folder holds something else.
        """
        file = self._hidden / "terms.json"
        terms = json.loads(json.dumps(terms))
        if not file.is_file():
            strangers = sorted(one.name for one in self.out.iterdir() if one.name != _FOLDER)
            if strangers:
                names = ", ".join(strangers[:3])
                raise ZoomgroundError(f"{self.out} holds other files ({names}) and no set; name a new folder")
            with replacing(file) as partial:
                partial.write_text(json.dumps(terms, indent=1, sort_keys=True), encoding="utf-8")
            return
        begun, now = (_flat(one) for one in (json.loads(file.read_text(encoding="utf-8")), terms))
        for name in sorted({*begun, *now}):
            if begun.get(name) != now.get(name):
                raise ZoomgroundError(
                    f"{self.out} was begun with {name} {_shown(begun.get(name))}, and is now asked for with "
                    f"{_shown(now.get(name))}: go on with the former, or name a new folder"
                )

    def write(self, part: Part) -> None:
        """Keep a part; its picture must be there already."""
        with replacing(self._file(part.number)) as partial:
            partial.write_text(json.dumps(asdict(part), ensure_ascii=False), encoding="utf-8")

    def read(self, number: int) -> Part | None:
        """The part of a screen, or None if the screen is not finished or its picture has gone."""
        try:
            raw = json.loads(self._file(number).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError:  # not ours: whole files are renamed into place
            return None
        part = Part(**{**raw, "rows": tuple(raw["rows"])})
        if part.image:
            picture = self.out / part.image
            if not picture.is_file() or picture.stat().st_size != part.size_bytes:
                return None
        if part.dense and not self._listed(number).is_file():
            return None
        return part

    def write_elements(self, number: int, row: Mapping[str, Any]) -> None:
        """Keep a screen's dense labels, as the line that goes into their file; its part comes after it."""
        with replacing(self._listed(number)) as partial:
            partial.write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")

    def elements(self, number: int) -> str:
        """The line of a screen's dense labels."""
        return self._listed(number).read_text(encoding="utf-8")

    def numbers(self) -> list[int]:
        """Numbers of the screens that have a part, in order."""
        folder = self._hidden / "parts"
        return sorted(int(one.stem) for one in folder.glob("*.json")) if folder.is_dir() else []

    def drop(self, number: int) -> None:
        """Forget a screen."""
        self._file(number).unlink(missing_ok=True)
        self._listed(number).unlink(missing_ok=True)

    def keep_pictures(self, numbers: Iterable[int]) -> None:
        """Remove the pictures of all other screens, also of those that a worker had not finished."""
        kept = {f"{number:06d}" for number in numbers}
        for folder in (self.out / "images").glob("*"):
            if folder.name not in kept:
                shutil.rmtree(folder)

    def _file(self, number: int) -> Path:
        return self._hidden / "parts" / f"{number:06d}.json"

    def _listed(self, number: int) -> Path:
        return self._hidden / "elements" / f"{number:06d}.json"


def _flat(terms: Mapping[str, Any]) -> dict[str, Any]:
    """Terms by a name that a person knows: arguments and versions each under their own."""
    flat: dict[str, Any] = {}
    for name, value in terms.items():
        if isinstance(value, dict):
            flat.update(value)
        else:
            flat[name] = value
    return flat


def _shown(value: object) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)
