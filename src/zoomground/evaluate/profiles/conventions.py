"""What the numbers of an answer mean: shares, thousandths, or pixels of one of three images.

A convention belongs to a model's profile and is declared there; it is never read off the numbers. ``1000 / 1000`` and
``999 / 999`` differ by a pixel in a thousand, px of the original and of the sent image by whatever the resize was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.geometry import PixelLimits, Point, Size

if TYPE_CHECKING:
    from collections.abc import Mapping

_DECIMALS = 9
"""Decimals of a computed px; what lies behind is noise of the arithmetic."""

_MAX_SENT_PATCHES = 16384


@dataclass(frozen=True, slots=True)
class Frame:
    """The sizes of the three images that an answer may be about.

    Attributes:
        annotated: The size that the annotation names; answers are scored in px of it.
        file: The size of the screenshot's file; None: the annotated one.
        sent: The size of the image that the model was sent, where that is known; None: what the convention's resize
            makes of the file.
    """

    annotated: Size
    file: Size | None = None
    sent: Size | None = None


@dataclass(frozen=True, slots=True)
class Convention:
    """What the numbers of an answer mean.

    Attributes:
        name: Its name.
        about: The same as the prompt says it, with ``$width`` and ``$height`` of the image in question.
        whole: The number that stands for the far edge of the image; None: its px.
        limits: For px of the sent image: the resize that the model's processor makes, if the image was not sent at a
            size that is known.
    """

    name: str
    about: str
    whole: float | None = None
    limits: PixelLimits | None = None

    def full(self, frame: Frame) -> tuple[float, float]:
        """The numbers of the far corner of the image."""
        if self.whole is not None:
            return self.whole, self.whole
        size = frame.file or frame.annotated
        if self.limits is not None:
            size = frame.sent or self.limits.view_size(size)
        return float(size.width), float(size.height)

    def to_px(self, x: float, y: float, frame: Frame) -> Point:
        """The point in px of the annotated size; outside of it if the numbers are."""
        width, height = self.full(frame)
        return Point(
            round(x * frame.annotated.width / width, _DECIMALS), round(y * frame.annotated.height / height, _DECIMALS)
        )

    def from_px(self, point: Point, frame: Frame) -> Point:
        """The numbers that mean a point in px of the annotated size: the inverse of `to_px`."""
        width, height = self.full(frame)
        return Point(
            round(point.x * width / frame.annotated.width, _DECIMALS),
            round(point.y * height / frame.annotated.height, _DECIMALS),
        )


def _sent(factor: int) -> PixelLimits:
    return PixelLimits(factor, 4 * factor * factor, _MAX_SENT_PATCHES * factor * factor)


_ALL = (
    Convention("norm1", "Both numbers are shares of the width and the height, from 0 to 1, with three decimals.", 1),
    Convention("norm100", "Both numbers are percent of the width and the height, from 0 to 100.", 100),
    Convention("norm999", "Both numbers are integers from 0 to 999: 999 is the right and the lower edge.", 999),
    Convention("norm1000", "Both numbers are integers from 0 to 1000: 1000 is the right and the lower edge.", 1000),
    Convention("pixels_original", "Both numbers are px of the image, which has $width x $height px."),
    Convention("pixels_sent_28", "Both numbers are px of the image, which has $width x $height px.", limits=_sent(28)),
    Convention("pixels_sent_32", "Both numbers are px of the image, which has $width x $height px.", limits=_sent(32)),
)

CONVENTIONS: Mapping[str, Convention] = {one.name: one for one in _ALL}
"""Every convention by its name."""
