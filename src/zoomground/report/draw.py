"""One picture of one episode: where the policy looked, what it saw there, and where it pointed.

The screenshot is scaled to a fixed width, so that a phone and a 4K desktop give pictures that read alike. What is tiny
on it stays visible: a target below a few pixels gets a ring, and the close-ups underneath are cut from the original's
pixels: first the surroundings of the target, then each crop in order.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw, ImageFont

from zoomground.geometry import Box, Point, Polygon, Region, Size
from zoomground.images import Screenshot, cut, load_screenshot
from zoomground.report.words import ANSWER_COLOR, TARGET_COLOR, crop_color, outcome_line

if TYPE_CHECKING:
    from pathlib import Path

    from zoomground.protocol.observation import CropView
    from zoomground.trajectory import Trajectory

_WIDTH = 1280
_MAX_SCREEN_HEIGHT = 960
_MARGIN = 20
_PANEL = Size(308, 240)
_PANELS_IN_A_ROW = 4
_CAPTION = 44
_SMALL = 14.0
"""A target drawn smaller than this, in px of the picture, gets a ring."""
_CLOSE_UP = 8.0
"""The first close-up shows this many times the target's long side."""

_PAPER, _INK, _FAINT = "#ffffff", "#111827", "#4b5563"


def draw(trajectory: Trajectory, screenshot: Screenshot | str | Path | None = None) -> Image.Image:
    """Draw an episode.

    Args:
        trajectory: What happened.
        screenshot: The original, opened or as a path; by default the path that the task names.

    Returns:
        An RGB picture, `_WIDTH` and two margins wide.

    Raises:
        ImageError: If the screenshot cannot be opened.
    """
    if not isinstance(screenshot, Screenshot):
        screenshot = load_screenshot(trajectory.task.image if screenshot is None else screenshot)
    screen = _screen(trajectory, screenshot)
    panels = _panels(trajectory, screenshot)
    title = textwrap.wrap(trajectory.task.instruction, 104)[:3] or ["(no instruction)"]
    top = _MARGIN + 30 * len(title) + 56
    rows = (len(panels) + _PANELS_IN_A_ROW - 1) // _PANELS_IN_A_ROW
    height = top + screen.height + _MARGIN + rows * (_PANEL.height + _CAPTION + _MARGIN)
    page = Image.new("RGB", (_WIDTH + 2 * _MARGIN, height), _PAPER)
    pen = ImageDraw.Draw(page)
    for number, line in enumerate(title):
        pen.text((_MARGIN, _MARGIN + 30 * number), line, fill=_INK, font=_font(24, line))
    pen.text((_MARGIN, top - 52), outcome_line(trajectory), fill=_FAINT, font=_font(16))
    _legend(pen, Point(_MARGIN, top - 26), trajectory)
    page.paste(screen, (_MARGIN, top))
    for number, panel in enumerate(panels):
        row, column = divmod(number, _PANELS_IN_A_ROW)
        x = _MARGIN + column * (_PANEL.width + 16)
        y = top + screen.height + _MARGIN + row * (_PANEL.height + _CAPTION + _MARGIN)
        page.paste(panel.picture, (x, y))
        pen.rectangle((x - 1, y - 1, x + panel.picture.width, y + panel.picture.height), outline=panel.color, width=2)
        for index, words in enumerate((panel.title, panel.caption)):
            pen.text((x, y + panel.picture.height + 6 + 20 * index), words, fill=_INK if not index else _FAINT,
                     font=_font(16 if not index else 14, words))  # fmt: skip
    return page


@dataclass(frozen=True, slots=True)
class _Panel:
    picture: Image.Image
    title: str
    caption: str
    color: str


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A picture of a region of the original, and the map from original px onto it."""

    picture: Image.Image
    region: Region

    def place(self, box: Box) -> tuple[float, float, float, float]:
        sx = self.picture.width / self.region.size.width
        sy = self.picture.height / self.region.size.height
        return (
            (box.x1 - self.region.x1) * sx,
            (box.y1 - self.region.y1) * sy,
            (box.x2 - self.region.x1) * sx,
            (box.y2 - self.region.y1) * sy,
        )

    def target(self, trajectory: Trajectory) -> None:
        target = trajectory.task.place
        if target is None:
            return
        pen = ImageDraw.Draw(self.picture)
        x1, y1, x2, y2 = self.place(target.box)
        if isinstance(target, Polygon):
            corners = [self.place(Box(c.x, c.y, c.x, c.y))[:2] for c in target.corners]
            pen.polygon(corners, outline=TARGET_COLOR, width=3)
        else:
            _frame(pen, (x1, y1, x2, y2), TARGET_COLOR)
        if max(x2 - x1, y2 - y1) < _SMALL:
            middle, reach = ((x1 + x2) / 2, (y1 + y2) / 2), 22.0
            pen.circle(middle, reach + 1, outline="white", width=5)
            pen.circle(middle, reach, outline=TARGET_COLOR, width=3)

    def answer(self, trajectory: Trajectory) -> None:
        if trajectory.answer is None:
            return
        point = Point(trajectory.answer.x, trajectory.answer.y).to_px(trajectory.task.size)
        if not self.region.box_px.contains(point):
            return
        pen = ImageDraw.Draw(self.picture)
        x, y, _, _ = self.place(Box(point.x, point.y, point.x, point.y))
        for color, width in (("white", 7), (ANSWER_COLOR, 3)):
            pen.line((x - 11, y, x + 11, y), fill=color, width=width)
            pen.line((x, y - 11, x, y + 11), fill=color, width=width)

    def window(self, number: int, crop: CropView) -> None:
        pen = ImageDraw.Draw(self.picture)
        x1, y1, x2, y2 = self.place(crop.region.box_px)
        color = crop_color(number)
        _frame(pen, (x1, y1, x2, y2), color)
        # The number stands above the window where there is room, else inside its corner.
        left, top = min(max(0.0, x1), self.picture.width - 22), y1 - 22 if y1 >= 22 else max(0.0, y1)
        pen.rectangle((left, top, left + 20, top + 20), fill=color)
        pen.text((left + 10.5, top + 10), str(number), fill="white", font=_font(15), anchor="mm")


def _frame(pen: ImageDraw.ImageDraw, box: tuple[float, float, float, float], color: str) -> None:
    """A frame around a box: a white line outside the coloured one keeps it visible on any ground."""
    x1, y1, x2, y2 = box
    pen.rectangle((x1 - 4, y1 - 4, x2 + 4, y2 + 4), outline="white", width=2)
    pen.rectangle((x1 - 2, y1 - 2, x2 + 2, y2 + 2), outline=color, width=3)


def _screen(trajectory: Trajectory, screenshot: Screenshot) -> Image.Image:
    whole = Region.whole(screenshot.size)
    sheet = _sheet(screenshot, whole, Size(_WIDTH, _MAX_SCREEN_HEIGHT))
    for number, crop in enumerate(trajectory.crops, start=1):
        sheet.window(number, crop)
    sheet.target(trajectory)
    sheet.answer(trajectory)
    return sheet.picture


def _panels(trajectory: Trajectory, screenshot: Screenshot) -> list[_Panel]:
    panels = []
    if trajectory.task.place is not None:
        box = trajectory.task.place.box
        sheet = _sheet(screenshot, _surroundings(box, screenshot.size), _PANEL)
        sheet.target(trajectory)
        sheet.answer(trajectory)
        size = f"{box.width:.0f}x{box.height:.0f} px on {screenshot.size.width}x{screenshot.size.height}"
        panels.append(_Panel(sheet.picture, "target", size, TARGET_COLOR))
    for number, crop in enumerate(trajectory.crops, start=1):
        sheet = _sheet(screenshot, crop.region, _PANEL)
        for other, child in enumerate(trajectory.crops, start=1):
            if child.parent == crop.name:
                sheet.window(other, child)
        sheet.target(trajectory)
        sheet.answer(trajectory)
        region = crop.region.size
        caption = (
            f"{region.width}x{region.height} px, zoom {crop.region.zoom:.1f}, "
            f"shown {crop.shown.width}x{crop.shown.height}"
        )
        panels.append(_Panel(sheet.picture, f"{number}: {crop.name} of {crop.parent}", caption, crop_color(number)))
    return panels


def _sheet(screenshot: Screenshot, region: Region, room: Size) -> _Sheet:
    """Cut a region at the largest size that fits into ``room``."""
    size = region.size
    scale = min(room.width / size.width, room.height / size.height)
    shown = Size(max(1, round(size.width * scale)), max(1, round(size.height * scale)))
    return _Sheet(cut(screenshot, region, shown), region)


def _surroundings(box: Box, size: Size) -> Region:
    """A window of a panel's shape around a box, moved inside the screen."""
    height = max(box.height, box.width * _PANEL.height / _PANEL.width, 8.0) * _CLOSE_UP / 2
    width = height * _PANEL.width / _PANEL.height
    x1, x2 = _span(box.center.x, width, size.width)
    y1, y2 = _span(box.center.y, height, size.height)
    return Region(x1, y1, x2, y2, size)


def _span(middle: float, length: float, limit: int) -> tuple[int, int]:
    length = min(round(length), limit)
    low = min(max(0, round(middle - length / 2)), limit - length)
    return low, low + length


def _legend(pen: ImageDraw.ImageDraw, at: Point, trajectory: Trajectory) -> None:
    entries = [] if trajectory.task.place is None else [("target", TARGET_COLOR)]
    entries += [(crop.name, crop_color(number)) for number, crop in enumerate(trajectory.crops, start=1)]
    if trajectory.answer is not None:
        entries.append(("answer", ANSWER_COLOR))
    x = at.x
    for words, color in entries:
        if words == "answer":
            pen.line((x, at.y + 8, x + 16, at.y + 8), fill=color, width=3)
            pen.line((x + 8, at.y, x + 8, at.y + 16), fill=color, width=3)
        else:
            pen.rectangle((x, at.y + 2, x + 16, at.y + 14), outline=color, width=3)
        pen.text((x + 22, at.y), words, fill=_INK, font=_font(15))
        x += 22 + pen.textlength(words, font=_font(15)) + 24


_WIDE_FONTS = ("NotoSansCJK-Regular.ttc", "NotoSans-Regular.ttf", "DejaVuSans.ttf", "Arial Unicode.ttf")
"""Fonts of the machine for text that Pillow's own font has no letters for."""


def _font(size: int, words: str = "") -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    if any(ord(letter) > 0x24F for letter in words):
        for name in _WIDE_FONTS:
            try:
                return ImageFont.truetype(name, size)
            except OSError:
                continue
    return ImageFont.load_default(size)
