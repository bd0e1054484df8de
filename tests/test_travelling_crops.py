"""Crops that travel unenlarged end in the same pixels, by whatever limits, and say what they are."""

from __future__ import annotations

import base64
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, UnidentifiedImageError

from zoomground.crops import enlarged, travelling_cut, travels_small
from zoomground.data.chat import rebuilt_crop
from zoomground.environment import GroundingEnv
from zoomground.errors import ImageError
from zoomground.geometry import Box, PixelLimits, Region, Size
from zoomground.images import Screenshot, cut, encode, load_screenshot
from zoomground.protocol.settings import EpisodeSettings
from zoomground.protocol.views import TravellingViews
from zoomground.task import Task


def noise(width: int, height: int) -> Screenshot:
    image = Image.effect_noise((width, height), 90).convert("RGB")
    return load_screenshot(encode(image).data)


SHOT = noise(200, 120)


@st.composite
def regions(draw: st.DrawFn) -> Region:
    x1, y1 = draw(st.integers(0, 199)), draw(st.integers(0, 119))
    return Region(x1, y1, draw(st.integers(x1 + 1, 200)), draw(st.integers(y1 + 1, 120)), SHOT.size)


@given(region=regions(), width=st.integers(1, 400), height=st.integers(1, 400))
def test_what_arrives_is_what_is_shown(region: Region, width: int, height: int) -> None:
    shown = Size(width, height)
    travelled = travelling_cut(SHOT, region, shown)
    picture = enlarged(travelled.data_uri())
    wanted = cut(SHOT, region, shown)
    if picture is None:
        picture = Image.open(io.BytesIO(travelled.data))
        assert region.size.area >= shown.area
        assert travelled.mime == "image/png"
    else:
        assert Image.open(io.BytesIO(travelled.data)).size == (region.size.width, region.size.height)
        assert travels_small(travelled.mime)
    assert picture.tobytes() == wanted.tobytes()
    assert picture.size == (width, height)


@pytest.mark.parametrize("factor", [28, 32])
@given(region=regions())
def test_the_processor_resizes_none_of_what_arrives(factor: int, region: Region) -> None:
    limits = PixelLimits(factor=factor, min_pixels=4096, max_pixels=40_960)
    shown = limits.shown_size(region.size, 4, 40_960)
    travelled = travelling_cut(SHOT, region, shown)
    picture = enlarged(travelled.data_uri()) or Image.open(io.BytesIO(travelled.data))
    assert limits.view_size(Size(*picture.size)) == Size(*picture.size) == shown


def test_an_enlarged_crop_and_a_travelling_one_of_a_screenshot_are_not_taken_for_each_other() -> None:
    region, shown = Region(0, 0, 20, 20, SHOT.size), Size(64, 64)
    small = travelling_cut(SHOT, region, shown)
    assert travelling_cut(SHOT, region, shown) is small
    assert len(SHOT.crops) >= 1
    assert small.mime == "image/png;shown=64x64"


def test_who_does_not_know_of_unenlarged_crops_gets_an_error_and_not_a_small_picture() -> None:
    uri = travelling_cut(SHOT, Region(0, 0, 20, 20, SHOT.size), Size(64, 64)).data_uri()
    with pytest.raises(UnidentifiedImageError):
        Image.open(io.BytesIO(base64.b64decode(uri.partition(",")[2], validate=True)))
    with pytest.raises(ImageError, match="not an image"):
        load_screenshot(uri)


KNOWN = travelling_cut(SHOT, Region(0, 0, 20, 20, SHOT.size), Size(64, 64)).data_uri()


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "shots/a.png",
        "data:image/png;base64,AAAA",
        "data:image/png;shown=64x64;base64,AAAA",
        KNOWN.replace("shown=64x64", "shown=0x64x2"),
        KNOWN.replace("base64,", "base64,AAAA"),
        "shown=2x2",
    ],
)
def test_anything_else_is_nobodys_crop(uri: str) -> None:
    assert enlarged(uri) is None


def test_a_crop_that_was_damaged_on_its_way_or_wants_too_much_is_refused() -> None:
    uri = travelling_cut(SHOT, Region(0, 0, 20, 20, SHOT.size), Size(64, 64)).data_uri()
    with pytest.raises(ImageError):
        enlarged(uri[:-40])
    with pytest.raises(ImageError, match="more than the limit"):
        enlarged(uri.replace("shown=64x64", "shown=99999x99999"))


def test_records_of_both_ways_give_the_same_crop_and_another_picture_is_noticed() -> None:
    task = Task("t", "Click", "screen.png", SHOT.size, Box(10, 10, 20, 20))
    settings = EpisodeSettings()
    plain, small = (GroundingEnv(task, SHOT, settings) for _ in range(2))
    small.views = TravellingViews(SHOT, small.image_name, settings)
    views = []
    for env in (plain, small):
        env.step('<action>crop_image(image_path="screen.png", x1=0, y1=0, x2=200, y2=200)</action>')
        views += env.trajectory().crops
    assert (views[0].mime, travels_small(views[1].mime)) == ("image/png", True)
    shown = [rebuilt_crop(view, SHOT) for view in views]
    assert shown[0] == shown[1]
    assert shown[0].sha256 == views[0].sha256
    for view in views:
        with pytest.raises(ImageError, match="bytes differ"):
            rebuilt_crop(view, noise(200, 120))
