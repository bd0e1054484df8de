"""The sheet of actions that comes up from a phone's lower edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.graph import Box, Element, Node, Part, Role, Text
from zoomground.synth.overlays._frame import line

if TYPE_CHECKING:
    from zoomground.synth.desktop.view import View
    from zoomground.synth.scene import Scene

WEIGHT = 1.0
_ACTIONS = ("share", "copy", "pin", "star", "archive", "download", "menu_rename", "trash")


def fits(view: View) -> bool:
    """On phones."""
    return view.free.width < 600 and view.free.height > 500


def lay(scene: Scene, view: View) -> Box:
    """The sheet."""
    del view
    tall = scene.between(56, 44)
    keys = scene.rng.sample(_ACTIONS, scene.rng.randint(4, len(_ACTIONS)))
    css = f"height:{tall:g}px;min-height:0;padding:0 18px;gap:14px"
    items: list[Node] = [
        Element(Role.MENUITEM, scene.say(key), "" if key.startswith("menu_") else key, goals=scene.goals(key), css=css)
        for key in keys
    ]
    stop = Element(Role.MENUITEM, scene.say("over_cancel"), "close", goals=scene.goals("over_cancel"), css=css)
    name = scene.file_name()
    title = Text(name, "strong", "padding:12px 18px")
    sheet = Box((title, line(), *items, line(), stop), Part.MENU, name, named_on_screen=True,
                css="width:100%;border-radius:16px 16px 0 0;padding-bottom:14px")  # fmt: skip
    return Box((sheet,), modal=True, css="display:flex;justify-content:flex-end")
