"""ScreenSpot: 1272 instructions on phone, desktop and web screens; also the reader that ScreenSpot-v2 shares.

The official files hold x, y, width, height in px and no image size, so the screenshots are needed even to score
recorded answers. The paper's average is the plain mean of the six cells platform x kind of element; many tables use
the micro average instead. Both have their names here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.evaluate.benchmarks.base import BoxForm, Entry, Reading, find_files, item
from zoomground.evaluate.items import MICRO, Average, Benchmark

if TYPE_CHECKING:
    from pathlib import Path

    from zoomground.evaluate.items import Item, ItemSet

PLATFORMS = ("mobile", "desktop", "web")
MACRO = Average("mean of six cells", ("platform", "ui_type"))

LAYOUT = (
    "screenspot_mobile.json, screenspot_desktop.json, screenspot_web.json (fields img_filename, bbox as x, y, width, "
    "height px, instruction, data_type, data_source) and the screenshots in screenspot_imgs/"
)


def official_item(reading: Reading, entry: Entry) -> Item:
    """An item of the official files: box as x, y, width, height; size of the screenshot's file; id from the place."""
    image = entry.text("img_filename")
    path = reading.image(image)
    return item(
        entry,
        id=f"{entry.file.stem}_{entry.number - 1}",
        instruction=entry.text("instruction"),
        image=image,
        path=path,
        target=entry.box("bbox", BoxForm.XYWH),
        groups={
            "platform": platform_of(entry.file),
            "ui_type": entry.text("data_type"),
            "source": entry.text("data_source"),
        },
        size=reading.measured(entry, "img_filename", path),
    )


def platform_of(file: Path) -> str:
    """The platform that an annotation file is about: its name says it."""
    return file.stem.split("_")[1]


def _read(folder: Path) -> ItemSet:
    names = tuple(f"screenspot_{platform}.json" for platform in PLATFORMS)
    layout, paths = find_files(folder, {"official": (names,)}, benchmark="ScreenSpot", expected=LAYOUT)
    reading = Reading("screenspot", layout, 1272, (folder / "screenspot_imgs", folder / "images", folder))
    return reading.read(paths, lambda entry: official_item(reading, entry))


BENCHMARK = Benchmark(
    name="screenspot",
    title="ScreenSpot",
    about="1272 instructions on phone, desktop and web screens",
    read=_read,
    layout=LAYOUT,
    axes=("platform", "ui_type", "platform x ui_type", "source"),
    averages=(MACRO, MICRO),
    expected=1272,
)
