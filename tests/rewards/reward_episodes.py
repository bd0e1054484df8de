"""Episodes made by hand for the tests of rewards: a screen, a target, crops by turn, an ending."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.geometry import Box, Region, Size
from zoomground.protocol.actions import Answer, Crop, Decline, Dialect
from zoomground.protocol.observation import CropView, crop_name
from zoomground.protocol.settings import EpisodeSettings
from zoomground.task import Difficulty, Target, Task
from zoomground.trajectory import StopReason, Trajectory, Turn

if TYPE_CHECKING:
    from collections.abc import Sequence

SCREEN = Size(1920, 1080)
TARGET = Box(960, 540, 974, 554)
"""14 px square: hard where the view is smaller than the screen, legible in no view."""


@dataclass(frozen=True)
class Look:
    """A crop by its window on the original, px; shown four times enlarged unless said otherwise."""

    x1: int
    y1: int
    x2: int
    y2: int
    shown: Size | None = None


def episode(
    *turns: Sequence[Look],
    answer: tuple[float, float] | None = (503.0, 505.0),
    target: Target | None = TARGET,
    screen: Size = SCREEN,
    view: Size | None = None,
    difficulty: Difficulty | None = None,
    stop: StopReason | None = StopReason.ANSWERED,
    dialect: Dialect = Dialect.CANONICAL,
    finish_reason: str | None = "stop",
) -> Trajectory:
    """An episode with these crop turns and this ending; ``answer=None`` with ``stop=DECLINED`` declines."""
    played, number = [], 0
    for looks in turns:
        views = []
        for look in looks:
            number += 1
            region = Region(look.x1, look.y1, look.x2, look.y2, screen)
            shown = look.shown or Size(region.size.width * 4, region.size.height * 4)
            views.append(CropView(crop_name(number), "a.png", region, shown, "", "image/png"))
        calls = tuple(Crop("a.png", *vars_of(view.region.box_norm)) for view in views)
        played.append(Turn("zoom", "stop", calls, Dialect.CANONICAL, crops=tuple(views)))
    if stop is StopReason.ANSWERED and answer is not None:
        played.append(Turn("answer", finish_reason, (Answer(*answer),), dialect))
    elif stop is StopReason.DECLINED:
        played.append(Turn("decline", finish_reason, (Decline(),), dialect))
    task = Task("t", "Click it", "a.png", screen, target, difficulty)
    return Trajectory(task, EpisodeSettings(), "a.png", "", view or screen, (), tuple(played), stop)


def vars_of(box: Box) -> tuple[float, float, float, float]:
    """The corners."""
    return box.x1, box.y1, box.x2, box.y2
