"""Image references as ms-swift holds them: opened the way it opens them, and kept from surprises.

ms-swift's own loader ignores the orientation tag, drops transparency without a ground, and clips 16-bit grey. The
environment does none of that, so a screenshot for which the two differ is replaced, before anything sees it, by the
upright RGB picture as a data URI. Then the policy, the environment and the trainer look at the same pixels.
"""

from __future__ import annotations

import io
import os
import threading
from collections import OrderedDict

from PIL import Image
from swift.template import load_file

from zoomground.errors import ImageError
from zoomground.images import Screenshot, encode, load_screenshot

SCREENSHOTS_KEPT = 64
"""Opened screenshots that are kept: the generations of one prompt share theirs, a 4K one takes 25 MB."""

UNREADABLE = encode(Image.new("RGB", (64, 64), "grey")).data_uri()
"""Stands for an image that does not open, so that the engine gets through the turn that will be thrown away."""

_ORIENTATION_TAG = 0x0112
_UPRIGHT = 1
_SAME_IN_BOTH = ("RGB", "L", "1", "P", "CMYK", "YCbCr")
"""Modes that, without transparency, ms-swift's loader and ours turn into the same RGB pixels."""

_LOADING_LOCKS = 16
_SHORT = 120
"""Length, in characters, to which a reference is cut in a message."""


def read_reference(reference: object) -> tuple[bytes, str]:
    """The bytes of an image reference, resolved as ms-swift resolves it, and a short name for messages.

    Args:
        reference: A path, URL, data URI, bare base64, bytes, or ms-swift's ``{"bytes", "path"}``.

    Raises:
        ImageError: If there is nothing to read.
    """
    if isinstance(reference, dict):
        reference = reference.get("bytes") or reference.get("path")
    if reference == UNREADABLE:
        raise ImageError("the screenshot does not open; the log of the trainer names the file")
    name = reference[:_SHORT] if isinstance(reference, str) else "<image bytes>"
    try:
        stream = load_file(reference)
    except Exception as error:  # files, URLs and base64 each fail in their own way
        raise ImageError(f"{name}: cannot be read ({type(error).__name__}: {error})") from error
    if not isinstance(stream, io.BytesIO):
        raise ImageError(f"{name}: neither a path nor an image, but {type(reference).__name__}")
    return stream.getvalue(), name


def open_reference(reference: object) -> Screenshot:
    """Open an image reference of ms-swift.

    Raises:
        ImageError: If it does not open.
    """
    data, name = read_reference(reference)
    return load_screenshot(data, name=name)


def as_seen(reference: object) -> object:
    """The reference itself, or a data URI of the upright RGB picture where ms-swift's loader would see another one.

    Raises:
        ImageError: If it does not open.
    """
    data, name = read_reference(reference)
    if _same_pixels(data, name):
        return reference
    return encode(load_screenshot(data, name=name).pixels).data_uri()


def _same_pixels(data: bytes, name: str) -> bool:
    try:
        with Image.open(io.BytesIO(data)) as image:
            upright = image.getexif().get(_ORIENTATION_TAG, _UPRIGHT) == _UPRIGHT
            return upright and image.mode in _SAME_IN_BOTH and not image.has_transparency_data
    except Exception as error:  # damaged headers fail in many ways
        raise ImageError(f"{name}: is no image that can be opened ({type(error).__name__}: {error})") from error


def kept_as_path(reference: object) -> object:
    """A path that ms-swift's rollout output does not inline.

    ``RolloutOutput`` replaces every image that ``os.path.isfile`` knows by its base64 text, and the trainer then
    gathers the whole screenshot from every rank at every step. ms-swift's loader strips white space from a reference
    before it opens it; ``isfile`` does not. So a leading space keeps the path a path.
    """
    is_path = isinstance(reference, str) and os.path.isfile(reference)  # noqa: PTH113 -- what RolloutOutput asks
    return f" {reference}" if is_path else reference


class Shelf:
    """Opened screenshots by reference; one load for many episodes that start at once, the oldest are dropped."""

    def __init__(self, kept: int = SCREENSHOTS_KEPT) -> None:
        self._kept = kept
        self._lock = threading.Lock()
        # Threads that want one picture wait for one load; different pictures rarely wait for each other.
        self._loading = [threading.Lock() for _ in range(_LOADING_LOCKS)]
        self._opened: OrderedDict[str, Screenshot] = OrderedDict()

    def open(self, reference: object) -> Screenshot:
        """Open a reference, or take it from the shelf.

        Raises:
            ImageError: If it does not open.
        """
        key = str(reference)
        with self._loading[hash(key) % _LOADING_LOCKS]:
            with self._lock:
                if key in self._opened:
                    self._opened.move_to_end(key)
                    return self._opened[key]
            screenshot = open_reference(reference)
            with self._lock:
                self._opened[key] = screenshot
                if len(self._opened) > self._kept:
                    self._opened.popitem(last=False)
            return screenshot
