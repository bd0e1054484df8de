"""ScreenSpot-Pro as downloaded, and as published: x1, y1, x2, y2 over ``img_size``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from layouts import SHARED, downloaded, needs_shared

from zoomground.errors import ZoomgroundError
from zoomground.evaluate.benchmarks import benchmark
from zoomground.evaluate.items import Fate
from zoomground.geometry import Box, Size

if TYPE_CHECKING:
    from pathlib import Path

IMAGES = {"images/paint_linux/one.png": (400, 200), "images/sheet_windows/two.png": (200, 100)}


def test_the_official_layout(tmp_path: Path) -> None:
    found = benchmark("screenspot-pro").load(downloaded("screenspot_pro", tmp_path, IMAGES))
    assert (found.name, found.layout) == ("screenspot_pro", "official")
    assert [item.id for item in found.items] == ["paint_linux_0", "paint_linux_1", "sheet_windows_0"]
    first = found.items[0]
    assert first.task.target == Box(10, 20, 40, 32)
    assert first.size == Size(200, 100)  # the annotation's frame, though the file is twice as large
    assert first.image == tmp_path / "images" / "paint_linux" / "one.png"
    assert first.groups == {"group": "Creative", "ui_type": "icon", "application": "paint", "platform": "linux"}
    assert found.worded("cn").items[0].task.instruction == "选择圆形画笔"
    assert found.worded("cn").name == "screenspot_pro:cn"
    assert [fault.kind for fault in found.problems] == ["count"]


def test_a_missing_screenshot_stops_a_run_and_not_a_replay(tmp_path: Path) -> None:
    folder = downloaded("screenspot_pro", tmp_path, dict(list(IMAGES.items())[:1]))
    with pytest.raises(ZoomgroundError, match=r"screenshots of 1 of 3 items are missing: sheet_windows/two\.png"):
        benchmark("screenspot_pro").load(folder)
    found = benchmark("screenspot_pro").load(folder, images=False)
    assert [item.image is None for item in found.items] == [False, False, True]


@needs_shared
def test_the_published_set() -> None:
    found = benchmark("screenspot_pro").load(SHARED / "annotations" / "ScreenSpot_Pro_data", images=False)
    assert len(found) == found.expected == 1581
    groups = {"Dev": 299, "Creative": 341, "CAD": 261, "Scientific": 254, "Office": 230, "OS": 196}
    assert Counter(item.groups["group"] for item in found.items) == groups
    assert Counter(item.groups["ui_type"] for item in found.items) == {"text": 977, "icon": 604}
    assert len({item.groups["application"] for item in found.items}) == 26
    assert [(f.item, f.fate) for f in found.faults if f.kind == "outside"] == [("inventor_windows_60", Fate.REPAIRED)]
