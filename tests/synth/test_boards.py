"""Boards: where parts lie, and that a board laid out of the sheet is the page that Chromium renders."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest
from PIL import Image

pytest.importorskip("numpy")

import numpy as np

from zoomground.collect.lattice import WINDOWS, grid_point, holds, window_of
from zoomground.collect.places import to_norm
from zoomground.errors import ZoomgroundError
from zoomground.synth.boards.board import SIDES, SIZE, Board, Kind, document, draw_board, instructions
from zoomground.synth.boards.sheet import SHEET, Sheet, sheet_document, sheet_parts

SHIPPED = Path(__file__).parents[2] / "data_samples" / "boards"
BOARDS = [draw_board(number) for number in range(200)]


def test_a_seed_is_a_board() -> None:
    assert draw_board("train-1") == draw_board("train-1")
    assert len({document(board) for board in BOARDS}) == len(BOARDS)


def test_parts_have_one_name_each_lie_inside_and_never_overlap() -> None:
    for board in BOARDS:
        assert len({part.name for part in board.parts}) == len(board.parts)
        assert {part.kind for part in board.parts} == set(Kind)
        for part in board.parts:
            box, side = part.box_px, SIDES[part.kind]
            assert (box.width, box.height) == (side.width, side.height)
            assert all(value == int(value) for value in (box.x1, box.y1))
            assert box.x1 >= 0
            assert box.x2 <= SIZE.width
            assert box.y1 >= 0
            assert box.y2 <= SIZE.height
        for one, other in combinations(board.parts, 2):
            assert not one.box_px.intersection_area(other.box_px)
        tiles = [part.box_px for part in board.parts if part.kind is Kind.TILE]
        assert not any(tile.intersection_area(board.palette_px) for tile in tiles)


def test_no_bar_covers_a_part() -> None:
    for board in BOARDS:
        for bar, _ in board.bars:
            assert not any(bar.intersection_area(part.box_px) for part in board.parts)


def test_every_part_can_be_answered_for_and_looked_at_whole() -> None:
    for board in BOARDS:
        for part in board.parts:
            box = to_norm(part.box_px, SIZE)
            answer, window = grid_point(box), window_of(box)
            assert answer is not None
            assert box.x1 <= answer[0] <= box.x2
            assert box.y1 <= answer[1] <= box.y2
            assert window in WINDOWS
            assert holds(window, box)
        assert window_of(to_norm(board.palette_px, SIZE)) is not None


def test_the_page_marks_its_parts_in_order() -> None:
    board = BOARDS[0]
    marks = re.findall(r'left:(\d+)px;top:(\d+)px[^>]*data-target="(\d+)"', document(board))
    expected = [(str(int(p.box_px.x1)), str(int(p.box_px.y1)), str(n)) for n, p in enumerate(board.parts)]
    assert marks == expected
    assert all(board.parts[0].name in asked for asked in instructions(board.parts[0]))


def test_the_sheet_holds_every_part_once() -> None:
    parts = sheet_parts()
    assert len({(part.name, part.tint, part.kind) for part in parts}) == len(parts) == 16 * 6 * 2
    assert not any(a.box_px.intersection_area(b.box_px) for a, b in combinations(parts[:24], 2))
    assert max(part.box_px.x2 for part in parts) == SHEET.width
    assert max(part.box_px.y2 for part in parts) == SHEET.height
    assert sheet_document().count("<b ") == len(parts)


@pytest.mark.parametrize("page", ["train-1", "train-30", "train-72", "heldout-7", "heldout-60"])
def test_a_laid_out_board_is_the_rendered_page_but_for_smoothed_edges(page: str) -> None:
    board = draw_board(page)
    with Image.open(SHIPPED / "images" / page / "screen.webp") as image:
        rendered = np.asarray(image.convert("RGB")).astype(int)
    difference = abs(Sheet(SHIPPED / "parts.png").lay_out(board).astype(int) - rendered).max(-1)
    assert difference.shape == (SIZE.height, SIZE.width)
    inside = _inside_parts(board)
    assert not difference[~inside].any()
    assert difference[inside].mean() < 0.1
    assert (difference[inside] > 0).mean() < 0.02


def _inside_parts(board: Board):  # type: ignore[no-untyped-def]
    mask = np.zeros((SIZE.height, SIZE.width), bool)
    for part in board.parts:
        box = part.box_px
        mask[int(box.y1) : int(box.y2), int(box.x1) : int(box.x2)] = True
    return mask


def test_another_picture_is_no_sheet(tmp_path: Path) -> None:
    Image.new("RGB", (64, 64)).save(tmp_path / "x.png")
    with pytest.raises(ZoomgroundError, match=r"x\.png: 64x64 px, a sheet of boards has 1200x1600"):
        Sheet(tmp_path / "x.png")
