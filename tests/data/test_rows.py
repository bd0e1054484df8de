"""Training rows held against their images; the DAT cases carry their number."""

from __future__ import annotations

import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from zoomground.data.rows import Row, check_rows, read_data_set, read_rows, write_rows
from zoomground.errors import RowError, ZoomgroundError
from zoomground.geometry import Box, Point, Polygon, Size
from zoomground.images import encode, load_screenshot
from zoomground.task import Difficulty, Refusal, Task

GOOD = {"problem": "<image>Open the File menu", "solution": "[10,20,60,50]", "images": ["shots/a.png"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shots").mkdir()
    Image.new("RGB", (800, 600), "white").save(tmp_path / "shots" / "a.png")
    return tmp_path


def rows_file(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def with_image(folder: Path, width: int, height: int, **options: object) -> None:
    Image.new("RGB", (width, height)).save(folder / "shots" / "a.png", **options)


def one(folder: Path, **changes: object) -> Row:
    (row,) = read_rows(rows_file(folder, GOOD | changes))
    return row


def problem_of(folder: Path, field: str, **changes: object) -> str:
    path = rows_file(folder, GOOD, GOOD | changes)
    with pytest.raises(RowError) as caught:
        list(read_rows(path))
    assert caught.value.line == 2
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{path}:2: field '{field}': ")
    return caught.value.problem


# --- a good row


def test_a_row_becomes_a_task(folder: Path) -> None:
    row = one(folder)
    assert row.task == Task("rows:1", "Open the File menu", "shots/a.png", Size(800, 600), Box(10, 20, 60, 50))
    assert row.image_path == folder / "shots" / "a.png"
    assert row.image_source == row.image_path
    assert (row.file, row.line, row.raw, row.warnings) == (folder / "rows.jsonl", 1, GOOD, ())


def test_optional_fields_reach_the_task(folder: Path) -> None:
    meta = {"kind": "toolbar", "width": 800, "height": 600}
    row = one(folder, difficulty="hard", id="t-1", meta=meta, messages=[{"role": "user", "content": "x"}])
    assert (row.task.difficulty, row.task.id, row.task.meta) == (Difficulty.HARD, "t-1", meta)
    assert one(folder, id=7).task.id == "7"


def test_a_list_of_numbers_is_as_good_as_its_text(folder: Path) -> None:
    assert one(folder, solution=[10, 20, 60.5, 50]).task.target == Box(10, 20, 60.5, 50)
    assert one(folder, solution=" [10, 20, 60.5, 50] ").task.target == Box(10, 20, 60.5, 50)


def test_the_tag_may_stand_anywhere(folder: Path) -> None:
    assert one(folder, problem="Open the File menu.\n<image>").task.instruction == "Open the File menu."


def test_a_refusal_needs_no_solution(folder: Path) -> None:
    row = {"problem": "<image>Open Mars", "images": ["shots/a.png"], "refusal": True}
    for solution in ({}, {"solution": None}, {"solution": ""}, {"solution": "[]"}):
        (read,) = read_rows(rows_file(folder, row | solution))
        assert read.task.target == Refusal()
    assert "not both" in problem_of(folder, "solution", refusal=True)


def test_an_image_may_be_a_data_uri(folder: Path) -> None:
    uri = encode(Image.new("RGB", (100, 50))).data_uri()
    row = one(folder, images=[uri], solution="[1,2,30,40]")
    assert row.task.size == Size(100, 50)
    assert row.image_path is None
    assert load_screenshot(row.image_source).size == Size(100, 50)
    assert "base64" in problem_of(folder, "images", images=["data:image/png;base64,!!!!"])


def test_the_size_is_that_of_the_upright_image(folder: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    with_image(folder, 800, 600, exif=exif)
    assert one(folder, solution="[10,700,60,790]").task.size == Size(600, 800)


# --- faults of annotations


def test_img_03_swapped_sizes_are_reported_as_rotated_and_never_rescaled(folder: Path) -> None:
    with_image(folder, 600, 800)
    meta = {"width": 800, "height": 600}
    path = rows_file(folder, GOOD | {"solution": "[650,100,700,150]", "meta": meta})
    with pytest.raises(RowError, match=r"field 'meta': rotated\? it says 800x600, the upright image is 600x800"):
        list(read_rows(path))
    with pytest.raises(RowError, match=r"field 'solution': \[650,100,700,150\] reaches 100 px outside.*rotated\?"):
        list(read_rows(rows_file(folder, GOOD | {"solution": "[650,100,700,150]"})))


def test_img_03_another_size_is_reported(folder: Path) -> None:
    problem = problem_of(folder, "meta", meta={"width": 1600, "height": 1200})
    assert "says 1600x1200, the upright image is 800x600" in problem
    assert "rotated" not in problem


def test_img_09_a_large_image_names_file_and_row(folder: Path) -> None:
    data = bytearray((folder / "shots" / "a.png").read_bytes())
    data[16:24] = (14000).to_bytes(4, "big") * 2
    data[29:33] = zlib.crc32(data[12:29]).to_bytes(4, "big")
    (folder / "shots" / "big.png").write_bytes(data)
    assert "14000x14000 px" in problem_of(folder, "images", images=["shots/big.png"])


@pytest.mark.parametrize("open_images", [True, False])
def test_img_11_an_image_that_was_checked_can_be_used(folder: Path, open_images: bool) -> None:
    report = check_rows(rows_file(folder, GOOD), open_images=open_images)
    assert report.ok
    (row,) = read_rows(rows_file(folder, GOOD), open_images=open_images)
    assert load_screenshot(row.image_source).pixels.getpixel((5, 5)) == (255, 255, 255)


def test_dat_01_width_and_height_are_flagged_not_guessed(folder: Path) -> None:
    with_image(folder, 1920, 1080)
    problem = problem_of(folder, "solution", solution="[879,75,599,269]")
    assert "x,y,w,h? then write it as [879,75,1478,344]" in problem
    for width, height in ((900, 400), (1920, 200)):
        with_image(folder, width, height)
        assert "x,y,w,h of another image size" in problem_of(folder, "solution", solution="[879,75,599,269]")


def test_dat_03_four_numbers_of_a_polygon_are_a_rectangle(folder: Path) -> None:
    row = one(folder, polygon=[10, 20, 60, 50], solution=None)
    assert row.task.target == Box(10, 20, 60, 50)


def test_dat_03_six_numbers_are_corners_and_an_odd_count_is_an_error(folder: Path) -> None:
    corners = Polygon((Point(10, 20), Point(60, 20), Point(10, 50)))
    assert one(folder, polygon=[10, 20, 60, 20, 10, 50], solution=None).task.target == corners
    assert one(folder, polygon="[10,20,60,20,10,50]").task.target == corners
    assert "7 numbers, an odd count" in problem_of(folder, "polygon", polygon=[1, 2, 3, 4, 5, 6, 7], solution=None)
    assert "2 numbers" in problem_of(folder, "polygon", polygon=[1, 2], solution=None)
    assert "go into 'polygon'" in problem_of(folder, "solution", solution="[1,2,3,4,5,6]")
    assert "no area" in problem_of(folder, "polygon", polygon=[0, 0, 10, 10, 20, 20], solution=None)


def test_dat_03_a_polygon_and_its_solution_must_agree(folder: Path) -> None:
    problem = problem_of(folder, "solution", polygon=[10, 20, 60, 20, 10, 90])
    assert "not the box around the polygon, [10,20,60,90]" in problem


def test_dat_05_missing_images_stop_a_run_and_are_counted_and_named(folder: Path) -> None:
    assert "'shots/b.png' is missing" in problem_of(folder, "images", images=["shots/b.png"])
    path = rows_file(folder, GOOD, *(GOOD | {"images": [f"shots/{name}.png"]} for name in "bbcdez"))
    report = check_rows(path)
    assert report.missing == tuple(f"shots/{name}.png" for name in "bcdez")
    assert len(report.errors) == 6
    assert not report.ok
    assert report.summary().endswith("5 images missing: shots/b.png, shots/c.png, shots/d.png, ...")


def test_dat_07_a_box_without_area_is_an_error(folder: Path) -> None:
    with_image(folder, 364, 448)
    assert "[364,300,364,476] has no area" in problem_of(folder, "solution", solution="[364,300,364,476]")


def one_big(folder: Path, solution: str) -> Row:
    with_image(folder, 364, 448)
    return one(folder, solution=solution)


def test_dat_07_up_to_one_pixel_outside_is_clipped_and_more_is_an_error(folder: Path) -> None:
    row = one_big(folder, "[-1,300,100,449]")
    assert row.task.target == Box(0, 300, 100, 448)
    assert "reaches 1 px outside the image and was clipped" in str(row.warnings[0])
    for solution in ("[-1.5,300,100,400]", "[10,300,100,449.5]", "[10,-2,100,20]", "[10,10,366,20]"):
        path = rows_file(folder, GOOD | {"solution": solution})
        with pytest.raises(RowError, match="px outside the 364x448 image"):
            list(read_rows(path))
    for solution in ("[364,0,365,10]", "[0,448,10,449]", "[364.5,0,365,10]", "[-1,5,-0.5,10]"):
        path = rows_file(folder, GOOD | {"solution": solution})
        with pytest.raises(RowError, match="no area inside the 364x448 image"):
            list(read_rows(path))


def test_dat_07_a_polygon_is_clipped_corner_by_corner(folder: Path) -> None:
    row = one(folder, polygon=[-0.5, 10, 100, 10, 100, 600.5], solution=None)
    assert row.task.target == Polygon((Point(0, 10), Point(100, 10), Point(100, 600)))
    assert "outside the 800x600 image" in problem_of(folder, "polygon", polygon=[0, 0, 802, 0, 5, 5], solution=None)


def test_dat_07_a_tiny_box_is_a_warning(folder: Path) -> None:
    row = one(folder, solution="[10,10,11.9,30]")
    assert [warning.field for warning in row.warnings] == ["solution"]
    assert re.search(r"rows\.jsonl:1: field 'solution': .*only 1\.9 px", str(row.warnings[0]))
    assert one(folder, solution="[10,10,12,30]").warnings == ()
    report = check_rows(rows_file(folder, GOOD | {"solution": "[10,10,11,30]"}))
    assert report.ok
    assert len(report.warnings) == 1


def test_dat_11_bad_lines_are_collected_with_their_numbers_and_blank_ones_counted(folder: Path) -> None:
    path = folder / "rows.jsonl"
    good = json.dumps(GOOD).encode()
    path.write_bytes(b"\n".join([good, b"", b'{"problem": "caf\xe9"}', good, b"   ", b"[1]", good[:-1]]))
    report = check_rows(path)
    assert [error.line for error in report.errors] == [3, 6, 7]
    assert "the file ends inside this line" in report.errors[2].problem
    assert (report.rows, report.blank) == (2, 2)
    assert report.summary() == f"{path}: 2 good rows, 3 errors, 0 warnings, 2 blank lines skipped"


@pytest.mark.parametrize("field", ["objects", "bbox"])
def test_dat_13_a_framework_box_field_is_refused(folder: Path, field: str) -> None:
    assert "put the box, in px, into 'solution'" in problem_of(folder, field, **{field: [[1, 2, 3, 4]]})


def test_dat_13_rows_are_written_with_plain_text_boxes_only(folder: Path) -> None:
    with pytest.raises(RowError, match="field 'objects'"):
        write_rows(folder / "new.jsonl", [GOOD | {"objects": {"bbox": [[1, 2, 3, 4]]}}])


@pytest.mark.parametrize(
    ("image", "message"),
    [
        ("shots\\a.png", "has backslashes; write 'shots/a.png'"),
        ("/data/shots/a.png", "is absolute"),
        ("C:/shots/a.png", "is absolute"),
        ("C:\\shots\\a.png", "is absolute"),
        ("~/a.png", "is absolute"),
        ("../shots/a.png", "leaves the folder"),
        ("shots/../../a.png", "leaves the folder"),
        ("https://host/a.png", "is an address"),
        ("shots/A.PNG", "on the disk 'A.PNG' is spelt 'a.png'"),
        ("Shots/a.png", "on the disk 'Shots' is spelt 'shots'"),
        ("shots", "is a folder"),
        ("", "is empty"),
        ("a\0b.png", "invisible characters"),
        ("shots/a.png/b.png", "is missing"),
    ],
)
def test_dat_15_paths_are_relative_posix_and_spelt_as_on_the_disk(folder: Path, image: str, message: str) -> None:
    assert message in problem_of(folder, "images", images=[image])


def test_dat_15_the_authors_path_of_the_case(folder: Path) -> None:
    assert "write 'shots/A.PNG'" in problem_of(folder, "images", images=["shots\\A.PNG"])


def test_dat_17_a_point_is_no_target(folder: Path) -> None:
    for point in ("[35,35]", [35, 35]):
        assert "is a point; rewards need the target's box" in problem_of(folder, "solution", solution=point)


# --- faults of rows


@pytest.mark.parametrize(
    ("field", "changes", "message"),
    [
        ("solution", {"solution": "10,20,60,50"}, "is not a JSON list"),
        ("solution", {"solution": "[10,20,60]"}, "has 3 numbers, a box has four"),
        ("solution", {"solution": '{"x": 1}'}, "must be a flat list of numbers"),
        ("solution", {"solution": "[[10,20],[60,50]]"}, "must be a flat list of numbers"),
        ("solution", {"solution": "[10,20,60,NaN]"}, "must be a flat list of numbers"),
        ("solution", {"solution": [10, 20, 60, True]}, "must be a flat list of numbers"),
        ("solution", {"solution": [10, 20, 60, 10**400]}, "must be a flat list of numbers"),
        ("solution", {"solution": [10, 20, 60, "50"]}, "must be a flat list of numbers"),
        ("solution", {"solution": ""}, "is missing"),
        ("solution", {"solution": None}, "is missing"),
        ("solution", {"solution": 5}, "got '5'"),
        ("solution", {"solution": "[60,20,10,50]"}, "x2 < x1"),
        ("images", {"images": "shots/a.png"}, "valid list"),
        ("images", {"images": []}, "holds 0 images"),
        ("images", {"images": ["shots/a.png", "shots/a.png"]}, "holds 2 images"),
        ("problem", {"problem": "Open the File menu"}, "has no <image> tag"),
        ("problem", {"problem": "<image>Click the <image> icon"}, "has 2 <image> tags"),
        ("problem", {"problem": "<im<image>age>"}, "makes a new <image> tag"),
        ("problem", {"problem": "<image> \n"}, "has no instruction"),
        ("problem", {"problem": 5}, "valid string"),
        ("difficulty", {"difficulty": "medium"}, "'hard' or 'easy'"),
        ("refusal", {"refusal": "yes"}, "valid boolean"),
        ("meta", {"meta": [1]}, "valid dictionary"),
        ("id", {"id": ""}, "is empty"),
        ("imagse", {"imagse": ["x"]}, "did you mean 'images'?"),
        ("weather", {"weather": "fine"}, "put other figures into 'meta'"),
    ],
)
def test_a_wrong_field_is_named_with_its_remedy(
    folder: Path, field: str, changes: dict[str, Any], message: str
) -> None:
    assert message in problem_of(folder, field, **changes)


def test_a_missing_field_is_named(folder: Path) -> None:
    with pytest.raises(RowError, match="field 'images': is missing; a row needs problem, images and solution"):
        list(read_rows(rows_file(folder, {"problem": "<image>x", "solution": "[1,2,3,4]"})))


def test_ids_are_unique_also_against_default_ids(folder: Path) -> None:
    for first, second in (("a", "a"), ("rows:2", None), (3, "3")):
        with pytest.raises(RowError, match=r"rows\.jsonl:2: field 'id': .* is the id of line 1 too"):
            list(read_rows(rows_file(folder, GOOD | {"id": first}, GOOD | {"id": second})))


def test_files_of_one_name_make_a_data_set_of_different_ids(tmp_path: Path) -> None:
    """Two files of one stem share default ids; a file of its own, and the first of several, keeps its ids."""
    files = []
    for name in ("first", "second", "third"):
        folder = tmp_path / name
        (folder / "shots").mkdir(parents=True)
        with_image(folder, 800, 600)
        files.append(rows_file(folder, GOOD, GOOD | {"id": "mine"}))
    alone = [row.task.id for row in read_rows(files[0])]
    assert alone == ["rows:1", "mine"]
    assert [row.task.id for row in read_data_set(files[:1])] == alone
    together = [row.task.id for row in read_data_set(files)]
    assert together == [*alone, "2:rows:1", "2:mine", "3:rows:1", "3:mine"]
    assert [row.task.id for row in read_data_set(files[:2])] == together[:4], "a further file changes none before it"
    # The file of a row is its own: paths stay relative to it.
    assert [row.file for row in read_data_set(files)] == [file for file in files for _ in range(2)]
    prefixed = rows_file(tmp_path / "first", GOOD, GOOD | {"id": "2:rows:1"})
    assert len({row.task.id for row in read_data_set([prefixed, *files[1:]])}) == 6


def test_a_truncated_image_is_found_when_images_are_opened(folder: Path) -> None:
    data = encode(Image.effect_noise((200, 200), 80)).data
    (folder / "shots" / "a.png").write_bytes(data[: len(data) // 2])
    path = rows_file(folder, GOOD)
    assert len(list(read_rows(path))) == 1
    with pytest.raises(RowError, match=r"rows\.jsonl:1: field 'images': shots/a\.png: the image is damaged"):
        list(read_rows(path, open_images=True))
    assert not check_rows(path).ok


def test_an_image_that_many_rows_share_is_opened_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []

    def counting(path: Path) -> bytes:
        opened.append(path)
        return original(path)

    original = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", counting)
    assert len(list(read_rows(rows_file(folder, *[GOOD] * 5)))) == 5
    assert len(opened) == 1


def test_rows_are_streamed(folder: Path) -> None:
    rows = read_rows(rows_file(folder, GOOD, {"problem": "bad"}))
    assert next(rows).line == 1
    with pytest.raises(RowError):
        next(rows)


def test_the_report_counts_what_is_there(folder: Path) -> None:
    report = check_rows(
        rows_file(
            folder,
            GOOD | {"difficulty": "hard"},
            GOOD | {"difficulty": "hard", "polygon": [10, 20, 60, 20, 10, 50]},
            {"problem": "<image>x", "images": ["shots/a.png"], "refusal": True},
        )
    )
    assert (report.rows, report.refusals, report.polygons) == (3, 1, 1)
    assert report.difficulties == {Difficulty.HARD: 2}


def test_an_empty_file_is_not_ok_and_an_absent_one_is_an_error(folder: Path) -> None:
    assert not check_rows(rows_file(folder)).ok
    with pytest.raises(ZoomgroundError, match=r"absent\.jsonl: there is no such file"):
        check_rows(folder / "absent.jsonl")
