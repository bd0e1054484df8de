"""The shipped boards: what their guide promises holds, and the script still renders them."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np
from PIL import Image

from zoomground.data.rows import check_rows
from zoomground.images import display_name
from zoomground.synth.boards.board import ICONS, SIDES, SIZE, TINTS, Kind, draw_board
from zoomground.synth.boards.sheet import Sheet

ROOT = Path(__file__).resolve().parents[1]
BOARDS = ROOT / "data_samples" / "boards"
SPLITS = ("train", "heldout")
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")

needs_a_browser = pytest.mark.skipif(
    not any(map(shutil.which, BROWSERS)) or importlib.util.find_spec("playwright") is None,
    reason="no Chromium, or no playwright",
)

Row = dict[str, Any]


@pytest.fixture(scope="module")
def splits() -> dict[str, list[Row]]:
    return {
        split: [json.loads(line) for line in (BOARDS / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()]
        for split in SPLITS
    }


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script as a module."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("render_boards")


def pages(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(row["meta"]["page"] for row in rows))


def test_the_guide_tells_the_numbers(splits: dict[str, list[Row]]) -> None:
    text = (BOARDS / "README.md").read_text(encoding="utf-8")
    counts = {split: (len(pages(rows)), len(rows)) for split, rows in splits.items()}
    assert f"{counts['train'][0] + counts['heldout'][0]} pages of a closed vocabulary" in text
    assert f"{counts['train'][0]} to train on (`train.jsonl`, {counts['train'][1]} rows)" in text
    assert f"{counts['heldout'][0]} held-out (`heldout.jsonl`, {counts['heldout'][1]} rows)" in text
    assert f"{SIZE.width}x{SIZE.height}" in text
    assert re.search(rf"{len(ICONS)} icons that can be asked for, in {len(TINTS)}\s+tints", text)
    for kind, word in ((Kind.TILE, "tiles"), (Kind.BUTTON, "buttons")):
        assert f"**{word}** of {SIDES[kind].width}x{SIDES[kind].height} px" in text


@pytest.mark.parametrize("split", SPLITS)
def test_the_package_reads_the_rows_without_a_fault(split: str) -> None:
    report = check_rows(BOARDS / f"{split}.jsonl")
    assert report.ok, [str(error) for error in report.errors]
    assert not report.warnings


def test_all_images_are_small_and_each_is_used(splits: dict[str, list[Row]]) -> None:
    used = {name for rows in splits.values() for row in rows for name in row["images"]}
    assert used == {image.relative_to(BOARDS).as_posix() for image in BOARDS.glob("images/*/*")}
    assert sum(file.stat().st_size for file in BOARDS.rglob("*") if file.is_file()) <= 2_000_000
    assert {display_name(name) for name in used} == {"screen.webp"}


def test_train_and_heldout_are_apart_by_layout(splits: dict[str, list[Row]]) -> None:
    layouts = {split: {draw_board(page) for page in pages(rows)} for split, rows in splits.items()}
    assert not layouts["train"] & layouts["heldout"]
    places = {split: {board.palette_px for board in boards} for split, boards in layouts.items()}
    assert not places["train"] & places["heldout"]
    for rows in splits.values():
        assert {row["meta"]["name"] for row in rows} == set(ICONS)


@pytest.mark.parametrize("split", SPLITS)
def test_each_page_asks_for_as_many_buttons_as_tiles_each_once(splits: dict[str, list[Row]], split: str) -> None:
    rows = splits[split]
    for page in pages(rows):
        own = [row for row in rows if row["meta"]["page"] == page]
        kinds = Counter(row["meta"]["kind"] for row in own)
        assert kinds["button"] == kinds["tile"] in {3, 4}
        assert len({row["solution"] for row in own}) == len(own)
    assert len({row["id"] for row in rows}) == len(rows)


def test_the_rows_are_those_that_the_script_writes(splits: dict[str, list[Row]], script: Any) -> None:
    assert {split: len(pages(rows)) for split, rows in splits.items()} == script.PAGES
    for rows in splits.values():
        assert [row for page in pages(rows) for row in script.rows_of(draw_board(page), page)] == rows


@pytest.mark.parametrize("split", SPLITS)
def test_every_page_is_what_the_sheet_lays_out(splits: dict[str, list[Row]], split: str) -> None:
    sheet = Sheet(BOARDS / "parts.png")
    for page in pages(splits[split]):
        board = draw_board(page)
        with Image.open(BOARDS / "images" / page / "screen.webp") as image:
            different = (np.asarray(image.convert("RGB")) != sheet.lay_out(board)).any(-1).sum()
        assert different < 0.02 * sum(part.box_px.area for part in board.parts), page


@pytest.mark.browser
@needs_a_browser
def test_the_script_renders_the_shipped_pages_again(script: Any, tmp_path: Path) -> None:
    with script.open_browser(script.find_browser(None)) as browser:
        for page in ("train-1", "heldout-60"):
            (tmp_path / "again.png").write_bytes(script.rendered(browser, draw_board(page)).png)
            with (
                Image.open(tmp_path / "again.png") as again,
                Image.open(BOARDS / "images" / page / "screen.webp") as shipped,
            ):
                pixels = [np.asarray(image.convert("RGB")).astype(int) for image in (again, shipped)]
            # Another build of the browser may smooth the edges of strokes otherwise, and nothing else.
            assert (abs(pixels[0] - pixels[1]).max(-1) > 32).mean() < 0.002


@pytest.mark.browser
@needs_a_browser
def test_a_part_that_is_covered_is_refused(script: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    board = draw_board("train-1")
    covered = script.document(board).replace("</body>", '<i style="inset:0;background:#fff"></i></body>')
    with script.open_browser(script.find_browser(None)) as browser:
        monkeypatch.setattr(script, "document", lambda board: covered)
        with pytest.raises(SystemExit, match="of 25 points hit it"):
            script.rendered(browser, board)
