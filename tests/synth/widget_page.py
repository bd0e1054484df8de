"""A screen with every role, part and state, to hold each skin against."""

from __future__ import annotations

from zoomground.synth.graph import Box, Element, Node, Part, Picture, Role, Screen, State, Text
from zoomground.synth.widgets import (
    button,
    check,
    column,
    entry,
    field,
    menu_item,
    panel,
    record,
    row,
    spring,
    states,
    tab,
    tool,
    toolbar,
)

TOOL_SIZES_PX = (14, 16, 18, 20, 22, 24, 28, 34)


def _bars() -> list[Node]:
    return [
        Box(
            (Text("Everything", "strong"), spring(),
             *(tool(key, key, size_px=20) for key in ("minus", "max", "close"))),
            Part.TITLEBAR, flow="row", gap_px=4, css="height:28px;padding:0 8px",
        ),
        Box(
            (menu_item("File"), menu_item("Edit"), menu_item("View", disabled=True)), Part.MENUBAR, flow="row",
            gap_px=2, css="height:28px;padding:0 4px",
        ),
        toolbar([
            *(tool("save", f"Save {size}", size_px=size) for size in TOOL_SIZES_PX),
            tool("bold", "Bold", size_px=24, on=True), tool("italic", "Italic", size_px=24),
            tool("flag", "Tinted", size_px=24, tint="red"),
            Element(Role.BUTTON, icon="cut", label="Cut", size_px=24, states=frozenset({State.DISABLED})),
            button("In a bar", size_px=24),
            Element(Role.BUTTON, "On in a bar", size_px=24, states=states(selected=True)),
            Text("Zoom", "small muted"), field("Zoomed", value="100 %", role=Role.COMBOBOX, width_px=90, size_px=24),
        ]),
        Box(
            (tab("First", selected=True), tab("Second"), tab("Third", icon="star")), Part.TABLIST, flow="row",
        ),
    ]  # fmt: skip


def _buttons() -> Box:
    return panel("Buttons", [
        row(button("Plain"), button("Primary", kind="primary"), button("Danger", kind="danger"),
            button("Disabled", kind="disabled")),
        row(button("With icon", icon="save"), button("Small", size_px=20), button("Large", size_px=36, kind="primary")),
        row(Element(Role.LINK, "A link"), Element(Role.LINK, "Another link", icon="link")),
        row(check("Ticked", on=True), check("Not ticked"), check("Alone", shown=False, on=True, size_px=14)),
        row(check("Chosen", role=Role.RADIO, on=True), check("Not chosen", role=Role.RADIO),
            check("Lone dot", role=Role.RADIO, shown=False, size_px=14)),
        row(check("Switched on", role=Role.SWITCH, on=True), check("Off", role=Role.SWITCH),
            check("Lone switch", role=Role.SWITCH, shown=False, on=True, size_px=16),
            check("Lone switch off", role=Role.SWITCH, shown=False)),
    ])  # fmt: skip


def _fields() -> Box:
    return panel("Fields", [
        row(field("Name", value="Some value", width_px=160), field("Hint only", width_px=160)),
        row(field("Find", role=Role.SEARCHBOX, width_px=160),
            field("Find more", role=Role.SEARCHBOX, icon="search", width_px=160)),
        row(field("Choice", value="One of several", role=Role.COMBOBOX, width_px=160),
            field("Count", value="12", role=Role.SPINBUTTON, width_px=90)),
        row(field("Low", value="Low", width_px=110, size_px=20),
            field("Low choice", value="Two", role=Role.COMBOBOX, width_px=110, size_px=20),
            field("Low count", value="3", role=Role.SPINBUTTON, width_px=70, size_px=20)),
        row(Element(Role.SLIDER, label="Opacity", value="40", css="width:180px")),
    ])  # fmt: skip


def _lists() -> Box:
    listed = [
        entry("Chosen entry", selected=True, icon="mail"), entry("Entry"), entry("Low entry", size_px=20),
        entry("Whole entry", children=[
            record("Somebody", [Text("Somebody", "strong"), spring(), Text("12:30", "muted small"),
                                tool("star", "Favourite", size_px=18)], css="padding:4px 8px"),
        ]),
    ]  # fmt: skip
    tree = [
        entry("Root", role=Role.TREEITEM, icon="folder", selected=True), entry("Leaf", role=Role.TREEITEM, icon="file"),
        entry("Low leaf", role=Role.TREEITEM, size_px=18),
    ]  # fmt: skip
    return row(
        Box(tuple(listed), Part.LIST, css="width:230px"), Box(tuple(tree), Part.TREE, css="width:150px"),
        Box((menu_item("Copy", icon="copy"), menu_item("Paste", icon="paste"), menu_item("Gone", disabled=True)),
            Part.MENU, css="width:160px"),
        gap_px=12, css="align-items:flex-start",
    )  # fmt: skip


def _table() -> Box:
    cells = "flex:none;width:90px"
    head = [Element(Role.COLUMNHEADER, text, css=cells) for text in ("Name", "Size", "Date")]
    lines = [
        Box(
            (Element(Role.ROWHEADER, f"Row {number}", css=cells), Element(Role.GRIDCELL, f"{number}00", css=cells),
             Element(Role.GRIDCELL, "Monday", css=cells, states=states(selected=number == 2))),
            Part.ROW, f"Row {number}", flow="row",
        )
        for number in (1, 2, 3)
    ]  # fmt: skip
    return Box((Box(tuple(head), Part.HEADER_ROW, flow="row"), *lines), Part.TABLE)


def _cards() -> Box:
    card = Box(
        (Text("A card", "strong"), Text("with some words below it", "muted small"), button("Buy", kind="primary")),
        Part.CARD, "A card", flow="column", gap_px=6, pad_px=10, css="width:190px",
    )  # fmt: skip
    dialog = Box(
        (
            Text("Really?", "large"), Text("This cannot be taken back.", "wrap"),
            row(spring(), button("Cancel"), button("Do it", kind="danger")),
        ),
        Part.DIALOG, "Really?", gap_px=10, pad_px=14, css="width:280px",
    )  # fmt: skip
    picture = Box(
        (
            Picture(
                '<svg width="100%" height="100%" viewBox="0 0 10 20"><path d="M0 0h10v20H0z" fill="#8ac"/></svg>',
                css="width:60px;height:40px",
            ),
            Element(Role.IMAGE, label="A photograph", css="width:60px;height:40px;background:#c86"),
        ),
        Part.CANVAS, flow="row", gap_px=6, pad_px=6,
    )  # fmt: skip
    return row(card, dialog, picture, gap_px=12, css="align-items:flex-start")


def screen(*, dark: bool = False, language: str = "en", font_px: float = 13) -> Screen:
    """The screen."""
    left = column(_buttons(), _fields(), gap_px=10, css="width:470px")
    right = column(
        _lists(), row(_table(), css="align-items:flex-start"), _cards(),
        Text("Headline", "title"),
        row(*(Text(style, style) for style in ("strong", "muted", "accent", "mono", "serif"))),
        gap_px=10, grow=1,
    )  # fmt: skip
    side = Box(
        (button("New", icon="plus", kind="primary"), Text("Side", "muted")),
        Part.SIDEBAR,
        gap_px=8,
        pad_px=8,
        css="width:120px",
    )
    body = row(
        side,
        row(left, right, gap_px=14, pad_px=12, grow=1, css="align-items:flex-start"),
        grow=1,
        gap_px=0,
        css="align-items:stretch",
    )
    status = Box(
        (Text("Ready", "small"), Text("saved", "small muted"), button("UTF-8", size_px=18)),
        Part.STATUSBAR,
        flow="row",
        css="height:22px;padding:0 8px",
    )
    window = Box(
        (*_bars(), body, status), Part.WINDOW, "Everything", css="left:10px;top:10px;width:1260px;height:730px"
    )
    taskbar = Box(
        (
            tool("search", "Look", size_px=28),
            tool("mail", "Runs", size_px=28, on=True),
            field("Find a program", role=Role.SEARCHBOX, width_px=160, size_px=26),
            Text("Today", "small"),
            Text("and tomorrow", "muted small"),
            spring(),
            button("EN", size_px=26),
            button("12:30", size_px=26, css="border-color:transparent;background:transparent;color:inherit"),
        ),
        Part.TASKBAR,
        flow="row",
        gap_px=4,
        css="left:0;top:760px;width:1280px;height:40px;padding:0 8px",
    )
    root = Box((window, taskbar), flow="stack", css="width:100%;height:100%")
    return Screen(1280, 800, 1.0, language, "widgets", dark, '"Liberation Sans", sans-serif', font_px, root)
