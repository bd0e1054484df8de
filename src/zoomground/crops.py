"""Crops as they travel: enlarged for whoever shows them as they are, unenlarged to a receiver that can enlarge them.

Both ways end in the same pixels. Enlarged, a crop has up to sixteen times as many, all made of those of the region; so
between the environment and an engine of ours it travels as the region's own pixels, with the size to show in its media
type. A receiver that knows nothing of this must not show the small picture as if it were the crop, so what travels is
no image file that any decoder opens: it gets an error.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.geometry import Region, Size
from zoomground.images import EncodedImage, Screenshot, cut, encode, load_screenshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from PIL import Image

CROPS_KEPT_BYTES = 16_000_000
"""Encoded crops that one screenshot keeps, in bytes: some hundred of a small model's, about ten of 4 megapixels."""

_SHOWN_MIME = re.compile(r"image/png;shown=(\d{1,5})x(\d{1,5})")

_TRAVELS_AS = "image/x-zoomground-crop"
_MARK = base64.b64encode(b"zoomground crop").decode("ascii")
"""In front of the PNG's own bytes; their number is a multiple of three, so that the texts in base64 can be joined."""

_SHOWN_URI = re.compile(rf"data:{_TRAVELS_AS};shown=(\d{{1,5}})x(\d{{1,5}});base64,{re.escape(_MARK)}")
_PNG_URI = "data:image/png;base64,"


@dataclass(frozen=True, slots=True)
class UnenlargedCrop(EncodedImage):
    """The PNG of a region's own pixels; its media type holds the size to show, its data URI is no image file's."""

    def data_uri(self) -> str:
        """For `enlarged`; whoever takes it for an image finds none in it."""
        shown = self.mime.partition(";")[2]
        return f"data:{_TRAVELS_AS};{shown};base64,{_MARK}{base64.b64encode(self.data).decode('ascii')}"


def encoded_cut(shot: Screenshot, region: Region, shown: Size) -> EncodedImage:
    """A region, cut and encoded as a crop travels; the rollouts of a prompt often ask for the same one.

    Two threads that want the same crop at the same moment may both make it: they make the same bytes.

    Raises:
        ImageError: As `cut`.
    """
    return _kept(shot, (region, shown, True), lambda: encode(cut(shot, region, shown)))


def travelling_cut(shot: Screenshot, region: Region, shown: Size) -> EncodedImage:
    """A region as it travels to a receiver that enlarges it itself (`enlarged`): its own pixels, and the size to show.

    The receiver gets the very pixels of `encoded_cut`, of which there are up to the square of the enlargement as many.
    A region that is not enlarged travels as it is shown.

    Raises:
        ImageError: As `cut`.
    """
    if region.size.area >= shown.area:
        return encoded_cut(shot, region, shown)
    return _kept(shot, (region, shown, False), lambda: _not_enlarged(shot, region, shown))


def _not_enlarged(shot: Screenshot, region: Region, shown: Size) -> EncodedImage:
    own = encode(cut(shot, region, region.size))
    return UnenlargedCrop(own.data, f"{own.mime};shown={shown.width}x{shown.height}", own.sha256)


def travels_small(mime: str) -> bool:
    """Whether a media type says that its image has yet to be enlarged."""
    return _SHOWN_MIME.fullmatch(mime) is not None


def enlarged(uri: str) -> Image.Image | None:
    """The picture of a data URI of `travelling_cut`, as it is to be shown; None for anything else.

    Raises:
        ImageError: If it cannot be read, or would be too large.
    """
    match = _SHOWN_URI.match(uri)
    if match is None:
        return None
    shot = load_screenshot(_PNG_URI + uri[match.end() :])
    return cut(shot, Region.whole(shot.size), Size(int(match[1]), int(match[2])))


def _kept(shot: Screenshot, key: tuple[Region, Size, bool], make: Callable[[], EncodedImage]) -> EncodedImage:
    crop = shot.crops.get(key)
    if crop is None:
        crop = make()
        others = list(shot.crops.items())
        held = len(crop.data) + sum(len(other.data) for _, other in others)
        for oldest, other in others:
            if held <= CROPS_KEPT_BYTES:
                break
            shot.crops.pop(oldest, None)
            held -= len(other.data)
        shot.crops[key] = crop
    return crop
