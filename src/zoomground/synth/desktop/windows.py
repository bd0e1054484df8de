"""Frames of windows: title bars in several manners, titles in the screen's language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.synth.desktop.view import builders
from zoomground.synth.graph import Box, Element, Node, Part, Role, Text
from zoomground.synth.widgets import row, spring, tool

if TYPE_CHECKING:
    from zoomground.synth.desktop.view import Area
    from zoomground.synth.scene import Scene

ICONS = {
    "cad": "ruler", "code_editor": "terminal", "dashboard": "chart", "file_manager": "folder", "form": "list",
    "gallery": "image", "mail": "mail", "phone": "phone", "settings": "gear", "shop": "globe", "spreadsheet": "table",
    "timeline": "film",
}  # fmt: skip
"""Icons of the programs, where a taskbar or dock shows them."""

_ENDINGS = {
    "cad": ("dwg", "svg", "dxf"), "code_editor": ("py", "ts", "rs"), "spreadsheet": ("xlsx", "ods", "csv"),
    "timeline": ("mlt", "prproj", "mov"), "gallery": ("png", "jpg"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Frame:
    """How the windows of one screen look.

    Attributes:
        title_px: Height of a title bar.
        dots: Whether its controls are coloured dots on the left.
        tool_px: Side of its controls.
        plain: Whether the program's own name is left out of the title.
    """

    title_px: float
    dots: bool
    tool_px: float
    plain: bool

    @classmethod
    def choose(cls, scene: Scene) -> Frame:
        """The seed's choice."""
        title = scene.between(34, 26)
        return cls(title, scene.chance(0.25), min(title - 6, scene.between(26, 18)), scene.chance(0.3))


def program_name(scene: Scene, kind: str) -> str:
    """What a program is called."""
    return scene.say(f"kind_{kind}")


def window(scene: Scene, kind: str, area: Area, frame: Frame) -> Box:
    """A window with a program in it."""
    inside = builders()[kind](scene.sized(area.width - 2, area.height - frame.title_px - 2))
    name = program_name(scene, kind)
    endings = _ENDINGS.get(kind)
    about = scene.file_name(*endings) if endings else ""
    title = " – ".join(filter(None, (about, "" if frame.plain and about else name)))
    controls = _controls(scene, frame)
    words = Text(title, "strong", "text-align:center" if frame.dots else "")
    inner: tuple[Node, ...] = (words, spring(), *controls)
    if frame.dots:
        inner = (row(*controls, gap_px=7), spring(), words, spring())
    bar = Box(
        inner, Part.TITLEBAR, flow="row", gap_px=4, css=f"height:{frame.title_px:g}px;padding:0 8px;overflow:hidden"
    )
    css = f"{area.css}box-shadow:0 6px 22px rgba(0,0,0,.35)"
    return Box((bar, inside), Part.WINDOW, name, named_on_screen=name in title, css=css)


def _controls(scene: Scene, frame: Frame) -> list[Element]:
    if not frame.dots:
        return [
            tool(key, scene.say(key), size_px=frame.tool_px, thing=scene.say(key)) for key in ("minus", "max", "close")
        ]
    css = "width:12px;height:12px;min-width:0;min-height:0;padding:0;border:0;border-radius:6px"
    return [
        Element(Role.BUTTON, label=scene.say(key), tint=tint, thing=scene.say(key), css=css)
        for key, tint in (("close", "red"), ("minus", "yellow"), ("max", "green"))
    ]
