"""OSWorld-G: 564 instructions on Linux desktops: 470 boxes, 40 polygons, 54 that must be declined.

``box_type`` says what ``box_coordinates`` is: x, y, width, height of a box; the corners of a polygon, flat; or a
refusal. What a model can do that a task asks for (text matching, layout understanding ...) is not derivable from the
fields: it is in ``classification_result.json``, several for an item, and read where that file is present.

A converted copy in circulation is broken in a known way: x, y, x + width, y + height was computed of every
``box_coordinates``, polygons included. So a polygon keeps its numbers from the fifth on, its third and fourth are the
original third plus the first and fourth plus the second, and refusals became [0, 0, 0, 0]. All three are undone here;
`Item.published` keeps what a harness that reads the copy scores against, which is the first four numbers as a box.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from zoomground.errors import ZoomgroundError
from zoomground.evaluate.benchmarks.base import BoxForm, Entry, Reading, converted_item, find_files, item
from zoomground.evaluate.items import MICRO, Average, Benchmark
from zoomground.geometry import Box, Polygon
from zoomground.task import Refusal, Target

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from zoomground.evaluate.items import Item, ItemSet

LAYOUT = (
    "OSWorld-G.json (fields id, image_path, image_size, instruction, box_type, box_coordinates, GUI_types), images/ "
    "and, for the table by capability, classification_result.json; or the converted OSWorld-G_sspro_format.json"
)
NAME = "osworld_g"
AVERAGES = (MICRO, Average("without refusals", refusals=False))
AXES = ("target", "capability", "gui_type")
EXPECTED = 564

_CLASSES = "classification_result.json"
_REFUSED_IN_COPY = (0.0, 0.0, 0.0, 0.0)


def read_set(
    folder: Path, *, name: str, official: str, converted: str, copies: str, title: str, layout: str
) -> ItemSet:
    """Read one of the two sets.

    Args:
        folder: Where it was downloaded to: the repository, its ``benchmark`` folder, or the folder of the copy.
        name: Name of the set.
        official: Name of the official file.
        converted: Name of the converted copy.
        copies: Folder in which copies of several benchmarks keep this one.
        title: Name for errors.
        layout: The layout in words, for errors.
    """
    places = {
        "official": ((official,), (f"benchmark/{official}",)),
        "converted": ((converted,), (f"{copies}/{converted}",)),
    }
    kind, paths = find_files(folder, places, benchmark=title, expected=layout)
    root = paths[0].parent
    reading = Reading(name, kind, EXPECTED, (root / "images", root))
    classes = _classes(root / _CLASSES)

    def read(entry: Entry) -> Item:
        return (
            _official_item(reading, entry, classes) if kind == "official" else _converted_item(reading, entry, classes)
        )

    return reading.read(paths, read)


def _classes(path: Path) -> Mapping[str, tuple[str, ...]]:
    """Capabilities by item id; empty if the file is not there."""
    if not path.is_file():
        return {}
    try:
        classified = json.loads(path.read_text("utf-8"))["classified"]
        pairs = [(_id(one), name) for name, entries in classified.items() for one in entries]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        expected = '{"classified": {capability: [items or their ids]}}'
        raise ZoomgroundError(f"{path}: not readable ({error!r}); expected {expected}") from error
    found: dict[str, tuple[str, ...]] = {}
    for key, name in pairs:
        found[key] = (*found.get(key, ()), name)
    return found


def _id(entry: Any) -> str:
    return str(entry["id"] if isinstance(entry, dict) else entry)


def _official_item(reading: Reading, entry: Entry, classes: Mapping[str, tuple[str, ...]]) -> Item:
    name, image = entry.text("id"), entry.text("image_path")
    target = _official_target(reading, entry, name)
    return item(
        entry,
        id=name,
        instruction=entry.text("instruction"),
        image=image,
        path=reading.image(image),
        size=entry.size("image_size"),
        target=target,
        groups={"target": _kind(target)},
        tags=_tags(classes.get(name, ()), entry.texts("GUI_types")),
    )


def _official_target(reading: Reading, entry: Entry, name: str) -> Target:
    kind = entry.text("box_type")
    if kind == "refusal":
        return Refusal()
    if kind not in {"bbox", "polygon"}:
        raise entry.error("box_type", f"must be bbox, polygon or refusal, got '{kind}'")
    numbers = entry.numbers("box_coordinates")
    if (kind == "bbox") != (len(numbers) == 4):
        text = f"box_type {kind} with {len(numbers)} numbers: read as " + (
            "the rectangle x1, y1, x2, y2" if len(numbers) == 4 else "a polygon"
        )
        reading.repaired("box type", text, entry, name, "box_type")
    if kind == "bbox" and len(numbers) == 4:
        return entry.box_of("box_coordinates", numbers, BoxForm.XYWH)
    return entry.polygon("box_coordinates", numbers)


def _converted_item(reading: Reading, entry: Entry, classes: Mapping[str, tuple[str, ...]]) -> Item:
    name = entry.text("id")
    target, published = _converted_target(reading, entry, name)
    tags = _tags(classes.get(name, ()), entry.texts("ui_type"))
    return converted_item(
        reading, entry, groups={"target": _kind(target)}, target=target, published=published, tags=tags
    )


def _converted_target(reading: Reading, entry: Entry, name: str) -> tuple[Target, Target | None]:
    """The true target, and what the copy says where that is another."""
    numbers = entry.numbers("bbox")
    if numbers == _REFUSED_IN_COPY:
        reading.repaired("refusal", "[0, 0, 0, 0] in the copy: a refusal again", entry, name, "bbox")
        return Refusal(), Box(*numbers)
    if len(numbers) <= 4:
        return entry.box("bbox", BoxForm.XYXY), None
    x, y, third, fourth, *rest = numbers
    target = entry.polygon("bbox", (x, y, round(third - x, 9), round(fourth - y, 9), *rest))
    reading.repaired(
        "polygon", "second corner of the polygon: the first was added to it in the copy", entry, name, "bbox"
    )
    return target, entry.box_of("bbox", numbers[:4], BoxForm.XYXY)


def _kind(target: Target) -> str:
    match target:
        case Box():
            return "box"
        case Polygon():
            return "polygon"
        case Refusal():
            return "refusal"


def _tags(capabilities: tuple[str, ...], gui_types: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    found = {"capability": capabilities, "gui_type": tuple(dict.fromkeys(gui_types))}
    return {axis: values for axis, values in found.items() if values}


def _read(folder: Path) -> ItemSet:
    return read_set(
        folder,
        name=NAME,
        official="OSWorld-G.json",
        converted="OSWorld-G_sspro_format.json",
        copies="OS_G_data",
        title="OSWorld-G",
        layout=LAYOUT,
    )


BENCHMARK = Benchmark(
    name=NAME,
    title="OSWorld-G",
    about="564 instructions on Linux desktops: boxes, polygons, refusals",
    read=_read,
    layout=LAYOUT,
    axes=AXES,
    averages=AVERAGES,
    expected=EXPECTED,
)
