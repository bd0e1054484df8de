"""Screenshots between ms-swift and the environment: the same pixels for both, opened once, sent as paths.

ms-swift's own loader ignores the orientation tag, drops transparency without a ground, and clips 16-bit grey. The
environment does none of that, so a screenshot for which the two differ is replaced, before anything sees it, by the
upright RGB picture. Then the policy, the environment and the trainer look at the same pixels.

Nothing here imports ms-swift; `references` resolves what it holds.
"""

from __future__ import annotations

import io
import os
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from PIL import Image

from zoomground.errors import ImageError
from zoomground.images import Screenshot, encode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_BYTES_A_PIXEL = 4
"""Of Pillow's RGB."""

UNREADABLE = encode(Image.new("RGB", (64, 64), "grey")).data_uri()
"""Stands for an image that does not open, so that the engine gets through the turn that will be thrown away."""

_ORIENTATION_TAG = 0x0112
_UPRIGHT = 1
_SAME_IN_BOTH = ("RGB", "L", "1", "P", "CMYK", "YCbCr")
"""Modes that, without transparency, ms-swift's loader and ours turn into the same RGB pixels."""

_LOADING_LOCKS = 16


def seen_alike(source: Path | bytes, name: str) -> bool:
    """Whether ms-swift's loader and ours see the same pixels in an image file; only its header is read.

    Args:
        source: The file or its bytes.
        name: Name for messages.

    Raises:
        ImageError: If the header cannot be read.
    """
    try:
        with Image.open(io.BytesIO(source) if isinstance(source, bytes) else source) as image:
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
    """Opened screenshots by reference; one load for many episodes that start at once, the oldest are dropped.

    The generations of one prompt share theirs. Pillow holds one of 4K in 33 MB, and each may keep up to 16 MB of crops
    besides.

    Args:
        load: Opens a reference.
        most_bytes: Memory of the pixels that are kept; the screenshot that was opened last is, however large.
    """

    def __init__(self, load: Callable[[object], Screenshot], most_bytes: int) -> None:
        self._load = load
        self._most = most_bytes
        self._held = 0
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
            screenshot = self._load(reference)
            with self._lock:
                self._opened[key] = screenshot
                self._held += _nbytes(screenshot)
                while self._held > self._most and len(self._opened) > 1:
                    _, oldest = self._opened.popitem(last=False)
                    self._held -= _nbytes(oldest)
            return screenshot


def _nbytes(screenshot: Screenshot) -> int:
    return _BYTES_A_PIXEL * screenshot.size.area
