"""UI-Vision, element grounding: three settings (basic, functional, spatial) on 83 desktop programs.

Boxes are x1, y1, x2, y2 in float px; the official score puts corners in order and divides by ``image_size``. The
headline is the plain mean of the three settings, which have 1772, 1772 and 1935 items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.evaluate.benchmarks.base import Entry, Reading, find_files, item
from zoomground.evaluate.items import MICRO, Average, Benchmark

if TYPE_CHECKING:
    from pathlib import Path

    from zoomground.evaluate.items import Item, ItemSet

SETTINGS = ("basic", "functional", "spatial")
LAYOUT = (
    "annotations/element_grounding/element_grounding_{basic,functional,spatial}.json (fields image_path, image_size, "
    "prompt_to_evaluate, bbox as x1, y1, x2, y2 px, platform, category, element_type) and images/; or the three files "
    "alone"
)


def _read(folder: Path) -> ItemSet:
    names = tuple(f"element_grounding_{setting}.json" for setting in SETTINGS)
    places = {
        "official": tuple(
            tuple(f"{place}/{name}" for name in names)
            for place in ("annotations/element_grounding", "element_grounding")
        ),
        "converted": (names, tuple(f"UI_Vision_data/{name}" for name in names)),
    }
    layout, paths = find_files(folder, places, benchmark="UI-Vision", expected=LAYOUT)
    root = paths[0].parent
    reading = Reading("ui_vision", layout, 5479, (root.parents[1] / "images", root.parent / "images", root / "images"))

    def read(entry: Entry) -> Item:
        image, name = entry.text("image_path"), f"{entry.file.stem}_{entry.number - 1}"
        numbers, target = entry.numbers("bbox"), entry.corners("bbox")
        if (target.x1, target.y1) != numbers[:2]:
            reading.repaired("corner order", "corners put in order, as the official score does", entry, name, "bbox")
        return item(
            entry,
            id=name,
            instruction=entry.text("prompt_to_evaluate"),
            image=image,
            path=reading.image(image),
            size=entry.size("image_size"),
            target=target,
            groups={
                "setting": entry.file.stem.removeprefix("element_grounding_"),
                "category": entry.text("category"),
                "ui_type": entry.text("element_type"),
                "application": entry.text("platform"),
            },
        )

    return reading.read(paths, read)


BENCHMARK = Benchmark(
    name="ui_vision",
    title="UI-Vision",
    about="5479 elements of desktop programs: basic, functional, spatial",
    read=_read,
    layout=LAYOUT,
    axes=("setting", "category", "ui_type", "application"),
    averages=(Average("mean of settings", ("setting",)), MICRO),
    expected=5479,
)
