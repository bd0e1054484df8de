"""Render the shipped boards in headless Chromium: pages, rows, and the sheet of parts that curricula are laid out of.

    pip install -e ".[synth]"
    apt-get install -y chromium-headless-shell
    python scripts/render_boards.py                # data_samples/boards
    python scripts/render_boards.py --out /tmp/b

Same browser, same pixels and same rows: the seeds of the pages are all that they depend on. Every target passes the
gates of `scripts/screens/gates.py` that concern it: inside the viewport, of 5 x 5 points at least 24 hit it.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "scripts")]

from screens.browser import NoBrowserError, find_browser, open_browser  # noqa: E402
from screens.gates import MIN_HITS  # noqa: E402

from zoomground.synth.boards.board import SIZE, Board, Kind, document, draw_board, instructions  # noqa: E402
from zoomground.synth.boards.sheet import SHEET, sheet_document  # noqa: E402

if TYPE_CHECKING:
    from screens.browser import Browser, Shot

PAGES = {"train": 72, "heldout": 60}
"""Pages of each split."""

TASKS = 4
"""Rows of each kind on a page, at most."""

MAX_BYTES = 4_000_000


def rendered(browser: Browser, board: Board) -> Shot:
    """A board as Chromium shows it.

    Raises:
        SystemExit: If a target does not pass the gates, or lies elsewhere than the layout says.
    """
    shot = browser.render(document(board), SIZE.width, SIZE.height, [None] * len(board.parts))
    for found in shot.targets:
        box = board.parts[found.index].box_px
        if found.hits < MIN_HITS or found.box_px != (box.x1, box.y1, box.x2, box.y2):
            raise SystemExit(f"{board.parts[found.index]}: found at {found.box_px}, {found.hits} of 25 points hit it")
    return shot


def rows_of(board: Board, page: str) -> list[dict[str, Any]]:
    """Rows of a page: as many buttons as tiles."""
    rng = random.Random(f"{page}/rows")
    kinds = {kind: [part for part in board.parts if part.kind is kind] for kind in Kind}
    count = min(TASKS, *(len(parts) for parts in kinds.values()))
    chosen = [part for parts in kinds.values() for part in rng.sample(parts, count)]
    rng.shuffle(chosen)
    return [
        {
            "problem": f"<image>{rng.choice(instructions(part))}",
            "solution": f"[{part.box_px.x1:g},{part.box_px.y1:g},{part.box_px.x2:g},{part.box_px.y2:g}]",
            "images": [f"images/{page}/screen.webp"],
            "id": f"{page}/{number}",
            "meta": {"page": page, "kind": part.kind.value, "name": part.name, "tint": part.tint},
        }
        for number, part in enumerate(chosen, 1)
    ]


def write_split(browser: Browser, out: Path, split: str) -> tuple[int, int]:
    """Pages and rows of a split; gives the number of rows and the bytes of its pictures."""
    rows, size = [], 0
    for number in range(1, PAGES[split] + 1):
        page = f"{split}-{number}"
        board = draw_board(page)
        picture = out / "images" / page / "screen.webp"
        picture.parent.mkdir(parents=True)
        image = Image.open(io.BytesIO(rendered(browser, board).png)).convert("RGB")
        image.save(picture, "WEBP", lossless=True, quality=100, method=6)
        size += picture.stat().st_size
        rows += rows_of(board, page)
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (out / f"{split}.jsonl").write_text(text, encoding="utf-8")
    return len(rows), size


def main() -> None:
    """Render everything beside its place, then put it there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "data_samples" / "boards")
    parser.add_argument("--browser", help="Chromium's executable; default: found on the path")
    args = parser.parse_args()
    try:
        path = find_browser(args.browser)
    except NoBrowserError as error:
        raise SystemExit(str(error)) from None
    beside = args.out.with_name(f".{args.out.name}")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    with open_browser(path) as browser:
        sheet = browser.render(sheet_document(), SHEET.width, SHEET.height, [])
        Image.open(io.BytesIO(sheet.png)).convert("RGB").save(beside / "parts.png", optimize=True)
        for split, pages in PAGES.items():
            rows, size = write_split(browser, beside, split)
            print(f"{split}: {pages} pages, {rows} rows, {size / 1e6:.2f} MB")
            if size > MAX_BYTES:
                raise SystemExit(f"{split}: more than {MAX_BYTES} bytes of pictures")
    args.out.mkdir(parents=True, exist_ok=True)
    for new in sorted(beside.iterdir()):
        old = args.out / new.name
        if old.is_dir():
            shutil.rmtree(old)
        new.replace(old)
    beside.rmdir()


if __name__ == "__main__":
    main()
