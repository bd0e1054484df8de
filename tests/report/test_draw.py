"""The picture of an episode: right places, readable at any screen size."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageColor

import zoomground
from saved import DIRECT_HIT, MISS, NESTED_HIT, ZOOM_HIT, episode, picture
from zoomground.errors import ImageError
from zoomground.geometry import Box, Point, Polygon, Size
from zoomground.images import load_screenshot
from zoomground.report.draw import draw
from zoomground.report.words import ANSWER_COLOR, TARGET_COLOR, crop_color
from zoomground.task import Refusal

LEFT, WIDTH = 20, 1280


def places(image: Image.Image, color: str, window: tuple[int, int, int, int] | None = None) -> Box | None:
    """The smallest box around the pixels of exactly this colour, within a window of the picture."""
    part = image.crop(window or (0, 0, *image.size))
    red, green, blue = ImageChops.difference(part, Image.new("RGB", part.size, color)).split()
    off = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    found = off.point([255] + [0] * 255).getbbox()
    return None if found is None else Box(*found)


def test_marks_stand_where_things_are(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    target = Box(320, 200, 640, 400)
    drawn = draw(episode(image, ("[250.00,250.00]",), target=target), image)
    # The screen is as wide as the picture's inner part, so that it is drawn at its own size.
    top = next(
        y for y in range(drawn.height) if drawn.getpixel((LEFT, y)) == load_screenshot(image).pixels.getpixel((0, 0))
    )
    for x, y in ((320 + 160, 200), (320, 300), (640, 300), (480, 400)):
        near = {drawn.getpixel((LEFT + x + dx, top + y + dy)) for dx in range(-4, 5) for dy in range(-4, 5)}
        assert ImageColor.getrgb(TARGET_COLOR) in near, (x, y)
    assert drawn.getpixel((LEFT + 320, top + 200)) == ImageColor.getrgb(ANSWER_COLOR)


@pytest.mark.parametrize("target", [None, Refusal()])
def test_without_a_place_none_is_drawn(tmp_path: Path, target: Refusal | None) -> None:
    image = picture(tmp_path / "screen.png")
    assert places(draw(episode(image, ZOOM_HIT, target=target), image), TARGET_COLOR) is None


@pytest.mark.parametrize(
    "size", [Size(390, 844), Size(1280, 800), Size(3840, 2160), Size(5120, 1440), Size(200, 190)], ids=str
)
def test_on_any_screen_a_tiny_target_is_seen(size: Size, tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png", size)
    target = Box(size.width * 0.7, size.height * 0.5, size.width * 0.7 + 9, size.height * 0.5 + 9)
    drawn = draw(episode(image, ("[100.00,100.00]",), target=target), image)
    assert drawn.mode == "RGB"
    assert drawn.width == WIDTH + 2 * LEFT
    assert 300 < drawn.height < 1500
    # Below the legend, above the close-ups.
    on_screen = places(drawn, TARGET_COLOR, (0, 110, drawn.width, drawn.height - 320))
    assert on_screen is not None
    assert on_screen.width >= 12


def test_every_crop_has_its_window_and_its_close_up(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    heights = {}
    for texts in (DIRECT_HIT, ZOOM_HIT, NESTED_HIT):
        drawn = draw(episode(image, texts), image)
        heights[len(texts)] = drawn.height
        shown = [places(drawn, crop_color(number)) is not None for number in (1, 2)]
        assert shown == [len(texts) > 1, len(texts) > 2]
    assert len(set(heights.values())) == 1


def test_a_refusal_has_no_target_and_a_miss_without_answer_no_cross(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    assert places(draw(episode(image, ("[1.00,1.00]",), target=Refusal()), image), TARGET_COLOR) is None
    assert places(draw(episode(image, ("x", "y", "z")), image), ANSWER_COLOR) is None


def test_a_polygon_is_drawn_as_one(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    triangle = Polygon((Point(320, 200), Point(960, 200), Point(640, 600)))
    drawn = draw(episode(image, MISS, target=triangle), image)
    marked = places(drawn, TARGET_COLOR, (0, 120, drawn.width, 860))
    assert marked is not None
    bottom = 120 + int(marked.y2)
    tip = places(drawn, TARGET_COLOR, (0, bottom - 1, drawn.width, bottom))
    assert tip is not None
    assert tip.width < 20
    assert marked.width > 600


def test_a_half_played_episode_can_be_drawn(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    assert draw(episode(image, ZOOM_HIT[:1]), image).width == WIDTH + 2 * LEFT


def test_hostile_text_is_only_text(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    text = "粗体 \x00\x1b[31m" + "word " * 500
    assert draw(episode(image, instruction=text), image).width == WIDTH + 2 * LEFT


def test_without_a_screenshot_the_tasks_own_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture(tmp_path / "screen.png")
    played = episode(tmp_path / "screen.png")
    monkeypatch.chdir(tmp_path)
    by_name, by_path = zoomground.draw(played), zoomground.draw(played, tmp_path / "screen.png")
    assert by_name.tobytes() == by_path.tobytes()
    (tmp_path / "screen.png").unlink()
    with pytest.raises(ImageError, match="no such file"):
        zoomground.draw(played)
