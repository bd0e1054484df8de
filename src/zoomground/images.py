"""Screenshots in, crops out: loading once and upright, cutting with one resample, encoding the same way every time.

Every picture that the policy, the trainer, the report or an endpoint sees passes through here, so there is one answer
to each question that image files raise: the orientation tag is applied once, before the size is read; transparency
stands on white; 16-bit grey is scaled, not clipped; a file that is too large is refused from its header alone. Colour
profiles are dropped, as the models' own loaders do.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import re
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from PIL import ExifTags, Image, ImageFile, ImageOps

from zoomground.errors import ImageError
from zoomground.geometry import MAX_ASPECT, Region, Size

MAX_SCREENSHOT_PIXELS = 89_000_000
"""Largest screenshot, in pixels of the header: just under 89,478,485, above which Pillow itself complains."""

ImageFormat = Literal["png", "jpeg"]

_FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF")
"""What is read. Pillow knows more, but some of those start programs or guess a picture from plain text."""

_SENT_AS_IT_IS = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
"""Formats that every endpoint reads."""

_BROKEN_FILE = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    LookupError,
    EOFError,
    ArithmeticError,
    NotImplementedError,
    struct.error,
    zlib.error,
    Image.DecompressionBombError,
)
"""What Pillow's decoders raise on files that are damaged or made to harm."""

_SIDEWAYS = (5, 6, 7, 8)
"""Orientation tags that swap width and height."""

_PNG_ORIENTATION_MARKS = (b"eXIf", b"Raw profile type", b"XML:com.adobe.xmp")
"""Where a PNG can hold an orientation, also behind its pixels: without any of these, no need to look there."""

_DEEP_GREY = ("I", "I;16", "I;16B", "I;16L", "I;16N")
_DEEP_GREY_TO_8_BIT = [(value + 128) // 257 for value in range(65536)]
_PREMULTIPLIED = {"La": "LA", "RGBa": "RGBA"}
_UNKNOWN_RANGE = "F"

_PNG_COMPRESS_LEVEL = 1
"""Crops are made during rollouts: level 6 takes several times as long for files about a tenth smaller."""

_JPEG_QUALITY = 95

_DATA_PREFIX = "data:"
_DATA_URI = re.compile(r"data:image/[\w.+-]+(?:;[\w.=+-]+)*;base64,", re.IGNORECASE)
_SHORT = 120
"""Length, in characters, to which a path is cut in a message."""

DEFAULT_NAME = "screenshot.png"
"""What the policy calls a screenshot whose own name would be misread in the protocol."""

_MAX_NAME = 128
_CROP_NAME = re.compile(r"crop_\d+\.png", re.IGNORECASE)
_MISREAD = re.compile(r"""["'`<>\\]|&[lg]t;|&quot;|&amp;""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class EncodedImage:
    """An image file in memory: its bytes, their media type and their SHA-256 as hexadecimal digits."""

    data: bytes
    mime: str
    sha256: str

    def data_uri(self) -> str:
        """The image as a ``data:`` URI. Never bare base64: engines take short base64 for a file path."""
        return f"{_DATA_PREFIX}{self.mime};base64,{base64.b64encode(self.data).decode('ascii')}"


@dataclass(frozen=True, slots=True)
class Screenshot:
    """An original image, upright and in memory; every crop is cut from its pixels.

    Attributes:
        pixels: Mode RGB, fully loaded, orientation applied. Not to be changed.
        size: Upright size in px.
        sha256: Hash of the source file's bytes, as hexadecimal digits.
        source: Name for messages.
        file: The source file, if every decoder makes these pixels of it, so that it can be sent as it is; else None.
        crops: Crops encoded from it lately, by window, size and whether they are enlarged (`encoded_cut`,
            `travelling_cut`); whoever shares it shares them.
    """

    pixels: Image.Image
    size: Size
    sha256: str
    source: str
    file: EncodedImage | None = field(default=None, repr=False, compare=False)
    crops: dict[tuple[Region, Size, bool], EncodedImage] = field(default_factory=dict, repr=False, compare=False)


def load_screenshot(
    source: str | Path | bytes, *, name: str | None = None, max_pixels: int = MAX_SCREENSHOT_PIXELS
) -> Screenshot:
    """Load a screenshot: upright, RGB, fully decoded. The first frame of an animation counts.

    Args:
        source: A path, the bytes of an image file, or a ``data:image/...;base64,`` URI. A string that is not a data
            URI is always a path.
        name: Name for messages, instead of the path.
        max_pixels: Own limit in px, checked on the header before anything is decoded; `MAX_SCREENSHOT_PIXELS` at most.

    Raises:
        ImageError: If there is no readable image, or it is too large, too thin, or of an unknown range of values.
    """
    shown_name = name or _name_for_messages(source)
    data = _read(source, shown_name)
    pixels, mime = _decode(data, shown_name, min(max_pixels, MAX_SCREENSHOT_PIXELS))
    sha256 = hashlib.sha256(data).hexdigest()
    file = EncodedImage(data, mime, sha256) if mime else None
    return Screenshot(pixels, Size(*pixels.size), sha256, shown_name, file)


def read_size(source: str | Path | bytes, *, name: str | None = None, max_pixels: int = MAX_SCREENSHOT_PIXELS) -> Size:
    """Upright size of an image, from its header: what `load_screenshot` gives, without decoding its pixels.

    Args:
        source: As in `load_screenshot`.
        name: Name for messages, instead of the path.
        max_pixels: Own limit in px.

    Raises:
        ImageError: If the header is no image's, or the image is too large or too thin. A file that is cut short
            further on, or holds pixels of an unknown range, is found by `load_screenshot` only.
    """
    shown_name = name or _name_for_messages(source)
    data = _read(source, shown_name)
    image = _open_header(data, shown_name)
    _check_header(image, shown_name, min(max_pixels, MAX_SCREENSHOT_PIXELS))
    size = Size(*image.size)
    if image.format == "PNG" and not any(mark in data for mark in _PNG_ORIENTATION_MARKS):
        return size
    try:
        if image.format == "TIFF":  # whether Pillow has turned this one already depends on its version
            return Size(*ImageOps.exif_transpose(image).size)
        orientation = image.getexif().get(ExifTags.Base.Orientation, 1)
    except _BROKEN_FILE as error:
        raise _damaged(shown_name, error) from error
    return Size(size.height, size.width) if orientation in _SIDEWAYS else size


def cut(shot: Screenshot, region: Region, shown: Size) -> Image.Image:
    """Cut a region from the original's pixels and show it at ``shown``: one LANCZOS resample, none if the size fits.

    Nothing outside the region bleeds in (Pillow's ``resize(box=...)`` would let it, at the edges).

    Args:
        shot: The original.
        region: What to cut, in px of that original.
        shown: Size of the result in px.

    Raises:
        ImageError: If the region was made for an image of another size, or the result would be too large.
    """
    if region.original != shot.size:
        raise ImageError(
            f"{shot.source}: the region belongs to an image of {region.original.width}x{region.original.height} px, "
            f"this one has {shot.size.width}x{shot.size.height} px; make the region from the screenshot's own size"
        )
    if shown.area > MAX_SCREENSHOT_PIXELS:
        raise ImageError(
            f"{shot.source}: a crop of {shown.width}x{shown.height} px is more than the limit of "
            f"{MAX_SCREENSHOT_PIXELS:,} pixels; lower crop_upscale_factor or crop_max_pixels"
        )
    window = shot.pixels.crop((region.x1, region.y1, region.x2, region.y2))
    return window.resize((shown.width, shown.height), Image.Resampling.LANCZOS)


def encode(image: Image.Image, format: ImageFormat = "png") -> EncodedImage:  # noqa: A002 -- Pillow's own word
    """Encode an image of any mode; equal pixels give equal bytes, whatever the image's file held beside them."""
    buffer = io.BytesIO()
    pixels = to_rgb(image)
    if format == "png":
        pixels.save(buffer, "PNG", compress_level=_PNG_COMPRESS_LEVEL)
    else:
        pixels.save(buffer, "JPEG", quality=_JPEG_QUALITY, subsampling=0)
    data = buffer.getvalue()
    return EncodedImage(data, f"image/{format}", hashlib.sha256(data).hexdigest())


def to_rgb(image: Image.Image, name: str = "image") -> Image.Image:
    """Convert any mode to RGB: transparency on white, 16-bit grey scaled so that 65535 becomes 255.

    Args:
        image: The image; it is not changed.
        name: Name for messages.

    Raises:
        ImageError: If the mode's range of values is unknown (floating point, or integers outside 0..65535).
    """
    mode = image.mode
    if mode == _UNKNOWN_RANGE:
        raise ImageError(
            f"{name}: floating point pixels have no known range; scale them to 0..255 and save as 8-bit PNG"
        )
    if mode in _DEEP_GREY:
        image = _to_8_bit(image, name)
    elif mode in _PREMULTIPLIED:
        image = image.convert(_PREMULTIPLIED[mode])
    if image.has_transparency_data:
        rgba = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), rgba)
    if image.mode == "RGB" and not image.info:
        return image
    pixels = image.convert("RGB")
    pixels.info = {}
    return pixels


def display_name(path_or_uri: str) -> str:
    r"""The name by which the policy knows a screenshot: its base name, or `DEFAULT_NAME` where that would be misread.

    Misread would be: nothing, a quote, a control or invisible character, an engine's tag or special token, an escaped
    tag, a name that belongs to a crop (``crop_1.png``), and a data URI, which has no name.

    >>> display_name("shots/menu.png"), display_name("C:\\shots\\menu.png"), display_name("Crop_2.PNG")
    ('menu.png', 'menu.png', 'screenshot.png')
    """
    if is_data_uri(path_or_uri):
        return DEFAULT_NAME
    base = re.split(r"[/\\]", path_or_uri)[-1].strip(" ")
    misread = not base.strip(".") or len(base) > _MAX_NAME or not base.isprintable() or _MISREAD.search(base)
    return DEFAULT_NAME if misread or _CROP_NAME.fullmatch(base) else base


def _name_for_messages(source: str | Path | bytes) -> str:
    if isinstance(source, bytes):
        return "<image bytes>"
    text = str(source)
    if is_data_uri(text):
        return "<data URI>"
    return ascii(text[:_SHORT] + "...") if len(text) > _SHORT or not text.isprintable() else text


def is_data_uri(source: str | Path) -> bool:
    """Whether a source is meant as a ``data:`` URI, in place of a path."""
    text = str(source)
    return text[:_SHORT].lstrip()[: len(_DATA_PREFIX)].lower() == _DATA_PREFIX


def _read(source: str | Path | bytes, name: str) -> bytes:
    if isinstance(source, bytes):
        return source
    if isinstance(source, str) and is_data_uri(source):
        return _decode_data_uri(source, name)
    try:
        return Path(source).read_bytes()
    except FileNotFoundError:
        remedy = "check the path; an image in base64 needs the prefix 'data:image/png;base64,'"
        raise ImageError(f"{name}: there is no such file; {remedy}") from None
    except IsADirectoryError:
        raise ImageError(f"{name}: is a folder; name one image file") from None
    except (OSError, ValueError) as error:
        raise ImageError(f"{name}: cannot be read ({_cause(error)}); check the path and its permissions") from error


def _decode_data_uri(uri: str, name: str) -> bytes:
    text = "".join(uri.split())
    prefix = _DATA_URI.match(text)
    if prefix is None:
        raise ImageError(f"{name}: starts with {text[:40]!r}; an image's data URI starts with 'data:image/...;base64,'")
    try:
        return base64.b64decode(text[prefix.end() :], validate=True)
    except (binascii.Error, ValueError) as error:
        raise ImageError(f"{name}: its base64 text is damaged ({error}); encode the image file again") from error


def _decode(data: bytes, name: str, max_pixels: int) -> tuple[Image.Image, str]:
    """The upright RGB pixels, and the media type if any decoder makes the same of these bytes (else empty)."""
    image = _open_header(data, name)
    _check_header(image, name, max_pixels)
    try:
        image.load()
        mime = _SENT_AS_IT_IS.get(image.format or "", "") if _is_plain(image) else ""
        upright = ImageOps.exif_transpose(image)
        return to_rgb(upright, name), mime
    except _BROKEN_FILE as error:
        raise _damaged(name, error) from error


def _is_plain(image: ImageFile.ImageFile) -> bool:
    """Whether nothing in the file could be understood in two ways: one RGB frame, opaque, upright."""
    orientation = image.getexif().get(ExifTags.Base.Orientation, 1)
    still = not getattr(image, "is_animated", False)  # only formats that can be animated have the attribute
    return image.mode == "RGB" and not image.has_transparency_data and orientation == 1 and still


def _damaged(name: str, error: Exception) -> ImageError:
    return ImageError(f"{name}: the image is damaged or cut short ({_cause(error)}); fetch or export the file again")


def _open_header(data: bytes, name: str) -> ImageFile.ImageFile:
    """Read an image's header by Pillow's own plugins.

    Not ``Image.open``: it warns or raises about large images by a global limit, and a warning can only be held back
    by changing state that other threads share.
    """
    Image.preinit()
    Image.init()
    for format_name in _FORMATS:
        factory, accept = Image.OPEN[format_name]
        if accept is None or accept(data[:16]) is not True:
            continue
        try:
            return factory(io.BytesIO(data), name)
        except _BROKEN_FILE as error:
            raise ImageError(
                f"{name}: the {format_name} header is damaged ({_cause(error)}); fetch or export the file again"
            ) from error
    what = "the file is empty" if not data else "not an image"
    raise ImageError(f"{name}: {what}; zoomground reads {', '.join(_FORMATS)}: convert it to one of them")


def _check_header(image: Image.Image, name: str, max_pixels: int) -> None:
    width, height = image.size
    if width < 1 or height < 1:
        raise ImageError(f"{name}: the image has no pixels ({width}x{height}); export it again")
    if width * height > max_pixels:
        raise ImageError(
            f"{name}: {width}x{height} px is {width * height:,} pixels, more than the limit of {max_pixels:,}; "
            "scale the image down, or cut it into parts (boxes must follow)"
        )
    if Size(width, height).aspect > MAX_ASPECT:
        raise ImageError(
            f"{name}: {width}x{height} px is thinner than {MAX_ASPECT:.0f}:1, which the models' image processors "
            "refuse; cut the image into parts or pad it"
        )


def _to_8_bit(image: Image.Image, name: str) -> Image.Image:
    """Scale 16-bit grey by 257, to the nearest; a 16-bit colour key becomes white as other transparency does."""
    deep = image.convert("I")
    low, high = cast("tuple[int, int]", deep.getextrema())
    if low < 0 or high > 65535:
        raise ImageError(
            f"{name}: integer pixels from {low} to {high} have no known range; scale them to 0..255, save as 8-bit PNG"
        )
    table = list(_DEEP_GREY_TO_8_BIT)
    key = image.info.get("transparency")
    if isinstance(key, int):
        table[key] = 255
    grey = deep.point(table, "L")
    grey.info = {}
    return grey


def _cause(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:_SHORT]
