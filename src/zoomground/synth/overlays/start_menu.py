"""The menu of all programs, from the corner of the taskbar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.desktop.windows import ICONS, program_name
from zoomground.synth.fitting import FILL, known
from zoomground.synth.graph import Box, Element, Node, Part, Role, Text
from zoomground.synth.overlays._frame import flyout
from zoomground.synth.widgets import entry, field, row, spring

if TYPE_CHECKING:
    from zoomground.synth.desktop.view import View
    from zoomground.synth.scene import Scene

WEIGHT = 1.0
_SIZE = (420.0, 500.0)


def fits(view: View) -> bool:
    """Where the bar has a start button."""
    return view.start is not None and view.free.height > _SIZE[1] + 20 and view.free.width > 700


def lay(scene: Scene, view: View) -> Box:
    """The menu."""
    start = view.start or (0.0, 0.0, False)
    css = "flex-direction:column;justify-content:center;gap:6px;height:62px;min-height:0;padding:4px;font-size:.86em"
    programs = [Element(Role.BUTTON, program_name(scene, kind), icon, css=css) for kind, icon in sorted(ICONS.items())]
    grid = Box(tuple(programs), flow="grid", gap_px=5, css="grid-template-columns:repeat(4,minmax(0,1fr))")
    recent: list[Node] = [
        entry(scene.file_name(), icon="file", size_px=25, css=f"{FILL}min-height:0") for _ in range(5)
    ]  # fmt: skip
    last = row(
        Text(scene.person()),
        spring(),
        *(known(scene, icon, size_px=26) for icon in ("gear", "lock", "power")),
        gap_px=4,
    )
    children = (
        field(scene.say("search"), role=Role.SEARCHBOX, icon="search"), grid,
        Text(scene.say("menu_recent"), "strong small"),
        Box(tuple(recent), Part.LIST), spring(), last,
    )  # fmt: skip
    return flyout(children, start, right=False, width=_SIZE[0], height=_SIZE[1], screen_width=scene.width)
