"""Training rows that are written: read back as they were, and none that is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from zoomground.data.rows import read_rows, write_rows
from zoomground.data.targets import solution_text
from zoomground.errors import RowError
from zoomground.geometry import Box, Point, Polygon, Size
from zoomground.task import Difficulty, Refusal, Task

GOOD = {"problem": "<image>Open the File menu", "solution": "[10,20,60,50]", "images": ["a.png"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Image.new("RGB", (800, 600), "white").save(tmp_path / "a.png")
    return tmp_path


@st.composite
def targets(draw: st.DrawFn) -> Box | Refusal:
    x1, y1 = draw(st.floats(0, 700)), draw(st.floats(0, 500))
    box = Box(x1, y1, x1 + draw(st.floats(1, 100)), y1 + draw(st.floats(1, 100)))
    return draw(st.sampled_from([box, Refusal()]))


@settings(max_examples=40, deadline=None)
@given(
    target=targets(),
    instruction=st.text(min_size=1).map(str.strip).filter(lambda text: text and "<image>" not in text),
    difficulty=st.none() | st.sampled_from(Difficulty),
    name=st.text(min_size=1),
    meta=st.dictionaries(st.text(), st.integers() | st.text(), max_size=2),
)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory,
    target: Box | Refusal,
    instruction: str,
    difficulty: Difficulty | None,
    name: str,
    meta: dict[str, Any],
) -> None:
    folder = tmp_path_factory.getbasetemp()
    if not (folder / "a.png").exists():
        Image.new("RGB", (800, 600)).save(folder / "a.png")
    where = {"refusal": True} if isinstance(target, Refusal) else {"solution": solution_text(target)}
    said = {"problem": f"<image>{instruction}", "images": ["a.png"], "id": name, "meta": meta, **where}
    assert write_rows(folder / "rows.jsonl", [said if difficulty is None else said | {"difficulty": difficulty}]) == 1
    (row,) = read_rows(folder / "rows.jsonl")
    assert row.task == Task(name, instruction, "a.png", Size(800, 600), target, difficulty, meta)


def test_a_polygon_is_written_with_its_box_and_read_back(folder: Path) -> None:
    triangle = Polygon((Point(1, 2), Point(30.5, 2), Point(1, 40)))
    assert solution_text(triangle.box) == "[1,2,30.5,40]"
    row = GOOD | {"polygon": [1, 2, 30.5, 2, 1, 40], "solution": solution_text(triangle.box)}
    write_rows(folder / "rows.jsonl", [row])
    assert [read.task.target for read in read_rows(folder / "rows.jsonl")] == [triangle]


def test_a_bad_row_is_not_written_and_the_old_file_stays(folder: Path) -> None:
    path = folder / "rows.jsonl"
    write_rows(path, [GOOD])
    with pytest.raises(RowError, match=r"rows\.jsonl:2: field 'problem': has 2 <image> tags"):
        write_rows(path, [GOOD, GOOD | {"problem": "<image>the <image> icon"}])
    assert len(list(read_rows(path))) == 1
