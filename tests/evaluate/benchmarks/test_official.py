"""Every benchmark reads its official layout as it is downloaded; three invented items each."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from layouts import FIXTURES, IMAGES, downloaded
from zoomground.errors import ZoomgroundError
from zoomground.evaluate.benchmarks import benchmark, benchmarks
from zoomground.evaluate.benchmarks.base import BoxForm, Entry
from zoomground.evaluate.items import Fate, ItemSet, Scoring
from zoomground.geometry import Box, Point, Polygon, Size
from zoomground.task import Refusal


def load(name: str, folder: Path) -> ItemSet:
    return benchmark(name).load(downloaded(name, folder, IMAGES[name]))


def test_every_benchmark_has_a_fixture() -> None:
    assert set(benchmarks()) == set(IMAGES)


@pytest.mark.parametrize("name", sorted(IMAGES))
def test_three_items_each_with_its_screenshot(name: str, tmp_path: Path) -> None:
    found = load(name, tmp_path)
    assert len(found) == len(found.by_id) == 3
    assert found.layout == ("rows" if name == "rows" else "official")
    assert all(isinstance(item.image, Path) and item.image.is_file() for item in found.items)
    assert {fault.kind for fault in found.problems} == (set() if name == "rows" else {"count"})
    assert benchmark(name).reported(found)
    assert load(name, tmp_path) == found


@pytest.mark.parametrize("name", ["screenspot", "screenspot_v2"])
def test_screenspot_holds_widths_and_heights(name: str, tmp_path: Path) -> None:
    found = load(name, tmp_path)
    targets = [item.task.target for item in found.items]
    # The first two also pass for corners: only the benchmark's word says that they are none.
    assert targets == [Box(30, 40, 80, 100), Box(90, 5, 190, 17), Box(10, 70, 30, 95)]
    assert [item.groups["platform"] for item in found.items] == ["mobile", "desktop", "web"]
    assert [item.groups["source"] for item in found.items] == ["ios", "linux", "shop"]
    assert found.items[0].size == Size(200, 150)


def test_screenspot_needs_the_screenshots_for_their_size(tmp_path: Path) -> None:
    folder = downloaded("screenspot", tmp_path, {})
    with pytest.raises(ZoomgroundError, match=r"_mobile\.json:1: .*'phone.png' is missing; these files do not"):
        benchmark("screenspot").load(folder, images=False)


def test_screenspot_pro_is_scored_in_the_annotated_size(tmp_path: Path) -> None:
    found = load("screenspot_pro", tmp_path)
    first = found.items[0]
    assert (first.task.target, first.size) == (Box(10, 20, 40, 32), Size(200, 100))
    on_file = first.task_on(Size(400, 200))  # the file is twice as large
    assert (on_file.target, on_file.size) == (Box(20, 40, 80, 64), Size(400, 200))
    assert first.task_on(Size(200, 100)) is first.task
    assert first.groups == {"group": "Creative", "ui_type": "icon", "application": "paint", "platform": "linux"}
    assert found.worded("cn").items[0].task.instruction == "选择圆形画笔"
    assert found.worded("cn").name == "screenspot_pro:cn"
    with pytest.raises(ZoomgroundError, match="no instruction 'de'; it has: cn"):
        found.worded("de")


@pytest.mark.parametrize("name", ["osworld_g", "osworld_g_refined"])
def test_osworld_g_reads_what_box_type_says(name: str, tmp_path: Path) -> None:
    found = load(name, tmp_path)
    assert [item.task.target for item in found.items] == [
        Box(150.5, 20, 180.75, 30),
        Polygon((Point(10, 10), Point(50, 10), Point(30, 40))),
        Refusal(),
    ]
    assert [item.refusal for item in found.items] == [False, False, True]
    assert found.items[1].tags["capability"] == ("element_recognition", "fine_grained_manipulation")
    assert found.cells("capability").keys() == {"element_recognition", "fine_grained_manipulation", "refusal"}
    assert found.cells("gui_type").keys() == {"Button", "Icon", "Slider", "Checkbox"}
    assert all(item.published is None for item in found.items)
    (tmp_path / "classification_result.json").unlink()
    assert "capability" not in benchmark(name).load(tmp_path).axes


@pytest.mark.parametrize(
    ("kind", "numbers", "target"),
    [
        ("polygon", [10, 20, 30, 40], Box(10, 20, 30, 40)),
        ("bbox", [10, 10, 50, 10, 30, 40], Polygon((Point(10, 10), Point(50, 10), Point(30, 40)))),
    ],
)
def test_dat_03_the_length_decides_and_the_type_is_a_hint(
    kind: str, numbers: list[float], target: object, tmp_path: Path
) -> None:
    folder = downloaded("osworld_g", tmp_path, IMAGES["osworld_g"])
    change(folder / "OSWorld-G.json", 0, box_type=kind, box_coordinates=numbers)
    found = benchmark("osworld_g").load(folder)
    assert found.items[0].task.target == target
    assert [(f.item, f.fate) for f in found.faults if f.kind == "box type"] == [("aa-0", Fate.REPAIRED)]


def test_dat_03_an_odd_number_of_numbers_is_an_error(tmp_path: Path) -> None:
    folder = downloaded("osworld_g", tmp_path, IMAGES["osworld_g"])
    change(folder / "OSWorld-G.json", 1, box_coordinates=[10, 10, 50, 10, 30])
    with pytest.raises(ZoomgroundError, match=r"G\.json:2: field 'box_coordinates': has 5 numbers, an odd count"):
        benchmark("osworld_g").load(folder)


def test_a_null_instruction_of_the_refined_set_comes_from_the_original(tmp_path: Path) -> None:
    folder = downloaded("osworld_g_refined", tmp_path, IMAGES["osworld_g_refined"])
    change(folder / "OSWorld-G_refined.json", 0, instruction=None)
    alone = benchmark("osworld_g_refined").load(folder)
    (fault,) = [fault for fault in alone.faults if fault.kind == "empty instruction"]
    assert (fault.item, fault.fate) == ("aa-0", Fate.PROBLEM)
    assert len(alone) == 3  # it stays in the denominator
    shutil.copy(FIXTURES / "osworld_g" / "OSWorld-G.json", folder)
    beside = benchmark("osworld_g_refined").load(folder)
    assert beside.items[0].task.instruction == "Change the settings"
    assert [fault.fate for fault in beside.faults if fault.kind == "empty instruction"] == [Fate.REPAIRED]


def test_ui_vision_has_three_settings_and_clips_what_leaves_the_image(tmp_path: Path) -> None:
    found = load("ui_vision", tmp_path)
    assert [item.groups["setting"] for item in found.items] == ["basic", "functional", "spatial"]
    assert found.items[0].task.target == Box(20.5, 10.25, 30.75, 18)
    assert found.items[2].task.target == Box(199, 10, 200, 18)
    assert [(f.item, f.fate) for f in found.faults if f.kind == "outside"] == [
        ("element_grounding_spatial_0", Fate.REPAIRED)
    ]
    assert found.items[0].groups["application"] == "Draw"


@pytest.mark.parametrize("box", [[190, 10, 203, 20], [201, 10, 202, 20], [-2, -2, -1, -1], [10, 90, 20, 140]])
def test_a_box_of_another_image_is_a_problem_and_stays_as_it_is(box: list[float], tmp_path: Path) -> None:
    folder = downloaded("screenspot_pro", tmp_path, IMAGES["screenspot_pro"])
    change(folder / "annotations" / "sheet_windows.json", 0, bbox=box)
    found = benchmark("screenspot_pro").load(folder)
    assert [(f.item, f.fate) for f in found.faults if f.kind == "outside"] == [("sheet_windows_0", Fate.PROBLEM)]
    assert found.items[2].task.target == Box(*box)


def test_a_clipped_box_keeps_what_was_published(tmp_path: Path) -> None:
    folder = downloaded("screenspot_pro", tmp_path, IMAGES["screenspot_pro"])
    change(folder / "annotations" / "sheet_windows.json", 0, bbox=[150, -1, 160, 6])
    item = benchmark("screenspot_pro").load(folder).items[2]
    assert (item.target(), item.target(Scoring.PUBLISHED)) == (Box(150, 0, 160, 6), Box(150, -1, 160, 6))


def test_twins_are_told(tmp_path: Path) -> None:
    folder = downloaded("screenspot_pro", tmp_path, IMAGES["screenspot_pro"])
    file = folder / "annotations" / "paint_linux.json"
    first = json.loads(file.read_text("utf-8"))[0]
    change(file, 1, **first)
    found = benchmark("screenspot_pro").read(folder)
    kinds = {fault.kind: fault.fate for fault in found.faults}
    assert (kinds["same id"], kinds["duplicate"]) == (Fate.PROBLEM, Fate.KEPT)
    assert len(found) == 3
    with pytest.raises(ZoomgroundError, match=r"paint_linux\.json:2: 'paint_linux_0' has the id of entry 1"):
        benchmark("screenspot_pro").load(folder)


def test_ui_vision_puts_corners_in_order_as_the_official_score_does(tmp_path: Path) -> None:
    folder = downloaded("ui_vision", tmp_path, IMAGES["ui_vision"])
    change(folder / "annotations/element_grounding/element_grounding_basic.json", 0, bbox=[30.75, 18, 20.5, 10.25])
    found = benchmark("ui_vision").load(folder)
    assert found.items[0].task.target == Box(20.5, 10.25, 30.75, 18)
    assert "corner order" in {fault.kind for fault in found.faults}


def test_mmbench_holds_shares_of_the_image(tmp_path: Path) -> None:
    found = load("mmbench_gui_l2", tmp_path)
    assert [item.task.target for item in found.items] == [
        Box(20, 20, 30, 30),
        Box(20, 20, 30, 30),
        Box(0, 0, 30, 7.5),
    ]
    assert [item.groups["level"] for item in found.items] == ["basic", "advanced", "basic"]
    assert [fault.kind for fault in found.faults if fault.fate is Fate.REPAIRED] == ["minus one"]


def test_mmbench_pixels_in_the_official_file_are_refused_not_guessed(tmp_path: Path) -> None:
    folder = downloaded("mmbench_gui_l2", tmp_path, IMAGES["mmbench_gui_l2"])
    change(folder / "L2_annotations.json", 1, bbox=[20, 20, 30, 30])
    with pytest.raises(ZoomgroundError, match=r"L2_annotations\.json:2: field 'bbox': must be .* shares of the image"):
        benchmark("mmbench_gui_l2").load(folder)


def test_rows_are_grouped_by_the_words_in_their_meta(tmp_path: Path) -> None:
    found = load("rows", tmp_path)
    assert [item.id for item in found.items] == ["one", "held_out:2", "held_out:3"]
    assert {kind: len(cell) for kind, cell in found.cells("kind").items()} == {"mail": 2, "cad": 1}
    assert found.axes == ("kind", "difficulty")
    one_file = benchmark("rows").load(tmp_path / "held_out.jsonl")
    assert one_file.items == found.items
    shutil.copy(tmp_path / "held_out.jsonl", tmp_path / "more.jsonl")
    assert [item.id for item in benchmark("rows").load(tmp_path).items][3:] == ["2:one", "more:2", "more:3"]


def test_a_bad_row_stops_a_run_and_is_named(tmp_path: Path) -> None:
    folder = downloaded("rows", tmp_path, {})
    with pytest.raises(ZoomgroundError, match=r"held_out\.jsonl:1: field 'images': 'shots/a\.png' is missing.*2 more"):
        benchmark("rows").load(folder)


def test_another_layout_is_named() -> None:
    with pytest.raises(ZoomgroundError, match=r"not the layout of ScreenSpot: expected screenspot_mobile.*holds: "):
        benchmark("screenspot").load(FIXTURES / "screenspot_v2")
    with pytest.raises(ZoomgroundError, match="there is no benchmark 'screenspot-v3'; known are: mmbench_gui_l2"):
        benchmark("screenspot-v3")


def test_dat_01_width_and_height_where_corners_belong_is_an_error() -> None:
    entry = Entry(Path("a.json"), 7, {"bbox": [879, 75, 599, 269]})
    with pytest.raises(ZoomgroundError, match=r"a\.json:7: field 'bbox': .* is no box .*x, y, width, height\?"):
        entry.box("bbox", BoxForm.XYXY)
    assert entry.box("bbox", BoxForm.XYWH) == Box(879, 75, 1478, 344)


def change(file: Path, place: int, **fields: object) -> None:
    """Change fields of an entry of an annotation file."""
    entries = json.loads(file.read_text("utf-8"))
    entries[place] |= fields
    file.write_text(json.dumps(entries), "utf-8")
