"""A code editor: activity bar, file tree, editors with small tabs and gutters, minimaps, a terminal, status bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth import sources
from zoomground.synth.code_panels import CodePlan, lower_panel, section, source_control
from zoomground.synth.graph import Box, Element, Node, Part, Picture, Role, Text
from zoomground.synth.widgets import entry, field, menu_item, record, row, spring, states, tab, tab_and_cross, toolbar
from zoomground.synth.worded import row_tool, worded_tool, worded_tools

if TYPE_CHECKING:
    from zoomground.synth.scene import Scene
    from zoomground.synth.sources import Line

_LINE = "1px solid var(--zg-line)"
_MENU_PX, _STATUS_PX, _TABS_PX, _CRUMBS_PX = 32.0, 24.0, 30.0, 22.0
_TAB_PX = 132.0
MENU_AT = (8.0, _MENU_PX)
"""Where the first menu opens, from the top left of the program."""
_MONO = '"DejaVu Sans Mono","Liberation Mono",monospace'
_ACTIVITIES = (
    ("copy", "code_explorer"), ("search", "code_search"), ("branch", "code_git"), ("bug", "code_debug"),
    ("blocks", "code_extensions"), ("check", "code_tests"), ("display", "code_remote"),
)  # fmt: skip
_NOT_BUTTON = "border:0;background:none;box-shadow:none;border-radius:0;color:inherit;min-height:0"


def build(scene: Scene) -> Box:
    """The program, to fill a window."""
    plan = CodePlan(
        scene, scene.between(26, 18), scene.between(21, 16), scene.between(24, 18), scene.between(16, 12),
        scene.rng.choice(sorted(sources.ENDINGS)),
    )  # fmt: skip
    room = scene.height - _MENU_PX - _STATUS_PX
    bar = scene.between(48, 38)
    side = scene.between(300, 236)
    changes = side if scene.width >= 1880 else 0.0
    across = scene.width - bar - side - changes
    many = max(1, min(5, int(across // scene.between(760, 420))))
    low = max(150.0, round(room * scene.rng.uniform(0.2, 0.28)))
    files = [[plan.file() for _ in range(max(2, int((across / many - 110) // _TAB_PX)))] for _ in range(many)]
    editors = [_editor(plan, names, across / many, room - low) for names in files]
    middle = Box(
        (
            Box(tuple(editors), flow="row", css=f"height:{room - low:g}px;align-items:stretch"),
            lower_panel(plan, files, across, low),
        ),
        css=f"width:{across:g}px;height:{room:g}px",
    )
    parts: list[Node] = [_activities(plan, bar, room), _explorer(plan, files, side, room), middle]
    if changes:
        parts.append(source_control(plan, changes, room))
    body = Box(tuple(parts), flow="row", css=f"height:{room:g}px;align-items:stretch")
    return Box((_menu(plan), body, _status(plan)), grow=1)


def _menu(plan: CodePlan) -> Box:
    scene = plan.scene
    menus = [menu_item(name) for name in scene.choices("code_menus")]
    right = (
        ("freeze", "code_layout"), ("columns", "code_side_left"), ("window", "code_panel"), ("split", "code_side_right")
    )  # fmt: skip
    search = field(
        scene.say("code_commands"), role=Role.SEARCHBOX, icon="search", size_px=24, goals=scene.goals("code_commands"),
        width_px=min(520.0, max(190.0, scene.width * 0.2)),
    )  # fmt: skip
    strip = Box(tuple(menus), Part.MENUBAR, flow="row", css="min-width:0;background:none;border:0")
    moves = worded_tools(scene, (("prev", "code_back"), ("next", "code_ahead")), plan.tool)
    return Box(
        (strip, spring(), *moves, search, spring(), *worded_tools(scene, right, plan.tool)), flow="row", gap_px=2,
        css=f"height:{_MENU_PX:g}px;padding:0 8px;background:var(--zg-bar);border-bottom:{_LINE}",
    )  # fmt: skip


def _activities(plan: CodePlan, width: float, height: float) -> Box:
    scene, side = plan.scene, width - 10
    tools = [worded_tool(scene, icon, key, size_px=side, on=key == "code_explorer") for icon, key in _ACTIVITIES]
    foot = worded_tools(scene, (("user", "code_account"), ("gear", "code_settings")), side)
    return toolbar(
        [*tools, spring(), *foot],
        upright=True,
        gap_px=4,
        css=f"width:{width:g}px;height:{height:g}px;align-items:center",
    )


def _explorer(plan: CodePlan, files: list[list[str]], width: float, height: float) -> Box:
    scene, tool = plan.scene, min(plan.tool, plan.line - 2)
    title = (
        ("new", "code_new_file"), ("folder", "code_new_folder"), ("refresh", "code_refresh"), ("minus", "code_collapse")
    )  # fmt: skip
    editors = [_open_editor(plan, name) for names in files for name in names[:3]][:12]
    count = int((height - 3 * (plan.line + 2)) // plan.line) - len(editors)
    below = max(3, count // 4)
    heads = (
        section(
            plan,
            "code_open_editors",
            worded_tools(scene, (("save", "code_save_all"), ("close", "code_close_all")), tool),
        ),
        section(plan, "code_explorer", worded_tools(scene, title, tool)),
        section(plan, "code_outline", worded_tools(scene, (("sort", "code_more"),), tool)),
    )
    boxes = [
        Box((head, Box(tuple(rows), Part.TREE)), name=scene.say(key), named_on_screen=True)
        for head, rows, key in (
            (heads[0], editors, "code_open_editors"),
            (heads[1], _tree(plan, [one for names in files for one in names], count - below), "code_explorer"),
            (heads[2], _outline(plan, below), "code_outline"),
        )
    ]
    return Box(tuple(boxes), Part.SIDEBAR, css=f"width:{width:g}px;height:{height:g}px")


def _open_editor(plan: CodePlan, name: str) -> Node:
    close = row_tool(plan.scene, "close", "code_tab_close", size_px=plan.close, name=name)
    item = entry(name, role=Role.TREEITEM, icon="file", size_px=plan.line, css="flex:1 1 0;padding:0 4px")
    return record(name, [close, item], gap_px=2, css=f"height:{plan.line:g}px;padding-left:14px")


def _tree(plan: CodePlan, files: list[str], count: int) -> list[Node]:
    rng, rows = plan.scene.rng, list[Node]()
    folders = rng.sample(sources.FOLDERS, len(sources.FOLDERS))
    depth = 0
    known = list(files)
    while len(rows) < count:
        if folders and rng.random() < 0.22:
            name, is_open = folders.pop(), rng.random() < 0.75
            depth = min(depth, 2)
            rows.append(_leaf(plan, name, depth, folder=True, is_open=is_open))
            depth += is_open
            continue
        name = known.pop(0) if known else plan.file()
        rows.append(_leaf(plan, name, depth, folder=False, is_open=False, selected=name == files[0]))
        if depth and rng.random() < 0.16:
            depth -= 1
    return rows


def _leaf(plan: CodePlan, name: str, depth: int, *, folder: bool, is_open: bool, selected: bool = False) -> Node:
    rng = plan.scene.rng
    mark = "" if folder else rng.choices(("", "M", "U"), (6, 2, 1))[0]
    item = Element(
        Role.TREEITEM, name, ("down" if is_open else "next") if folder else "file", size_px=plan.line,
        states=states(selected=selected, expanded=is_open), tint="green" if mark == "U" else "orange" if mark else "",
        css=f"flex:1 1 0;padding:0 6px 0 {10 + 14 * depth}px",
    )  # fmt: skip
    letter = [Text(mark, "small muted", css="width:16px")] if mark else []
    return row(item, *letter, gap_px=0, css=f"height:{plan.line:g}px")


def _outline(plan: CodePlan, count: int) -> list[Node]:
    rng = plan.scene.rng
    return [
        entry(
            plan.scene.fake(lambda _: f"{rng.choice(sources.VERBS)}_{rng.choice(sources.NOUNS)}"), role=Role.TREEITEM,
            icon=rng.choice(("function", "function", "blocks", "diamond")), size_px=plan.line,
            css=f"padding:0 6px 0 {rng.choice((12, 26))}px",
        )
        for _ in range(count)
    ]  # fmt: skip


def _editor(plan: CodePlan, names: list[str], width: float, height: float) -> Box:
    scene = plan.scene
    tabs = [_tab(plan, name, selected=not at) for at, name in enumerate(names)]
    tools = (("play", "code_run"), ("branch", "code_changes"), ("split", "code_split"), ("dots", "code_more"))
    strip = row(
        Box(tuple(tabs), Part.TABLIST, flow="row", css="flex:1 1 0;min-width:0;overflow:hidden;border-bottom:0"),
        *worded_tools(scene, tools, plan.tool), gap_px=1,
        css=f"height:{_TABS_PX:g}px;background:var(--zg-bar);border-bottom:{_LINE};padding-right:4px",
    )  # fmt: skip
    crumbs = _crumbs(plan, names[0], width)
    path = Box(tuple(crumbs), flow="row", gap_px=6, css=f"height:{_CRUMBS_PX:g}px;padding:0 12px;overflow:hidden")
    deep = height - _TABS_PX - _CRUMBS_PX
    map_px = 84.0 if width > 520 else 56.0
    lines = sources.source(scene, plan.ending, int(deep // plan.code))
    code = Box(tuple(_lines(plan, lines)), css=f"flex:1 1 0;min-width:0;height:{deep:g}px;overflow:hidden")
    small = Picture(sources.minimap(lines, sources.palette(scene), map_px, deep), css=f"width:{map_px:g}px;flex:none")
    return Box(
        (strip, path, row(code, small, gap_px=0, css="align-items:stretch")), name=names[0], named_on_screen=True,
        css=f"width:{width:g}px;height:{height:g}px;background:var(--zg-panel);border-right:{_LINE};overflow:hidden",
    )  # fmt: skip


def _crumbs(plan: CodePlan, file: str, width: float) -> list[Node]:
    """The way to what is shown: folders, file, symbol; as much of it as fits."""
    rng = plan.scene.rng
    names = [file, f"{rng.choice(sources.VERBS)}_{rng.choice(sources.NOUNS)}"]
    for folder in rng.sample(sources.FOLDERS, 2):
        if sum(plan.scene.reach(name) + 30 for name in (*names, folder)) < width:
            names.insert(0, folder)
    found: list[Node] = []
    for name in names:
        found += [Text("›", "muted")] if found else []
        found.append(Element(Role.LINK, name, css="color:var(--zg-muted);text-decoration:none;flex:0 1 auto;padding:0"))
    return found


def _tab(plan: CodePlan, name: str, *, selected: bool) -> Node:
    close = row_tool(plan.scene, "close", "code_tab_close", size_px=plan.close, name=name)
    one = tab(
        name,
        icon="file",
        selected=selected,
        css=f"height:{_TABS_PX - 1:g}px;min-height:0;flex:1 1 0;padding:0 4px 0 10px",
    )
    return tab_and_cross(one, close, css=f"width:{_TAB_PX:g}px;border-right:{_LINE};padding-right:6px")


def _lines(plan: CodePlan, lines: list[Line]) -> list[Node]:
    rng, scene = plan.scene.rng, plan.scene
    colours = sources.palette(scene)
    start = rng.randint(1, 400)
    found: list[Node] = []
    number = start
    for line in lines:
        if line.head and len(found) + 1 < len(lines) and rng.random() < 0.55:
            found.append(_lens(plan, line))
        if len(found) == len(lines):
            break
        found.append(_code_line(plan, line, number, colours))
        number += 1
    return found


def _code_line(plan: CodePlan, line: Line, number: int, colours: dict[str, str]) -> Node:
    scene, rng = plan.scene, plan.scene.rng
    name = scene.say("code_line", number=number)
    dot = min(10.0, plan.code - 6)
    gap = 8 - dot / 2
    if rng.random() < 0.09:
        left: Node = Element(
            Role.BUTTON,
            label=scene.say("code_breakpoint"),
            tint="red",
            size_px=dot,
            thing=scene.say("code_breakpoint_thing"),
            goals=scene.goals("code_breakpoint", line=name),
            css=f"width:{dot:g}px;min-width:0;padding:0;border:0;border-radius:50%;flex:none;margin:0 {gap:g}px",
        )
    elif rng.random() < 0.05:
        left = row_tool(
            scene, "warn", "code_fix", size_px=min(16.0, plan.code - 2), tint="orange", css="flex:none", line=name
        )
    else:
        left = Box(css="width:16px")
    place = Element(
        Role.ROWHEADER, str(number), label=name, size_px=plan.code,
        css="width:38px;flex:none;justify-content:flex-end;padding:0 4px;background:none;border:0;font-weight:normal",
    )  # fmt: skip
    fold: Node = Box(css="width:14px")
    if line.opens:
        fold = row_tool(scene, "down", "code_fold", size_px=min(14.0, plan.code - 2), css="flex:none", line=name)
    css = f"white-space:pre;font:{plan.code - 4:g}px/{plan.code:g}px {_MONO}"
    return record(
        name,
        [left, place, fold, *_words(scene, line, colours, css)],
        gap_px=0,
        css=f"height:{plan.code:g}px;padding-left:4px",
    )


def _words(scene: Scene, line: Line, colours: dict[str, str], css: str) -> list[Node]:
    """The line's text; the functions that it calls are links to where they are defined."""
    parts: list[Node] = []
    done = 0
    for start, end in () if line.head else sources.calls(line.text):
        if scene.rng.random() < 0.06 or line.text[start:end] in line.text[:done]:
            continue
        if start > done:
            parts.append(Picture(sources.spans(line.text[done:start], colours), css=f"{css};flex:none"))
        look = f"{css};color:{colours['call']};text-decoration:none;padding:0;flex:none;overflow:visible"
        parts.append(Element(Role.LINK, line.text[start:end], css=look))
        done = end
    return [*parts, Picture(sources.spans(line.text[done:], colours), css=css)]


def _lens(plan: CodePlan, line: Line) -> Node:
    scene = plan.scene
    indent = len(line.text) - len(line.text.lstrip())
    texts = [
        scene.say("code_references", count=scene.rng.randint(2, 40)),
        scene.say("code_run_test"),
        scene.say("code_debug_test"),
    ]
    links: list[Node] = []
    for text in texts[: scene.rng.choice((1, 3, 3))]:
        links += [Text("|", "small muted")] if links else []
        links.append(
            Element(Role.LINK, text, css="font-size:11px;color:var(--zg-muted);text-decoration:none;padding:0")
        )
    return record(
        line.head, links, gap_px=6, css=f"height:{plan.code:g}px;padding-left:{72 + 7 * indent}px;overflow:hidden"
    )


def _status(plan: CodePlan) -> Box:
    scene, rng = plan.scene, plan.scene.rng
    css = f"{_NOT_BUTTON};padding:0 6px;font-size:.9em"

    def item(text: str, icon: str = "", key: str = "") -> Element:
        return Element(Role.BUTTON, text, icon, size_px=_STATUS_PX - 3, css=css, goals=scene.goals(key) if key else ())

    left = [
        item(f"{rng.choice(sources.VERBS)}-{rng.choice(sources.NOUNS)}", "branch"),
        worded_tool(scene, "refresh", "code_sync", size_px=_STATUS_PX - 3),
        item(scene.say("code_errors", count=rng.randint(2, 9)), "close"),
        item(scene.say("code_warnings", count=rng.randint(10, 60)), "warn"),
        item(scene.say("code_ports"), "wifi"),
        item(scene.say("code_tests"), "check"),
    ]
    place = scene.say("code_position", line=rng.randint(1, 600), column=rng.randint(1, 90))
    right = [
        item(place, key="code_position"),
        item(scene.say("code_spaces", count=rng.choice((2, 4))), key="code_spaces"),
        item(scene.say("code_encoding"), key="code_encoding"),
        item(scene.say("code_ending")),
        item(sources.ENDINGS[plan.ending]),
        worded_tool(scene, "smile", "code_feedback", size_px=_STATUS_PX - 3),
        worded_tool(scene, "bell", "code_bell", size_px=_STATUS_PX - 3),
    ]
    return Box(
        (*left, spring(), *right),
        Part.STATUSBAR,
        flow="row",
        gap_px=2,
        css=f"height:{_STATUS_PX:g}px;padding:0 8px;overflow:hidden",
    )
