"""The published sets, where they are present: counts, groups, and the faults that are known of them."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from layouts import SHARED, needs_shared
from zoomground.evaluate.benchmarks import benchmark
from zoomground.evaluate.items import Fate, ItemSet
from zoomground.evaluate.verify import target_sizes
from zoomground.geometry import Box, Polygon, Size

ANNOTATIONS = SHARED / "annotations"
FOLDERS = {
    "screenspot_v2": "ScreenSpot_V2_data",
    "screenspot_pro": "ScreenSpot_Pro_data",
    "osworld_g": "OS_G_data",
    "osworld_g_refined": "OS_G_Refine_data",
    "ui_vision": "UI_Vision_data",
    "mmbench_gui_l2": "MMbench_data",
}

pytestmark = needs_shared


@cache
def load(name: str) -> ItemSet:
    return benchmark(name).load(ANNOTATIONS / FOLDERS[name], images=False)


def cells(found: ItemSet, *axes: str) -> Counter[tuple[str, ...]]:
    return Counter(tuple(item.groups[axis] for axis in axes) for item in found.items)


def faults(found: ItemSet) -> Counter[tuple[str, str]]:
    return Counter((fault.kind, fault.fate.value) for fault in found.faults if fault.kind != "missing image")


@pytest.mark.parametrize("name", sorted(FOLDERS))
def test_counts(name: str) -> None:
    found = load(name)
    assert len(found) == len(found.by_id) == found.expected == benchmark(name).expected
    assert found.layout == "converted"


def test_the_folder_above_all_copies_does_too() -> None:
    assert benchmark("osworld_g").load(ANNOTATIONS, images=False) == load("osworld_g")


@pytest.mark.parametrize(
    ("name", "cell", "short", "area", "thin", "words"),
    [
        ("screenspot_v2", None, (39, 85, 212), 0.72, (0, 0, 0), None),
        ("screenspot_pro", None, (17, 24, 50), 0.036, (74, 37, 10), (2, 4, 8)),
        ("osworld_g", ("target", "box"), (13, 25, 43), 0.067, (26, 13, 13), (3, 6, 12)),
        ("osworld_g_refined", ("target", "box"), (13, 25, 43), 0.067, (26, 13, 13), (10, 17, 27)),
        ("ui_vision", ("setting", "basic"), (19, 27, 44), 0.06, (9, 1, 1), None),
        ("ui_vision", ("setting", "spatial"), None, None, None, (12, 15, 19)),
        ("mmbench_gui_l2", None, (23, 52, 134), 0.22, (13, 2, 0), (9, 14, 21)),
    ],
)
def test_sizes_of_targets_and_lengths_of_instructions(
    name: str,
    cell: tuple[str, str] | None,
    short: tuple[int, ...] | None,
    area: float | None,
    thin: tuple[int, ...] | None,
    words: tuple[int, ...] | None,
) -> None:
    items = load(name).cells(cell[0])[cell[1]] if cell else load(name).items
    found = target_sizes(items)
    assert found is not None
    assert short is None or tuple(round(value) for value in found.short_px) == short
    assert area is None or found.area_percent == pytest.approx(area, rel=0.02)
    assert thin is None or tuple(round(value) for value in found.thin_percent) == thin
    assert words is None or found.words == words


def test_screenspot_v2() -> None:
    found = load("screenspot_v2")
    assert cells(found, "platform", "ui_type") == {
        ("mobile", "text"): 290,
        ("mobile", "icon"): 211,
        ("desktop", "text"): 194,
        ("desktop", "icon"): 140,
        ("web", "text"): 234,
        ("web", "icon"): 203,
    }
    assert faults(found) == {("outside", "repaired"): 1, ("duplicate", "kept"): 1}


def test_screenspot_v2_in_its_official_form(tmp_path: Path) -> None:
    """The converted boxes written as the official file holds them give the same items; guessing would not."""
    (tmp_path / "screenspotv2_image").mkdir()
    official: dict[str, list[dict[str, Any]]] = {}
    for item in load("screenspot_v2").items:
        assert isinstance(item.task.target, Box)
        image = tmp_path / "screenspotv2_image" / item.task.image
        image.write_bytes(blank(item.size))
        box = item.task.target
        official.setdefault(f"screenspot_{item.groups['platform']}_v2.json", []).append(
            {
                "img_filename": item.task.image,
                "bbox": [box.x1, box.y1, box.width, box.height],
                "instruction": item.task.instruction,
                "data_type": item.groups["ui_type"],
                "data_source": "any",
            }
        )
    for name, entries in official.items():
        (tmp_path / name).write_text(json.dumps(entries), "utf-8")
    found, converted = benchmark("screenspot_v2").load(tmp_path), load("screenspot_v2")
    assert found.layout == "official"
    assert {item.id: item.task for item in found.items} == {item.id: item.task for item in converted.items}
    misread = sum(box[2] > box[0] and box[3] > box[1] for entries in official.values() for box in _boxes(entries))
    assert misread == 61


@cache
def blank(size: Size) -> bytes:
    """A PNG of that size."""
    stream = BytesIO()
    Image.new("1", (size.width, size.height)).save(stream, "PNG")
    return stream.getvalue()


def _boxes(entries: list[dict[str, Any]]) -> list[list[float]]:
    return [entry["bbox"] for entry in entries]


def test_screenspot_pro() -> None:
    found = load("screenspot_pro")
    groups = {"Dev": 299, "Creative": 341, "CAD": 261, "Scientific": 254, "Office": 230, "OS": 196}
    assert {key: len(cell) for key, cell in found.cells("group").items()} == groups
    assert {key: len(cell) for key, cell in found.cells("ui_type").items()} == {"text": 977, "icon": 604}
    assert len(found.cells("application")) == 26
    assert [(f.item, f.fate) for f in found.faults if f.kind == "outside"] == [("inventor_windows_60", Fate.REPAIRED)]
    assert all(item.variants["cn"] for item in found.items)


@pytest.mark.parametrize("name", ["osworld_g", "osworld_g_refined"])
def test_osworld_g_with_its_polygons_put_right(name: str) -> None:
    found = load(name)
    assert cells(found, "target") == {("box",): 470, ("polygon",): 40, ("refusal",): 54}
    wanted = {("polygon", "repaired"): 40, ("refusal", "repaired"): 54}
    assert faults(found) == wanted | ({("empty instruction", "repaired"): 1} if name == "osworld_g_refined" else {})
    for item in found.items:
        if isinstance(item.task.target, Polygon):
            box = item.task.target.box  # as broken they reach far beyond the screen
            assert box.x1 >= 0 <= box.y1
            assert box.x2 <= item.size.width
            assert box.y2 <= item.size.height
    by_id = found.by_id
    x1, y1 = 1197.26, 350.44
    target, published = by_id["2ENZHM7E2X-0"].task.target, by_id["2ENZHM7E2X-0"].published
    assert isinstance(target, Polygon)
    assert [(c.x, c.y) for c in target.corners[:3]] == [(x1, y1), (1192.98, 357.56), (1192.98, 363.26)]
    assert published == Box(x1, y1, 2390.24, 708.0)


def test_the_null_instruction_without_the_original_set(tmp_path: Path) -> None:
    name = "OSWorld-G_refined_sspro_format.json"
    (tmp_path / name).write_bytes((ANNOTATIONS / "OS_G_Refine_data" / name).read_bytes())
    found = benchmark("osworld_g_refined").load(tmp_path, images=False)
    (fault,) = [fault for fault in found.faults if fault.kind == "empty instruction"]
    assert (fault.item, fault.fate) == ("9bQOfLzvdu-0", Fate.PROBLEM)
    assert "put OSWorld-G.json beside" in fault.text


def test_ui_vision() -> None:
    found = load("ui_vision")
    assert cells(found, "setting") == {("basic",): 1772, ("functional",): 1772, ("spatial",): 1935}
    assert faults(found) == {("outside", "repaired"): 77, ("no area", "kept"): 1}


def test_mmbench() -> None:
    found = load("mmbench_gui_l2")
    assert cells(found, "level") == {("basic",): 1787, ("advanced",): 1807}
    assert len(cells(found, "level", "platform")) == 12
    assert faults(found) == {("duplicate", "kept"): 13}
