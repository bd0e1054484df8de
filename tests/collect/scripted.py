"""Screens and demonstrations that the tests of this folder share."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from episodes import screenshot, task
from zoomground.collect.demonstrations import Demonstration, demonstrate
from zoomground.collect.free import Free
from zoomground.geometry import Box, PixelLimits, Size
from zoomground.images import EncodedImage
from zoomground.protocol.settings import EpisodeSettings

if TYPE_CHECKING:
    from zoomground.collect.style import Plan, Style
    from zoomground.geometry import Region
    from zoomground.protocol.views import Views
    from zoomground.task import Task

# Small pictures: what is tested is where crops lie, and they are really cut.
SETTINGS = EpisodeSettings(limits=PixelLimits(factor=32, min_pixels=4 * 32**2, max_pixels=64 * 32**2))
SCREEN = Size(1280, 800)
SMALL = task(SCREEN, Box(900, 120, 918, 136))
LARGE = task(SCREEN, Box(100, 300, 700, 640))

screen = cache(screenshot)


def played(
    task_: Task = SMALL, style: Style | None = None, *, settings: EpisodeSettings = SETTINGS, seed: int | str = 0
) -> Demonstration:
    return demonstrate(task_, screen(task_.size), settings, seed, style or Free())


def only(plan: Plan, **options: object) -> Free:
    """The free style, with one plan and with thinking in every turn."""
    style = Free(plans={plan: 1.0}, zoom_legible=1.0, silent=0.0, corrected=0.0)
    return replace(style, **options)  # type: ignore[arg-type]


def unseen(views: Views, region: Region, shown: Size) -> EncodedImage:
    """In place of `Views.picture` where nobody looks at the pixels."""
    return EncodedImage(b"", "image/png", f"{region}{shown}")
