"""A spreadsheet: a ribbon of small icons in groups, a formula bar, hundreds of cells, charts, sheet tabs."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from zoomground.synth.drawings import bars
from zoomground.synth.graph import Box, Element, Node, Part, Picture, Role, Text
from zoomground.synth.ribbon import TABS_PX, ribbon, tabs
from zoomground.synth.widgets import column, field, row, spring, states, tile, tool
from zoomground.synth.worded import row_tool, worded_tool, worded_tools

if TYPE_CHECKING:
    from zoomground.synth.scene import Scene

_LINE = "1px solid var(--zg-line)"
_FORMULA_PX, _SHEETS_PX, _STATUS_PX = 30.0, 28.0, 26.0
_HEAD_PX, _NUMBER_PX, _FIRST_PX = 20.0, 40.0, 170.0
_MOST_CELLS, _MEANT_FOR = 1400, 2560.0 * 1370.0
"""About how many cells a window of this area (CSS px squared) holds; larger ones have a few more, and the rest is drawn
as empty grid: nobody fills it, and the browser's time goes by elements."""


def build(scene: Scene) -> Box:
    """The program, to fill a window."""
    icon = scene.between(26, 20)
    ribbon_px = 2 * icon + 34
    room = scene.height - TABS_PX - ribbon_px - _FORMULA_PX - _SHEETS_PX - _STATUS_PX
    charts = scene.between(330, 280) if scene.width >= 1500 and scene.chance(0.6) else 0.0
    across = scene.width - charts
    grid = _grid(scene, across, room)
    middle: list[Node] = [grid]
    if charts:
        middle.append(_charts(scene, charts, room))
    return column(
        tabs(scene), ribbon(scene, icon, ribbon_px), _formula(scene),
        row(*middle, gap_px=0, css=f"align-items:stretch;height:{room:g}px"), _sheets(scene), _status(scene),
        gap_px=0, grow=1,
    )  # fmt: skip


def _formula(scene: Scene) -> Box:
    last = scene.rng.randint(9, 40)
    letter = _letters(scene.rng.randint(1, 12))
    tools = worded_tools(
        scene, (("close", "sheet_cancel"), ("check", "sheet_accept"), ("function", "sheet_function")), 20
    )
    return Box(
        (
            field(
                scene.say("sheet_name_box"),
                value=f"{letter}{last + 1}",
                width_px=84,
                size_px=24,
                goals=scene.goals("sheet_name_box"),
            ),
            *tools,
            field(
                scene.say("sheet_formula_bar"), value=f"=SUM({letter}2:{letter}{last})", size_px=24, css="flex:1 1 0"
            ),
        ),
        flow="row",
        gap_px=4,
        css=f"height:{_FORMULA_PX:g}px;padding:0 6px;background:var(--zg-bar)",
    )


@lru_cache
def _letters(number: int) -> str:
    """The letters of a column: 0 is A, 26 is AA."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(65 + rest) + text
    return text


def _grid(scene: Scene, width: float, height: float) -> Box:
    line = scene.between(26, 20)
    widths = [_FIRST_PX]
    least, most = scene.between(96, 66), scene.between(112, 84)
    while sum(widths) + _NUMBER_PX + least <= width:
        widths.append(float(scene.rng.randint(int(min(least, most)), int(max(least, most)))))
    while sum(widths) + _NUMBER_PX > width:
        widths.pop()
    widths[-1] += width - _NUMBER_PX - sum(widths)
    count = int((height - _HEAD_PX) // line)
    cells = int(_MOST_CELLS * (scene.width * scene.height / _MEANT_FOR) ** 0.3)
    columns = min(len(widths), max(10, cells // max(1, count)))
    rows = min(count, cells // columns)
    letters = [
        Element(
            Role.COLUMNHEADER, _letters(at), size_px=_HEAD_PX, css=f"width:{one:g}px;justify-content:center;padding:0"
        )
        for at, one in enumerate(widths)
    ]
    corner = tool("down", scene.say("sheet_select_all"), size_px=_HEAD_PX, goals=scene.goals("sheet_select_all"),
                  css=f"width:{_NUMBER_PX:g}px;border-radius:0;background:var(--zg-bar)")  # fmt: skip
    head = Box((corner, *letters), Part.HEADER_ROW, flow="row")
    table = _Table(scene, widths, columns, rows, line)
    lines = [table.row(number) for number in range(1, count + 1)]
    return Box((head, *lines), Part.TABLE, css=f"width:{width:g}px;height:{height:g}px")


class _Table:
    """The data of a sheet: named rows under named heads, in the upper left part of the grid."""

    def __init__(self, scene: Scene, widths: list[float], columns: int, rows: int, line: float) -> None:
        self.scene, self.line, self.widths = scene, line, widths
        self.columns, self.rows = columns, rows
        self.filled = max(2, int(columns * scene.rng.uniform(0.7, 1.0)))
        self.full = max(3, int(rows * scene.rng.uniform(0.7, 0.98)))
        self.heads = [self._head(at) for at in range(self.filled)]
        self.chosen = (scene.rng.randint(3, max(3, self.full)), scene.rng.randint(1, self.filled - 1))
        self.blank = {at: f"width:{one:g}px;height:{line:g}px" for at, one in enumerate(widths)}
        self.regions, self.stages = scene.choices("sheet_regions"), scene.choices("sheet_states")
        self.rest = sum(widths[columns:])

    def _head(self, at: int) -> str:
        names = self.scene.choices("sheet_heads")
        return names[at] if at < len(names) else f"{names[1 + (at - 1) % 12]} {24 + at // 25}"

    def row(self, number: int) -> Box:
        """One line of the sheet."""
        many = self.columns if number <= self.rows else 0
        first = self.scene.company() if 1 < number <= self.full and many else ""
        cells: list[Node] = [
            Element(
                Role.ROWHEADER,
                str(number),
                size_px=self.line,
                css=f"width:{_NUMBER_PX:g}px;justify-content:center;padding:0",
            )
        ]
        cells += [self.cell(at, number, first) for at in range(many)]
        left = sum(self.widths) if not many else self.rest
        if left:
            lines = "repeating-linear-gradient(to right,transparent 0 83px,var(--zg-line) 83px 84px)"
            cells.append(Box(css=f"width:{left:g}px;height:{self.line:g}px;border-bottom:{_LINE};background:{lines}"))
        return Box(tuple(cells), Part.ROW, first, named_on_screen=bool(first), flow="row")

    def cell(self, at: int, number: int, first: str) -> Element:
        """One cell; its name is its address, as screen readers say it."""
        address = f"{_letters(at)}{number}"
        if number == 1 and at < self.filled:
            return self._head_cell(at, address)
        text = "" if number > self.full or at >= self.filled else first if at == 0 else self._value(at)
        goals = self.scene.goals("sheet_cell", name=first, head=self.heads[at]) if text and at else ()
        right = at and (not text or text[-1].isdigit() or text[-1] == "%")
        css = f"width:{self.widths[at]:g}px;padding:0 5px" + (";justify-content:flex-end" if right else "")
        return Element(
            Role.GRIDCELL, text, label=address, size_px=self.line, css=css, goals=goals,
            states=states(selected=(number, at) == self.chosen),
        )  # fmt: skip

    def _value(self, at: int) -> str:
        scene = self.scene
        kind = at % 25
        if scene.chance(0.06):
            return ""
        if kind == 17:
            return scene.fake(lambda f: f.last_name())
        if kind in {18, 23}:
            return scene.date()[2:] if kind == 18 else scene.rng.choice(self.regions)
        if kind == 19:
            return scene.rng.choice(self.stages)
        if kind in {16, 22}:
            return f"{scene.rng.uniform(1, 60):.1f}%"
        return scene.number(10, 9900) if kind <= 15 or kind == 24 else scene.number(1, 99, 2)

    def _head_cell(self, at: int, address: str) -> Element:
        said = self.heads[at]
        arrow = tool(
            "down",
            self.scene.say("sheet_column_filter", head=said),
            size_px=14,
            thing=self.scene.say("sheet_column_filter_thing"),
        )
        inside = row(
            Text(said, "strong", css="flex:1 1 0"), arrow, gap_px=2, css=f"height:{self.line - 1:g}px;flex:1 1 0"
        )
        return Element(
            Role.GRIDCELL, label=address, size_px=self.line, children=(inside,),
            css=f"width:{self.widths[at]:g}px;padding:0 3px 0 5px;background:var(--zg-sunk)",
        )  # fmt: skip


def _charts(scene: Scene, width: float, height: float) -> Box:
    each = 214.0
    count = max(1, int((height - 40) // (each + 8)))
    tall = (height - 40) / count - 56
    cards = []
    for _ in range(count):
        name = scene.title(2, 3)
        tools = [
            row_tool(scene, icon, key, size_px=18, name=name)
            for icon, key in (
                ("filter", "sheet_chart_filter"),
                ("pencil", "sheet_chart_edit"),
                ("close", "sheet_chart_close"),
            )
        ]
        inside = tile(
            name,
            [
                row(Text(name, "strong small", css="flex:1 1 0"), *tools, gap_px=1),
                Picture(bars(scene, width - 40, tall), shows="chart"),
            ],
            gap_px=6,
        )
        cards.append(Box((inside,), Part.CARD, pad_px=8))
    head = row(
        Text(scene.say("sheet_charts"), "strong small"),
        spring(),
        worded_tool(scene, "close", "sheet_panel_close", size_px=18),
    )
    return Box(
        (head, *cards), Part.SIDEBAR, scene.say("sheet_charts"), named_on_screen=True, gap_px=8, pad_px=8,
        css=f"width:{width:g}px;height:{height:g}px;border-left:{_LINE}",
    )  # fmt: skip


def _sheets(scene: Scene) -> Box:
    names = scene.choices("sheet_names")
    scene.rng.shuffle(names)
    room, shown = scene.width - 160, []
    for name in names:
        room -= scene.reach(name) + 34
        if room < 0:
            break
        shown.append(name)
    ends = [
        Element(
            Role.TAB,
            name,
            states=states(selected=not at),
            css=f"height:26px;min-height:0;padding:0 12px;border-right:{_LINE}",
        )
        for at, name in enumerate(shown)
    ]
    moves = worded_tools(
        scene,
        (
            ("skipback", "sheet_first"),
            ("prev", "sheet_previous"),
            ("next", "sheet_next"),
            ("skipforward", "sheet_last"),
        ),
        18,
    )
    return Box(
        (
            *moves,
            Box(tuple(ends), Part.TABLIST, flow="row", css="border-bottom:0"),
            worded_tool(scene, "plus", "sheet_add", size_px=18),
        ),
        flow="row",
        gap_px=3,
        css=f"height:{_SHEETS_PX:g}px;padding:0 6px;background:var(--zg-bar);border-top:{_LINE}",
    )


def _status(scene: Scene) -> Box:
    count, mean = scene.rng.randint(3, 60), scene.rng.randint(20, 900)
    total = scene.number(mean * count, mean * count)
    views = (("table", "sheet_normal_view"), ("file", "sheet_page_view"), ("columns", "sheet_break_view"))
    return Box(
        (
            Text(scene.say("sheet_ready"), "small"), spring(),
            Text(scene.say("sheet_sums", mean=mean, count=count, sum=total), "small muted"),
            *worded_tools(scene, views, 20), worded_tool(scene, "minus", "sheet_zoom_out", size_px=18),
            field(scene.say("sheet_zoom"), value=str(scene.rng.randint(20, 80)), role=Role.SLIDER, width_px=110),
            worded_tool(scene, "plus", "sheet_zoom_in", size_px=18), Text("100 %", "small"),
        ),
        Part.STATUSBAR, flow="row", gap_px=6, css=f"height:{_STATUS_PX:g}px;padding:0 10px",
    )  # fmt: skip
