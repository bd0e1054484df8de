"""Preferences of a program: pages on the left, checks, fields and choices on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.graph import Box, Element, Node, Part, Role, Text
from zoomground.synth.overlays._frame import answers, dialog, modal
from zoomground.synth.widgets import button, check, column, entry, field, row

if TYPE_CHECKING:
    from zoomground.synth.desktop.view import View
    from zoomground.synth.scene import Scene

WEIGHT = 1.0
_ICONS = ("gear", "palette", "pencil", "save", "keyboard", "globe", "lock", "blocks", "check", "terminal")

_SPOKEN = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "zh": "简体中文"}


def fits(view: View) -> bool:
    """Where there is room."""
    return view.free.width > 760 and view.free.height > 520


def lay(scene: Scene, view: View) -> Box:
    """The dialog."""
    height = min(view.free.height - 60, scene.between(560, 460))
    chosen = scene.rng.randrange(4)
    pages = [
        entry(page, role=Role.TREEITEM, icon=icon, selected=at == chosen, css="width:100%")
        for at, (page, icon) in enumerate(zip(scene.choices("pref_pages"), _ICONS, strict=True))
    ]
    tree = Box(
        tuple(pages), Part.TREE, gap_px=1, css="width:168px;border-right:1px solid var(--zg-line);padding-right:8px"
    )
    count = min(10, int((height - 330) // 27))  # what is left below the fields and above the last choice
    checks = [check(one, on=scene.chance(0.5)) for one in scene.choices("pref_checks")[:count]]
    starts = [check(one, role=Role.RADIO, on=at == 0) for at, one in enumerate(scene.choices("pref_starts"))]
    right = column(
        *_fields(scene, 4), *checks, Text(scene.say("pref_start"), "strong"),
        row(*starts, gap_px=16, css="flex-wrap:wrap"),
        gap_px=6, grow=1, css="overflow:hidden",
    )  # fmt: skip
    body = row(tree, right, gap_px=14, grow=1, css="align-items:stretch")
    inside = dialog(
        scene, scene.say("pref_title"), [body, answers(scene, button(scene.say("over_help")), apply=True)],
        width=700, height=height,
    )  # fmt: skip
    return modal(scene, inside)


def _fields(scene: Scene, count: int) -> list[Node]:
    names = scene.choices("pref_fields")
    values = [_SPOKEN[scene.language], "100", f"{scene.rng.randint(2, 30)}", f"{scene.rng.randint(9, 16)}"]
    roles = (Role.COMBOBOX, Role.SPINBUTTON, Role.SPINBUTTON, Role.SLIDER)
    return [
        row(Text(name, css="width:190px"), _one(name, value, role))
        for name, value, role in list(zip(names, values, roles, strict=False))[:count]
    ]


def _one(name: str, value: str, role: Role) -> Element:
    return field(name, value=value, role=role, width_px=150)
