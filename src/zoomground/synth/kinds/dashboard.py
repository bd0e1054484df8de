"""A dashboard: figures, charts with legends and ranges, a calendar of activity, tables with tools in every row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from zoomground.synth import charts
from zoomground.synth.fitting import FILL, known, pictured, pile, shelf
from zoomground.synth.graph import Box, Element, Node, Part, Picture, Role, Text
from zoomground.synth.pictures import SERIES, plain
from zoomground.synth.scene import Scene
from zoomground.synth.widgets import check, column, entry, row, spring, states
from zoomground.synth.widgets import field as box
from zoomground.synth.worded import worded_button

if TYPE_CHECKING:
    from collections.abc import Iterator


_QUIET = "padding:0 6px;border-color:transparent;background:transparent;"
_NAV_ICONS = (
    "home", "trend", "cart", "users", "tag", "blocks", "truck", "undo", "send", "eye", "chart", "percent", "card",
    "pie", "help", "user", "file", "bell", "link", "key",
)  # fmt: skip
_UNITS = "cn%cnncn%nh%nnc%hcn%"
"""What the figures of the words ``dash_figures`` count: currency, share, number, hours."""
_HEAT = ("#ebedf0", "#9be9a8", "#40c463", "#30a14e", "#216e39")
_HEAT_DARK = ("#2d333b", "#0e4429", "#006d32", "#26a641", "#39d353")


@dataclass(slots=True)
class _Plan:
    """Sizes of one window, and the names that its tables draw from."""

    scene: Scene
    line_px: float
    tool_px: float
    side_px: float
    gap_px: float
    people: list[str] = field(default_factory=list)
    numbers: int = 1000

    @property
    def width(self) -> float:
        """Width beside the side bar."""
        return self.scene.width - self.side_px - 2 * self.gap_px


def build(scene: Scene) -> Box:
    """The program, to fill a window."""
    side = scene.between(220, 165) if scene.width > 900 else 0.0  # Narrow windows have no room for it.
    plan = _Plan(scene, scene.between(34, 24), scene.between(26, 18), side, scene.between(14, 8))
    plan.people = [scene.person() for _ in range(24)]
    plan.numbers = scene.rng.randint(1, 8) * 10000 + scene.rng.randint(0, 900)
    head_px, card_px = scene.between(54, 42), scene.between(104, 84)
    rows = max(1, int(scene.height // 800))
    chart_px = min(330.0, max(190.0, scene.height * 0.27 / rows))
    room = scene.height - head_px - plan.line_px - card_px - rows * chart_px - (rows + 4) * plan.gap_px
    page = column(
        _filters(plan), _figures(plan, card_px), *_charts(plan, chart_px, rows), _tables(plan, room),
        gap_px=plan.gap_px, pad_px=plan.gap_px, grow=1, css="overflow:hidden",
    )  # fmt: skip
    parts = [_sidebar(plan), page] if side else [page]
    return column(
        _head(plan, head_px), row(*parts, gap_px=0, grow=1, css="align-items:stretch"), gap_px=0, grow=1
    )  # fmt: skip


def _head(plan: _Plan, height: float) -> Node:
    scene = plan.scene
    account = scene.say("dash_account")
    name = plan.people[0]
    mark = Picture(plain(SERIES[scene.rng.randrange(len(SERIES))]), "width:20px;height:20px;border-radius:5px")
    face = Picture(plain(scene.rng.choice(SERIES)), "width:20px;height:20px;border-radius:10px")
    user = Element(
        Role.BUTTON, label=account, goals=scene.goals("dash_account"), css=_QUIET + "display:flex;flex:none",
        children=(row(face, Text(name, "small"), gap_px=6),),
    )  # fmt: skip
    tabs = [
        Element(Role.TAB, word, size_px=plan.line_px, states=states(selected=at == 0), css="padding:0 10px")
        for at, word in enumerate(scene.choices("dash_sections"))
    ]
    search = box(scene.say("search"), role=Role.SEARCHBOX, icon="search", width_px=scene.between(300, 200),
                 size_px=plan.line_px)  # fmt: skip
    tools = [known(scene, icon, size_px=plan.tool_px) for icon in ("refresh", "bell", "help", "gear")]
    parts: list[Node] = [mark, Text(scene.company(), "strong", "max-width:200px")]
    if scene.width > 1000:
        parts.append(Box(tuple(tabs), Part.TABLIST, flow="row", css="border:0"))
    parts += [spring(), search, *tools, user]
    return Box(tuple(parts), Part.TOOLBAR, flow="row", gap_px=8,
               css=f"height:{height:g}px;padding:0 14px;overflow:hidden")  # fmt: skip


def _sidebar(plan: _Plan) -> Node:
    scene = plan.scene
    item = f"{FILL}min-height:0"
    nav = [
        entry(word, role=Role.TREEITEM, icon=icon, selected=at == 0, size_px=plan.line_px, css=item)
        for at, (word, icon) in enumerate(zip(scene.choices("dash_nav"), _NAV_ICONS, strict=True))
    ]
    saved = [
        entry(scene.title(1, 3), role=Role.TREEITEM, icon="pin", size_px=plan.line_px, css=item)
        for _ in range(min(40, int(scene.height // plan.line_px) - len(nav)))
    ]
    top = worded_button(scene, "dash_new", icon="plus", kind="primary", size_px=plan.line_px + 2, css=FILL)
    title = Text(scene.say("dash_saved"), "muted small strong", f"{FILL}padding:8px 8px 4px")
    tree = pile([*nav, title, *saved], part=Part.TREE)
    return Box((top, tree), Part.SIDEBAR, gap_px=8, pad_px=8, css=f"width:{plan.side_px:g}px")


def _filters(plan: _Plan) -> Node:
    scene, height = plan.scene, plan.line_px
    period = box(scene.say("dash_period"), value=f"{scene.date()} – {scene.date()}", icon="calendar", width_px=220,
                 goals=scene.goals("dash_period"), size_px=height)  # fmt: skip
    parts: list[Node] = [Text(scene.choices("dash_nav")[0], "large strong"), period]
    everything = scene.say("dash_all")
    for name in scene.choices("dash_filters"):
        choice = box(name, value=everything, role=Role.COMBOBOX, width_px=92, size_px=height)
        parts.append(row(Text(name, "small muted"), choice))
    parts += [
        worded_button(scene, "dash_apply", kind="primary", size_px=height),
        worded_button(scene, "dash_reset", icon="filter", size_px=height),
        worded_button(scene, "dash_export", icon="download", size_px=height),
        known(scene, "share", size_px=plan.tool_px),
    ]
    return shelf(parts, height, height, gap_px=8, css="padding-left:0;padding-right:0;")


def _figures(plan: _Plan, height: float) -> Node:
    scene = plan.scene
    names = scene.choices("dash_figures")
    count = max(2, min(len(names), int(plan.width // scene.between(230, 175))))
    chosen = scene.rng.sample(list(zip(names, _UNITS, strict=True)), count)
    cards = [_figure(plan, name, unit) for name, unit in chosen]
    return row(*cards, gap_px=plan.gap_px, css=f"height:{height:g}px;align-items:stretch")


def _figure(plan: _Plan, name: str, unit: str) -> Node:
    scene, side = plan.scene, plan.tool_px - 3
    change = scene.rng.uniform(-18, 24)
    value = {
        "c": f"€ {scene.number(900, 99000)}",
        "%": f"{scene.number(1, 99, 1)} %",
        "n": scene.number(1000, 900000),
        "h": f"{scene.number(1, 30, 1)} h",
    }[unit]
    head = row(
        Text(name, "muted small", "flex:1"), known(scene, "info", size_px=side, thing=True),
        known(scene, "kebab", size_px=side, thing=True), gap_px=0,
    )  # fmt: skip
    trend = Text(f"{'▲' if change > 0 else '▼'} {abs(change):.1f} %", "small accent" if change > 0 else "small")
    words = column(
        Text(value, "large strong"),
        row(trend, Text(scene.say("dash_versus"), "muted small"), gap_px=4),
        gap_px=2,
        grow=1,
    )
    line = Picture(charts.spark(scene.rng), "width:28%;height:85%", "trend")
    body = row(words, line, gap_px=4, grow=1)
    return Box((head, body), Part.CARD, name, named_on_screen=True, grow=1, gap_px=0, css="padding:6px 8px 6px 10px")


def _charts(plan: _Plan, height: float, rows: int) -> Iterator[Node]:
    names = plan.scene.choices("dash_charts")
    plan.scene.rng.shuffle(names)
    across = max(1, min(8, int(plan.width // plan.scene.between(460, 350))))
    width = (plan.width - (across - 1) * plan.gap_px) / across
    for at in range(rows):
        cards = [_chart(plan, names[(at * across + one) % len(names)], width) for one in range(across)]
        if at == 0 and across > 1:
            cards[plan.scene.rng.randrange(across)] = _activity(plan, width, height)
        yield row(*cards, gap_px=plan.gap_px, css=f"height:{height:g}px;align-items:stretch")


def _card(name: str, tools: list[Node], children: list[Node]) -> Box:
    head = row(Text(name, "strong", "flex:1"), *tools, gap_px=1)
    return Box((head, *children), Part.CARD, name, named_on_screen=True, gap_px=6, grow=1, css="padding:7px 9px")


def _chart(plan: _Plan, name: str, width: float) -> Box:
    scene, side = plan.scene, plan.tool_px
    small = max(15.0, side - 3)
    chosen = scene.rng.randrange(5)
    css = "padding:0 5px;font-size:11px;min-width:0;border-radius:3px;border-color:transparent"
    ranges: list[Node] = [
        Element(Role.BUTTON, word, size_px=small, states=states(selected=at == chosen), thing=word, css=css)
        for at, word in enumerate(scene.choices("dash_ranges"))
    ]
    icons = ("expand", "download", "kebab") if width > 380 else ("kebab",)
    tools = [*(ranges if width > 330 else []), *(known(scene, icon, size_px=side, thing=True) for icon in icons)]
    names = scene.rng.sample(scene.choices("dash_series"), scene.rng.randint(3, 5))
    draw, shows = scene.rng.choice(charts.CHARTS)
    picture = Picture(draw(scene.rng, len(names)), "flex:1 1 0;min-height:0", shows)
    legend = [
        Element(
            Role.BUTTON, label=series, css=_QUIET + f"height:{small:g}px;min-height:0;display:flex;align-items:center",
            children=(row(Picture(charts.blob(SERIES[at]), "width:9px;height:9px"), Text(series, "small"), gap_px=4),),
        )
        for at, series in enumerate(names)
    ]  # fmt: skip
    return _card(name, tools, [picture, shelf(legend, small, small, css="padding-left:0;padding-right:0;")])


def _activity(plan: _Plan, width: float, height: float) -> Box:
    """A square for every day, in columns of a week."""
    scene = plan.scene
    down = 7
    side = min(scene.between(18, 11), (height - 60) // down - 2)
    weeks = min(53, int((width - 22) // (side + 2)))
    colours = _HEAT_DARK if scene.dark else _HEAT
    thing = scene.say("dash_day_thing")
    year = scene.rng.randint(2019, 2026)
    days = []
    for at in range(weeks * down):
        date = f"{year}-{at // 30 % 12 + 1:02d}-{at % 30 + 1:02d}" if at // 30 != 1 or at % 30 < 28 else ""
        count = max(0, int(scene.rng.gauss(20, 22)))
        label = scene.say("dash_day", date=date or f"{year}-01-31", count=count)
        colour = plain(colours[min(4, count // 12)])
        days.append(pictured(label, colour, width_px=side, height_px=side, thing=thing, css="border:0"))
    grid = f"grid-template-rows:repeat({down},{side:g}px);grid-auto-flow:column;justify-content:start;margin:auto 0"
    tools: list[Node] = [known(scene, icon, size_px=plan.tool_px, thing=True) for icon in ("prev", "next", "kebab")]
    return _card(scene.say("dash_activity"), tools, [Box(tuple(days), flow="grid", gap_px=2, css=grid)])


def _tables(plan: _Plan, room: float) -> Node:
    scene = plan.scene
    names = scene.choices("dash_tables")
    across = max(1, min(len(names), int(plan.width // scene.between(720, 600))))
    width = (plan.width - (across - 1) * plan.gap_px) / across
    lines = max(1, int((room - 2 * plan.line_px - plan.tool_px - 40) // plan.line_px))
    cards = [_table(plan, name, width, lines) for name in scene.rng.sample(names, across)]
    return row(*cards, gap_px=plan.gap_px, grow=1, css="align-items:stretch")


def _table(plan: _Plan, name: str, width: float, lines: int) -> Box:
    scene, side = plan.scene, plan.tool_px
    columns = f"{side + 8:g}px 76px minmax(60px,2fr) minmax(60px,1.2fr) minmax(60px,1fr) 88px"
    wide = width > 690
    columns += f" minmax(90px,1.2fr) {4 * side + 8:g}px" if wide else f" {4 * side + 8:g}px"
    grid = f"{FILL}grid-template-columns:{columns};align-items:center;height:{plan.line_px:g}px;"
    grid += "border-bottom:1px solid var(--zg-line);column-gap:4px"
    labels = scene.choices("dash_columns")
    if not wide:
        labels.pop(5)
    heads: list[Node] = [check(scene.say("dash_all_rows"), shown=False, size_px=13)]
    heads += [
        Element(Role.COLUMNHEADER, label, "sort" if at in {0, 3, 4} else "", size_px=plan.line_px - 1,
                css="padding:0 2px;border:0;background:none;font-size:.9em")
        for at, label in enumerate(labels)
    ]  # fmt: skip
    header = Box(tuple(heads), Part.HEADER_ROW, flow="grid", css=grid)
    rows = [_line(plan, grid, wide=wide) for _ in range(lines)]
    tools: list[Node] = [
        box(scene.say("filter"), role=Role.SEARCHBOX, icon="search", width_px=130, size_px=side),
        *(known(scene, icon, size_px=side, thing=True) for icon in ("filter", "columns", "print", "refresh")),
    ]
    table = pile([header, *rows], part=Part.TABLE, name=name)
    return _card(name, tools, [table, _pages(plan)])


def _line(plan: _Plan, grid: str, *, wide: bool) -> Node:
    scene, side = plan.scene, plan.tool_px
    plan.numbers += scene.rng.randint(1, 9)
    number, name = f"#{plan.numbers}", scene.rng.choice(plan.people)
    at = scene.rng.randrange(6)
    state = scene.choices("dash_status")[at]
    owner = scene.rng.choice([one for one in plan.people if one != name])
    date = scene.date()
    goals = (scene.say("dash_open_goal", name=name, date=date),)
    cells: list[Node] = [
        check(scene.say("dash_select"), shown=False, size_px=13, on=scene.chance(0.15), thing=scene.say("dash_select")),
        Element(Role.LINK, number, goals=goals, css="font-size:.93em"),
        Element(Role.LINK, name, css="font-size:.93em"),
        row(Picture(charts.blob(SERIES[at]), "width:8px;height:8px"), Text(state, "small"), gap_px=5),
        Text(scene.number(9, 9000, 2), "small", "text-align:right"),
        Text(date, "small muted"),
    ]
    if wide:
        label = scene.choices("dash_columns")[5]
        cells.append(
            Element(Role.COMBOBOX, label=label, value=owner, size_px=plan.line_px - 4, thing=label,
                    css=f"{FILL}font-size:.9em")
        )  # fmt: skip
    icons = [known(scene, icon, size_px=side, thing=True) for icon in ("eye", "pencil", "trash", "kebab")]
    cells.append(row(*icons, gap_px=0))
    return Box(tuple(cells), Part.ROW, number, named_on_screen=True, flow="grid", css=grid)


def _pages(plan: _Plan) -> Node:
    scene, side = plan.scene, plan.tool_px
    chosen = scene.rng.randint(1, 7)
    css = "padding:0;min-width:0;font-size:.9em;border-color:transparent;"
    pages: list[Node] = [
        Element(
            Role.BUTTON, str(number), size_px=side, states=states(selected=number == chosen),
            css=f"{css}width:{side + 6:g}px", thing=scene.say("dash_page", number=number),
        )
        for number in range(1, 8)
    ]  # fmt: skip
    label, count = scene.say("dash_rows"), scene.rng.choice(("10", "25", "50"))
    parts: list[Node] = [
        known(scene, "prev", size_px=side), *pages, known(scene, "next", size_px=side), spring(),
        Text(label, "small muted"), box(label, value=count, role=Role.COMBOBOX, width_px=62, size_px=side),
    ]  # fmt: skip
    return shelf(parts, side, side, css="padding-left:0;padding-right:0;")
