"""Reading annotation files: a list of objects, whose fields are checked by name and whose boxes by their spec.

The form of a box is what the benchmark's documentation says of the file, never what its numbers look like: guessed
from magnitudes, 61 of the 1272 boxes of ScreenSpot-v2 would be misread.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from zoomground.errors import ImageError, RowError, ZoomgroundError
from zoomground.evaluate.items import SAME_ID, UNREADABLE, Fate, Fault, Item, ItemSet
from zoomground.geometry import Box, Point, Polygon, Size
from zoomground.images import read_size
from zoomground.task import Refusal, Target, Task

_DECIMALS = 9
"""Decimals of a computed px; what lies behind is noise of the arithmetic."""

KNOWN_OVERHANG_PX = 2.5
"""How far boxes of the published sets leave their images; what leaves it further belongs to another image."""


PX = Size(1, 1)
"""Scale of numbers that are px already."""


class BoxForm(StrEnum):
    """What the four numbers of a box are."""

    XYXY = "x1, y1, x2, y2"
    XYWH = "x, y, width, height"


@dataclass(frozen=True, slots=True)
class Entry:
    """One object of an annotation file.

    Attributes:
        file: The annotation file.
        number: Place in the file, counted from 1.
        raw: The fields.
    """

    file: Path
    number: int
    raw: Mapping[str, Any]

    def error(self, name: str, problem: str) -> RowError:
        """A fault of a field of this entry; the place in the list stands where a line would."""
        return RowError(str(self.file), self.number, name, problem)

    def value(self, name: str) -> Any:
        """A field that must be there."""
        if name not in self.raw:
            raise self.error(name, f"is missing; the entry has: {', '.join(self.raw)}")
        return self.raw[name]

    def text(self, name: str) -> str:
        """A string, or a number as one; null is the empty string."""
        value = self.value(name)
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self.error(name, f"must be text, got {str(value)[:60]!r}")
        return str(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings."""
        value = self.value(name)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self.error(name, f"must be a list of words, got {str(value)[:60]!r}")
        return tuple(value)

    def numbers(self, name: str) -> tuple[float, ...]:
        """A flat list of finite numbers."""
        value = self.value(name)
        if not isinstance(value, list) or not all(_is_number(one) for one in value):
            raise self.error(name, f"must be a flat list of numbers, got {str(value)[:60]!r}")
        return tuple(float(one) for one in value)

    def size(self, name: str) -> Size:
        """A width and a height in px."""
        numbers = self.numbers(name)
        if len(numbers) != 2 or not all(one >= 1 and one == int(one) for one in numbers):
            raise self.error(name, f"must be [width, height] in px, got {list(numbers)}")
        return Size(int(numbers[0]), int(numbers[1]))

    def box(self, name: str, form: BoxForm, scale: Size = PX) -> Box:
        """A box in px: its numbers are what ``form`` says, times ``scale``."""
        numbers = self.numbers(name)
        if len(numbers) != 4:
            raise self.error(name, f"must hold four numbers ({form}), got {len(numbers)}")
        return self.box_of(name, numbers, form, scale)

    def box_of(self, name: str, numbers: Sequence[float], form: BoxForm, scale: Size = PX) -> Box:
        """Like `box`, from numbers that were read before."""
        a, b, c, d = (value * side for value, side in zip(numbers, (scale.width, scale.height) * 2, strict=True))
        corners = (a, b, a + c, b + d) if form is BoxForm.XYWH else (a, b, c, d)
        x1, y1, x2, y2 = (round(value, _DECIMALS) for value in corners)
        if x2 < x1 or y2 < y1:
            hint = "x, y, width, height? the file is said to hold corners" if form is BoxForm.XYXY else "negative size"
            raise self.error(name, f"{list(numbers)} is no box ({form}): {hint}")
        return Box(x1, y1, x2, y2)

    def corners(self, name: str) -> Box:
        """A box in px between two opposite corners, in whichever order."""
        numbers = self.numbers(name)
        if len(numbers) != 4:
            raise self.error(name, f"must hold two corners, four numbers, got {len(numbers)}")
        (x1, x2), (y1, y2) = sorted(numbers[::2]), sorted(numbers[1::2])
        return Box(x1, y1, x2, y2)

    def polygon(self, name: str, numbers: Sequence[float]) -> Polygon | Box:
        """Corners from a flat list; four numbers are the corners x1, y1, x2, y2 of a rectangle."""
        if len(numbers) % 2:
            raise self.error(name, f"has {len(numbers)} numbers, an odd count; a corner has an x and a y")
        if len(numbers) == 4:
            return self.box_of(name, numbers, BoxForm.XYXY)
        if len(numbers) < 6:
            raise self.error(name, f"has {len(numbers)} numbers; a polygon has three corners at least")
        return Polygon(tuple(Point(x, y) for x, y in zip(numbers[::2], numbers[1::2], strict=True)))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def converted_item(reading: Reading, entry: Entry, *, groups: Mapping[str, str], **more: Any) -> Item:
    """An item of the form that converted copies share with ScreenSpot-Pro: corners in px, ``img_size``, ``id``.

    Args:
        reading: Where its screenshot is looked for.
        entry: The object of the file.
        groups: What it is counted under.
        more: Further arguments of `item`; ``target`` in place of the box of the field ``bbox``.

    Raises:
        RowError: If a field is missing or wrong.
    """
    image = entry.text("img_filename")
    if "target" not in more:
        more["target"] = entry.box("bbox", BoxForm.XYXY)
    return item(
        entry,
        id=entry.text("id"),
        instruction=entry.text("instruction"),
        image=image,
        path=reading.image(image),
        size=entry.size("img_size"),
        groups=groups,
        **more,
    )


def find_files(
    folder: Path, layouts: Mapping[str, Sequence[Sequence[str]]], *, benchmark: str, expected: str
) -> tuple[str, list[Path]]:
    """The annotation files of the first layout that is there.

    Args:
        folder: Where to look.
        layouts: For each layout the places where its files may lie, each as patterns relative to the folder; the
            first place that holds a file decides.
        benchmark: Its name, for the error.
        expected: The layout in words, for the error.

    Raises:
        ZoomgroundError: If there is none.
    """
    if not folder.is_dir():
        raise ZoomgroundError(f"{folder}: is no folder; {benchmark} expects {expected}")
    for layout, places in layouts.items():
        for patterns in places:
            paths = [path for pattern in patterns for path in sorted(folder.glob(pattern)) if path.is_file()]
            if paths:
                return layout, paths
    held = ", ".join(sorted(entry.name for entry in folder.iterdir())[:8]) or "nothing"
    raise ZoomgroundError(f"{folder}: not the layout of {benchmark}: expected {expected}; the folder holds: {held}")


def entries_of(path: Path) -> Iterator[Entry]:
    """The objects of a JSON file that holds one list of them.

    Raises:
        ZoomgroundError: If the file is something else.
    """
    try:
        value = json.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ZoomgroundError(f"{path}: is not UTF-8 at byte {error.start + 1}; fetch the file again") from error
    except (ValueError, RecursionError) as error:
        raise ZoomgroundError(f"{path}: is not JSON ({error}); a pointer in place of the file? fetch it") from error
    if not isinstance(value, list):
        raise ZoomgroundError(f"{path}: holds no list; an annotation file is a list of objects, one for each item")
    for number, raw in enumerate(value, start=1):
        if not isinstance(raw, dict):
            raise RowError(str(path), number, "entry", f"must be an object, got {str(raw)[:60]!r}")
        yield Entry(path, number, raw)


@dataclass(slots=True)
class Reading:
    """Collects the items of a set and what is wrong with them.

    Attributes:
        name: Name of the set.
        layout: Name of the layout.
        expected: How many items the published set has.
        image_folders: Folders in which screenshots may lie, in the order of trial.
    """

    name: str
    layout: str
    expected: int | None
    image_folders: Sequence[Path]
    items: list[Item] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    _sizes: dict[Path, Size] = field(default_factory=dict)

    def read(self, paths: Sequence[Path], item_of: Callable[[Entry], Item]) -> ItemSet:
        """Read files with a function that makes an item of an entry; its errors become faults."""
        for path in paths:
            self.files.append(path)
            for entry in entries_of(path):
                try:
                    item = item_of(entry)
                except RowError as error:
                    text = f"field '{error.field}': {error.problem}"
                    self._fault(UNREADABLE, text, Fate.PROBLEM, entry, field=error.field)
                    continue
                self.items.append(self._checked(item, entry))
        return self.finish()

    def image(self, reference: str) -> Path | None:
        """The screenshot's file, if it is there."""
        return next((path for root in self.image_folders if (path := root / reference).is_file()), None)

    def repaired(self, kind: str, text: str, entry: Entry, item: str, name: str = "") -> None:
        """Note that something was put right."""
        self._fault(kind, text, Fate.REPAIRED, entry, item=item, field=name)

    def problem(self, kind: str, text: str, entry: Entry, item: str, name: str = "") -> None:
        """Note that something is wrong."""
        self._fault(kind, text, Fate.PROBLEM, entry, item=item, field=name)

    def measured(self, entry: Entry, name: str, path: Path | None) -> Size:
        """The size of a screenshot's file, for files that do not say it.

        Raises:
            RowError: If the screenshot is not there, or is none.
        """
        if path is None:
            problem = f"screenshot '{entry.text(name)}' is missing; these files do not say its size, so it is needed"
            raise entry.error(name, problem)
        if path not in self._sizes:
            try:
                self._sizes[path] = read_size(path)
            except ImageError as error:
                raise entry.error(name, str(error)) from error
        return self._sizes[path]

    def finish(self) -> ItemSet:
        """The set."""
        self._count_twins()
        self._count_images()
        if self.expected is not None and len(self.items) != self.expected:
            text = f"holds {len(self.items)} items, the published set {self.expected}; fetch the missing files again"
            self.faults.append(Fault("count", f"{self.name} {text}", Fate.PROBLEM))
        digest = hashlib.sha256()
        for path in self.files:
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return ItemSet(
            name=self.name,
            items=tuple(self.items),
            revision=digest.hexdigest()[:16],
            layout=self.layout,
            expected=self.expected,
            faults=tuple(self.faults),
            files=tuple(self.files),
        )

    def _fault(self, kind: str, text: str, fate: Fate, entry: Entry, *, item: str = "", field: str = "") -> None:
        self.faults.append(Fault(kind, text, fate, item, entry.file, entry.number, field))

    def _checked(self, item: Item, entry: Entry) -> Item:
        if not item.task.instruction.strip():
            self.problem("empty instruction", "has no instruction; it is asked as it is, and counts", entry, item.id)
        if item.refusal:
            return item
        target = self._inside(item, entry)
        if target is item.task.target:
            return item
        return replace(item, task=replace(item.task, target=target), published=item.task.target)

    def _inside(self, item: Item, entry: Entry) -> Target:
        target, size = item.target(), item.size
        assert not isinstance(target, Refusal)  # noqa: S101 -- refusals were sent back before
        box = target.box
        if box.area == 0:
            text = f"{_text(box)} has no area, so nearly nothing can hit it; it counts, as in the official score"
            self._fault("no area", text, Fate.KEPT, entry, item=item.id)
        overhang = max(-box.x1, -box.y1, box.x2 - size.width, box.y2 - size.height)
        if overhang <= 0:
            return target
        text = f"{_text(box)} leaves the {size.width}x{size.height} image by {overhang:.3g} px"
        off = box.x1 > size.width or box.y1 > size.height or min(box.x2, box.y2) < 0
        if off or overhang > KNOWN_OVERHANG_PX:
            self.problem("outside", f"{text}: the annotation of another image?", entry, item.id)
            return target
        if isinstance(target, Polygon):
            self._fault("outside", f"{text}; no answer inside the image notices", Fate.KEPT, entry, item=item.id)
            return target
        self.repaired("outside", f"{text}; clipped, which no answer inside the image notices", entry, item.id)
        return target.grown(0, size)

    def _count_twins(self) -> None:
        ids: dict[str, Item] = {}
        asked: dict[tuple[object, ...], Item] = {}
        for item in self.items:
            first = ids.setdefault(item.id, item)
            if first is not item:
                text = f"has the id of entry {first.number} of {first.file.name}; ids are unique in a set"
                self.faults.append(Fault(SAME_ID, text, Fate.PROBLEM, item.id, item.file, item.number))
            key = (item.task.image, item.task.instruction, item.task.target)
            first = asked.setdefault(key, item)
            if first is not item and item.task.instruction:
                text = f"asks the same as '{first.id}'; both count, as in the official score"
                self.faults.append(Fault("duplicate", text, Fate.KEPT, item.id, item.file, item.number))

    def _count_images(self) -> None:
        missing = sorted({item.task.image for item in self.items if item.image is None})
        self.faults.extend(
            Fault("missing image", f"screenshot '{name}' is in none of the folders", Fate.PROBLEM) for name in missing
        )


def item(
    entry: Entry,
    *,
    id: str,  # noqa: A002 -- the name of the field
    instruction: str,
    image: str,
    path: Path | None,
    size: Size,
    target: Target,
    groups: Mapping[str, str],
    tags: Mapping[str, tuple[str, ...]] | None = None,
    variants: Mapping[str, str] | None = None,
    published: Target | None = None,
) -> Item:
    """An item from an entry; empty groups and wordings are left out."""
    return Item(
        task=Task(id, instruction, image, size, target),
        image=path,
        groups=MappingProxyType({axis: value for axis, value in groups.items() if value}),
        tags=MappingProxyType(dict(tags or {})),
        variants=MappingProxyType({name: text for name, text in (variants or {}).items() if text}),
        published=published,
        file=entry.file,
        number=entry.number,
    )


def _text(box: Box) -> str:
    return "[" + ", ".join(f"{value:.6g}" for value in (box.x1, box.y1, box.x2, box.y2)) + "]"
