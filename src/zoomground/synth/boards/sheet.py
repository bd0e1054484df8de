"""Every part of every board on one picture, rendered once, and boards laid out of it without a browser."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from zoomground.errors import ZoomgroundError
from zoomground.geometry import Box, Size
from zoomground.synth.boards.board import ICONS, SIDES, SIZE, TINTS, Kind, Part, flat_boxes, page_of

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from zoomground.synth.boards.board import Board

_CELL = Size(SIDES[Kind.TILE].width + SIDES[Kind.BUTTON].width, SIDES[Kind.TILE].height)
SHEET = Size(_CELL.width * len(TINTS), _CELL.height * len(ICONS))
"""Size of the sheet, px: a row for each icon, a tile and a button for each tint."""


def sheet_parts() -> list[Part]:
    """Every part, where it stands on the sheet."""
    parts = []
    for (row, name), (column, tint) in product(enumerate(ICONS), enumerate(sorted(TINTS))):
        x, y = column * _CELL.width, row * _CELL.height
        for kind, left in ((Kind.TILE, x), (Kind.BUTTON, x + SIDES[Kind.TILE].width)):
            side = SIDES[kind]
            parts.append(Part(name, tint, kind, Box(left, y, left + side.width, y + side.height)))
    return parts


def sheet_document() -> str:
    """The sheet as HTML, for a viewport of `SHEET`."""
    return page_of(sheet_parts())


class Sheet:
    """The rendered sheet.

    Args:
        path: Its picture.

    Raises:
        ZoomgroundError: If the picture is no sheet.
    """

    def __init__(self, path: Path) -> None:
        with Image.open(path) as image:
            pixels = np.asarray(image.convert("RGB"))
        if pixels.shape != (SHEET.height, SHEET.width, 3):
            raise ZoomgroundError(
                f"{path}: {pixels.shape[1]}x{pixels.shape[0]} px, a sheet of boards has {SHEET.width}x{SHEET.height}; "
                "render it with scripts/render_boards.py"
            )
        self._pixels = {(p.name, p.tint, p.kind): _cut(pixels, p.box_px) for p in sheet_parts()}

    def part(self, part: Part) -> npt.NDArray[np.uint8]:
        """Pixels of a part, of shape (height, width, 3)."""
        return self._pixels[part.name, part.tint, part.kind]

    def lay_out(self, board: Board) -> npt.NDArray[np.uint8]:
        """Pixels of a board, of shape (height, width, 3)."""
        page = np.full((SIZE.height, SIZE.width, 3), board.ground, np.uint8)
        for box, colour in flat_boxes(board):
            _cut(page, box)[:] = colour
        for part in board.parts:
            _cut(page, part.box_px)[:] = self.part(part)
        return page


def _cut(pixels: npt.NDArray[np.uint8], box: Box) -> npt.NDArray[np.uint8]:
    return pixels[int(box.y1) : int(box.y2), int(box.x1) : int(box.x2)]
