"""A drawing program: bars of small tools on all sides, symbols, layers, properties, swatches, a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.fitting import FILL, divider, known, pictured, shelf, tiles
from zoomground.synth.gates import MIN_SHORT_PX
from zoomground.synth.graph import Box, Element, Node, Part, Picture, Role, Text
from zoomground.synth.kinds._cad_docks import BARS, DRAW, HUES, MODIFY, Plan, amount, dock, panel, shades
from zoomground.synth.pictures import floor_plan, illustration, machine_part, plain, ruler, symbol
from zoomground.synth.widgets import button, column, field, row, spring, states

if TYPE_CHECKING:
    from zoomground.synth.scene import Scene

_PALETTE = ("pointer", "node", "crop", "eraser", "dropper", "spray", "pencil", "diamond")
_FONTS = ("Sans", "Serif", "Mono", "Condensed", "Technical")
_MENU_PX, _STRIP_PX = 24.0, 37.0
MENU_AT = (2.0, _MENU_PX)
"""Where the first menu opens, from the top left of the program."""


def build(scene: Scene) -> Box:
    """The program, to fill a window."""
    wide = scene.width > 1500
    plan = Plan(
        scene, scene.between(28, 19), scene.between(25, 18), scene.width > 1100 and scene.chance(0.45),
        scene.chance(0.75), scene.between(230, 170) if wide or scene.chance(0.4) else 0.0, scene.between(290, 230),
        2 if scene.width > 2300 else 1,
    )  # fmt: skip
    bottom = 2 * plan.line_px + 8 + 26 + (_STRIP_PX if plan.swatches else 0)
    middle_px = scene.height - _MENU_PX - plan.bars - bottom
    middle = row(*_middle(plan, middle_px), grow=1, gap_px=0, css="align-items:stretch;overflow:hidden")
    return column(
        _menubar(plan), *_top(plan), middle, *_bottom(plan), gap_px=0, grow=1, css="overflow:hidden"
    )  # fmt: skip


def _menubar(plan: Plan) -> Node:
    items: list[Node] = [Element(Role.MENUITEM, word, size_px=_MENU_PX - 2) for word in plan.scene.choices("cad_menus")]
    items += [spring(), field(plan.scene.say("search"), role=Role.SEARCHBOX, width_px=150, size_px=20)]
    return shelf(items, _MENU_PX, 22, part=Part.MENUBAR, gap_px=0, css="font-size:.95em;")


def _top(plan: Plan) -> list[Node]:
    scene, names = plan.scene, plan.scene.choices("cad_groups")
    shown = [number for number in range(len(BARS)) if number != DRAW and (plan.ribbon or number != MODIFY)]
    if plan.ribbon:
        chosen = scene.rng.randrange(3)
        words = scene.choices("cad_tabs")
        tabs = [_tab(word, plan.line_px + 5, selected=number == chosen) for number, word in enumerate(words)]
        height = 3 * plan.tool_px + 24
        groups: list[Node] = [
            _ribbon_group(plan, names[number], BARS[number], labels=scene.width > 2300) for number in shown
        ]
        groups.append(_ribbon_fields(plan))
        ribbon = shelf(groups, height, height - 4, part=Part.TOOLBAR, gap_px=0, css="align-items:stretch;")
        head = shelf(tabs, plan.line_px + 6, plan.line_px + 6, part=Part.TABLIST, gap_px=0)
        return [head, ribbon]
    height = plan.tool_px + 8
    first: list[Node] = []
    for number in shown:
        bar = row(*(known(scene, icon, size_px=plan.tool_px) for icon in BARS[number]), gap_px=1)
        first += [Box(bar.children, Part.TOOLBAR, names[number], flow="row", gap_px=1, css="border:0!important"),
                  divider(plan.tool_px - 4)]  # fmt: skip
    return [
        shelf(first, height, plan.tool_px, part=Part.TOOLBAR, gap_px=1),
        shelf(_options(plan), height, plan.tool_px, part=Part.TOOLBAR, gap_px=5),
    ]


def _tab(text: str, size_px: float, *, selected: bool) -> Element:
    """A tab as high as its shelf, whatever a skin would have around it."""
    css = "margin-top:0;margin-bottom:0"
    return Element(Role.TAB, text, states=states(selected=selected), size_px=size_px, css=css)


def _ribbon_group(plan: Plan, name: str, icons: tuple[str, ...], *, labels: bool) -> Box:
    scene = plan.scene
    height = f"grid-template-rows:repeat(3,{plan.tool_px:g}px);grid-auto-flow:column;justify-content:start"
    if labels:
        css = "padding:0 5px;border-color:transparent;background:transparent;justify-content:flex-start;max-width:190px"
        buttons = [
            button(scene.say(icon), icon=icon, size_px=plan.tool_px, goals=scene.goals(icon), css=css) for icon in icons
        ]
    else:
        buttons = [known(scene, icon, size_px=plan.tool_px) for icon in icons]
    grid = Box(tuple(buttons), flow="grid", gap_px=1, css=height)
    title = Text(name, "muted small", "text-align:center;line-height:16px;font-size:10px")
    css = "border:0!important;border-right:1px solid var(--zg-line)!important;padding:0 5px"
    return Box((grid, title), Part.TOOLBAR, name, named_on_screen=True, css=css)


def _ribbon_fields(plan: Plan) -> Node:
    """Choices for what is drawn next, three below each other."""
    scene, names = plan.scene, plan.scene.choices("cad_properties")
    lines = plan.scene.rng.choice((0.13, 0.18, 0.25, 0.35, 0.5))
    values = [
        (scene.say("cad_layer_now"), scene.rng.choice(scene.choices("cad_layers"))),
        (scene.say("cad_line_now"), scene.rng.choice(scene.choices("cad_line_types"))),
        (names[21], f"{lines:.2f} mm"),
        (scene.say("cad_font"), scene.rng.choice(_FONTS)),
        (scene.say("cad_unit"), "mm"),
        (scene.say("cad_style_now"), scene.rng.choice(scene.choices("cad_styles"))),
    ]
    fields = [
        field(name, value=value, role=Role.COMBOBOX, width_px=150, size_px=plan.tool_px) for name, value in values
    ]
    grid = f"grid-template-rows:repeat(3,{plan.tool_px:g}px);grid-auto-flow:column;padding:0 6px"
    return Box(tuple(fields), flow="grid", gap_px=1, css=grid)


def _options(plan: Plan) -> list[Node]:
    """Fields for the selected object."""
    scene, names = plan.scene, plan.scene.choices("cad_properties")
    parts: list[Node] = [
        field(scene.say("cad_font"), value=scene.rng.choice(_FONTS),
              role=Role.COMBOBOX, width_px=120, size_px=plan.tool_px)
    ]  # fmt: skip
    for number in (0, 1, 2, 3, 4, 8, 13, 16, 17, 18, 5, 6):
        parts += [
            Text(names[number], "small muted"),
            amount(plan, number, names[number], plan.tool_px, "width:76px"),
        ]
        if number in {1, 3}:
            parts.append(known(scene, "lock" if number == 1 else "unlock", size_px=plan.tool_px))
    parts.append(field(scene.say("cad_unit"), value="mm", role=Role.COMBOBOX, width_px=60, size_px=plan.tool_px))
    return parts


def _middle(plan: Plan, height: float) -> list[Node]:
    parts: list[Node] = [_tools(plan, height)]
    if plan.library_px:
        parts.append(_library(plan, height))
    parts.append(_canvas(plan, height))
    parts += [dock(plan, height, number) for number in range(plan.docks)]
    return parts


def _tools(plan: Plan, height: float) -> Node:
    scene, names = plan.scene, plan.scene.choices("cad_groups")
    icons = [*_PALETTE, *BARS[DRAW], *(() if plan.ribbon else BARS[MODIFY])]
    down = max(1, int((height - 8) // (plan.tool_px + 1)))
    columns = max(1 + scene.rng.randrange(2), -(-len(icons) // down))
    chosen = scene.rng.randrange(len(icons))
    tools = [known(scene, icon, size_px=plan.tool_px, on=at == chosen) for at, icon in enumerate(icons)]
    grid = f"grid-template-columns:repeat({columns},{plan.tool_px:g}px);align-content:start;overflow:hidden"
    return Box(
        tuple(tools), Part.TOOLBAR, names[DRAW], flow="grid", gap_px=1, pad_px=4,
        css=f"{grid};border-right:1px solid var(--zg-line)",
    )  # fmt: skip


def _library(plan: Plan, height: float) -> Node:
    scene = plan.scene
    title = scene.say("cad_library")
    side = scene.between(40, 26)
    inner = plan.library_px - 17
    across, down = int((inner + 2) // (side + 2)), int((height - 2 * plan.line_px - 44) // (side + 2))
    names = scene.choices("cad_symbols")
    symbols = [
        pictured(
            f"{names[at % len(names)]} {60 + 10 * (at // len(names))}", symbol(scene.rng),
            width_px=side, height_px=side,
            goals=[scene.say("cad_symbol_goal", row=at // across + 1, column=at % across + 1)],
        )
        for at in range(max(0, across * down))
    ]  # fmt: skip
    head = [
        field(scene.say("search"), role=Role.SEARCHBOX, icon="search", size_px=plan.line_px, css=FILL),
        field(title, value=scene.rng.choice(scene.choices("cad_categories")), role=Role.COMBOBOX, size_px=plan.line_px,
              css=FILL),
    ]  # fmt: skip
    return panel(plan, title, [*head, tiles(symbols, side, side)], css=f"width:{plan.library_px:g}px")


def _canvas(plan: Plan, height: float) -> Node:
    scene = plan.scene
    width = scene.width - plan.docks * plan.dock_px - plan.library_px - 2 * plan.tool_px
    draw = scene.rng.choice((floor_plan, floor_plan, machine_part, illustration))
    inner = (max(200.0, width - 18), max(150.0, height - 18))
    picture = Picture(draw(scene.rng, *inner), "left:0;top:0;width:100%;height:100%")
    sheet = Box(
        (picture, *_handles(scene, inner), _navigation(plan)), Part.CANVAS, flow="stack", grow=1,
        css="align-self:stretch",
    )  # fmt: skip
    upright = Picture(ruler(inner[1], upright=True), "width:18px;align-self:stretch;background:var(--zg-bar)")
    level = Picture(ruler(inner[0], upright=False), "height:18px;margin-left:18px;background:var(--zg-bar)")
    return column(level, row(upright, sheet, gap_px=0, grow=1, css="align-items:stretch"), gap_px=0, grow=1)


def _handles(scene: Scene, inner: tuple[float, float]) -> list[Node]:
    """Eight handles around a selection."""
    x, y = inner[0] * scene.rng.uniform(0.15, 0.5), inner[1] * scene.rng.uniform(0.15, 0.5)
    w, h = inner[0] * scene.rng.uniform(0.12, 0.3), inner[1] * scene.rng.uniform(0.12, 0.3)
    side = max(MIN_SHORT_PX, scene.between(11, 7))
    places = [(0, 0), (0.5, 0), (1, 0), (0, 0.5), (1, 0.5), (0, 1), (0.5, 1), (1, 1)]
    frame = Box(css=f"left:{x:.0f}px;top:{y:.0f}px;width:{w:.0f}px;height:{h:.0f}px;border:1px dashed var(--zg-accent)")
    blob = plain("#4dabf7")
    return [
        frame,
        *(
            pictured(name, blob, width_px=side, height_px=side,
                     css=f"left:{x + w * across - side / 2:.0f}px;top:{y + h * down - side / 2:.0f}px")
            for name, (across, down) in zip(scene.choices("cad_handles"), places, strict=True)
        ),
    ]  # fmt: skip


def _navigation(plan: Plan) -> Node:
    """The small upright bar that floats over the drawing."""
    scene = plan.scene
    icons = ("home", "eye", "refresh", "camera", "layers", "expand")
    return Box(
        tuple(known(scene, icon, size_px=plan.tool_px) for icon in icons), Part.TOOLBAR, gap_px=1, pad_px=2,
        css="right:10px;top:10px;border:1px solid var(--zg-line)",
    )  # fmt: skip


def _bottom(plan: Plan) -> list[Node]:
    scene = plan.scene
    parts: list[Node] = []
    if plan.swatches:
        steps = max(4, int((scene.width - 14) // 15) * 2 // len(HUES))
        columns = f"grid-template-columns:repeat({steps * len(HUES) // 2},14px);"
        css = f"{columns}padding:3px 6px;height:37px;border-top:1px solid var(--zg-line)"
        parts.append(tiles(shades(plan, steps, 14), 14, 14, gap_px=1, css=css))
    said = Text(scene.rng.choice(scene.choices("cad_history")), "mono small muted")
    goal = scene.goals("cad_command")
    line = field(scene.say("cad_command"), goals=goal, size_px=plan.line_px, css="flex:1", icon="terminal")
    pages = scene.choices("cad_pages")
    names = [pages[0], *(f"{name} {number}" for number, name in enumerate(pages[1:], 1))]
    tabs = [_tab(name, 25, selected=not at) for at, name in enumerate(names)]
    parts.append(shelf([*tabs, known(scene, "plus", size_px=20)], 26, 25, part=Part.TABLIST, gap_px=0))
    parts.append(row(said, line, gap_px=8, css=f"height:{plan.line_px + 4:g}px;padding:0 6px"))
    return [*parts, _status(plan)]


def _status(plan: Plan) -> Node:
    scene = plan.scene
    height = plan.line_px + 4
    toggles = [
        Element(Role.BUTTON, word, size_px=plan.line_px - 1, states=states(selected=scene.chance(0.4)),
                css="padding:0 5px;font-size:.86em")
        for word in scene.choices("cad_status")
    ]  # fmt: skip
    place = Text(f"X {scene.number(0, 990, 2)}  Y {scene.number(0, 990, 2)}", "mono small")
    zoom = field(scene.say("cad_zoom"), value=f"{scene.rng.choice((25, 50, 75, 100, 150, 200))} %", role=Role.COMBOBOX,
                 width_px=76, size_px=plan.line_px - 1)  # fmt: skip
    return shelf([place, divider(14), zoom, *toggles], height, plan.line_px - 1, part=Part.STATUSBAR, gap_px=2)
