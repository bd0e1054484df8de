"""The dialog before printing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.graph import Box, Picture, Role, Text
from zoomground.synth.overlays._frame import dialog, modal
from zoomground.synth.pictures import page
from zoomground.synth.widgets import button, check, column, field, row, spring

if TYPE_CHECKING:
    from zoomground.synth.desktop.view import View
    from zoomground.synth.scene import Scene

WEIGHT = 0.8


def fits(view: View) -> bool:
    """Where there is room."""
    return view.free.width > 760 and view.free.height > 560


def lay(scene: Scene, view: View) -> Box:
    """The dialog."""
    del view
    values = (
        ("print_printer", scene.company(), Role.COMBOBOX),
        ("print_copies", str(scene.rng.randint(1, 9)), Role.SPINBUTTON),
        ("print_paper", scene.rng.choice(("A4", "A3", "A5", "Letter")), Role.COMBOBOX),
    )  # fmt: skip
    fields = [
        row(
            Text(scene.say(key), css="width:120px"),
            field(scene.say(key), value=value, role=role, css="flex:1;width:60px"),
        )
        for key, value, role in values
    ]
    pages = [check(one, role=Role.RADIO, on=at == 0) for at, one in enumerate(scene.choices("print_pages"))]
    options = [check(one, on=scene.chance(0.5)) for one in scene.choices("print_options")]
    left = column(*fields, *pages, *options, gap_px=8, css="width:350px")
    preview = Picture(page(scene.rng), "flex:1;height:330px;background:var(--zg-sunk);padding:10px")
    last = row(
        spring(), button(scene.say("over_cancel"), goals=scene.goals("over_cancel")),
        button(scene.say("print_title"), kind="primary", icon="print", goals=[scene.say("print_do_goal")]), gap_px=8,
    )  # fmt: skip
    body = row(left, preview, gap_px=16, css="align-items:stretch")
    return modal(scene, dialog(scene, scene.say("print_title"), [body, last], width=680))
