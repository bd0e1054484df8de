"""The gates that an element must pass before a row may point at it; each is a name under which rejections are counted.

The cheap ones look at the measurements of every element; `ink` looks at pixels, only of elements that are about to
become rows. Uniqueness belongs to an instruction, not to an element, and is counted by `label`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from zoomground.synth.graph import Role, State
from zoomground.synth.query import plain
from zoomground.synth.speech import is_bare

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from zoomground.synth.measure import Seen

MIN_SHARE = 0.95
MIN_SHORT_PX = 8.0
MIN_CLEAR = 0.95
_INK_DISTANCE = 40  # summed difference of red, green and blue from which two colours are told apart
_RING_PX = 3

_ROLES: Mapping[Role, frozenset[str]] = MappingProxyType(
    {Role.OPTION: frozenset({"option", "listitem", "gridcell"}), Role.IMAGE: frozenset({"img", "image"})}
)


def geometry(one: Seen, width_px: int, height_px: int) -> bool:
    """Inside the picture, nearly whole, and large enough to be pointed at."""
    left, top, right, bottom = one.box_px
    inside = left >= 0 and top >= 0 and right <= width_px and bottom <= height_px
    return inside and one.measured.share >= MIN_SHARE and one.measured.short_px >= MIN_SHORT_PX


def occlusion(one: Seen) -> bool:
    """Nothing lies over it, and its middle is its own."""
    return one.measured.clear >= MIN_CLEAR and one.measured.centre


def disabled(one: Seen) -> bool:
    """It takes input."""
    return not one.measured.disabled and State.DISABLED not in one.element.states


def role(one: Seen) -> bool:
    """The browser computes the role that the graph means."""
    return one.measured.role in _ROLES.get(one.element.role, frozenset({one.element.role.value}))


def name(one: Seen) -> bool:
    """The browser computes the name that the graph means."""
    return plain(one.measured.name) == plain(one.element.name)


def glyphs(one: Seen) -> bool:
    """There is a glyph for every character of its text."""
    return one.measured.drawn


_EVERY: Mapping[str, Callable[[Seen], bool]] = MappingProxyType(
    {"occlusion": occlusion, "disabled": disabled, "role": role, "name": name, "glyphs": glyphs}
)

NAMES = ("geometry", *_EVERY, "ink", "uniqueness")
"""All gates, in the order in which they are asked."""


def fault(one: Seen, width_px: int, height_px: int) -> str | None:
    """Name of the first gate that an element fails by its measurements; None if it passes them all."""
    if not geometry(one, width_px, height_px):
        return "geometry"
    return next((gate for gate, passes in _EVERY.items() if not passes(one)), None)


def ink(one: Seen, pixels: NDArray[np.uint8]) -> bool:
    """Whether it can be seen in the pixels: it differs from what surrounds it, and its icon or text was drawn.

    Args:
        one: The element.
        pixels: The screen, height x width x 3.
    """
    left, top, right, bottom = (round(edge) for edge in one.box_px)
    inner = pixels[top:bottom, left:right].astype(np.int16)
    if inner.size == 0:
        return False
    if not is_bare(one.element) and one.element.role not in _EMPTY_INSIDE:
        return _differing(_middle(inner), _commonest(_middle(inner))) >= _enough(inner, 4, 16)
    ring = _ring(pixels, left, top, right, bottom)
    return _differing(inner, _commonest(ring)) >= _enough(inner, 6, 40)


# What shows itself by its frame, not by what is in it.
_EMPTY_INSIDE = frozenset({Role.CHECKBOX, Role.RADIO, Role.SWITCH, Role.SLIDER})


def _enough(inner: NDArray[np.int16], least: float, most: float) -> float:
    height, width = inner.shape[:2]
    return float(max(least, min(most, 0.02 * height * width)))


def _middle(inner: NDArray[np.int16]) -> NDArray[np.int16]:
    """Without the frame: a drawn border must not pass for a drawn icon."""
    height, width = inner.shape[:2]
    edge = max(1, min(4, round(0.12 * min(height, width))))
    return inner[edge : height - edge, edge : width - edge]


def _ring(pixels: NDArray[np.uint8], left: int, top: int, right: int, bottom: int) -> NDArray[np.int16]:
    height, width = pixels.shape[:2]
    rows, columns = slice(max(0, top - _RING_PX), bottom + _RING_PX), slice(max(0, left - _RING_PX), right + _RING_PX)
    bands = (
        pixels[max(0, top - _RING_PX) : top, columns], pixels[bottom : min(height, bottom + _RING_PX), columns],
        pixels[rows, max(0, left - _RING_PX) : left], pixels[rows, right : min(width, right + _RING_PX)],
    )  # fmt: skip
    return np.concatenate([band.reshape(-1, 3) for band in bands]).astype(np.int16)


def _commonest(colours: NDArray[np.int16]) -> NDArray[np.int16]:
    flat = colours.reshape(-1, 3)
    if not len(flat):
        return np.zeros(3, dtype=np.int16)
    codes = (flat[:, 0].astype(np.int32) << 16) | (flat[:, 1].astype(np.int32) << 8) | flat[:, 2]
    found, counts = np.unique(codes, return_counts=True)
    code = int(found[counts.argmax()])
    return np.array([code >> 16, code >> 8 & 255, code & 255], dtype=np.int16)


def _differing(colours: NDArray[np.int16], ground: NDArray[np.int16]) -> int:
    return int((np.abs(colours - ground).sum(axis=-1) > _INK_DISTANCE).sum())
