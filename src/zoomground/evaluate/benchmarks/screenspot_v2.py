"""ScreenSpot-v2: ScreenSpot with its wrong annotations put right, again 1272.

The official files hold x, y, width, height; a converted copy (``*_v2_convert.json``) holds x1, y1, x2, y2 and the image
size. Which of the two a file is, its name says; its numbers would not: 61 official boxes also pass for corners.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.evaluate.benchmarks.base import Entry, Reading, converted_item, find_files
from zoomground.evaluate.benchmarks.screenspot import MACRO, PLATFORMS, official_item, platform_of
from zoomground.evaluate.items import MICRO, Benchmark

if TYPE_CHECKING:
    from pathlib import Path

    from zoomground.evaluate.items import Item, ItemSet

LAYOUT = (
    "screenspot_mobile_v2.json, screenspot_desktop_v2.json, screenspot_web_v2.json (fields img_filename, bbox as x, y, "
    "width, height px, instruction, data_type, data_source) and the screenshots in screenspotv2_image/; or the "
    "converted screenspot_*_v2_convert.json (bbox as x1, y1, x2, y2, img_size, ui_type, id)"
)


def _converted_item(reading: Reading, entry: Entry) -> Item:
    groups = {"platform": platform_of(entry.file), "ui_type": entry.text("ui_type")}
    return converted_item(reading, entry, groups=groups)


def _read(folder: Path) -> ItemSet:
    official = tuple(f"screenspot_{platform}_v2.json" for platform in PLATFORMS)
    converted = tuple(f"screenspot_{platform}_v2_convert.json" for platform in PLATFORMS)
    places = {
        "official": (official,),
        "converted": (converted, tuple(f"ScreenSpot_V2_data/{name}" for name in converted)),
    }
    layout, paths = find_files(folder, places, benchmark="ScreenSpot-v2", expected=LAYOUT)
    root = paths[0].parent
    reading = Reading("screenspot_v2", layout, 1272, (root / "screenspotv2_image", root / "images", root))
    read = official_item if layout == "official" else _converted_item
    return reading.read(paths, lambda entry: read(reading, entry))


BENCHMARK = Benchmark(
    name="screenspot_v2",
    title="ScreenSpot-v2",
    about="1272 instructions on phone, desktop and web screens, corrected",
    read=_read,
    layout=LAYOUT,
    axes=("platform", "ui_type", "platform x ui_type", "source"),
    averages=(MICRO, MACRO),
    expected=1272,
)
