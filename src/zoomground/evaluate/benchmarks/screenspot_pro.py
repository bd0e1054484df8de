"""ScreenSpot-Pro: 1581 targets of professional programs on screens up to 6016 px wide.

Official and converted copies have the same fields: boxes are x1, y1, x2, y2 px, and the score divides them by
``img_size``, not by the size of the file. All four borders count as inside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.evaluate.benchmarks.base import Entry, Reading, converted_item, find_files
from zoomground.evaluate.export import leaderboard
from zoomground.evaluate.items import MICRO, Average, Benchmark

if TYPE_CHECKING:
    from pathlib import Path

    from zoomground.evaluate.items import Item, ItemSet

LAYOUT = (
    "annotations/*.json (one file a program, fields img_filename, bbox as x1, y1, x2, y2 px, img_size, instruction, "
    "id, ui_type, group) and images/; or the json files alone"
)
PROGRAMS = "*_*.json"


def _read(folder: Path) -> ItemSet:
    patterns = {
        "official": ((f"annotations/{PROGRAMS}",),),
        "converted": ((f"ScreenSpot_Pro_data/{PROGRAMS}",), (PROGRAMS,)),
    }
    layout, paths = find_files(folder, patterns, benchmark="ScreenSpot-Pro", expected=LAYOUT)
    root = paths[0].parent
    reading = Reading("screenspot_pro", layout, 1581, (root.parent / "images", root / "images", root))

    def read(entry: Entry) -> Item:
        groups = {name: entry.text(name) for name in ("group", "ui_type", "application", "platform")}
        variants = {"cn": entry.text("instruction_cn")} if "instruction_cn" in entry.raw else {}
        return converted_item(reading, entry, groups=groups, variants=variants)

    return reading.read(paths, read)


BENCHMARK = Benchmark(
    name="screenspot_pro",
    title="ScreenSpot-Pro",
    about="1581 small targets of 26 professional programs",
    read=_read,
    layout=LAYOUT,
    axes=("group", "ui_type", "group x ui_type", "application", "platform"),
    averages=(MICRO, Average("mean of groups", ("group",)), Average("mean of programs", ("application",))),
    expected=1581,
    export=leaderboard,
)
