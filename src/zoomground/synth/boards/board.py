"""Where the parts of a board lie, drawn from a seed; its HTML."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum

from zoomground.geometry import Box, Size
from zoomground.synth.icons.own import drawing

SIZE = Size(1280, 800)
"""Viewport of every board, px."""

ICONS = (
    *("bell", "camera", "check", "clock", "flag", "folder", "gear", "heart"),
    *("home", "lock", "mail", "play", "plus", "search", "star", "trash"),
)
"""What can be named: own drawings of these names, in the order of the alphabet."""

TINTS = {
    "red": "#c62828",
    "green": "#2e7d32",
    "blue": "#1d4ed8",
    "purple": "#7b1fa2",
    "orange": "#e65100",
    "grey": "#455a64",
}

_BUTTON = Size(40, 40)
_TILE = Size(160, 100)
_ICON_PX = {_BUTTON: 22, _TILE: 88}
_GAP = 6
_COLUMNS, _ROWS = 3, 2
_PALETTE = Size(_COLUMNS * (_BUTTON.width + _GAP) + _GAP, _ROWS * (_BUTTON.height + _GAP) + _GAP)
_HEADER_PX = 44
_MARGIN = 8
_INSTRUCTIONS = ("Click the {name} icon", "Press {name}", "Open {name}")


class Kind(StrEnum):
    """What a part is: a button of the palette, or a tile."""

    BUTTON = "button"
    TILE = "tile"


SIDES = {Kind.BUTTON: _BUTTON, Kind.TILE: _TILE}
"""Size of each kind, px."""


@dataclass(frozen=True, slots=True)
class Part:
    """One icon of a board; ``box_px`` holds whole numbers."""

    name: str
    tint: str
    kind: Kind
    box_px: Box


@dataclass(frozen=True, slots=True)
class Board:
    """One page.

    Attributes:
        ground: Grey level of the page.
        palette_px: Where the palette lies.
        parts: The icons; no two of one name.
        bars: Flat bars that stand for the rest of a page: box in px, colour.
    """

    ground: int
    palette_px: Box
    parts: tuple[Part, ...]
    bars: tuple[tuple[Box, str], ...]


def draw_board(seed: int | str) -> Board:
    """The board of a seed."""
    rng = random.Random(f"board/{seed}")
    ground = rng.randint(226, 250)
    tiles = rng.randint(3, 5)
    names = rng.sample(ICONS, _COLUMNS * _ROWS + tiles)
    tint, *others = rng.sample(sorted(TINTS), 3)
    palette = _spot(rng, _PALETTE, [])
    taken = [palette]
    parts = [_button(i, name, tint, palette) for i, name in enumerate(names[: _COLUMNS * _ROWS])]
    for name in names[_COLUMNS * _ROWS :]:
        spot = _spot(rng, _TILE, taken)
        taken.append(spot)
        parts.append(Part(name, rng.choice(others), Kind.TILE, spot))
    return Board(ground, palette, tuple(parts), _bars(rng, ground, rng.choice(sorted(TINTS)), taken))


def instructions(part: Part) -> list[str]:
    """The ways to ask for a part."""
    return [form.format(name=part.name) for form in _INSTRUCTIONS]


def document(board: Board) -> str:
    """The page as HTML; each part carries ``data-target`` with its number."""
    flat = "".join(_flat(box, colour) for box, colour in _painted(board))
    parts = "".join(_part_html(part, f' data-target="{number}"') for number, part in enumerate(board.parts))
    return _page(f"{flat}{parts}", _grey(board.ground))


def page_of(parts: list[Part]) -> str:
    """A page that shows these parts and nothing else, as HTML."""
    return _page("".join(_part_html(part, "") for part in parts), _grey(255))


def flat_boxes(board: Board) -> list[tuple[Box, tuple[int, int, int]]]:
    """The flat boxes of a board in the order in which they are painted: box in px, RGB."""
    return [(box, _rgb(colour)) for box, colour in _painted(board)]


def _painted(board: Board) -> list[tuple[Box, str]]:
    return [*board.bars, (board.palette_px, _panel(board.ground))]


def _page(body: str, colour: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Board</title><style>'
        f"body{{margin:0;overflow:hidden;background:{colour}}}i,b{{position:absolute}}b{{display:grid;place-items:center;color:#fff}}</style></head><body>"
        f"{body}</body></html>"
    )


def _flat(box: Box, colour: str) -> str:
    return f'<i style="{_place(box)};background:{colour}"></i>'


def _part_html(part: Part, attribute: str) -> str:
    icon = drawing(part.name, _ICON_PX[SIDES[part.kind]])
    return f'<b style="{_place(part.box_px)};background:{TINTS[part.tint]}"{attribute}>{icon}</b>'


def _place(box: Box) -> str:
    return f"left:{box.x1:.0f}px;top:{box.y1:.0f}px;width:{box.width:.0f}px;height:{box.height:.0f}px"


def _button(number: int, name: str, tint: str, palette: Box) -> Part:
    row, column = divmod(number, _COLUMNS)
    x = palette.x1 + _GAP + column * (_BUTTON.width + _GAP)
    y = palette.y1 + _GAP + row * (_BUTTON.height + _GAP)
    return Part(name, tint, Kind.BUTTON, Box(x, y, x + _BUTTON.width, y + _BUTTON.height))


def _spot(rng: random.Random, size: Size, taken: list[Box]) -> Box:
    """A free place below the header; boards are so empty that one is soon found."""
    while True:
        x = rng.randint(_MARGIN, SIZE.width - _MARGIN - size.width)
        y = rng.randint(_HEADER_PX + _MARGIN, SIZE.height - _MARGIN - size.height)
        spot = Box(x, y, x + size.width, y + size.height)
        if not any(_near(spot, other) for other in taken):
            return spot


def _near(one: Box, other: Box) -> bool:
    return not (
        one.x2 + _MARGIN <= other.x1
        or other.x2 + _MARGIN <= one.x1
        or one.y2 + _MARGIN <= other.y1
        or other.y2 + _MARGIN <= one.y1
    )


def _bars(rng: random.Random, ground: int, tint: str, taken: list[Box]) -> tuple[tuple[Box, str], ...]:
    """A header, and blocks of lines as a page shows them while its text loads."""
    bars = [(Box(0, 0, SIZE.width, _HEADER_PX), TINTS[tint]), (Box(16, 16, 16 + rng.randint(90, 220), 28), "#ffffff")]
    line = _grey(ground - 14)
    for _ in range(rng.randint(2, 5)):
        width, lines = rng.randint(120, 300), rng.randint(2, 5)
        x, y = rng.randint(16, SIZE.width - 16 - width), rng.randint(_HEADER_PX + 16, SIZE.height - 16 - lines * 18)
        if any(_near(Box(x, y, x + width, y + lines * 18), other) for other in taken):
            continue
        bars += [
            (Box(x, y + i * 18, x + (width if i < lines - 1 else width // 2), y + i * 18 + 8), line)
            for i in range(lines)
        ]
    return tuple(bars)


def _panel(ground: int) -> str:
    return _grey(ground - 30)


def _grey(level: int) -> str:
    return f"#{level:02x}{level:02x}{level:02x}"


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
