"""A dialog that picks a file: places, a list of files, name and type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.fitting import FILL, known, pile
from zoomground.synth.graph import Box, Element, Node, Part, Role, Text
from zoomground.synth.overlays._frame import dialog, modal
from zoomground.synth.widgets import button, column, entry, field, row, spring
from zoomground.synth.worded import worded_button

if TYPE_CHECKING:
    from zoomground.synth.desktop.view import View
    from zoomground.synth.scene import Scene

WEIGHT = 1.2
_ICONS = ("clock", "home", "display", "file", "download", "music", "image", "film", "globe", "save")


def fits(view: View) -> bool:
    """Where there is room."""
    return view.free.width > 860 and view.free.height > 520


def lay(scene: Scene, view: View) -> Box:
    """The dialog."""
    line = scene.between(30, 22)
    height = min(view.free.height - 60, scene.between(640, 520))
    places = [
        entry(place, role=Role.TREEITEM, icon=icon, selected=at == 3, size_px=line, css=f"{FILL}min-height:0")
        for at, (place, icon) in enumerate(zip(scene.choices("open_places"), _ICONS, strict=True))
    ]
    tree = pile(
        places, part=Part.TREE, grow=0, css="width:170px;border-right:1px solid var(--zg-line);padding-right:8px;"
    )
    grid = f"{FILL}grid-template-columns:1fr 90px 110px;align-items:center;height:{line:g}px"
    heads = [
        Element(Role.COLUMNHEADER, head, size_px=line, css="background:none;border-right:0;min-height:0")
        for head in scene.choices("open_columns")
    ]
    count = int((height - 190) // line)
    files = [_file(scene, grid, line, on=at == 2) for at in range(count)]
    table = pile([Box(tuple(heads), Part.HEADER_ROW, flow="grid", css=grid), *files], part=Part.TABLE)
    folders = [button(name, css="padding:0 8px;border-color:transparent") for name in scene.choices("open_places")[1:4]]
    tools = [known(scene, icon, size_px=line) for icon in ("prev", "next", "up")]
    ends: list[Node] = [known(scene, icon, size_px=line) for icon in ("refresh", "folder", "list")]
    path = row(*tools, *folders, spring(), *ends, gap_px=4)
    name = row(
        Text(scene.say("open_name"), css="width:100px"), field(scene.say("open_name"), css="flex:1"),
        field(scene.say("open_kind"), value=scene.say("open_every"), role=Role.COMBOBOX, width_px=170),
    )  # fmt: skip
    last = row(
        spring(), button(scene.say("over_cancel"), goals=scene.goals("over_cancel")),
        worded_button(scene, "open_do", kind="primary"), gap_px=8,
    )  # fmt: skip
    middle = row(tree, column(table, gap_px=0, grow=1), gap_px=10, grow=1, css="align-items:stretch")
    return modal(scene, dialog(scene, scene.say("open_title"), [path, middle, name, last], width=820, height=height))


def _file(scene: Scene, grid: str, line: float, *, on: bool) -> Node:
    date, size = scene.date(), f"{scene.number(1, 999)} {scene.rng.choice(('KB', 'MB'))}"
    goals: tuple[str, ...] = ()
    if scene.chance(0.25):
        name, icon, size = scene.word(), "folder", ""
    else:
        name, icon = scene.file_name("pdf", "docx", "xlsx", "png", "dwg", "csv", "py"), "file"
        goals = (scene.say("open_pick_goal", date=date, size=size),)
    one = entry(
        name, role=Role.GRIDCELL, icon=icon, selected=on, goals=goals, size_px=line, css="border:0;min-height:0"
    )
    return Box((one, Text(size, "small muted"), Text(date, "small muted")), Part.ROW, name, named_on_screen=True,
               flow="grid", css=grid)  # fmt: skip
