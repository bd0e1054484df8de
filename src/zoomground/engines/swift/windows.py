"""A task that nobody solved, asked again inside a window of its screen.

A window holds the target and a part of the screen around it, at a place that is drawn: the same target, in less of a
haystack. It is cut from the original's pixels without loss and becomes a screenshot of its own, in a file of its own,
so the episodes in it are episodes like all others: rewards, saved records, `score` and `rebuild-crops` know nothing of
it. Where it was cut stands in the task's meta. Nothing here imports ms-swift or torch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground.data.files import write_bytes
from zoomground.data.shown import write_shown
from zoomground.engines.swift.dataset import SHOWN_FOLDER, prompt_row
from zoomground.geometry import Box, Point, Polygon, Region
from zoomground.images import display_name, encode, load_screenshot
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.rewards.quality import surround

if TYPE_CHECKING:
    import random

    from zoomground.geometry import Size
    from zoomground.images import Screenshot
    from zoomground.task import Task

WINDOWS_FOLDER = "windows"
"""Folder of the windows, beside the records of their episodes."""

META_KEY = "asked_again"
"""Key of a task's meta that says where its screenshot was cut from."""

LARGEST = 0.75
"""A window of a larger share of the screen is the screen again: the task is left alone."""


@dataclass(frozen=True, slots=True)
class Windows:
    """Makes windows.

    Attributes:
        folder: Where their files go.
        share: Sides of a window, in shares of the screen's.
        settings: The rules of an episode in the arm that may zoom.
    """

    folder: Path
    share: float
    settings: EpisodeSettings

    def region_of(self, task: Task, arm: Arm, rng: random.Random) -> Region | None:
        """The window to ask a task in; None if it is to be left alone.

        That is where there is no place to look for, no zooming, or no window that is much smaller than the screen.
        """
        if task.place is None or arm is not Arm.ON or META_KEY in task.meta:
            return None
        return draw_window(surround(task.place.box, task.size), task.size, self.share, rng)

    def row_of(self, task: Task, region: Region, screenshot: Screenshot) -> dict[str, Any]:
        """The dataset row of a task in a window; the window's files are written.

        Args:
            task: The task on the whole screen.
            region: The window.
            screenshot: The whole screen.

        Raises:
            OSError: If the files cannot be written.
        """
        window = screenshot.pixels.crop((region.x1, region.y1, region.x2, region.y2))
        encoded = encode(window)
        name = display_name(task.image).rpartition(".")[0] or "screenshot"
        file = self.folder.resolve() / encoded.sha256[:16] / f"{name}.png"
        if not file.exists():
            write_bytes(file, encoded.data)
        shown = write_shown(load_screenshot(file), self.settings.limits, self.folder / SHOWN_FOLDER)
        asked = replace(in_window(task, region, screenshot.sha256), image=str(file))
        return prompt_row(asked, shown, replace(self.settings, arm=Arm.ON))


def draw_window(needed: Box, size: Size, share: float, rng: random.Random) -> Region | None:
    """A window at a random place that holds a box wholly.

    Args:
        needed: What it must hold, in px; it grows to do so.
        size: The screen.
        share: Its sides, in shares of the screen's.
        rng: Decides the place.

    Returns:
        The window; None if it would be most of the screen.
    """
    x1, x2 = _range(needed.x1, needed.x2, size.width, share, rng)
    y1, y2 = _range(needed.y1, needed.y2, size.height, share, rng)
    region = Region(x1, y1, x2, y2, size)
    return None if region.size.area > LARGEST * size.area else region


def _range(low: float, high: float, limit: int, share: float, rng: random.Random) -> tuple[int, int]:
    first, last = max(0, math.floor(low)), min(limit, math.ceil(high))
    length = min(limit, max(1, round(share * limit), last - first))
    start = rng.randint(max(0, last - length), min(first, limit - length))
    return start, start + length


def in_window(task: Task, region: Region, sha256: str) -> Task:
    """The task with the window as its screen: target shifted, a mark on the id, where it was cut in the meta.

    What the row said of its difficulty was said of the whole screen: in the window the target's legibility decides.

    Args:
        task: The task on the whole screen; it has a place.
        region: The window.
        sha256: Hash of the whole screen's file.
    """
    corners = [region.x1, region.y1, region.x2, region.y2]
    return replace(
        task,
        id=f"{task.id}@{','.join(map(str, corners))}",
        size=region.size,
        target=_shifted(task.place, region),
        difficulty=None,
        meta={**task.meta, META_KEY: {"id": task.id, "image": task.image, "sha256": sha256, "region_px": corners}},
    )


def _shifted(place: Box | Polygon | None, region: Region) -> Box | Polygon | None:
    match place:
        case Box():
            return Box(place.x1 - region.x1, place.y1 - region.y1, place.x2 - region.x1, place.y2 - region.y1)
        case Polygon():
            return Polygon(tuple(Point(corner.x - region.x1, corner.y - region.y1) for corner in place.corners))
        case None:
            return None
