"""Puts programs on a screen: windows, a taskbar or dock, what lies over them; a phone shows its program alone.

What lies under something else is simply covered: the labeller's hit tests find out what a person can reach.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from zoomground.synth.desktop.arrange import arrange
from zoomground.synth.desktop.bars import bar_of, desk_icons, wallpaper
from zoomground.synth.desktop.view import Area, View, builders, opens_menu_at
from zoomground.synth.desktop.windows import Frame, window
from zoomground.synth.graph import Box, Node, Screen
from zoomground.synth.overlays import overlay
from zoomground.synth.scene import Scene

if TYPE_CHECKING:
    from zoomground.synth.skins.base import Skin

__all__ = ["alone", "builders", "compose"]

_PHONE_WIDTH = 600.0


def compose(
    kind: str, skin: Skin, *, size_px: tuple[int, int], scale: float, language: str, dark: bool, density: float,
    seed: int | str,
) -> Screen:  # fmt: skip
    """A screen with a program of one kind in front.

    Args:
        kind: Name of the program.
        skin: Its look; only for the choice of a font, and whether it has a dark form.
        size_px: Width and height in device px.
        scale: Device px for one CSS px.
        language: Language of the texts.
        dark: Whether it is dark.
        density: 0 roomy to 1 packed.
        seed: Decides everything else: which other windows there are, and what lies over them.
    """
    rng = random.Random(f"{seed}/screen")
    dark = dark and skin.dark is not None
    width, height = size_px[0] / scale, size_px[1] / scale
    scene = Scene(rng, language, width, height, density, dark)
    font, font_px = rng.choice(skin.fonts), scene.between(15, 12)
    if width < _PHONE_WIDTH:
        nodes, css = _phone(scene, kind), "width:100%;height:100%;background:var(--zg-bg);overflow:hidden"
        root = Box(tuple(nodes), css=css)
    else:
        root = Box(tuple(_desktop(scene, kind)), flow="stack", css="width:100%;height:100%")
    return Screen(*size_px, scale, language, kind, dark, font, font_px, root)


def alone(
    kind: str, skin: Skin, *, size_px: tuple[int, int], scale: float, language: str, dark: bool, density: float,
    seed: int | str,
) -> Screen:  # fmt: skip
    """A screen that shows one program in a window and nothing else; see `compose`."""
    rng = random.Random(f"{seed}/screen")
    dark = dark and skin.dark is not None
    width, height = size_px[0] / scale, size_px[1] / scale
    scene = Scene(rng, language, width, height, density, dark)
    font, font_px = rng.choice(skin.fonts), scene.between(15, 12)
    shown = window(scene, kind, Area(0.0, 0.0, width, height), Frame.choose(scene))
    root = Box((shown,), flow="stack", css="width:100%;height:100%")
    return Screen(*size_px, scale, language, kind, dark, font, font_px, root)


def _phone(scene: Scene, kind: str) -> list[Node]:
    whole = Area(0.0, 0.0, scene.width, scene.height)
    over = overlay(scene, View(kind, whole, whole, 0.0, None, None, None))
    program = builders()[kind](scene)
    return [program, over] if over else [program]


def _desktop(scene: Scene, kind: str) -> list[Node]:
    bar = bar_of(scene)
    placed = arrange(scene, kind, bar.free)
    frame = Frame.choose(scene)
    names = [name for name, _ in placed]
    nodes: list[Node] = [wallpaper(scene)]
    if not placed[0][1].fills(bar.free) and not (len(placed) > 1 and placed[0][1].height >= bar.free.height - 1):
        nodes.append(desk_icons(scene, bar.free))
    nodes += [window(scene, name, area, frame) for name, area in placed]
    nodes += bar.draw(scene, names)
    front = placed[names.index(kind) if kind in names else -1][1]
    menu = opens_menu_at(kind)
    view = View(kind, bar.free, front, frame.title_px, bar.start, bar.clock, menu)
    over = overlay(scene, view)
    return [*nodes, over] if over else nodes
