"""Find and replace: stays open beside the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.graph import Box, Role, Text
from zoomground.synth.overlays._frame import dialog, over_front
from zoomground.synth.widgets import button, check, column, field, row
from zoomground.synth.worded import worded_button

if TYPE_CHECKING:
    from zoomground.synth.desktop.view import View
    from zoomground.synth.scene import Scene

WEIGHT = 1.0
_SIZE = (560.0, 250.0)


def fits(view: View) -> bool:
    """Where the program's window is larger."""
    return view.front.width > _SIZE[0] + 40 and view.front.height > _SIZE[1] + 120


def lay(scene: Scene, view: View) -> Box:
    """The dialog."""
    rows = [
        row(
            Text(scene.say(key), css="width:116px"),
            field(scene.say(key), value=scene.word() if filled else "", css="flex:1"),
        )
        for key, filled in (("find_what", True), ("find_with", scene.chance(0.5)))
    ]
    options = scene.choices("find_options")[: scene.rng.randint(4, 6)]
    grid = Box(
        tuple(check(one, on=scene.chance(0.4)) for one in options), flow="grid", gap_px=6,
        css="grid-template-columns:1fr 1fr",
    )  # fmt: skip
    ways = [check(way, role=Role.RADIO, on=at == 1) for at, way in enumerate(scene.choices("find_ways"))]
    buttons = [
        worded_button(scene, "find_next", kind="primary"), worded_button(scene, "find_one"),
        worded_button(scene, "find_all"), button(scene.say("find_count")),
    ]  # fmt: skip
    left = column(*rows, grid, row(*ways, gap_px=16), gap_px=9, grow=1)
    inside = dialog(scene, scene.say("find_title"), [row(left, column(*buttons, css="align-items:stretch"), gap_px=14,
                    css="align-items:flex-start")], width=_SIZE[0])  # fmt: skip
    return over_front(scene, view, inside, *_SIZE)
