"""Puts programs on a screen: windows, a taskbar, a phone's frame."""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from zoomground.synth import kinds
from zoomground.synth.graph import Box, Node, Part, Screen, Text
from zoomground.synth.scene import Scene
from zoomground.synth.widgets import row, spring, tool

if TYPE_CHECKING:
    from zoomground.synth.skins.base import Skin

Builder = Callable[[Scene], Box]

_BAR_PX = 40.0
_TITLE_PX = 30.0


def builders() -> dict[str, Builder]:
    """Every kind of program by name: one module of `kinds` each, with a function ``build``."""
    names = sorted(one.name for one in iter_modules(kinds.__path__))
    return {name: import_module(f"{kinds.__name__}.{name}").build for name in names}


def compose(
    kind: str, skin: Skin, *, size_px: tuple[int, int], scale: float, language: str, dark: bool, density: float,
    seed: int | str,
) -> Screen:  # fmt: skip
    """A screen with a program of one kind in front.

    Args:
        kind: Name of the program.
        skin: Its look; only for the choice of a font.
        size_px: Width and height in device px.
        scale: Device px for one CSS px.
        language: Language of the texts.
        dark: Whether it is dark.
        density: 0 roomy to 1 packed.
        seed: Decides everything else.
    """
    rng = random.Random(f"{seed}/screen")
    width, height = size_px[0] / scale, size_px[1] / scale
    scene = Scene(rng, language, width, height, density, dark)
    program = _window(scene, kind, (0.0, 0.0, width, height - _BAR_PX))
    root = Box((program, _taskbar(scene, width, height)), flow="stack", css="width:100%;height:100%")
    font_px = scene.between(15, 12)
    return Screen(*size_px, scale, language, kind, dark, rng.choice(skin.fonts), font_px, root)


def _window(scene: Scene, kind: str, place: tuple[float, float, float, float]) -> Box:
    x, y, width, height = place
    inside = builders()[kind](scene.sized(width, height - _TITLE_PX))
    title = kind.title()
    controls = [tool(key, scene.say(key), size_px=24) for key in ("minus", "max", "close")]
    bar = Box(
        (Text(title, "strong"), spring(), *controls), Part.TITLEBAR, flow="row", gap_px=4,
        css=f"height:{_TITLE_PX:g}px;padding:0 8px",
    )  # fmt: skip
    return Box(
        (bar, inside), Part.WINDOW, title, named_on_screen=True,
        css=f"left:{x:g}px;top:{y:g}px;width:{width:g}px;height:{height:g}px",
    )  # fmt: skip


def _taskbar(scene: Scene, width: float, height: float) -> Node:
    return Box(
        (row(tool("search", scene.say("search")), tool("mail", scene.say("mail"))), spring(), Text(scene.clock())),
        Part.TASKBAR, flow="row", gap_px=8,
        css=f"left:0;top:{height - _BAR_PX:g}px;width:{width:g}px;height:{_BAR_PX:g}px;padding:0 10px",
    )  # fmt: skip
