"""What the audit is played on: screens from phone to ultra-wide, targets from tiny to large, in corners and between.

The grid is seeded and needs no image files: rewards read sizes and regions, never pixels.
"""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import cycle, product
from typing import TYPE_CHECKING

from zoomground.geometry import Box, Point, Polygon, Size
from zoomground.task import Difficulty, Refusal, Target, Task

if TYPE_CHECKING:
    from zoomground.protocol.settings import EpisodeSettings

_SCREENS = (
    Size(390, 844),
    Size(1280, 800),
    Size(1920, 1080),
    Size(2560, 1440),
    Size(3840, 2160),
    Size(5120, 1440),
)
_TARGETS = ((3, 3), (8, 8), (9, 30), (14, 14), (60, 18), (20, 20), (27, 27), (200, 28), (120, 40), (360, 240))
"""Width and height in px."""

_ANCHORS = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.5, 0.5), (0.0, 0.5), (0.5, 0.0))
"""Corners, middle, edges, in shares of the room; one free place is drawn beside them."""

_DIFFICULTIES = (None, Difficulty.HARD, None, Difficulty.EASY)

_VIEW_SHARES = (4, 16)
"""The screenshot's pixel limit is also divided by these: the same screen seen sharp and blurred."""

_VIEW_PIXELS = 4_000_000
"""Above this no screen of the grid would be seen smaller, however the limit is divided."""


def audit_samples(seed: int = 0) -> list[Task]:
    """The grid: every screen with every target, at two places each, and one refusal for every screen.

    Args:
        seed: Of the places; the same seed gives the same tasks.
    """
    rng = random.Random(seed)
    anchors, difficulties = cycle(_ANCHORS), cycle(_DIFFICULTIES)
    tasks: list[Task] = []
    for number, (size, (width, height)) in enumerate(product(_SCREENS, _TARGETS)):
        places = [next(anchors), (rng.random(), rng.random())]
        for place, difficulty in zip(places, (next(difficulties), next(difficulties)), strict=True):
            x1, y1 = round(place[0] * (size.width - width)), round(place[1] * (size.height - height))
            box = Box(x1, y1, x1 + width, y1 + height)
            target = _diamond(box) if number % 7 == 0 else box
            tasks.append(_task(f"{len(tasks)}-{size.width}x{size.height}-{width}x{height}", size, target, difficulty))
    tasks += [_task(f"refusal-{size.width}x{size.height}", size, Refusal(), None) for size in _SCREENS]
    return tasks


def view_settings(episode: EpisodeSettings) -> list[EpisodeSettings]:
    """The same rules with the screenshot seen at several sizes: as given, and smaller."""
    limits = episode.limits
    tops = [min(limits.max_pixels, _VIEW_PIXELS) // share for share in _VIEW_SHARES]
    # A limit close to the smallest image would leave the processor no size to choose.
    smaller = [top for top in tops if top >= 2 * max(limits.min_pixels, limits.factor**2)]
    return [episode, *(replace(episode, limits=replace(limits, max_pixels=top)) for top in smaller)]


def _task(name: str, size: Size, target: Target, difficulty: Difficulty | None) -> Task:
    return Task(f"audit-{name}", "Click the target", "screen.png", size, target, difficulty)


def _diamond(box: Box) -> Polygon:
    middle = box.center
    return Polygon((Point(middle.x, box.y1), Point(box.x2, middle.y), Point(middle.x, box.y2), Point(box.x1, middle.y)))
