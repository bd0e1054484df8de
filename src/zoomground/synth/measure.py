"""What the browser says of the elements of a screen: boxes, roles, names, and what lies over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.synth.graph import Placed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from zoomground.synth.graph import Element, Group


@dataclass(frozen=True, slots=True)
class Measured:
    """One element as drawn.

    Attributes:
        index: Its place in document order, as in `Placed`.
        box_px: Left, top, right, bottom of its visible part in device px: what clipping ancestors and the viewport
            leave of it.
        share: Share of its area that is in that part.
        role: ARIA role that the browser computes.
        name: Accessible name that the browser computes.
        clear: Share of a grid of 5 x 5 points in the box on which nothing else lies over it.
        centre: Whether the middle of the box is its own: no other element's, not even of one inside it.
        seen: Whether any of it can be seen, be it behind a veil (the dark sheet behind a dialog).
        cut: Whether text that belongs to its name is cut off.
        disabled: Whether it takes no input.
        drawn: Whether there is a glyph for every character of its text.
    """

    index: int
    box_px: tuple[float, float, float, float]
    share: float = 1.0
    role: str = ""
    name: str = ""
    clear: float = 1.0
    centre: bool = True
    seen: bool = True
    cut: bool = False
    disabled: bool = False
    drawn: bool = True

    @property
    def width_px(self) -> float:
        """Width of the box."""
        return self.box_px[2] - self.box_px[0]

    @property
    def height_px(self) -> float:
        """Height of the box."""
        return self.box_px[3] - self.box_px[1]

    @property
    def short_px(self) -> float:
        """Short side of the box."""
        return min(self.width_px, self.height_px)

    @property
    def centre_px(self) -> tuple[float, float]:
        """The middle of the box."""
        left, top, right, bottom = self.box_px
        return (left + right) / 2, (top + bottom) / 2


def from_page(values: Sequence[Any]) -> Measured:
    """A `Measured` from one array of ``zgMeasure`` in page.js."""
    index, left, top, right, bottom, *rest = values
    return Measured(index, (left, top, right, bottom), *rest)


@dataclass(frozen=True, slots=True)
class Texts:
    """The words on a screen.

    Attributes:
        readable: Texts that are wholly visible: not cut, not covered.
        every: All texts in the page, seen or not.
    """

    readable: frozenset[str]
    every: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """Words that can be read whole: nothing lies over them, nothing cuts them off.

    Attributes:
        inside: Index of the element that they lie in; -1: none.
        text: They.
        box_px: Left, top, right, bottom of the letters in device px.
    """

    inside: int
    text: str
    box_px: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Seen:
    """An element of the graph that can be seen on the screen, be it in part."""

    placed: Placed
    measured: Measured

    @property
    def index(self) -> int:
        """Its place in document order."""
        return self.placed.index

    @property
    def element(self) -> Element:
        """What the graph says of it."""
        return self.placed.element

    @property
    def groups(self) -> tuple[Group, ...]:
        """The named boxes around it, outermost first."""
        return self.placed.groups

    @property
    def box_px(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom of its visible part in device px."""
        return self.measured.box_px


def seen(placed: Sequence[Placed], measured: Sequence[Measured]) -> tuple[Seen, ...]:
    """The elements of which anything can be seen, in document order."""
    return tuple(Seen(placed[one.index], one) for one in measured if one.seen)
