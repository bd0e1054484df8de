"""Elements made from a key of `words`: its label, and the goals that stand beside it (``key_goal``, ``key_goal2``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.graph import Role
from zoomground.synth.widgets import button, entry, menu_item, tab, tool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zoomground.synth.graph import Element
    from zoomground.synth.scene import Scene


def worded_tool(
    scene: Scene, icon: str, key: str = "", *, size_px: float = 24.0, on: bool = False, css: str = "", tint: str = "",
    **parts: str,
) -> Element:  # fmt: skip
    """An icon button; without a key its icon's concept names it."""
    key = key or icon
    return tool(
        icon, scene.say(key, **parts), size_px=size_px, on=on, goals=scene.goals(key, **parts), css=css, tint=tint
    )


def worded_tools(scene: Scene, pairs: Iterable[tuple[str, str]], size_px: float) -> list[Element]:
    """Icon buttons of one size; pairs of icon and key."""
    return [worded_tool(scene, icon, key, size_px=size_px) for icon, key in pairs]


def row_tool(
    scene: Scene, icon: str, key: str, *, size_px: float, on: bool = False, tint: str = "", css: str = "",
    **parts: str,
) -> Element:  # fmt: skip
    """A small tool that every row of a list has; ``key_thing`` is what it is called when one asks for it by its row."""
    return tool(
        icon, scene.say(key), size_px=size_px, on=on, goals=scene.goals(key, **parts), css=css, tint=tint,
        thing=scene.say(f"{key}_thing"),
    )  # fmt: skip


def worded_button(
    scene: Scene, key: str, *, icon: str = "", kind: str = "", size_px: float = 0.0, css: str = ""
) -> Element:
    """A button with a text."""
    return button(scene.say(key), icon=icon, kind=kind, goals=scene.goals(key), size_px=size_px, css=css)


def worded_tab(scene: Scene, key: str, *, icon: str = "", selected: bool = False, css: str = "") -> Element:
    """A tab that shrinks when its strip is narrow."""
    return tab(scene.say(key), icon=icon, selected=selected, css=f"flex:0 1 auto;min-width:0;{css}")


def menu_bar(scene: Scene, keys: Iterable[str]) -> list[Element]:
    """The entries of a menu bar."""
    return [menu_item(scene.say(key), goals=scene.goals(key)) for key in keys]


def tree_item(
    scene: Scene, key: str, *, icon: str = "", selected: bool = False, css: str = "", size_px: float = 0.0
) -> Element:
    """An entry of a tree or side bar."""
    return entry(
        scene.say(key),
        role=Role.TREEITEM,
        icon=icon,
        selected=selected,
        goals=scene.goals(key),
        css=css,
        size_px=size_px,
    )
