"""Frames that dialogs, menus and flyouts share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.graph import Box, Element, Part, Role, State, Text
from zoomground.synth.widgets import button, row, spring, tool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zoomground.synth.desktop.view import View
    from zoomground.synth.graph import Node
    from zoomground.synth.scene import Scene


def dialog(scene: Scene, title: str, children: Iterable[Node], *, width: float, height: float = 0.0) -> Box:
    """A dialog with a title and a cross; without a height it is as high as its content."""
    size = min(24.0, scene.between(26, 20))
    # The cross of a dialog and its "Cancel" do one thing: a wish for it fits both.
    wishes = scene.goals("over_cancel", unsaid=scene.say("close"))
    cross = tool("close", scene.say("close"), size_px=size, thing=scene.say("close"), goals=wishes)
    head = row(
        Text(title, "strong"), spring(), cross, css="padding:7px 8px 7px 12px;border-bottom:1px solid var(--zg-line)"
    )
    body = Box(tuple(children), gap_px=10, grow=1.0 if height else 0.0, css="padding:12px;overflow:hidden")
    tall = f"height:{height:g}px;" if height else ""
    return Box((head, body), Part.DIALOG, title, named_on_screen=True, css=f"width:{width:g}px;{tall}max-width:96%")


def modal(scene: Scene, inside: Box) -> Box:
    """A dialog that takes all clicks, about in the middle of the screen."""
    below = 1.0 if "height:" in inside.css else scene.rng.choice((1.2, 1.8, 2.5))
    return Box((spring(), inside, Box(grow=below)), modal=True, css="align-items:center")


def over_front(scene: Scene, view: View, inside: Box, width: float, height: float) -> Box:
    """A dialog beside which the program can still be used, somewhere over its window."""
    front = view.front
    x = front.x + (front.width - width) * scene.rng.uniform(0.15, 0.9)
    y = front.y + view.title_px + max(0.0, front.height - view.title_px - height) * scene.rng.uniform(0.1, 0.8)
    return Box((inside,), css=f"left:{max(0.0, x):.0f}px;top:{max(0.0, y):.0f}px;width:{width:g}px")


def answers(scene: Scene, *first: Node, apply: bool = False) -> Box:
    """The row of buttons at the end of a dialog; ``first`` stand on its left."""
    ends: list[Node] = [
        button(scene.say("over_ok"), kind="primary", css="min-width:76px"),
        button(scene.say("over_cancel"), goals=scene.goals("over_cancel")),
    ]
    if apply:
        ends.append(button(scene.say("over_apply")))
    return row(*first, spring(), *ends, gap_px=8)


def item(
    name: str,
    *,
    icon: str = "",
    keys: str = "",
    goals: Iterable[str] = (),
    height: float = 26.0,
    disabled: bool = False,
) -> Element:
    """An entry of a menu: an icon and a name, or a name and its keys."""
    css = "min-height:0;padding:0 10px"
    on = frozenset({State.DISABLED}) if disabled else frozenset()
    if not keys:
        return Element(Role.MENUITEM, name, icon, goals=tuple(goals), size_px=height, css=css, states=on)
    words = row(Text(name), spring(), Text(keys, "muted small"), gap_px=24, css="height:100%")
    return Element(
        Role.MENUITEM, label=name, goals=tuple(goals), css=f"{css};height:{height:g}px", children=(words,), states=on
    )


def menu(children: Iterable[Node], *, left: float, top: float, width: float) -> Box:
    """A menu at a place."""
    return Box(tuple(children), Part.MENU, gap_px=1, css=f"left:{left:.0f}px;top:{top:.0f}px;width:{width:g}px")


def line() -> Box:
    """A line between entries."""
    return Box(css="height:1px;margin:3px 6px;background:var(--zg-line)")


def flyout(children: Iterable[Node], corner: tuple[float, float, bool], *, right: bool, width: float, height: float,
           screen_width: float) -> Box:  # fmt: skip
    """A panel that opens from a corner of a bar.

    Args:
        children: Its content.
        corner: See `View.start`.
        right: Whether its right side is at the corner.
        width: Its width.
        height: Its height.
        screen_width: Width of the screen.
    """
    x, y, upwards = corner
    left = x - width if right else x
    left = min(max(6.0, left), screen_width - width - 6)
    top = y - height if upwards else y
    css = f"left:{left:.0f}px;top:{top:.0f}px;width:{width:g}px;height:{height:g}px;padding:12px"
    return Box(tuple(children), Part.MENU, gap_px=8, css=css)
