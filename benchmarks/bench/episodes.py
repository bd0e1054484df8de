"""Episodes that zoom: the same screens, calls and regions for every side of a comparison."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from zoomground.environment import GroundingEnv
from zoomground.geometry import Box, Region, Size
from zoomground.images import Screenshot, display_name
from zoomground.protocol.actions import Answer, Crop
from zoomground.protocol.observation import crop_name
from zoomground.protocol.render import render
from zoomground.protocol.settings import EpisodeSettings
from zoomground.protocol.views import UnseenViews
from zoomground.task import Task

Script = tuple[str, ...]
"""Replies of one episode."""

THOUGHT = "<think>The toolbar is at the top; what is asked for may be one of the small icons on its right.</think>\n"


@dataclass(frozen=True)
class Episode:
    """What one episode plays.

    Attributes:
        file: Its screenshot.
        size: The screenshot's size.
        script: Its replies: one turn with a crop, one with a crop of that crop and another window, the answer.
        regions: What its crops cut, in order.
    """

    file: Path
    size: Size
    script: Script
    regions: tuple[Region, ...]

    def environment(self, screenshot: Screenshot, settings: EpisodeSettings) -> GroundingEnv:
        """The environment at its beginning."""
        return GroundingEnv(a_task(self.file.name, self.size), screenshot, settings)


def a_task(image: str, size: Size, number: int = 0) -> Task:
    """A task on a screenshot; its target is in the middle."""
    x, y = size.width / 2, size.height / 2
    return Task(f"{image}/{number}", "Open the File menu", image, size, Box(x - 10, y - 10, x + 10, y + 10))


def a_script(name: str, dice: random.Random) -> Script:
    """Replies that look at a part of the screen, closer into it and elsewhere, and point."""
    turns = (
        (_window(name, dice, 250, 500),),
        (_window(crop_name(1), dice, 300, 500), _window(name, dice, 80, 200)),
        (Answer(float(dice.randrange(1000)), 500.0),),
    )
    return tuple(THOUGHT + render(turn) for turn in turns)


def _window(name: str, dice: random.Random, least: int, most: int) -> Crop:
    width, height = dice.randint(least, most), dice.randint(least, most)
    x, y = dice.randint(0, 1000 - width), dice.randint(0, 1000 - height)
    return Crop(name, float(x), float(y), float(x + width), float(y + height))


def group(file: Path, size: Size, members: int, *, seed: int) -> list[Episode]:
    """The episodes of one prompt; each asks for crops of its own."""
    dice = random.Random(seed)
    blank = blank_screenshot(size)
    name = display_name(str(file))
    scripts = [a_script(name, dice) for _ in range(members)]
    return [Episode(file, size, script, _regions(script, name, blank)) for script in scripts]


def blank_screenshot(size: Size) -> Screenshot:
    """A white screen."""
    return Screenshot(Image.new("RGB", (size.width, size.height), "white"), size, sha256="", source="blank")


def _regions(script: Script, name: str, blank: Screenshot) -> tuple[Region, ...]:
    env = GroundingEnv(a_task(name, blank.size), blank, EpisodeSettings())
    unseen(env)
    for text in script:
        env.step(text)
    return tuple(view.region for view in env.trajectory().crops)


def unseen(env: GroundingEnv) -> None:
    """Let an episode play without pixels."""
    env.views = UnseenViews(env.screenshot, env.image_name, env.settings)


def play(env: GroundingEnv, script: Script) -> list[str]:
    """Play an episode to its end as the engine's session does.

    Returns:
        The data URIs of its crops, in order.
    """
    shipped = []
    for text in script:
        reply = env.step(text)
        names = reply.image_names if reply is not None else ()
        shipped += [env.views.encoded(name).data_uri() for name in names]
    return shipped
