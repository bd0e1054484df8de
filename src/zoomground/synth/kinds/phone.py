"""Programs of a phone: chat, mail, contacts, calendar, player, photos, settings, with a bar of tabs below.

A screen that is wider than a phone shows several beside each other, as tablets do.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from zoomground.synth.fitting import FILL, known, pictured, pile, shelf
from zoomground.synth.graph import Box, Element, Node, Part, Picture, Role, Text
from zoomground.synth.overlays.calendar_flyout import month
from zoomground.synth.pictures import avatar, illustration
from zoomground.synth.scene import Scene
from zoomground.synth.widgets import check, column, entry, field, record, row, spring, states, tool
from zoomground.synth.worded import worded_tool

if TYPE_CHECKING:
    from collections.abc import Callable


_PANE_PX = 430.0
_STATUS_PX = 28.0


@dataclass(frozen=True, slots=True)
class _Pane:
    """One program on the screen, as wide as a phone."""

    scene: Scene
    width: float
    height: float
    line_px: float
    tool_px: float


def build(scene: Scene) -> Box:
    """The screen's content, bars of the phone included."""
    count = max(1, int(scene.width // _PANE_PX))
    width = scene.width / count
    tabs_px = scene.between(64, 50)
    names = list(_LAYOUTS)
    scene.rng.shuffle(names)
    height = scene.height - _STATUS_PX - tabs_px
    line, side = scene.between(68, 46), scene.between(36, 26)
    panes = []
    for at in range(count):
        pane = _Pane(scene, width, height, line, side)
        inside = _LAYOUTS[names[at % len(names)]](pane)
        edge = "border-right:1px solid var(--zg-line);" if at + 1 < count else ""
        panes.append(Box((inside,), css=f"width:{width:g}px;height:100%;{edge}overflow:hidden;position:relative"))
    middle = row(*panes, gap_px=0, grow=1, css="align-items:stretch;overflow:hidden")
    return column(_status(scene), middle, _tabs(scene, tabs_px, names[0]), gap_px=0, grow=1,
                  css="overflow:hidden;background:var(--zg-bg)")  # fmt: skip


def _status(scene: Scene) -> Node:
    share = scene.rng.randint(5, 100)
    icons = [
        Element(Role.IMAGE, icon=icon, label=label, size_px=18, asked=False, css="display:flex;align-items:center")
        for icon, label in (
            ("signal", scene.say("signal")), ("wifi", scene.say("wifi")),
            ("battery", scene.say("phone_battery", share=share)),
        )
    ]  # fmt: skip
    return row(Text(f"{scene.now:%H:%M}", "strong small"), spring(), *icons, Text(f"{share} %", "small"), gap_px=4,
               css=f"height:{_STATUS_PX:g}px;padding:0 14px;background:var(--zg-bar)")  # fmt: skip


def _tabs(scene: Scene, height: float, front: str) -> Node:
    css = "flex-direction:column;justify-content:center;gap:2px;flex:1 1 0;min-width:0;padding:0 2px;font-size:.8em;"
    css += f"height:{height:g}px"
    icons = [
        _TABS[front],
        *(icon for icon in ("chat", "mail", "calendar", "users", "gear", "home") if icon != _TABS[front]),
    ]
    tabs = [
        Element(Role.TAB, scene.say(_SAID.get(icon, icon)), icon, states=states(selected=icon == _TABS[front]), css=css)
        for icon in sorted(icons[:5])
    ]
    return Box(
        tuple(tabs), Part.TABLIST, flow="row", css="background:var(--zg-bar);border-top:1px solid var(--zg-line)"
    )


def _header(pane: _Pane, title: str, first: str, tools: list[Node]) -> Node:
    css = "height:54px;padding:0 8px;background:var(--zg-bar);border-bottom:1px solid var(--zg-line)"
    return row(
        known(pane.scene, first, size_px=pane.tool_px), Text(title, "large strong"), spring(), *tools, gap_px=4, css=css
    )


def _floating(pane: _Pane, icon: str, key: str) -> Element:
    css = (
        "position:absolute;right:18px;bottom:18px;border-radius:16px;background:var(--zg-accent);color:var(--zg-on);"
        "box-shadow:0 3px 10px rgba(0,0,0,.35)"
    )
    return worded_tool(pane.scene, icon, key, size_px=56, css=css)


def _face(pane: _Pane, name: str, size: float) -> Picture:
    return Picture(avatar(pane.scene.rng, escape(name[:1])), f"width:{size:g}px;height:{size:g}px")


def _chat(pane: _Pane) -> Node:
    scene, side = pane.scene, pane.tool_px
    name = scene.person()
    who = column(
        Text(name, "strong"), Text(scene.rng.choice(scene.choices("phone_online")), "muted small"), gap_px=0, grow=1
    )
    head = row(
        known(scene, "prev", size_px=side), _face(pane, name, 34), who,
        worded_tool(scene, "video", "phone_film", size_px=side),
        worded_tool(scene, "phone", "phone_call", size_px=side, name=name),
        known(scene, "kebab", size_px=side), gap_px=5,
        css="height:54px;padding:0 8px;background:var(--zg-bar);border-bottom:1px solid var(--zg-line)",
    )  # fmt: skip
    said = [_said(pane, number) for number in range(int(pane.height // 44))]
    write = field(
        scene.say("phone_message"), size_px=36, css="flex:1;border-radius:18px", goals=scene.goals("phone_message")
    )
    below = row(
        known(scene, "plus", size_px=side), write, known(scene, "smile", size_px=side),
        known(scene, "camera", size_px=side),
        worded_tool(scene, "send", "phone_sendit", size_px=side), gap_px=4,
        css="height:52px;padding:0 8px;background:var(--zg-bar);border-top:1px solid var(--zg-line)",
    )  # fmt: skip
    return column(head, pile(said, gap_px=7, pad_px=10), below, gap_px=0, grow=1)


def _said(pane: _Pane, number: int) -> Node:
    scene = pane.scene
    mine = scene.chance(0.45)
    ground = "var(--zg-sel)" if mine else "var(--zg-panel)"
    time = scene.clock()
    bubble = f"max-width:{pane.width * 0.72:.0f}px;padding:7px 10px;border-radius:12px;"
    bubble += f"background:{ground};border:1px solid var(--zg-line)"
    if number % 6 == 4:
        label, place = scene.say("phone_voice"), scene.say("phone_seek")
        play = tool("play", label, size_px=26, thing=label, goals=scene.goals("phone_voice") if number == 4 else ())
        at = str(scene.rng.randint(0, 60))
        slider = Element(Role.SLIDER, label=place, value=at, css="width:120px", thing=place)
        inside = row(play, slider, Text(f"0:{scene.rng.randint(10, 59)}", "small muted"), gap_px=6, css=bubble)
    else:
        words = Text(scene.sentence(scene.rng.randint(3, 14)), "wrap")
        inside = column(words, Text(time, "muted small", "align-self:flex-end"), gap_px=1, css=bubble)
    react = tool("smile", scene.say("phone_react"), size_px=22, thing=scene.say("phone_react"))
    parts: list[Node] = [spring(), react, inside] if mine else [inside, react, spring()]
    return row(*parts, gap_px=4, css=FILL)


def _mail(pane: _Pane) -> Node:
    scene, side = pane.scene, pane.tool_px
    head = _header(
        pane, scene.say("inbox"), "menu", [known(scene, icon, size_px=side) for icon in ("search", "filter", "kebab")]
    )
    chips = [
        Element(
            Role.BUTTON,
            name,
            size_px=28,
            states=states(selected=at == 0),
            css="border-radius:14px;padding:0 12px;font-size:.9em",
        )
        for at, name in enumerate(scene.choices("phone_filters"))
    ]
    rows = [_letter(pane) for _ in range(int(pane.height // pane.line_px))]
    below = pile(rows, part=Part.LIST)
    return column(
        head, shelf(chips, 42, 28, gap_px=6), below, _floating(pane, "pencil", "phone_compose"), gap_px=0, grow=1
    )


def _letter(pane: _Pane) -> Node:
    scene = pane.scene
    name, time = scene.person(), scene.clock()
    star = tool("star", scene.say("star"), size_px=26, thing=scene.say("star"), on=scene.chance(0.2))
    inside = record(
        name,
        [
            _face(pane, name, 36),
            column(row(Text(name, "strong"), spring(), Text(time, "muted small")),
                   Text(scene.title(3, 6), "small muted"), gap_px=1, grow=1),
            star,
        ],
        css=f"padding:0 12px;height:{pane.line_px:g}px;border-bottom:1px solid var(--zg-line)",
    )  # fmt: skip
    return entry(
        name, children=[inside], goals=[scene.say("phone_read_goal", time=time)], css=FILL + "padding:0;border-radius:0"
    )


def _line_css(pane: _Pane) -> str:
    return f"{FILL}height:{pane.line_px:g}px;"


def _people(pane: _Pane) -> Node:
    scene, side = pane.scene, pane.tool_px
    head = _header(
        pane, scene.say("phone_contacts"), "menu", [known(scene, icon, size_px=side) for icon in ("sort", "kebab")]
    )
    search = row(
        field(scene.say("search"), role=Role.SEARCHBOX, icon="search", size_px=36, css="flex:1"), css="padding:8px 12px"
    )
    names = sorted(scene.person() for _ in range(int(pane.height // pane.line_px)))
    rows = [_person(pane, name) for name in names]
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:: 1 if pane.height > 620 else 2]
    tall = min(20.0, (pane.height - 120) / len(letters))
    css = f"height:{tall:.1f}px;width:20px;min-height:0;min-width:0;padding:0;border:0;background:none;font-size:10px"
    index = Box(
        tuple(Element(Role.BUTTON, label=scene.say("phone_index", letter=letter), css=css,
                      children=(Text(letter, "accent", "display:block;text-align:center;line-height:1.1"),))
              for letter in letters),
        css="width:22px;justify-content:flex-start;overflow:hidden",
    )  # fmt: skip
    body = row(pile(rows, part=Part.LIST), index, gap_px=0, grow=1, css="align-items:stretch")
    return column(head, search, body, gap_px=0, grow=1)


def _person(pane: _Pane, name: str) -> Node:
    scene, side = pane.scene, min(30.0, pane.tool_px)
    call = tool(
        "phone",
        scene.say("phone_call"),
        size_px=side,
        thing=scene.say("phone_call"),
        goals=scene.goals("phone_call", name=name),
    )
    others = [
        tool(icon, scene.say(key), size_px=side, thing=scene.say(key))
        for icon, key in (("chat", "phone_text"), ("video", "phone_film"))
    ]
    return record(name, [_face(pane, name, 34), Text(name, css="flex:1"), call, *others], gap_px=6,
                  css=f"{_line_css(pane)}padding:0 4px 0 12px;border-bottom:1px solid var(--zg-line)")  # fmt: skip


def _calendar(pane: _Pane) -> Node:
    scene, side = pane.scene, pane.tool_px
    today = Element(Role.BUTTON, scene.say("phone_today"), goals=scene.goals("phone_today"), size_px=30)
    head = _header(pane, scene.say("calendar"), "menu", [today, known(scene, "search", size_px=side)])
    views = [
        Element(
            Role.TAB,
            name,
            states=states(selected=at == 0),
            size_px=34,
            css="flex:1;justify-content:center;padding:0;min-width:0",
        )
        for at, name in enumerate(scene.choices("phone_views"))
    ]
    name, days = month(scene, scene.between(46, 34))
    events = []
    for _ in range(int(pane.height // pane.line_px)):
        title = scene.title(2, 4)
        kebab = known(scene, "kebab", size_px=side, thing=True)
        time = Text(scene.clock(), "muted small", "width:44px")
        inside = column(Text(title, "strong"), Text(scene.company(), "muted small"), gap_px=0, grow=1)
        events.append(
            record(
                title, [time, inside, kebab], css=f"{_line_css(pane)}padding:0 10px;border-top:1px solid var(--zg-line)"
            )
        )
    top = column(name, days, gap_px=4, css="padding:6px 12px")
    tabs = Box(tuple(views), Part.TABLIST, flow="row", css="padding:0 8px")
    return column(
        head, tabs, top, pile(events, part=Part.LIST), _floating(pane, "plus", "phone_event"), gap_px=0, grow=1
    )


def _player(pane: _Pane) -> Node:
    scene, side = pane.scene, pane.tool_px
    head = _header(
        pane, scene.say("phone_playing"), "down", [known(scene, icon, size_px=side) for icon in ("share", "kebab")]
    )
    cover = min(pane.width - 60, pane.height * 0.34)
    picture = Picture(
        illustration(scene.rng, 300, 300),
        f"width:{cover:.0f}px;height:{cover:.0f}px;border-radius:12px;align-self:center",
        "image",
    )
    title = row(column(Text(scene.title(2, 3), "large strong"), Text(scene.person(), "muted"), gap_px=0, grow=1),
                known(scene, "heart", size_px=side))  # fmt: skip
    seek = field(scene.say("phone_seek"), role=Role.SLIDER, value=str(scene.rng.randint(5, 95)), css="width:100%")
    times = row(Text("1:04", "small muted"), spring(), Text("3:41", "small muted"))
    tools = [known(scene, icon, size_px=side + 8) for icon in ("volume", "skipback", "play", "skipforward", "refresh")]
    top = column(
        picture, title, seek, times, row(spring(), *tools, spring(), gap_px=12), gap_px=8, css="padding:14px 22px 8px"
    )
    songs = []
    for _ in range(int(pane.height // pane.line_px)):
        name = scene.title(2, 3)
        icons = [known(scene, icon, size_px=min(30.0, side), thing=True) for icon in ("heart", "kebab")]
        inside = column(Text(name), Text(scene.person(), "muted small"), gap_px=0, grow=1)
        songs.append(
            record(
                name,
                [inside, *icons],
                css=f"{FILL}height:{pane.line_px:g}px;padding:0 14px;border-top:1px solid var(--zg-line)",
            )
        )
    queue = Text(scene.say("phone_queue"), "strong small", "padding:4px 14px")
    return column(head, top, queue, pile(songs, part=Part.LIST), gap_px=0, grow=1)


def _photos(pane: _Pane) -> Node:
    scene, side = pane.scene, pane.tool_px
    head = _header(
        pane,
        scene.say("phone_photos"),
        "menu",
        [known(scene, icon, size_px=side) for icon in ("search", "check", "kebab")],
    )
    across = scene.rng.choice((3, 4))
    wide = (pane.width - 6 - 3 * (across - 1)) / across
    down = int((pane.height - 54) // (wide + 3))
    thing, first = scene.say("phone_photo"), scene.rng.randint(1000, 8000)
    pictures = [
        pictured(f"IMG_{first + at}", illustration(scene.rng, 120, 120), width_px=wide, height_px=wide, thing=thing,
                 goals=[scene.say("phone_photo_goal", row=at // across + 1, column=at % across + 1)], css="border:0",
                 shows="image")
        for at in range(across * down)
    ]  # fmt: skip
    css = f"grid-template-columns:repeat({across},{wide:.1f}px);padding:3px"
    return column(head, Box(tuple(pictures), flow="grid", gap_px=3, css=css), gap_px=0, grow=1)


def _settings(pane: _Pane) -> Node:
    scene = pane.scene
    head = _header(pane, scene.say("gear"), "prev", [known(scene, "search", size_px=pane.tool_px)])
    tall = max(40.0, pane.line_px - 8)
    order = list(range(15))
    scene.rng.shuffle(order)
    sections = scene.choices("set_sections")
    rows: list[Node] = []
    for number in order:
        rows.append(Text(sections[number], "strong small accent", f"{FILL}padding:8px 16px 4px"))
        rows += [_setting(pane, text, tall) for text in scene.choices(f"set_rows_{number}")]
    return column(head, pile(rows[: int(pane.height // 30)], part=Part.LIST), gap_px=0, grow=1)


def _setting(pane: _Pane, text: str, tall: float) -> Node:
    scene = pane.scene
    cut = min((at for at in map(text.find, "=~>:") if at >= 0), default=len(text))
    name, mark, rest = text[:cut], text[cut : cut + 1], text[cut + 1 :]
    css = f"{FILL}height:{tall:g}px;padding:0 16px;border-bottom:1px solid var(--zg-line)"
    if mark == "~":
        return record(
            name,
            [
                Text(name, css="flex:1"),
                field(name, role=Role.SLIDER, value=str(scene.rng.randint(5, 95)), width_px=120),
            ],
            css=css,
        )
    if mark:
        inside = row(Text(name), spring(), Text(rest.split("/")[0], "muted small"), css="height:100%")
        return record(
            name, [entry(name, children=[inside], css=f"flex:1;height:{tall - 2:g}px;padding:0;min-width:0")], css=css
        )
    return record(
        name,
        [Text(name, css="flex:1"), check(name, role=Role.SWITCH, on=scene.chance(0.5), shown=False, size_px=20)],
        css=css,
    )


_LAYOUTS: dict[str, Callable[[_Pane], Node]] = {
    "chat": _chat, "mail": _mail, "people": _people, "calendar": _calendar, "player": _player, "photos": _photos,
    "settings": _settings,
}  # fmt: skip
_SAID = {"image": "phone_photos", "users": "phone_contacts"}
"""What tabs are called where it is not what their icon's concept is called."""
_TABS = {
    "chat": "chat", "mail": "mail", "people": "users", "calendar": "calendar", "player": "music", "photos": "image",
    "settings": "gear",
}  # fmt: skip
