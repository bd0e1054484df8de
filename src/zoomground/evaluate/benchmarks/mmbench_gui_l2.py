"""MMBench-GUI, level 2: 3594 elements on six platforms, each asked for in a basic or an advanced way.

The official file holds x1, y1, x2, y2 as shares of the image, in [0, 1], where -1 stands for 0; a converted copy holds
px. The headline is the plain mean of basic and advanced; 13 items are there twice, and the official score counts both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.evaluate.benchmarks.base import BoxForm, Entry, Reading, converted_item, find_files, item
from zoomground.evaluate.items import MICRO, Average, Benchmark

if TYPE_CHECKING:
    from pathlib import Path

    from zoomground.evaluate.items import Item, ItemSet
    from zoomground.geometry import Box, Size

LAYOUT = (
    "L2_annotations.json (fields image_path, image_size, instruction, bbox as x1, y1, x2, y2 in [0, 1], data_type, "
    "app_name, platform, grounding_type) and offline_images/PLATFORM/; or the converted MMbench_GUI_sspro_format.json"
)
_LEVELS = ("basic", "advanced")
_INSTEAD_OF_ZERO = -1


def _official_item(reading: Reading, entry: Entry) -> Item:
    name, platform = str(entry.number - 1), entry.text("platform")
    image = f"{platform}/{entry.text('image_path').removeprefix(f'{platform}/')}"
    size = entry.size("image_size")
    return item(
        entry,
        id=name,
        instruction=entry.text("instruction"),
        image=image,
        path=reading.image(image),
        size=size,
        target=_shares(reading, entry, name, size),
        groups={
            "level": _level(entry, "grounding_type"),
            "platform": platform,
            "ui_type": entry.text("data_type"),
            "application": entry.text("app_name"),
        },
    )


def _shares(reading: Reading, entry: Entry, name: str, size: Size) -> Box:
    numbers = entry.numbers("bbox")
    if _INSTEAD_OF_ZERO in numbers:
        reading.repaired("minus one", "-1 in the box: 0, as the official score reads it", entry, name, "bbox")
        numbers = tuple(0.0 if value == _INSTEAD_OF_ZERO else value for value in numbers)
    if len(numbers) != 4 or not all(0 <= value <= 1 for value in numbers):
        raise entry.error("bbox", f"must be x1, y1, x2, y2 as shares of the image in [0, 1], got {list(numbers)}")
    return entry.box_of("bbox", numbers, BoxForm.XYXY, size)


def _converted_item(reading: Reading, entry: Entry) -> Item:
    groups = {"level": _level(entry, "group")}
    groups |= {name: entry.text(name) for name in ("platform", "ui_type", "application")}
    return converted_item(reading, entry, groups=groups)


def _level(entry: Entry, name: str) -> str:
    level = entry.text(name)
    if level not in _LEVELS:
        raise entry.error(name, f"must be basic or advanced, got '{level}'")
    return level


def _read(folder: Path) -> ItemSet:
    official, converted = "L2_annotations.json", "MMbench_GUI_sspro_format.json"
    places = {
        "official": ((official,), (f"MMBench-GUI/{official}",)),
        "converted": ((converted,), (f"MMbench_data/{converted}",)),
    }
    layout, paths = find_files(folder, places, benchmark="MMBench-GUI L2", expected=LAYOUT)
    root = paths[0].parent
    images = ("offline_images", "MMBench-GUI-OfflineImages/offline_images", "MMBench-GUI-OfflineImages", "images")
    reading = Reading("mmbench_gui_l2", layout, 3594, tuple(root / name for name in images))
    read = _official_item if layout == "official" else _converted_item
    return reading.read(paths, lambda entry: read(reading, entry))


BENCHMARK = Benchmark(
    name="mmbench_gui_l2",
    title="MMBench-GUI L2",
    about="3594 elements on six platforms, asked for in a basic or an advanced way",
    read=_read,
    layout=LAYOUT,
    axes=("level", "platform", "level x platform", "ui_type", "application"),
    averages=(
        Average("mean of basic and advanced", ("level",)),
        MICRO,
        Average("mean of twelve cells", ("level", "platform")),
    ),
    expected=3594,
)
