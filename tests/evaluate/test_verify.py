"""Screenshots are held against their annotation, and targets are measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PIL import Image

from layouts import downloaded
from zoomground.evaluate.benchmarks import benchmark
from zoomground.evaluate.items import Fate, Item
from zoomground.evaluate.verify import counted, screenshot_faults, target_sizes
from zoomground.geometry import Box, Size
from zoomground.task import Refusal, Target, Task

if TYPE_CHECKING:
    from pathlib import Path


def item(target: Target, words: str = "a", size: Size = Size(2000, 1000)) -> Item:
    return Item(Task("a", words, "a.png", size, target), None)


def test_target_sizes_of_ten_known_boxes() -> None:
    items = [item(Box(0, 0, 10 * number, 100), "w " * number) for number in range(1, 11)]
    found = target_sizes([*items, item(Refusal(), "not counted " * 50)])
    assert found is not None
    assert found.short_px == (20, 60, 100)
    assert found.words == (2, 6, 10)
    assert found.area_percent == 100 * 6000 / 2_000_000
    # At 1 Mpx each side is divided by 1.414: 10 px become 7, 20 px become 14.1.
    assert found.thin_percent == (10, 10, 10)
    assert target_sizes([item(Box(0, 0, 15, 100))]).thin_percent == (100, 0, 0)  # type: ignore[union-attr]
    assert target_sizes([item(Refusal())]) is None


def test_screenshots_of_another_size_or_none(tmp_path: Path) -> None:
    images = {"images/aa.png": (400, 200), "images/bb.png": (90, 160)}
    folder = downloaded("osworld_g", tmp_path, images)
    found = screenshot_faults(benchmark("osworld_g").load(folder))
    assert [(one.item, one.kind, one.fate) for one in found] == [
        ("aa-0", "image size", Fate.KEPT),  # twice as large: scored in the annotated size
        ("bb-0", "image size", Fate.PROBLEM),
    ]
    assert "is 90x160 px, annotated as 160x90 px: another picture?" in found[1].text
    Image.new("RGB", (200, 100)).save(folder / "images" / "aa.png")
    (folder / "images" / "bb.png").write_bytes(b"no image")
    found = screenshot_faults(benchmark("osworld_g").load(folder))
    assert [(one.item, one.kind, one.fate) for one in found] == [("bb-0", "image", Fate.PROBLEM)]
    assert counted(found) == {Fate.PROBLEM: {"image": 1}}
