"""Screen sizes with their scales and shares, and how a person writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from zoomground.errors import ZoomgroundError

_WRITTEN = re.compile(r"(\d{3,5})x(\d{3,5})(?:@(\d(?:\.\d{1,2})?))?(?::(\d+(?:\.\d+)?))?", re.ASCII)
_SMALLEST_PX, _LARGEST_PX = 320, 7680
_PHONE_WIDTH = 600.0
"""A screen that is narrower than this in CSS px is a phone's: other programs would not fit."""


@dataclass(frozen=True, slots=True)
class ScreenSize:
    """A size that screens may have.

    Attributes:
        width_px: Width in device px.
        height_px: Height in device px.
        scale: Device px for one CSS px.
        weight: How often it is drawn, beside the others'.
    """

    width_px: int
    height_px: int
    scale: float
    weight: float = 1.0

    @property
    def phone(self) -> bool:
        """Whether it is a phone's."""
        return self.width_px / self.scale < _PHONE_WIDTH

    def __str__(self) -> str:
        return f"{self.width_px}x{self.height_px}@{self.scale:g}"


DEFAULT_SIZES = (
    ScreenSize(390, 844, 1.0, 1),
    ScreenSize(780, 1688, 2.0, 3),
    ScreenSize(1080, 2400, 3.0, 2),
    ScreenSize(1170, 2532, 3.0, 2),
    ScreenSize(1280, 800, 1.0, 5),
    ScreenSize(1366, 768, 1.0, 5),
    ScreenSize(1440, 900, 1.0, 5),
    ScreenSize(1920, 1080, 1.0, 14),
    ScreenSize(1920, 1080, 1.25, 6),
    ScreenSize(2560, 1440, 1.0, 14),
    ScreenSize(2560, 1440, 1.25, 5),
    ScreenSize(3840, 2160, 1.0, 15),
    ScreenSize(3840, 2160, 1.5, 10),
    ScreenSize(3840, 2160, 2.0, 9),
    ScreenSize(5120, 1440, 1.0, 6),
)
"""Phones, laptops, and the large screens that the public benchmarks of professional programs were taken on."""


def read_sizes(texts: list[str]) -> tuple[ScreenSize, ...]:
    """The sizes that a person asked for: each ``WIDTHxHEIGHT``, with ``@SCALE`` and ``:WEIGHT`` where they matter.

    A size of `DEFAULT_SIZES` without a scale means all of its scales; any other one has scale 1.

    Raises:
        ZoomgroundError: If one is not written so, or is no size of a screen.
    """
    return tuple(size for text in texts for size in _read(text.strip()))


def _read(text: str) -> list[ScreenSize]:
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise ZoomgroundError(
            f"size '{text}' is not written like 1920x1080, 3840x2160@2 (with a scale) or 1920x1080:3 (with a weight)"
        )
    width, height = int(found[1]), int(found[2])
    if not (min(width, height) >= _SMALLEST_PX and max(width, height) <= _LARGEST_PX):
        raise ZoomgroundError(f"size '{text}': a side lies outside {_SMALLEST_PX} to {_LARGEST_PX} px")
    known = [size for size in DEFAULT_SIZES if (size.width_px, size.height_px) == (width, height)]
    if found[3] is None and found[4] is None and known:
        return known
    scale, weight = float(found[3] or 1), float(found[4] or 1)
    if not 1 <= scale <= 4:
        raise ZoomgroundError(f"size '{text}': the scale is {scale:g}, and must lie in 1 to 4")
    if width / scale % 1 or height / scale % 1:
        raise ZoomgroundError(
            f"size '{text}': at scale {scale:g} a side is no whole number of CSS px, so that the pixels would not be"
            " as many as asked for"
        )
    if weight <= 0:
        raise ZoomgroundError(f"size '{text}': the weight must be above 0")
    if found[3] is None and known:
        total = sum(size.weight for size in known)
        return [ScreenSize(width, height, size.scale, weight * size.weight / total) for size in known]
    return [ScreenSize(width, height, scale, weight)]
