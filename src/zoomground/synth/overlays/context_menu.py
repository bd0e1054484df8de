"""The menu of a right click, somewhere over the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.overlays._frame import item, line, menu

if TYPE_CHECKING:
    from zoomground.synth.desktop.view import View
    from zoomground.synth.graph import Box, Node
    from zoomground.synth.scene import Scene

WEIGHT = 2.0
_KEYS = {
    "cut": "Ctrl+X", "copy": "Ctrl+C", "paste": "Ctrl+V", "undo": "Ctrl+Z", "redo": "Ctrl+Y", "save": "Ctrl+S",
    "print": "Ctrl+P", "menu_all": "Ctrl+A", "menu_special": "Ctrl+Shift+V", "menu_rename": "F2",
    "menu_properties": "Alt+Enter", "refresh": "F5", "trash": "Del",
}  # fmt: skip
_GROUPS = (
    ("undo", "redo"),
    ("cut", "copy", "paste", "menu_special"),
    ("menu_rename", "trash", "share", "pin"),
    ("menu_with", "menu_window", "refresh", "print"),
    ("menu_all", "menu_properties"),
)


def fits(view: View) -> bool:
    """Where the program's window is larger."""
    return view.front.width > 640 and view.front.height > 560


def lay(scene: Scene, view: View) -> Box:
    """The menu."""
    height, front = scene.between(28, 21), view.front
    width = 290.0
    plain = scene.chance(0.5)
    nodes: list[Node] = []
    for group in _GROUPS:
        if nodes:
            nodes.append(line())
        for key in group:
            icon = "" if key.startswith("menu_") or not plain else key
            keys = "" if plain else _KEYS.get(key, "")
            off = key in {"paste", "redo"} and scene.chance(0.3)
            nodes.append(
                item(scene.say(key), icon=icon, keys=keys, goals=scene.goals(key), height=height, disabled=off)
            )
    tall = height * 17 + 60
    left = front.x + (front.width - width) * scene.rng.uniform(0.2, 0.95)
    top = front.y + view.title_px + max(0.0, front.height - view.title_px - tall) * scene.rng.uniform(0.1, 1.0)
    return menu(nodes, left=left, top=top, width=width)
