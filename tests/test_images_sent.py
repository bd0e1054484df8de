"""Which screenshots may be sent as their own file: those that any decoder reads as these pixels."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import ExifTags, Image

from episodes import screenshot
from zoomground.data.shown import sent
from zoomground.geometry import PixelLimits, Size
from zoomground.images import load_screenshot

PICTURE = screenshot(Size(40, 30)).pixels


def _file(image: Image.Image, format_name: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format_name, **options)
    return buffer.getvalue()


def _turned() -> Image.Exif:
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    return exif


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (_file(PICTURE, "PNG"), "image/png"),
        (_file(PICTURE, "JPEG"), "image/jpeg"),
        (_file(PICTURE, "WEBP", lossless=True), "image/webp"),
    ],
)
def test_a_plain_file_is_sent_as_it_is(data: bytes, mime: str) -> None:
    image = sent(load_screenshot(data), PixelLimits())
    assert (image.data, image.mime) == (data, mime)


@pytest.mark.parametrize(
    "data",
    [
        _file(PICTURE, "JPEG", exif=_turned()),
        _file(PICTURE, "PNG", exif=_turned()),
        _file(PICTURE.convert("RGBA"), "PNG"),
        _file(PICTURE.convert("P"), "PNG"),
        _file(PICTURE.convert("CMYK"), "JPEG"),
        _file(PICTURE, "PNG", transparency=(0, 0, 0)),
        _file(PICTURE, "BMP"),
        _file(PICTURE, "WEBP", save_all=True, append_images=[PICTURE.rotate(180)]),
    ],
)
def test_what_could_be_read_in_two_ways_is_sent_as_the_pixels_that_were_loaded(data: bytes) -> None:
    """IMG-01, IMG-05: endpoints differ in orientation tags, transparency and modes."""
    loaded = load_screenshot(data)
    image = sent(loaded, PixelLimits())
    assert image.mime == "image/png"
    assert image.data != data
    assert load_screenshot(image.data).pixels.tobytes() == loaded.pixels.tobytes()
