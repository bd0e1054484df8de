"""A file manager: places at the side, paths with small arrows, lists and icon views with tools on every entry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.synth.drawings import face, folder, landscape, paper, stripe
from zoomground.synth.graph import Box, Element, Node, Part, Picture, Role, Text
from zoomground.synth.scene import Scene
from zoomground.synth.widgets import check, column, entry, field, record, row, spring, tab, tab_and_cross, tile, toolbar
from zoomground.synth.worded import row_tool, tree_item, worded_button, worded_tool, worded_tools

if TYPE_CHECKING:
    from collections.abc import Iterable

_LINE = "1px solid var(--zg-line)"
_BAR_PX, _TABS_PX, _PATH_PX, _STATUS_PX, _HEAD_PX = 40.0, 30.0, 32.0, 26.0, 26.0
_ENDINGS = {
    "pdf": "file", "docx": "file", "xlsx": "table", "png": "image", "jpg": "image", "mp3": "music", "mp4": "film",
    "zip": "archive", "txt": "text",
}  # fmt: skip
_TOOLS = (
    (("new", "files_new_file"), ("folder", "files_new_folder")),
    (("cut", "files_cut"), ("copy", "files_copy"), ("paste", "files_paste"), ("pencil", "files_rename"),
     ("trash", "files_delete")),
    (("copy", "files_copy_to"), ("forward", "files_move_to"), ("archive", "files_compress"), ("share", "files_share"),
     ("terminal", "files_terminal")),
    (("sort", "files_sort"), ("filter", "files_filter"), ("eye", "files_hidden")),
)  # fmt: skip
_PLACES = (
    ("home", "files_home"), ("clock", "files_recent"), ("star", "files_starred"), ("display", "files_desktop"),
    ("file", "files_documents"), ("download", "files_downloads"), ("music", "files_music"), ("image", "files_pictures"),
    ("film", "files_videos"), ("trash", "files_bin"),
)  # fmt: skip
_PLAIN = "flex:1 1 0;border:0;background:none"
_TINTS = ("red", "orange", "yellow", "green", "blue", "purple", "grey")


@dataclass(slots=True)
class _Plan:
    """What one seed decided about the window: sizes in CSS px."""

    scene: Scene
    line: float
    small: float
    tool: float


def build(scene: Scene) -> Box:
    """The program, to fill a window."""
    plan = _Plan(scene, scene.between(32, 22), scene.between(20, 14), scene.between(28, 22))
    room = scene.height - _BAR_PX - _TABS_PX - _STATUS_PX
    side = scene.between(240, 200)
    details = scene.between(310, 260) if scene.width >= 1500 else 0.0
    across = scene.width - side - details
    many = max(1, min(4, round(across / scene.between(1150, 800))))
    panes = [
        _pane(plan, across / many, room, icons=bool(at % 2) or (many == 1 and scene.chance(0.2))) for at in range(many)
    ]
    parts: list[Node] = [_sidebar(plan, side, room), *panes]
    if details:
        parts.append(_details(plan, details, room))
    return Box(
        (
            _bar(plan),
            _tabs(plan),
            Box(tuple(parts), flow="row", css=f"height:{room:g}px;align-items:stretch"),
            _status(plan),
        ),
        grow=1,
    )


def _bar(plan: _Plan) -> Box:
    scene, size = plan.scene, plan.tool
    moves = (("prev", "files_back"), ("next", "files_ahead"), ("up", "files_up"), ("refresh", "files_refresh"))
    views = (("list", "files_list_view"), ("grid", "files_icon_view"), ("columns", "files_column_view"))
    tools: list[Node] = [*worded_tools(scene, moves, size)]
    left = scene.width - 4 * (size + 2) - 220 - 5 * (size + 2) - 40
    for pairs in _TOOLS:
        left -= len(pairs) * (size + 2) + 14
        if left < 0:
            break
        tools += [_divider(), *worded_tools(scene, pairs, size)]
    search = field(
        scene.say("files_search"), role=Role.SEARCHBOX, icon="search", size_px=28, goals=scene.goals("files_search"),
        width_px=min(420.0, max(200.0, scene.width * 0.16)),
    )  # fmt: skip
    switches = [worded_tool(scene, icon, key, size_px=size, on=not at) for at, (icon, key) in enumerate(views)]
    last = worded_tools(scene, (("info", "files_info"), ("gear", "files_settings")), size)
    return toolbar([*tools, spring(), search, *switches, *last], css=f"height:{_BAR_PX:g}px")


def _divider() -> Box:
    return Box(css="width:1px;height:20px;margin:0 5px;background:var(--zg-line)")


def _tabs(plan: _Plan) -> Box:
    scene = plan.scene
    names = scene.choices("files_folder_names")
    shown = scene.rng.sample(names, min(len(names), max(2, int((scene.width - 80) // 210)), 9))
    tabs: list[Node] = []
    for at, name in enumerate(shown):
        one = tab(name, icon="folder", selected=not at, css="height:29px;min-height:0;flex:1 1 0;padding:0 8px")
        close = row_tool(scene, "close", "files_tab_close", size_px=min(14.0, plan.small))
        tabs.append(tab_and_cross(one, close, css=f"width:180px;padding-right:6px;border-right:{_LINE}"))
    strip = Box(tuple(tabs), Part.TABLIST, flow="row", css="border-bottom:0")
    return row(
        strip, worded_tool(scene, "plus", "files_tab_new", size_px=min(24.0, plan.tool)), gap_px=4,
        css=f"height:{_TABS_PX:g}px;background:var(--zg-bar);border-bottom:{_LINE}",
    )  # fmt: skip


def _sidebar(plan: _Plan, width: float, height: float) -> Box:
    scene, line = plan.scene, plan.line
    count = int((height - 14) // line) - 3
    devices = scene.choices("files_device_names")[: max(2, min(6, count - 13))]
    tags = scene.choices("files_tag_names")[: max(0, min(7, count - 10 - len(devices)))]
    own = scene.choices("files_folder_names")
    scene.rng.shuffle(own)
    places = [tree_item(scene, key, icon=icon, selected=not at, size_px=line) for at, (icon, key) in enumerate(_PLACES)]
    pinned = [_pinned(plan, name) for name in own[: max(0, min(18, count - 10 - len(devices) - len(tags)))]]
    boxes = [
        _part(plan, "files_places", [*places, *pinned]),
        _part(plan, "files_devices", [_device(plan, name, at) for at, name in enumerate(devices)]),
    ]
    if tags:
        boxes.append(_part(plan, "files_tags", [
            entry(name, role=Role.TREEITEM, icon="tag", tint=tint, size_px=line)
            for name, tint in zip(tags, _TINTS, strict=False)
        ]))  # fmt: skip
    return Box(tuple(boxes), Part.SIDEBAR, css=f"width:{width:g}px;height:{height:g}px;padding:4px 6px")


def _part(plan: _Plan, key: str, rows: Iterable[Node]) -> Box:
    name = plan.scene.say(key)
    head = row(Text(name, "strong small muted"), css=f"height:{plan.line:g}px;padding-left:8px")
    return Box((head, *rows), Part.TREE, name, named_on_screen=True)


def _pinned(plan: _Plan, name: str) -> Node:
    item = entry(name, role=Role.TREEITEM, icon="folder", size_px=plan.line, css="flex:1 1 0")
    pin = row_tool(plan.scene, "pin", "files_pin", size_px=plan.small)
    return record(name, [item, pin], gap_px=2, css=f"height:{plan.line:g}px")


def _device(plan: _Plan, name: str, at: int) -> Node:
    item = entry(name, role=Role.TREEITEM, icon="save" if at % 2 else "window", size_px=plan.line, css="flex:1 1 0")
    tools = [row_tool(plan.scene, "eject", "files_eject", size_px=plan.small, name=name)] if at else []
    return record(name, [item, *tools], gap_px=2, css=f"height:{plan.line:g}px")


def _pane(plan: _Plan, width: float, height: float, *, icons: bool) -> Box:
    scene = plan.scene
    names = scene.choices("files_folder_names")
    folders = scene.rng.sample(names, 4)
    path = _path(plan, [scene.say("files_home"), *folders[:3]])
    deep = height - _PATH_PX
    inside = _icons(plan, width, deep) if icons else _list(plan, width, deep)
    return Box(
        (path, inside), name=folders[2], named_on_screen=True,
        css=f"width:{width:g}px;height:{height:g}px;background:var(--zg-panel);border-right:{_LINE};overflow:hidden",
    )  # fmt: skip


def _path(plan: _Plan, folders: list[str]) -> Box:
    scene, parts = plan.scene, list[Node]()
    for at, name in enumerate(folders):
        parts.append(Element(Role.LINK, name, "home" if not at else "", css="text-decoration:none;padding:0 3px"))
        parts.append(worded_tool(scene, "next", "files_siblings", size_px=min(16.0, plan.small), name=name))
    last = (("pencil", "files_path_edit"), ("copy", "files_path_copy"))
    return row(
        *parts, spring(), *worded_tools(scene, last, plan.small + 2), gap_px=1,
        css=f"height:{_PATH_PX:g}px;padding:0 10px;border-bottom:{_LINE};overflow:hidden",
    )  # fmt: skip


def _entries(plan: _Plan, count: int) -> list[tuple[str, str, str]]:
    """Names, endings and icons of a folder's content: folders first."""
    scene = plan.scene
    names = scene.choices("files_folder_names")
    scene.rng.shuffle(names)
    many = min(len(names), max(1, count // 5))
    found = [(name, "", "folder") for name in names[:many]]
    for _ in range(count - many):
        ending = scene.rng.choice(list(_ENDINGS))
        found.append((scene.file_name(ending), ending, _ENDINGS[ending]))
    return found


def _columns(width: float) -> list[tuple[str, float]]:
    """The columns beside the name that a width has room for, with their widths."""
    found, left = list[tuple[str, float]](), width - 330 - 120
    for key, wide in (("files_size", 92.0), ("files_date", 150.0), ("files_type", 120.0), ("files_owner", 150.0)):
        left -= wide
        if left < 0:
            break
        found.append((key, wide))
    return found


def _list(plan: _Plan, width: float, height: float) -> Box:
    scene, small = plan.scene, min(15.0, plan.small)
    columns = _columns(width)
    tools_px = 3 * (plan.small + 2) + 8
    heads = [
        Element(Role.COLUMNHEADER, scene.say(key), size_px=_HEAD_PX, goals=scene.goals(key), css=f"width:{wide:g}px")
        for key, wide in columns
    ]
    name_head = Element(Role.COLUMNHEADER, scene.say("files_name"), "down", size_px=_HEAD_PX, css="flex:1 1 0")
    every = check(scene.say("files_select_all"), shown=False, size_px=small, css="margin:0 8px 0 10px")
    head = Box(
        (every, name_head, *heads, Box(css=f"width:{tools_px:g}px")), Part.HEADER_ROW, flow="row",
        css=f"height:{_HEAD_PX:g}px;border-bottom:{_LINE};background:var(--zg-bar)",
    )  # fmt: skip
    found = _entries(plan, int((height - _HEAD_PX) // plan.line))
    rows = [_entry_row(plan, one, columns, tools_px) for one in found]
    return Box((head, *rows), Part.TABLE, css=f"height:{height:g}px")


def _entry_row(plan: _Plan, one: tuple[str, str, str], columns: list[tuple[str, float]], tools_px: float) -> Node:
    scene, small = plan.scene, plan.small
    name, ending, icon = one
    starred = scene.chance(0.15)
    texts = {
        "files_size": f"{scene.number(1, 990)} {scene.rng.choice(('KB', 'MB'))}" if ending else "",
        "files_date": f"{scene.date()} {scene.clock()}",
        "files_type": scene.say("files_file_type", ending=ending.upper()) if ending else scene.say("files_folder_type"),
        "files_owner": scene.fake(lambda f: f.last_name()) if len(columns) > 3 else "",
    }
    tools = [
        row_tool(scene, icon, key, size_px=small, name=name)
        for icon, key in (("share", "files_row_share"), ("download", "files_row_download"), ("kebab", "files_row_menu"))
    ]
    return record(
        name,
        [
            _tick(plan, name),
            entry(name, icon=icon, tint="yellow" if icon == "folder" else "", size_px=plan.line - 1, css=_PLAIN),
            row_tool(
                scene, "star", "files_star", size_px=small, on=starred, tint="orange" if starred else "", name=name
            ),
            *(
                Text(texts[key], "small muted", css=f"width:{wide:g}px;padding:0 6px;flex:none")
                for key, wide in columns
            ),
            row(*tools, gap_px=2, css=f"width:{tools_px:g}px"),
        ],
        gap_px=0,
        css=f"height:{plan.line:g}px;border-bottom:{_LINE}",
    )


def _tick(plan: _Plan, name: str) -> Element:
    scene = plan.scene
    return check(
        scene.say("files_select"), on=scene.chance(0.12), shown=False, size_px=min(15.0, plan.small),
        thing=scene.say("files_select_thing"), goals=scene.goals("files_select", name=name), css="margin:0 4px 0 10px",
    )  # fmt: skip


def _icons(plan: _Plan, width: float, height: float) -> Box:
    scene = plan.scene
    least = scene.between(168, 112)
    across = max(2, int((width - 12) // (least + 8)))
    wide = (width - 12 - 8 * (across - 1)) / across
    tall = wide * 0.72 + plan.small + 34
    down = max(1, int((height - 4) // (tall + 8)))
    tall = (height - 12 + 8) / down - 8
    tiles = [_tile(plan, one, wide, tall) for one in _entries(plan, across * down)]
    return Box(
        tuple(tiles), Part.LIST, flow="grid", gap_px=8,
        css=f"grid-template-columns:repeat({across},{wide:g}px);padding:6px;height:{height:g}px;align-content:start",
    )  # fmt: skip


def _tile(plan: _Plan, one: tuple[str, str, str], wide: float, tall: float) -> Node:
    scene, small = plan.scene, plan.small
    name, ending, icon = one
    starred = scene.chance(0.15)
    high = tall - small - 36
    if ending in {"png", "jpg", "mp4"}:
        shows, drawn = "image", landscape(scene, wide - 2, high)
    elif ending:
        shows, drawn = "file", paper(scene, wide - 2, high)
    else:
        shows, drawn = "folder", folder(wide - 2, high)
    tools: list[Node] = [
        _tick(plan, name), spring(),
        row_tool(scene, "star", "files_star", size_px=small, on=starred, tint="orange" if starred else "", name=name),
        row_tool(scene, "share", "files_row_share", size_px=small, name=name),
        row_tool(scene, "kebab", "files_row_menu", size_px=small, name=name),
    ]  # fmt: skip
    below = entry(
        name,
        icon=icon,
        tint="yellow" if icon == "folder" else "",
        size_px=24,
        css="padding:0 5px;border:0;background:none",
    )
    inside = tile(
        name,
        [
            Picture(drawn, f"height:{high:g}px", shows),
            below,
            row(*tools, gap_px=1, css=f"height:{small + 4:g}px;padding-right:4px"),
        ],
        gap_px=2,
    )
    return Box((inside,), Part.CARD, css=f"height:{tall:g}px")


def _details(plan: _Plan, width: float, height: float) -> Box:
    scene, small = plan.scene, plan.small
    name = scene.file_name("png", "jpg")
    facts = [
        row(Text(scene.say(key), "small muted"), spring(), Text(value, "small"))
        for key, value in (
            ("files_type", "PNG"), ("files_size", f"{scene.number(1, 99, 1)} MB"), ("files_date", scene.date()),
            ("files_owner", scene.person()),
        )
    ]  # fmt: skip
    buttons = row(
        worded_button(scene, "files_open", kind="primary", size_px=small + 10),
        worded_button(scene, "files_open_with", size_px=small + 10), css="overflow:hidden",
    )  # fmt: skip
    left = int((height - 24 - width * 0.6 - 290) // (small + 12))
    people = [_person(plan) for _ in range(max(1, min(12, left // 2)))]
    past = [_version(plan) for _ in range(max(1, left - len(people)))]
    about = column(
        Text(scene.say("files_details"), "strong small muted"),
        Picture(landscape(scene, width - 22, width * 0.6), "border-radius:4px", "image"),
        Text(name, "strong"),
        *facts,
        buttons,
        gap_px=6,
    )
    lists = [
        Box((Text(scene.say(key), "strong small muted"), *rows), name=scene.say(key), named_on_screen=True, gap_px=2)
        for key, rows in (("files_access", people), ("files_versions", past))
    ]
    return Box(
        (about, *lists), Part.SIDEBAR, scene.say("files_details"), named_on_screen=True, gap_px=14, pad_px=10,
        css=f"width:{width:g}px;height:{height:g}px",
    )  # fmt: skip


def _person(plan: _Plan) -> Node:
    scene, small, name = plan.scene, plan.small, plan.scene.person()
    tools = [
        row_tool(scene, icon, key, size_px=small, name=name)
        for icon, key in (("pencil", "files_access_edit"), ("close", "files_access_remove"))
    ]
    return record(
        name,
        [Picture(face(scene, small + 4), "flex:none", "user"), Text(name, css="flex:1 1 0"), *tools],
        gap_px=5,
        css=f"height:{small + 10:g}px",
    )


def _version(plan: _Plan) -> Node:
    scene, small = plan.scene, plan.small
    name = f"{scene.date()} {scene.clock()}"
    tools = [
        row_tool(scene, icon, key, size_px=small, name=name)
        for icon, key in (("eye", "files_version_view"), ("undo", "files_restore"))
    ]
    return record(
        name,
        [Picture(stripe("var(--zg-line)", 3, small), css="flex:none"), Text(name, "small", css="flex:1 1 0"), *tools],
        gap_px=5,
        css=f"height:{small + 10:g}px",
    )


def _status(plan: _Plan) -> Box:
    scene = plan.scene
    small = min(20.0, plan.small + 4)
    return Box(
        (
            Text(scene.say("files_counts", count=scene.rng.randint(20, 400), chosen=scene.rng.randint(1, 9)), "small"),
            Text("·", "muted"), Text(scene.say("files_free", size=scene.rng.randint(3, 900)), "small muted"), spring(),
            worded_tool(scene, "minus", "files_smaller", size_px=small),
            field(scene.say("files_icon_size"), value=str(scene.rng.randint(15, 85)), role=Role.SLIDER, width_px=120),
            worded_tool(scene, "plus", "files_larger", size_px=small),
        ),
        Part.STATUSBAR, flow="row", gap_px=6, css=f"height:{_STATUS_PX:g}px;padding:0 10px;overflow:hidden",
    )  # fmt: skip
