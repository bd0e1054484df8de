"""What one finished screen leaves behind beside its picture, so that a killed run goes on where it was.

A part is written after its picture and renamed into place: if the part is there, the screen is whole. Parts lie in a
hidden folder of the set; deleting it costs nothing but the possibility to make the set larger later.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground.data.files import replacing
from zoomground.errors import ZoomgroundError

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER = ".synth"
_PARTIAL = ".partial"


@dataclass(frozen=True, slots=True)
class Part:
    """A finished screen.

    Attributes:
        number: Its place in the set.
        split: What it is for.
        image: Path of its picture below the set's folder; empty if the screen has no rows.
        sha256: The picture's.
        size_bytes: The picture's.
        look: Difference hash of the picture, for near-duplicates.
        rows: Its rows, as they go into the rows file.
        elements: Number of elements in its graph.
        visible: Number of those that passed the gates of visibility.
        rejected: Elements and instructions that a gate turned away, by gate.
        redrawn: Whether it was drawn twice, to compare.
        stable: Whether both drawings were equal.
    """

    number: int
    split: str
    image: str
    sha256: str
    size_bytes: int
    look: int
    rows: tuple[Mapping[str, Any], ...]
    elements: int
    visible: int
    rejected: Mapping[str, int]
    redrawn: bool = False
    stable: bool = True


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
        with (self._hidden / "lock").open("a") as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ZoomgroundError(f"{self.out}: another run is writing here; wait for it, or stop it") from None
            self.sweep()
            yield

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
        return part

    def numbers(self) -> list[int]:
        """Numbers of the screens that have a part, in order."""
        folder = self._hidden / "parts"
        return sorted(int(one.stem) for one in folder.glob("*.json")) if folder.is_dir() else []

    def drop(self, part: Part) -> None:
        """Forget a screen: its part goes before its picture, so that no part stands alone."""
        self._file(part.number).unlink(missing_ok=True)
        self.drop_picture(part)

    def drop_picture(self, part: Part) -> None:
        """Remove a screen's picture."""
        if part.image:
            picture = self.out / part.image
            picture.unlink(missing_ok=True)
            if picture.parent.is_dir():
                picture.parent.rmdir()

    def _file(self, number: int) -> Path:
        return self._hidden / "parts" / f"{number:06d}.json"


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
