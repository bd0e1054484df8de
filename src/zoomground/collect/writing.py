"""How scripts write their turns: canonical, with or without thinking, in as few characters as that allows."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from zoomground.geometry import NORM
from zoomground.protocol.actions import Crop, CropUnits
from zoomground.protocol.render import render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.environment import GroundingEnv
    from zoomground.geometry import Box
    from zoomground.protocol.actions import Action
    from zoomground.protocol.settings import EpisodeSettings

_WHOLE_NUMBER = re.compile(r"(=\d+)\.00")


def write_turn(actions: Action | Sequence[Action], thought: str, settings: EpisodeSettings) -> str:
    """The text of a turn; an empty thought is left out."""
    return with_thought(short(render(actions)), thought, settings)


def with_thought(text: str, thought: str, settings: EpisodeSettings) -> str:
    """Put thinking in front of what a turn does."""
    if settings.prompt_ends_in_think:
        return f"{thought}\n</think>\n\n{text}"
    return f"<think>{thought}</think>\n{text}" if thought else text


def short(text: str) -> str:
    """The same crop calls with whole numbers written as such: as canonical, and fewer tokens."""
    return _WHOLE_NUMBER.sub(r"\1", text)


def crop_call(env: GroundingEnv, window: Box, name: str | None = None) -> Crop:
    """The call for a window in [0, 1000] of a named image (default: the screenshot), in the units of the episode."""
    name = name or env.image_name
    if env.settings.crop_units is CropUnits.NORM:
        return Crop(name, window.x1, window.y1, window.x2, window.y2)
    shown = {crop.name: crop.shown for crop in env.trajectory().crops}
    size = shown.get(name, env.screenshot.size)
    x_scale, y_scale = size.width / NORM, size.height / NORM
    return Crop(
        name,
        math.floor(window.x1 * x_scale),
        math.floor(window.y1 * y_scale),
        math.ceil(window.x2 * x_scale),
        math.ceil(window.y2 * y_scale),
    )
