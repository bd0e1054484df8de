"""System settings: a side bar of sections, panels of switches, choices and sliders, lists of programs and rights."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from zoomground.synth.fitting import FILL, known, pile
from zoomground.synth.graph import Box, Element, Node, Part, Picture, Role, Text
from zoomground.synth.icons.own import ICONS
from zoomground.synth.pictures import SERIES, plain
from zoomground.synth.scene import Scene
from zoomground.synth.widgets import button, check, column, entry, record, row, spring
from zoomground.synth.widgets import field as box
from zoomground.synth.worded import worded_button

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_ICONS = ("wifi", "bluetooth", "display", "volume", "bell", "battery", "archive", "keyboard", "pointer", "globe",
          "lock", "user", "eye", "refresh", "image")  # fmt: skip
_ROW = re.compile(r"([^=~>:]*)([=~>:]?)(.*)")
_HEAD_PX = 30.0
"""Height of a panel's title with the panel's borders."""


@dataclass(slots=True)
class _Plan:
    """Sizes of one window, and what has been shown."""

    scene: Scene
    line_px: float
    gap_px: float
    column_px: float
    chosen: int
    shown: set[str] = field(default_factory=set)

    @property
    def control_px(self) -> float:
        """Height of fields and buttons."""
        return min(self.line_px - 4, 28.0)

    @property
    def tool_px(self) -> float:
        """Side of icon buttons."""
        return min(self.line_px - 4, 24.0)

    @property
    def switch_px(self) -> float:
        """Height of a switch."""
        return min(self.line_px - 9, 17.0)


def build(scene: Scene) -> Box:
    """The program, to fill a window."""
    side = scene.between(250, 180)
    head = scene.between(52, 42)
    room = scene.width - side
    columns = max(1, int(room // scene.between(560, 440)))
    gap = scene.between(18, 9)
    plan = _Plan(scene, scene.between(42, 26), gap, (room - (columns + 1) * gap) / columns, scene.rng.randrange(15))
    panels = _contents(plan)
    height = scene.height - head - 2 * gap
    shown = [_fill(plan, panels, height) for _ in range(columns)]
    content = row(*shown, gap_px=gap, pad_px=gap, grow=1, css="align-items:stretch;overflow:hidden")
    page = column(_head(plan, head), content, gap_px=0, grow=1, css="overflow:hidden")
    return Box((_sidebar(plan, side), page), flow="row", grow=1, css="align-items:stretch;overflow:hidden")


def _head(plan: _Plan, height: float) -> Node:
    scene = plan.scene
    title = scene.choices("set_sections")[plan.chosen]
    parts: list[Node] = [
        *(known(scene, icon, size_px=28) for icon in ("prev", "next")),
        Text(title, "title", "font-size:1.4em"), spring(),
        worded_button(scene, "set_defaults", icon="undo", size_px=28), known(scene, "help", size_px=28),
    ]  # fmt: skip
    return row(*parts, css=f"height:{height:g}px;padding:0 {plan.gap_px:g}px;border-bottom:1px solid var(--zg-line)")


def _sidebar(plan: _Plan, width: float) -> Node:
    scene = plan.scene
    items = [
        entry(name, role=Role.TREEITEM, icon=icon, selected=at == plan.chosen, goals=[wish], size_px=plan.line_px,
              css=f"{FILL}min-height:0")
        for at, (name, icon, wish) in enumerate(
            zip(scene.choices("set_sections"), _ICONS, scene.choices("set_wishes"), strict=True)
        )
    ]  # fmt: skip
    face = Picture(plain(scene.rng.choice(SERIES)), "width:30px;height:30px;border-radius:15px")
    person = scene.person()
    user = row(
        face, column(Text(person, "strong small"), Text(scene.company(), "muted small"), gap_px=0, grow=1), gap_px=8
    )
    search = box(
        scene.say("set_search"), role=Role.SEARCHBOX, icon="search", size_px=30, goals=scene.goals("set_search")
    )
    return Box((user, search, pile(items, part=Part.TREE, gap_px=1)), Part.SIDEBAR, gap_px=9, pad_px=9,
               css=f"width:{width:g}px")  # fmt: skip


def _contents(plan: _Plan) -> Iterator[tuple[str, Iterator[Node]]]:
    """Panels without end in sight: the sections from the chosen one on, between them lists."""
    scene = plan.scene
    sections, lists = scene.choices("set_sections"), scene.choices("set_lists")
    makers: list[Callable[[_Plan], Iterator[Node]]] = [
        _notes,
        _rights,
        _shortcuts,
        _networks,
        _sites,
        _programs,
        _starts,
    ]
    order = list(range(len(lists)))
    scene.rng.shuffle(order)
    for turn in range(len(sections)):
        number = (plan.chosen + turn) % len(sections)
        yield sections[number], _section(plan, number)
        if turn % 2 and order:
            at = order.pop()
            yield lists[at], makers[at](plan)
    # Very wide windows hold more than there is to set: then the sites that were visited, month by month.
    for number in count():
        month = f"{2026 - number // 12}-{12 - number % 12:02d}"
        yield f"{lists[4]} {month}", _sites(plan)


def _fill(plan: _Plan, panels: Iterator[tuple[str, Iterator[Node]]], height: float) -> Node:
    """A column of panels; the last one ends where the window does."""
    found: list[Node] = []
    left = height
    while left > _HEAD_PX + 2 * plan.line_px:
        title, rows = next(panels)
        most = min(int((left - _HEAD_PX) // plan.line_px), 16)
        taken = [one for _, one in zip(range(most), rows, strict=False)]
        found.append(
            Box((Text(title, "strong small", "height:18px"), column(*taken, gap_px=0)), Part.CARD, title,
                named_on_screen=True, gap_px=2, css="padding:4px 10px")
        )  # fmt: skip
        left -= _HEAD_PX + len(taken) * plan.line_px + plan.gap_px
    return column(*found, gap_px=plan.gap_px, css=f"width:{plan.column_px:.0f}px;overflow:hidden")


def _line(plan: _Plan, name: str, *controls: Node) -> Box:
    css = f"{FILL}height:{plan.line_px:g}px;border-top:1px solid var(--zg-line)"
    return record(name, [Text(name, css="flex:1"), *controls], gap_px=6, css=css)


def _section(plan: _Plan, number: int) -> Iterator[Node]:
    for text in plan.scene.choices(f"set_rows_{number}"):
        yield _setting(plan, text)


def _setting(plan: _Plan, text: str) -> Node:
    found = _ROW.fullmatch(text)
    name, mark, rest = found.groups() if found else (text, "", "")
    size = plan.control_px
    if mark == "=":
        return _line(plan, name, box(name, value=rest, role=Role.COMBOBOX, width_px=160, size_px=size))
    if mark == "~":
        value = plan.scene.rng.randint(5, 95)
        return _line(
            plan,
            name,
            box(name, value=str(value), role=Role.SLIDER, width_px=150),
            Text(f"{value} %", "small muted", "width:36px"),
        )
    if mark == ">":
        return _line(plan, name, button(rest, size_px=size))
    if mark == ":":
        choices = rest.split("/")
        on = plan.scene.rng.randrange(len(choices))
        radios = [check(one, role=Role.RADIO, on=at == on) for at, one in enumerate(choices)]
        return _line(plan, name, *radios)
    return _line(plan, name, _switch(plan, name))


def _switch(plan: _Plan, name: str, *, thing: bool = False) -> Element:
    return check(name, role=Role.SWITCH, on=plan.scene.chance(0.5), shown=False, size_px=plan.switch_px,
                 thing=name if thing else "")  # fmt: skip


def _apps(plan: _Plan) -> list[str]:
    names = plan.scene.choices("set_apps")
    plan.scene.rng.shuffle(names)
    return names


def _matrix(plan: _Plan, key: str) -> Iterator[Node]:
    """A row of named boxes for every program, under a row of their names."""
    names, width = plan.scene.choices(key), min(66.0, plan.column_px * 0.12)
    place = f"width:{width:.0f}px;text-align:center"
    heads = [Text(name, "small muted", place) for name in names]
    yield row(spring(), *heads, gap_px=6, css=f"{FILL}height:{plan.line_px:g}px")
    for app in _apps(plan):
        boxes = [
            row(
                check(name, on=plan.scene.chance(0.6), shown=False, size_px=14, thing=name),
                css=f"{place};justify-content:center",
            )
            for name in names
        ]
        yield _line(plan, app, *boxes)


def _notes(plan: _Plan) -> Iterator[Node]:
    yield from _matrix(plan, "set_notes")


def _rights(plan: _Plan) -> Iterator[Node]:
    yield from _matrix(plan, "set_rights")


def _shortcuts(plan: _Plan) -> Iterator[Node]:
    scene = plan.scene
    names = sorted({scene.say(concept) for concept in sorted(ICONS)})
    scene.rng.shuffle(names)
    combination = scene.say("set_shortcut")
    for name in names:
        parts = [
            *scene.rng.choice((["Ctrl"], ["Alt"], ["Ctrl", "Shift"], ["Ctrl", "Alt"])),
            scene.rng.choice("ABCDEFGHKLMNOPQRSTUVXYZ"),
        ]
        keys = Element(
            Role.BUTTON,
            "+".join(parts),
            thing=combination,
            size_px=plan.control_px - 2,
            css="padding:0 8px;font-size:.9em",
        )
        tools = [known(scene, icon, size_px=plan.tool_px, thing=True) for icon in ("undo", "trash")]
        yield _line(plan, name, keys, *tools)


def _networks(plan: _Plan) -> Iterator[Node]:
    scene = plan.scene
    for number in range(12):
        name = f"{scene.word().title()}-{scene.rng.randint(2, 99)}"
        connect = scene.say("set_connect")
        join = Element(Role.BUTTON, connect, thing=connect, size_px=plan.control_px, css="padding:0 8px")
        tools = [known(scene, icon, size_px=plan.tool_px, thing=True) for icon in ("info", "trash")]
        signal = Text(f"{scene.rng.randint(10, 99)} %", "small muted")
        yield _line(plan, name, signal, *([join] if number else []), *tools)


def _sites(plan: _Plan) -> Iterator[Node]:
    scene = plan.scene
    label, choices = scene.say("set_permission"), scene.choices("set_permit")
    for _ in range(16):
        name = scene.fake(lambda faker: faker.domain_name())
        choice = Element(Role.COMBOBOX, label=label, value=scene.rng.choice(choices), thing=label,
                         size_px=plan.control_px, css="width:110px")  # fmt: skip
        yield _line(plan, name, choice, known(scene, "trash", size_px=plan.tool_px, thing=True))


def _programs(plan: _Plan) -> Iterator[Node]:
    scene = plan.scene
    label = scene.say("set_uninstall")
    for name in _apps(plan):
        goals = scene.goals("set_uninstall", name=name)
        remove = Element(Role.BUTTON, label, goals=goals, size_px=plan.control_px, thing=label, css="padding:0 8px")
        size = Text(f"{scene.number(1, 900)} MB", "small muted")
        yield _line(plan, name, size, remove, known(scene, "kebab", size_px=plan.tool_px, thing=True))


def _starts(plan: _Plan) -> Iterator[Node]:
    for name in _apps(plan):
        switch = _switch(plan, plan.scene.say("set_start"), thing=True)
        yield _line(plan, name, Text(plan.scene.date(), "small muted"), switch)
