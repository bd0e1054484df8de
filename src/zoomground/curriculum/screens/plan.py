"""Which screens and which part of the course each batch is of: written down, so that it can be made again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from zoomground.curriculum.screens.shelf import Shelf


class Plan:
    """A file of entries, each in force from the batch with the number ``first`` on.

    An entry begins a part of the course, or adds screens. Whoever makes batches reads it; whoever trains adds to it,
    always ahead of the batches that may be under way.

    Args:
        path: The file.
        shelf: Where screens come from.
    """

    def __init__(self, path: Path, shelf: Shelf) -> None:
        self._path, self._shelf = path, shelf
        self._size, self._entries = -1, list[dict[str, Any]]()
        self._known: set[str] | None = None

    @property
    def has_parts(self) -> bool:
        """Whether any part begins."""
        return any("part" in entry for entry in self._read())

    @property
    def count(self) -> int:
        """Screens to learn from."""
        return sum(len(entry.get("new", ())) for entry in self._read())

    def begin(self, part: str, first: int) -> None:
        """From a batch on the course is in another part."""
        self._append({"first": first, "part": part})

    def grow(self, first: int) -> int:
        """From a batch on the screens that have come since are among those to learn from; gives how many there are."""
        if self._known is None:
            self._known = {name for one in self._read() for name in (*one.get("new", ()), *one.get("heldout", ()))}
        came = [name for name in self._shelf.names() if name not in self._known]
        if came:
            self._known.update(came)
            held = [name for name in came if self._shelf.is_heldout(name)]
            new = [name for name in came if name not in set(held)]
            self._append({"first": first, "new": new, "heldout": held})
        return self.count

    def at(self, number: int) -> tuple[str, list[str]]:
        """The part and the screens of a batch."""
        part, names = "look", list[str]()
        for entry in self._read():
            if entry["first"] <= number:
                part = entry.get("part", part)
                names += entry.get("new", ())
        return part, names

    def heldout(self) -> list[str]:
        """Screens that are not to be learnt from."""
        return [name for entry in self._read() for name in entry.get("heldout", ())]

    def _read(self) -> list[dict[str, Any]]:
        size = self._path.stat().st_size if self._path.exists() else 0
        if size != self._size:
            text = self._path.read_text(encoding="utf-8") if size else ""
            # A line that is being written has no end yet, and is not in force for any batch under way.
            self._entries = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
            self._size = size
        return self._entries

    def _append(self, entry: dict[str, Any]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
