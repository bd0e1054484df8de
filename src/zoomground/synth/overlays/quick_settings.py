"""Switches and sliders behind the tray."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.fitting import known
from zoomground.synth.graph import Box, Element, Role, Text
from zoomground.synth.overlays._frame import flyout
from zoomground.synth.widgets import field, row, spring, states

if TYPE_CHECKING:
    from zoomground.synth.desktop.view import View
    from zoomground.synth.scene import Scene

WEIGHT = 1.0
_SIZE = (330.0, 350.0)
_ICONS = ("wifi", "bluetooth", "plane", "moon", "battery", "signal", "mute", "display", "place")


def fits(view: View) -> bool:
    """Where the bar has a tray."""
    return view.clock is not None and view.free.height > _SIZE[1] + 20


def lay(scene: Scene, view: View) -> Box:
    """The panel."""
    corner = view.clock or (0.0, 0.0, False)
    css = "flex-direction:column;justify-content:center;gap:6px;height:60px;min-height:0;padding:4px;font-size:.82em"
    tiles = [
        Element(Role.BUTTON, name, icon, states=states(selected=scene.chance(0.4)), css=css)
        for name, icon in zip(scene.choices("quick_names"), _ICONS, strict=True)
    ]
    grid = Box(tuple(tiles), flow="grid", gap_px=6, css="grid-template-columns:repeat(3,minmax(0,1fr))")
    sliders = [
        row(
            Text(scene.say(key), "small", "width:80px"),
            field(scene.say(key), role=Role.SLIDER, value=str(scene.rng.randint(5, 95)), css="flex:1"),
        )
        for key in ("quick_volume", "quick_bright")
    ]  # fmt: skip
    last = row(Text(f"{scene.rng.randint(8, 100)} %", "small"), spring(),
               *(known(scene, icon, size_px=26) for icon in ("pencil", "gear")))  # fmt: skip
    right = view.free.x < corner[0] - 10
    return flyout(
        (grid, *sliders, spring(), last), corner, right=right, width=_SIZE[0], height=_SIZE[1], screen_width=scene.width
    )
