"""Loading, cutting and encoding of images; the IMG cases that belong here carry their number."""

from __future__ import annotations

import base64
import io
import struct
import warnings
import zlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops
from PIL.PngImagePlugin import PngInfo

from zoomground.errors import ImageError
from zoomground.geometry import Region, Size
from zoomground.images import MAX_SCREENSHOT_PIXELS, Screenshot, cut, encode, load_screenshot, read_size, to_rgb

if TYPE_CHECKING:
    from pathlib import Path

MODES = ["1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "YCbCr", "I", "I;16", "I;16B"]
ORIENTATION = 0x0112


def saved(image: Image.Image, format_name: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format_name, **options)
    return buffer.getvalue()


def with_orientation(image: Image.Image, orientation: int, format_name: str) -> bytes:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    return saved(image, format_name, exif=exif)


def png_header(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds no pixels."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    ihdr = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", ihdr) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def textured(width: int, height: int) -> Image.Image:
    """Every pixel differs from its neighbours, so that a shift by one shows."""
    noise = [Image.effect_noise((width, height), 90) for _ in range(3)]
    return Image.merge("RGB", noise)


def shot_of(image: Image.Image) -> Screenshot:
    return load_screenshot(saved(image))


# --- loading


def test_loads_a_path_bytes_and_a_data_uri_alike(tmp_path: Path) -> None:
    data = saved(textured(40, 30))
    path = tmp_path / "屏幕 1.png"
    path.write_bytes(data)
    uri = "data:image/png;base64," + base64.b64encode(data).decode()
    shots = [load_screenshot(source) for source in (path, str(path), data, uri)]
    assert {shot.sha256 for shot in shots} == {shots[0].sha256}
    assert {shot.pixels.tobytes() for shot in shots} == {shots[0].pixels.tobytes()}
    assert all(shot.size == Size(40, 30) and shot.pixels.mode == "RGB" for shot in shots)
    assert shots[0].source == str(path)
    assert load_screenshot(data, name="row 3").source == "row 3"


@pytest.mark.parametrize("format_name", ["JPEG", "PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize(
    ("orientation", "corner"),
    # where the red top left quarter of the stored picture comes to stand, as fractions of the upright picture
    [
        (1, (0.2, 0.2)),
        (2, (0.8, 0.2)),
        (3, (0.8, 0.8)),
        (4, (0.2, 0.8)),
        (5, (0.2, 0.2)),
        (6, (0.8, 0.2)),
        (7, (0.8, 0.8)),
        (8, (0.2, 0.8)),
    ],
)
def test_img_01_orientation_is_applied_once_before_the_size_is_read(
    format_name: str, orientation: int, corner: tuple[float, float]
) -> None:
    stored = Image.new("RGB", (100, 80), "white")
    stored.paste((255, 0, 0), (0, 0, 50, 40))
    shot = load_screenshot(with_orientation(stored, orientation, format_name))
    assert shot.size == (Size(100, 80) if orientation <= 4 else Size(80, 100))
    assert shot.size == Size(*shot.pixels.size)
    red = shot.pixels.getpixel((int(corner[0] * shot.size.width), int(corner[1] * shot.size.height)))
    assert red[0] > 240
    assert red[1] < 20
    again = load_screenshot(encode(shot.pixels).data)
    assert again.size == shot.size
    assert again.pixels.tobytes() == shot.pixels.tobytes()
    assert read_size(with_orientation(stored, orientation, format_name)) == shot.size


def test_img_01_orientation_of_a_16_bit_png() -> None:
    shot = load_screenshot(with_orientation(Image.new("I;16", (30, 20)), 6, "PNG"))
    assert shot.size == Size(20, 30)


def test_img_01_a_png_may_carry_its_orientation_behind_the_pixels_or_as_xmp() -> None:
    tagged = with_orientation(textured(30, 20), 6, "PNG")
    start = tagged.index(b"eXIf") - 4
    length = 12 + struct.unpack(">I", tagged[start : start + 4])[0]
    exif, without = tagged[start : start + length], tagged[:start] + tagged[start + length :]
    behind = without[:-12] + exif + without[-12:]
    text = PngInfo()
    text.add_itxt("XML:com.adobe.xmp", '<rdf:Description tiff:Orientation="6"/>', zip=True)
    xmp = saved(textured(30, 20), pnginfo=text)
    for data, size in ((without, Size(30, 20)), (behind, Size(20, 30)), (xmp, Size(20, 30))):
        assert read_size(data) == size
        assert load_screenshot(data).size == size


def test_the_size_is_read_without_decoding() -> None:
    data = saved(textured(300, 200))
    assert read_size(data[: len(data) // 2]) == Size(300, 200)
    with pytest.raises(ImageError, match="14000x14000 px"):
        read_size(png_header(14000, 14000))
    with pytest.raises(ImageError, match="not an image"):
        read_size(b"hello")


@pytest.mark.parametrize("mode", MODES)
def test_img_05_every_mode_becomes_rgb_and_can_be_encoded_both_ways(mode: str) -> None:
    image = Image.new(mode, (10, 10))
    assert to_rgb(image).mode == "RGB"
    assert load_screenshot(encode(image).data).size == Size(10, 10)
    assert load_screenshot(encode(image, "jpeg").data).size == Size(10, 10)


def test_img_05_cmyk_white_stays_white() -> None:
    assert to_rgb(Image.new("CMYK", (2, 2), (0, 0, 0, 0))).getpixel((0, 0)) == (255, 255, 255)


@pytest.mark.parametrize(
    ("mode", "clear", "solid"),
    [
        ("LA", (0, 0), (0, 255)),
        ("La", (0, 0), (0, 255)),
        ("RGBA", (0, 0, 0, 0), (0, 0, 0, 255)),
        ("RGBa", (0, 0, 0, 0), (0, 0, 0, 255)),
    ],
)
def test_transparency_is_white(mode: str, clear: tuple[int, ...], solid: tuple[int, ...]) -> None:
    assert to_rgb(Image.new(mode, (1, 1), clear)).getpixel((0, 0)) == (255, 255, 255)
    assert to_rgb(Image.new(mode, (1, 1), solid)).getpixel((0, 0)) == (0, 0, 0)


def test_half_transparency_is_mixed_with_white() -> None:
    value = to_rgb(Image.new("RGBA", (1, 1), (0, 0, 0, 128))).getpixel((0, 0))
    assert all(125 <= channel <= 129 for channel in value)


@pytest.mark.parametrize("mode", ["P", "L", "RGB", "1"])
def test_a_transparent_colour_key_is_white(mode: str) -> None:
    key: object = (0, 0, 0) if mode == "RGB" else 0
    shot = load_screenshot(saved(Image.new(mode, (3, 3)), transparency=key))
    assert shot.pixels.getpixel((1, 1)) == (255, 255, 255)


def test_a_palette_with_alpha_per_entry_is_composed_on_white() -> None:
    image = Image.new("P", (2, 1))
    image.putpalette([0, 0, 0, 0, 0, 0])
    image.putpixel((1, 0), 1)
    shot = load_screenshot(saved(image, transparency=bytes([0, 255])))
    assert [shot.pixels.getpixel((x, 0)) for x in (0, 1)] == [(255, 255, 255), (0, 0, 0)]


@pytest.mark.parametrize(("mode", "format_name"), [("I;16", "PNG"), ("I", "TIFF"), ("I;16", "TIFF"), ("I;16B", "TIFF")])
def test_img_07_sixteen_bit_grey_is_scaled_not_clipped(mode: str, format_name: str) -> None:
    image = Image.new(mode, (4, 1))
    for x, value in enumerate((0, 255, 256, 65535)):
        image.putpixel((x, 0), value)
    shot = load_screenshot(saved(image, format_name))
    assert [shot.pixels.getpixel((x, 0))[0] for x in range(4)] == [0, 1, 1, 255]


def test_img_07_sixteen_bit_colour_key() -> None:
    shot = load_screenshot(saved(Image.new("I;16", (2, 2), 300), transparency=300))
    assert shot.pixels.getpixel((0, 0)) == (255, 255, 255)
    nearly_black = Image.new("I;16", (2, 1), 100)
    nearly_black.putpixel((0, 0), 0)
    shot = load_screenshot(saved(nearly_black, transparency=0))
    assert [shot.pixels.getpixel((x, 0))[0] for x in (0, 1)] == [255, 0]


def test_img_07_floating_point_pixels_are_refused() -> None:
    with pytest.raises(ImageError, match=r"depth\.tif: floating point.*save as 8-bit PNG"):
        load_screenshot(saved(Image.new("F", (4, 4), 0.5), "TIFF"), name="depth.tif")


@pytest.mark.parametrize("value", [-1, 65536])
def test_img_07_integers_outside_16_bits_are_refused(value: int) -> None:
    with pytest.raises(ImageError, match="have no known range"):
        load_screenshot(saved(Image.new("I", (4, 4), value), "TIFF"))


@pytest.mark.parametrize("side", [9500, 14000])
def test_img_09_a_large_image_is_refused_by_its_header_without_a_warning(tmp_path: Path, side: int) -> None:
    path = tmp_path / "wall.png"
    path.write_bytes(png_header(side, side))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ImageError, match=rf"wall\.png: {side}x{side} px .* scale the image down"):
            load_screenshot(path)


def test_img_09_own_limit_is_below_pillows_and_leaves_pillows_alone() -> None:
    limit = Image.MAX_IMAGE_PIXELS
    assert limit is not None
    assert limit > MAX_SCREENSHOT_PIXELS
    data = saved(Image.new("RGB", (100, 50)))
    with pytest.raises(ImageError, match=r"more than the limit of 4,999"):
        load_screenshot(data, max_pixels=4999)
    assert load_screenshot(data, max_pixels=5000).size == Size(100, 50)
    assert limit == Image.MAX_IMAGE_PIXELS
    with pytest.raises(ImageError, match="more than the limit of 89,000,000"):
        load_screenshot(png_header(14000, 14000), max_pixels=10**12)


def test_img_11_a_file_is_loaded_not_verified_and_can_be_used_afterwards() -> None:
    shot = shot_of(textured(20, 20))
    assert shot.pixels.getpixel((3, 3)) == shot.pixels.copy().getpixel((3, 3))


def test_img_21_an_image_thinner_than_200_to_1_is_refused_at_load() -> None:
    assert load_screenshot(saved(Image.new("RGB", (5, 1000)))).size == Size(5, 1000)
    with pytest.raises(ImageError, match=r"4x900 px is thinner than 200:1"):
        load_screenshot(saved(Image.new("RGB", (4, 900))))


def test_img_27_line_breaks_in_base64_are_fine_foreign_characters_are_not() -> None:
    broken_lines = base64.encodebytes(saved(textured(60, 60))).decode()
    assert broken_lines.count("\n") > 5
    assert load_screenshot("data:image/png;base64,\n" + broken_lines).size == Size(60, 60)
    with pytest.raises(ImageError, match="base64 text is damaged"):
        load_screenshot("data:image/png;base64,!!!!AAAA")


@pytest.mark.parametrize(
    "uri", ["data:text/plain;base64,AAAA", "data:image/png,abc", "data:,", "data:image/png;base64"]
)
def test_img_27_a_data_uri_of_something_else_is_refused(uri: str) -> None:
    with pytest.raises(ImageError, match="data:image/"):
        load_screenshot(uri)


def test_a_data_uri_may_carry_parameters_and_upper_case() -> None:
    text = base64.b64encode(saved(Image.new("RGB", (9, 9)))).decode()
    assert load_screenshot(f"  DATA:image/PNG;name=a.png;base64,{text}").size == Size(9, 9)


def test_img_29_a_small_flat_crop_is_sent_with_its_prefix_and_comes_back() -> None:
    flat = encode(Image.new("RGB", (28, 28), "white"))
    uri = flat.data_uri()
    assert uri.startswith("data:image/png;base64,")
    assert len(uri) < 250  # so short that bare base64 would pass for a path
    assert load_screenshot(uri).sha256 == flat.sha256


def test_img_29_bare_base64_is_a_path_and_the_message_says_what_is_missing() -> None:
    bare = base64.b64encode(encode(Image.new("RGB", (28, 28), "white")).data).decode()
    with pytest.raises(ImageError, match=r"no such file.*data:image/png;base64,|cannot be read"):
        load_screenshot(bare)


def test_missing_files_folders_and_impossible_paths_are_named(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"absent\.png: there is no such file"):
        load_screenshot(tmp_path / "absent.png")
    with pytest.raises(ImageError, match="is a folder"):
        load_screenshot(tmp_path)
    for impossible in ("a\0b.png", "x" * 100_000, "\ud800.png"):
        with pytest.raises(ImageError) as caught:
            load_screenshot(impossible)
        assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"%!PS-Adobe-3.0 EPSF-3.0\n"]
)
def test_what_is_no_image_is_refused_with_the_list_of_formats(data: bytes) -> None:
    with pytest.raises(ImageError, match=r"page\.png: .*zoomground reads PNG, JPEG"):
        load_screenshot(data, name="page.png")


@pytest.mark.parametrize("format_name", ["PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF"])
def test_a_truncated_file_is_refused(format_name: str) -> None:
    data = saved(textured(64, 64), format_name)
    with pytest.raises(ImageError, match=r"cut\.img: .*(damaged|not an image)"):
        load_screenshot(data[: len(data) // 2], name="cut.img")


def test_the_first_frame_of_an_animation_counts() -> None:
    frames = [Image.new("RGB", (12, 10), colour) for colour in ("red", "blue")]
    for format_name in ("GIF", "PNG", "WEBP", "TIFF"):
        options = {"lossless": True} if format_name == "WEBP" else {}
        data = saved(frames[0], format_name, save_all=True, append_images=frames[1:], **options)
        assert load_screenshot(data).pixels.getpixel((5, 5)) == (255, 0, 0), format_name


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_bytes_give_an_image_or_an_image_error_and_nothing_else(data: st.DataObject) -> None:
    content = bytearray(data.draw(st.sampled_from(FILES)))
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        outcome = load_screenshot(bytes(content), max_pixels=10**6).pixels.mode
    except ImageError as error:
        outcome = str(error)
    assert outcome == "RGB" or outcome.startswith("<image bytes>: ")


# --- cutting


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_cut_is_one_resample_of_the_originals_own_pixels(data: st.DataObject) -> None:
    original = TEXTURE.pixels
    x1, y1 = data.draw(st.integers(0, 99)), data.draw(st.integers(0, 79))
    x2, y2 = data.draw(st.integers(x1 + 1, 100)), data.draw(st.integers(y1 + 1, 80))
    shown = Size(data.draw(st.integers(1, 90)), data.draw(st.integers(1, 90)))
    result = cut(TEXTURE, Region(x1, y1, x2, y2, TEXTURE.size), shown)
    alone = original.crop((x1, y1, x2, y2)).resize((shown.width, shown.height), Image.Resampling.LANCZOS)
    assert ImageChops.difference(result, alone).getbbox() is None


def test_a_cut_at_its_own_size_is_a_plain_crop() -> None:
    region = Region(10, 20, 50, 60, TEXTURE.size)
    assert cut(TEXTURE, region, region.size).tobytes() == TEXTURE.pixels.crop((10, 20, 50, 60)).tobytes()
    assert cut(TEXTURE, Region.whole(TEXTURE.size), TEXTURE.size).tobytes() == TEXTURE.pixels.tobytes()


def test_nothing_outside_the_region_bleeds_into_a_cut() -> None:
    picture = Image.new("RGB", (60, 60), "red")
    picture.paste("white", (20, 20, 40, 40))
    result = cut(shot_of(picture), Region(20, 20, 40, 40, Size(60, 60)), Size(80, 80))
    assert result.getextrema() == ((255, 255),) * 3


def test_a_region_of_another_image_is_refused() -> None:
    with pytest.raises(ImageError, match=r"belongs to an image of 10x10 px, this one has 100x80"):
        cut(TEXTURE, Region.whole(Size(10, 10)), Size(28, 28))


def test_img_09_a_crop_that_would_be_too_large_is_refused_before_it_is_made() -> None:
    with pytest.raises(ImageError, match=r"20000x20000 px is more than the limit of 89,000,000 pixels"):
        cut(TEXTURE, Region.whole(TEXTURE.size), Size(20_000, 20_000))


# --- encoding


def test_equal_pixels_give_equal_bytes_whatever_the_file_held_beside_them() -> None:
    plain = textured(32, 32)
    adorned = plain.copy()
    adorned.info.update({"dpi": (300, 300), "icc_profile": b"not a profile", "comment": "made today"})
    assert encode(adorned) == encode(plain)
    assert encode(plain, "jpeg") == encode(adorned, "jpeg")
    assert "comment" in adorned.info


def test_png_is_lossless_and_named_by_its_media_type() -> None:
    plain = textured(33, 17)
    encoded = encode(plain)
    assert encoded.mime == "image/png"
    assert load_screenshot(encoded.data).pixels.tobytes() == plain.tobytes()
    assert load_screenshot(encoded.data).sha256 == encoded.sha256
    assert encode(plain, "jpeg").data_uri().startswith("data:image/jpeg;base64,")


TEXTURE = shot_of(textured(100, 80))
FILES = [
    *(with_orientation(textured(12, 9), 6, name) for name in ("PNG", "JPEG", "WEBP", "TIFF")),
    *(saved(textured(12, 9), name) for name in ("BMP", "GIF")),
    saved(Image.new("I;16", (5, 4), 300), transparency=300),
]
