"""Windows in which a missed task is asked again: they hold the target, they are exact, and they say where they are."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from episodes import task
from zoomground.engines.swift.session import TASK_COLUMN, Assignment
from zoomground.engines.swift.windows import META_KEY, Windows, draw_window, in_window
from zoomground.geometry import Box, Point, Polygon, Region, Size
from zoomground.images import load_screenshot
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.rewards.quality import surround
from zoomground.task import Difficulty, Refusal

SIZE = Size(1280, 800)


@given(st.data())
def test_a_window_holds_the_surround_and_has_its_share(data: st.DataObject) -> None:
    width, height = data.draw(st.integers(8, 4000)), data.draw(st.integers(8, 3000))
    x1, y1 = data.draw(st.floats(0, width - 1)), data.draw(st.floats(0, height - 1))
    box = Box(x1, y1, data.draw(st.floats(x1, width)), data.draw(st.floats(y1, height)))
    size, share = Size(width, height), data.draw(st.floats(0.05, 0.85))
    needed = surround(box, size)
    region = draw_window(needed, size, share, random.Random(data.draw(st.integers())))
    if region is None:
        return
    assert region.x1 <= needed.x1
    assert region.y1 <= needed.y1
    assert region.x2 >= needed.x2
    assert region.y2 >= needed.y2
    assert region.size.width >= round(share * width)
    assert region.size.height >= round(share * height)
    assert region.size.area <= 0.75 * size.area


def test_its_sides_are_the_share_unless_the_target_needs_more() -> None:
    small = draw_window(Box(100, 100, 120, 120), SIZE, 0.5, random.Random(0))
    assert small is not None
    assert small.size == Size(640, 400)
    wide = draw_window(Box(10.5, 100, 910.2, 120), SIZE, 0.5, random.Random(0))
    assert wide is not None
    assert wide.size == Size(901, 400)
    assert draw_window(Box(0, 0, 1280, 700), SIZE, 0.5, random.Random(0)) is None, "that is the screen again"


def test_its_place_is_drawn_over_all_that_hold_the_target_and_comes_again_from_a_seed() -> None:
    places = {draw_window(Box(600, 300, 620, 320), SIZE, 0.5, random.Random(seed)) for seed in range(400)}
    lefts = sorted(region.x1 for region in places if region is not None)
    assert lefts[0] <= 5
    assert lefts[-1] >= 595, "from flush with its right edge to flush with its left"
    assert max(after - before for before, after in pairwise(lefts)) < 30
    twice = [draw_window(Box(600, 300, 620, 320), SIZE, 0.5, random.Random("a")) for _ in range(2)]
    assert twice[0] == twice[1]


def test_the_task_in_a_window_is_the_same_target() -> None:
    region = Region(500, 300, 1140, 700, SIZE)
    whole = task(SIZE, Box(640.5, 400, 660, 420.25), difficulty=Difficulty.HARD)
    asked = in_window(whole, region, "abc")
    assert asked.target == Box(140.5, 100, 160, 120.25)
    assert asked.size == Size(640, 400)
    assert asked.id == "t1@500,300,1140,700"
    assert asked.difficulty is None
    assert asked.instruction == whole.instruction
    assert asked.meta == {
        META_KEY: {"id": "t1", "image": "shots/screen.png", "sha256": "abc", "region_px": [500, 300, 1140, 700]}
    }
    polygon = Polygon((Point(600, 400), Point(650, 400), Point(620, 450)))
    shifted = in_window(task(SIZE, polygon), region, "")
    assert shifted.target == Polygon((Point(100, 100), Point(150, 100), Point(120, 150)))


def windows(folder: Path, share: float = 0.5) -> Windows:
    return Windows(folder, share, EpisodeSettings())


def test_what_is_not_asked_again(tmp_path: Path) -> None:
    made, dice = windows(tmp_path), random.Random(0)
    assert made.region_of(task(SIZE), Arm.ON, dice) is not None
    assert made.region_of(task(SIZE), Arm.OFF, dice) is None, "it may not zoom"
    assert made.region_of(task(SIZE), Arm.FORCED, dice) is None
    assert made.region_of(task(SIZE, Refusal()), Arm.ON, dice) is None, "nothing is there to be held"
    assert made.region_of(task(SIZE, None), Arm.ON, dice) is None
    asked = in_window(task(SIZE), Region(500, 300, 1140, 700, SIZE), "")
    assert made.region_of(asked, Arm.ON, dice) is None, "it was asked again before"


def test_a_window_that_could_be_as_small_as_the_target_keeps_its_surround(tmp_path: Path) -> None:
    region = windows(tmp_path, share=0.001).region_of(task(SIZE), Arm.ON, random.Random(0))
    assert region == Region(620, 380, 680, 440, SIZE), "the target's box is [640, 400, 660, 420]"


def test_its_file_holds_the_original_s_pixels(tmp_path: Path) -> None:
    noise = Image.frombytes("RGB", (1280, 800), random.Random(0).randbytes(1280 * 800 * 3))
    noise.save(tmp_path / "screen.png")
    shot = load_screenshot(tmp_path / "screen.png")
    region = Region(500, 300, 1140, 700, SIZE)
    row = windows(tmp_path / "windows").row_of(task(SIZE), region, shot)
    assignment = Assignment.from_json(row[TASK_COLUMN])
    file = Path(assignment.original)
    assert assignment.task.image == str(file)
    assert assignment.arm is Arm.ON
    assert assignment.task.meta[META_KEY]["sha256"] == shot.sha256
    assert file.name == "screen.png"
    assert file.parent.parent == (tmp_path / "windows").resolve()
    cut = load_screenshot(file)
    assert cut.pixels.tobytes() == noise.crop((500, 300, 1140, 700)).tobytes()
    assert assignment.task.size == cut.size
    assert row["images"] == [str(next((tmp_path / "windows" / "shown").resolve().glob("*.png")))]
    assert row["solution"] == "[140,100,160,120]"
    assert "640" in row["messages"][0]["content"]
    assert "1280" not in row["messages"][0]["content"]
    written = {path: path.stat().st_mtime_ns for path in (tmp_path / "windows").rglob("*.png")}
    assert windows(tmp_path / "windows").row_of(task(SIZE), region, shot) == row
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "windows").rglob("*") if path.suffix} == written


def test_a_disk_that_is_full_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    Image.new("RGB", (1280, 800)).save(tmp_path / "screen.png")
    shot = load_screenshot(tmp_path / "screen.png")
    with pytest.raises(OSError, match="file"):
        windows(tmp_path / "file").row_of(task(SIZE), Region(500, 300, 1140, 700, SIZE), shot)
