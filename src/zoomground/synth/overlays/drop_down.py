"""The first menu of a program with a menu bar, open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.overlays._frame import item, line, menu

if TYPE_CHECKING:
    from zoomground.synth.desktop.view import View
    from zoomground.synth.graph import Box, Node
    from zoomground.synth.scene import Scene

WEIGHT = 2.0
_KEYS = {
    "new": "Ctrl+N", "open_do": "Ctrl+O", "save": "Ctrl+S", "save_as": "Ctrl+Shift+S", "print": "Ctrl+P",
    "menu_quit": "Ctrl+Q", "close": "Ctrl+W", "menu_import": "Ctrl+I",
}  # fmt: skip
_GROUPS = (
    ("new", "menu_template", "open_do", "menu_recent"),
    ("save", "save_as", "menu_revert"),
    ("menu_import", "upload", "share", "print"),
    ("menu_properties", "gear"),
    ("close", "menu_quit"),
)


def fits(view: View) -> bool:
    """Where the program has menus."""
    return view.menu is not None and view.front.height > 520


def lay(scene: Scene, view: View) -> Box:
    """The menu."""
    height = scene.between(28, 21)
    nodes: list[Node] = []
    for group in _GROUPS:
        if nodes:
            nodes.append(line())
        nodes += [
            item(scene.say(key), keys=_KEYS.get(key, " "), goals=scene.goals(key), height=height,
                 disabled=key == "menu_revert" and scene.chance(0.5))
            for key in group
        ]  # fmt: skip
    at = view.menu or (0.0, 0.0)
    front = view.front
    return menu(nodes, left=front.x + at[0], top=front.y + view.title_px + at[1], width=300)
