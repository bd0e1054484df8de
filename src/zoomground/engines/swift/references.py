"""Image references as ms-swift holds them, opened the way it opens them."""

from __future__ import annotations

import hashlib
import io
from typing import Any

from swift.template import Template, load_file

from zoomground.crops import enlarged
from zoomground.engines.swift.pictures import seen_alike
from zoomground.errors import ImageError
from zoomground.images import Screenshot, encode, load_screenshot

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


def enlarge_crops() -> None:
    """Have ms-swift's templates, from now on, enlarge the crops that travel unenlarged (`TravellingViews`).

    Every picture that a template opens, for the trainer or for a rollout engine of any kind, goes through this one
    method of it.
    """
    load = Template._load_image  # noqa: SLF001 -- ms-swift has no public seam here
    if getattr(load, "__name__", "") == "_load_enlarged":
        return

    def _load_enlarged(image: Any, load_images: bool) -> Any:
        picture = enlarged(image) if isinstance(image, str) else None
        return load(image, load_images) if picture is None else picture

    Template._load_image = staticmethod(_load_enlarged)  # noqa: SLF001


class Glances:
    """Looks at each picture once, to its last pixel: half a file can have a good header, and ends the run later."""

    def __init__(self) -> None:
        self._alike: dict[bytes, bool] = {}

    def as_seen(self, reference: object) -> object:
        """The reference itself, or a data URI of the upright RGB picture where ms-swift's loader would see another one.

        Raises:
            ImageError: If it does not open.
        """
        data, name = read_reference(reference)
        key = hashlib.sha256(data).digest()
        if self._alike.get(key):
            return reference
        pixels = load_screenshot(data, name=name).pixels
        self._alike[key] = seen_alike(data, name)
        return reference if self._alike[key] else encode(pixels).data_uri()
