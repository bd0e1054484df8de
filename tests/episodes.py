"""Screens, tasks and texts that the tests share."""

from __future__ import annotations

from PIL import Image

from zoomground.environment import GroundingEnv
from zoomground.geometry import Box, Size
from zoomground.images import Screenshot
from zoomground.protocol.settings import EpisodeSettings
from zoomground.task import Difficulty, Target, Task


def screenshot(size: Size, *, seed: int = 0) -> Screenshot:
    """A picture in which every place looks different: red and green are gradients, blue is the seed."""
    red = Image.linear_gradient("L").rotate(90).resize((size.width, size.height))
    green = Image.linear_gradient("L").resize((size.width, size.height))
    blue = Image.new("L", (size.width, size.height), seed % 256)
    return Screenshot(
        pixels=Image.merge("RGB", (red, green, blue)),
        size=size,
        sha256=f"{size.width}x{size.height}-{seed}",
        source="test screen",
    )


def task(
    size: Size = Size(1280, 800),
    target: Target | None = Box(640.0, 400.0, 660.0, 420.0),
    *,
    instruction: str = "Open the File menu",
    image: str = "shots/screen.png",
    difficulty: Difficulty | None = None,
) -> Task:
    return Task("t1", instruction, image, size, target, difficulty)


def env(task_: Task | None = None, settings: EpisodeSettings | None = None) -> GroundingEnv:
    task_ = task_ or task()
    return GroundingEnv(task_, screenshot(task_.size), settings or EpisodeSettings())


def crop_text(x1: float, y1: float, x2: float, y2: float, name: str = "screen.png", think: str | None = None) -> str:
    head = f"<think>{think}</think>\n" if think is not None else ""
    return f'{head}<action>crop_image(image_path="{name}", x1={x1:.2f}, y1={y1:.2f}, x2={x2:.2f}, y2={y2:.2f})</action>'


def point_text(x: float, y: float) -> str:
    return f"[{x:.2f},{y:.2f}]"
