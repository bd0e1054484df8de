"""Which pieces of words, and which letters, stand where in a picture of a screen."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.curriculum.screens.shelf import Page, Thing, Word
    from zoomground.geometry import Box, Size

LETTERS = 95
"""The printable characters of ASCII; others are not told apart."""

_SPACE = ord(" ")
_WIDTHS = {
    **dict.fromkeys(ascii_uppercase, 1.25),
    **dict.fromkeys("mwMW@%&", 1.45),
    **dict.fromkeys("iljt.,:;'|!fI()[]r", 0.45),
}
"""How wide letters are beside others, about."""

_READ_PX = 6.0
"""Height of a line, in px as shown, from which its words are asked for; a line is a good fifth higher than its font."""

_SPELT_PX = 11.0
"""The same for letters."""

_ICON_PX = 7.0
_GROWN_PX = 1.0


@dataclass(frozen=True, slots=True)
class Pieces:
    """All pieces and letters of a screen.

    Attributes:
        ids: Token of each piece, (pieces,).
        at_px: Middle of each, (pieces, 2).
        high_px: Height of the line, or of the icon, that it stands in, (pieces,).
        is_icon: Whether it is the name of an icon, (pieces,).
        inked_px: Boxes of what is written or drawn, (boxes, 4).
        letters: Number of each letter, (letters,).
        letters_at_px: Middle of each, (letters, 2).
        letters_high_px: Height of its line, (letters,).
    """

    ids: npt.NDArray[np.int64]
    at_px: npt.NDArray[np.float32]
    high_px: npt.NDArray[np.float32]
    is_icon: npt.NDArray[np.bool_]
    inked_px: npt.NDArray[np.float32]
    letters: npt.NDArray[np.int64]
    letters_at_px: npt.NDArray[np.float32]
    letters_high_px: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a picture shows, by token and by patch.

    Attributes:
        tokens: Token of the picture that each piece stands in, (pieces,).
        ids: The pieces, (pieces,).
        empty: Tokens in which nothing is known to stand, (tokens,).
        patches: Patch that each letter stands in, in the order of the vision tower, (letters,).
        letters: The letters, (letters,).
    """

    tokens: npt.NDArray[np.int64]
    ids: npt.NDArray[np.int64]
    empty: npt.NDArray[np.int64]
    patches: npt.NDArray[np.int64]
    letters: npt.NDArray[np.int64]


def pieces_of(page: Page, tokenizer: Any, *, behind_space: bool = True) -> Pieces:
    """Cut the words of a screen into pieces; names of icons stand in their middles.

    Args:
        page: The screen.
        tokenizer: Of the checkpoint.
        behind_space: Cut words as they stand behind a space, else as behind a quotation mark: other tokens.
    """
    icons = [thing for thing in page.things if thing.is_icon and thing.name]
    space = " " if behind_space else ""
    texts = [space + one for one in (*(word.text for word in page.words), *(thing.name for thing in icons))]
    if not texts:
        return _none(page)
    encoded = tokenizer.backend_tokenizer.encode_batch(texts, add_special_tokens=False)
    found = _Found()
    for word, one in zip(page.words, encoded[: len(page.words)], strict=True):
        found.word(word, one.ids, [(max(0, a - len(space)), b - len(space)) for a, b in one.offsets])
    written = len(found.ids)
    for thing, one in zip(icons, encoded[len(page.words) :], strict=True):
        found.icon(thing, one.ids)
    return Pieces(
        np.array(found.ids, np.int64),
        np.array(found.at, np.float32).reshape(-1, 2),
        np.array(found.high, np.float32),
        np.arange(len(found.ids)) >= written,
        _inked(page),
        np.array(found.letters, np.int64),
        np.array(found.letters_at, np.float32).reshape(-1, 2),
        np.array(found.letters_high, np.float32),
    )


@dataclass
class _Found:
    ids: list[int] = field(default_factory=list)
    at: list[tuple[float, float]] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    letters: list[int] = field(default_factory=list)
    letters_at: list[tuple[float, float]] = field(default_factory=list)
    letters_high: list[float] = field(default_factory=list)

    def word(self, word: Word, ids: Sequence[int], spans: Sequence[tuple[int, int]]) -> None:
        """A word, its pieces and letters spread over its width as letters usually are."""
        box, text, edges = word.box_px, word.text, _edges(word.text)
        left, width, height = box.x1, box.x2 - box.x1, box.y2 - box.y1
        y = box.y1 + height / 2
        kept = [(one, span) for one, span in zip(ids, spans, strict=True) if span[1] > span[0]]
        self.ids += [one for one, _ in kept]
        self.at += [(left + width * (edges[start] + edges[stop]) / 2, y) for _, (start, stop) in kept]
        self.high += [height] * len(kept)
        plain = [place for place, letter in enumerate(text) if " " < letter < "\x7f"]
        self.letters += [ord(text[place]) - _SPACE for place in plain]
        self.letters_at += [(left + width * (edges[place] + edges[place + 1]) / 2, y) for place in plain]
        self.letters_high += [height] * len(plain)

    def icon(self, thing: Thing, ids: Sequence[int]) -> None:
        """The pieces of an icon's name, all in its middle."""
        middle = thing.box_px.center
        self.ids += ids
        self.at += [(middle.x, middle.y)] * len(ids)
        self.high += [min(thing.box_px.width, thing.box_px.height)] * len(ids)


def seen_in(pieces: Pieces, window_px: Box, shown: Size, grid: Size) -> Seen:
    """What of a screen a picture shows.

    Args:
        pieces: Of the screen.
        window_px: What of the screen the picture shows.
        shown: Size of the picture, px.
        grid: Its tokens.
    """
    scale = np.array([shown.width / window_px.width, shown.height / window_px.height], np.float32)
    corner = np.array([window_px.x1, window_px.y1], np.float32)
    side = shown.width / grid.width
    at, inside = _shown(pieces.at_px, corner, scale, shown)
    inside &= pieces.high_px * scale[1] >= np.where(pieces.is_icon, _ICON_PX, _READ_PX)
    column, row = (at[inside] // side).astype(np.int64).T
    tokens = row * grid.width + column
    ids = pieces.ids[inside]
    pairs = np.unique(np.stack([tokens, ids], 1), axis=0)
    spelt_at, spelt = _shown(pieces.letters_at_px, corner, scale, shown)
    spelt &= pieces.letters_high_px * scale[1] >= _SPELT_PX
    x, y = (spelt_at[spelt] // (side / 2)).astype(np.int64).T
    patches = ((y // 2) * grid.width + x // 2) * 4 + (y % 2) * 2 + x % 2
    spelling = np.unique(np.stack([patches, pieces.letters[spelt]], 1), axis=0)
    return Seen(pairs[:, 0], pairs[:, 1], _empty(pieces, corner, scale, grid, side), spelling[:, 0], spelling[:, 1])


def _shown(
    at_px: npt.NDArray[np.float32], corner: npt.NDArray[np.float32], scale: npt.NDArray[np.float32], shown: Size
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """Places in the picture, and which of them lie inside it."""
    at = (at_px - corner) * scale
    within = (at >= 0) & (at < np.array([shown.width, shown.height], np.float32))
    return at, within[:, 0] & within[:, 1]


def _empty(
    pieces: Pieces, corner: npt.NDArray[np.float32], scale: npt.NDArray[np.float32], grid: Size, side: float
) -> npt.NDArray[np.int64]:
    """Tokens that no box of anything written or drawn touches."""
    boxes = (pieces.inked_px.reshape(-1, 2, 2) - corner) * scale
    most = np.array([grid.width, grid.height])
    low = np.floor((boxes[:, 0] - _GROWN_PX) / side).astype(np.int64)
    high = np.floor((boxes[:, 1] + _GROWN_PX) / side).astype(np.int64) + 1
    touching = ((low < most) & (high > 0)).all(1)
    (x1, y1), (x2, y2) = np.clip(low[touching], 0, most).T, np.clip(high[touching], 0, most).T
    # How many boxes lie over each token, by where they begin and end.
    edges = np.zeros((grid.height + 1, grid.width + 1), np.int64)
    for y, x, sign in ((y1, x1, 1), (y1, x2, -1), (y2, x1, -1), (y2, x2, 1)):
        np.add.at(edges, (y, x), sign)
    return np.flatnonzero(edges.cumsum(0).cumsum(1)[:-1, :-1] == 0)


def _edges(text: str) -> list[float]:
    """Where the letters of a word begin and end, as shares of its width: by what letters usually take."""
    widths = [_WIDTHS.get(letter, 1.0) for letter in text]
    whole = sum(widths)
    return [0.0, *(one / whole for one in accumulate(widths))]


def _inked(page: Page) -> npt.NDArray[np.float32]:
    boxes = [word.box_px for word in page.words]
    boxes += [one.box_px for one in page.things if one.is_icon or one.is_typed]
    return np.array([(box.x1, box.y1, box.x2, box.y2) for box in boxes], np.float32).reshape(-1, 4)


def _none(page: Page) -> Pieces:
    places, numbers = np.zeros((0, 2), np.float32), np.zeros(0, np.float32)
    ids = np.zeros(0, np.int64)
    return Pieces(ids, places, numbers, numbers > 0, _inked(page), ids, places, numbers)
