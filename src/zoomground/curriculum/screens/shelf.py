"""The screens to learn from: pictures, what stands on them, what is asked; read from folders that may be growing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zoomground.geometry import Box, Size


@dataclass(frozen=True, slots=True)
class Word:
    """A word on a screen, its letters' box in px."""

    text: str
    box_px: Box


@dataclass(frozen=True, slots=True)
class Thing:
    """An element of a screen.

    Attributes:
        name: What it is called; may be empty, or stand twice on a screen.
        kind: ``button``, ``icon``, ``text`` ...
        box_px: Where it is.
        is_icon: Whether it shows its name by a picture alone.
        is_typed: Whether what it shows was typed into it, so that its letters are not among the words.
    """

    name: str
    kind: str
    box_px: Box
    is_icon: bool
    is_typed: bool


@dataclass(frozen=True, slots=True)
class Ask:
    """An instruction on a screen; ``name`` is what its target is called."""

    instruction: str
    name: str
    box_px: Box
    how: str


@dataclass(frozen=True, slots=True)
class Page:
    """A screen.

    Attributes:
        id: Number of the screen, as text.
        image: Its picture.
        size: Its size in px.
        heldout: Whether it is not to be learnt from.
        things: Its elements.
        words: Its words.
        asks: Its instructions that have a target.
    """

    id: str
    image: Path
    size: Size
    heldout: bool
    things: tuple[Thing, ...]
    words: tuple[Word, ...]
    asks: tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class Shelf:
    """Folders of screens.

    Attributes:
        folders: Sets that `zoomground synth --elements` wrote or is writing.
    """

    folders: tuple[Path, ...]

    def names(self) -> list[str]:
        """The screens that are complete now, ``FOLDER/NUMBER``, in the order of the folders and numbers."""
        # A screen's part is written last.
        return [
            f"{number}/{part.stem}"
            for number, folder in enumerate(self.folders)
            for part in sorted((folder / ".synth" / "parts").glob("*.json"))
            if (folder / ".synth" / "elements" / part.name).exists()
        ]

    def is_heldout(self, name: str) -> bool:
        """Whether a screen is not to be learnt from."""
        number, _, stem = name.partition("/")
        part = self.folders[int(number)] / ".synth" / "parts" / f"{stem}.json"
        return bool(json.loads(part.read_text(encoding="utf-8"))["split"] != "train")

    def page(self, name: str) -> Page:
        """Read a screen."""
        number, _, stem = name.partition("/")
        folder = self.folders[int(number)]
        row = json.loads((folder / ".synth" / "elements" / f"{stem}.json").read_text(encoding="utf-8"))
        part = json.loads((folder / ".synth" / "parts" / f"{stem}.json").read_text(encoding="utf-8"))
        return Page(
            id=row["id"],
            image=folder / row["image"],
            size=Size(row["width"], row["height"]),
            heldout=row["split"] != "train",
            things=tuple(_thing(one) for one in row["elements"]),
            words=tuple(Word(text, Box(*box)) for text, *box in row.get("letters", ())),
            asks=tuple(_ask(one) for one in part["rows"] if "solution" in one),
        )


_TYPED = frozenset({"textbox", "searchbox", "spinbutton", "combobox"})


def _thing(one: dict[str, Any]) -> Thing:
    text = one.get("text", "")
    return Thing(
        name=" ".join(one["name"].split()),
        kind=one["kind"],
        box_px=Box(*one["box"]),
        is_icon=not text and one["kind"] == "icon",
        is_typed=bool(text) and one["role"] in _TYPED,
    )


def _ask(row: dict[str, Any]) -> Ask:
    meta = row["meta"]
    text = row["problem"].removeprefix("<image>")
    return Ask(text, str(meta.get("name") or ""), Box(*json.loads(row["solution"])), str(meta.get("how", "")))
