"""A mail program: folders, a list of messages with small actions, open messages with attachments, an agenda."""

from __future__ import annotations

import calendar
from typing import TYPE_CHECKING

from zoomground.synth.drawings import face, stripe, tint
from zoomground.synth.graph import TINTS, Box, Element, Node, Part, Picture, Role, Text
from zoomground.synth.widgets import check, column, entry, field, record, row, spring, tab, toolbar
from zoomground.synth.worded import (
    row_tool,
    tree_item,
    worded_button,
    worded_tab,
    worded_tool,
    worded_tools,
)

if TYPE_CHECKING:
    from zoomground.synth.scene import Scene

_LINE = "1px solid var(--zg-line)"
_BAR_PX, _STATUS_PX = 40.0, 24.0
_PANE_PX = 1300.0
"""Width above which a second message stands open beside the first."""

_ACTIONS = (
    ("reply", "mail_reply"), ("users", "mail_reply_all"), ("forward", "mail_forward"),
    ("attach", "mail_forward_attached"), ("archive", "mail_archive"), ("trash", "mail_delete"),
    ("shield", "mail_junk"), ("folder", "mail_move"), ("flag", "mail_flag"), ("clock", "mail_snooze"),
    ("mail", "mail_unread"), ("tag", "mail_tag"), ("print", "mail_print"), ("undo", "mail_undo"),
)  # fmt: skip
_FOLDERS = (
    ("inbox", "mail_inbox"), ("star", "mail_starred"), ("clock", "mail_snoozed"), ("send", "mail_sent"),
    ("pencil", "mail_drafts"), ("upload", "mail_outbox"), ("archive", "mail_archived"), ("shield", "mail_spam"),
    ("trash", "mail_bin"),
)  # fmt: skip
_WRITING = (
    ("bold", "mail_bold"), ("italic", "mail_italic"), ("underline", "mail_underline"), ("bullets", "mail_bullets"),
    ("numbers", "mail_numbers"), ("link", "mail_link"), ("image", "mail_image"), ("smile", "mail_smile"),
    ("attach", "mail_attach"), ("trash", "mail_discard"),
)  # fmt: skip


def build(scene: Scene) -> Box:
    """The program, to fill a window."""
    small, large = scene.between(20, 14), scene.between(30, 22)
    inner = scene.height - _BAR_PX - _STATUS_PX
    side = scene.between(236, 196)
    listing = min(560.0, max(scene.between(390, 330), scene.width * 0.24))
    agenda = scene.between(270, 236) if scene.width >= 1580 else 0.0
    left = scene.width - side - listing - agenda
    panes = max(1, int(left // _PANE_PX))
    parts: list[Node] = [_sidebar(scene, small, side, inner), _messages(scene, small, listing, inner)]
    parts += [_reading(scene, small, left / panes) for _ in range(panes)]
    if agenda:
        parts.append(_agenda(scene, small, agenda, inner))
    body = row(*parts, gap_px=0, css=f"align-items:stretch;height:{inner:g}px")
    return column(_top(scene, large), body, _status(scene, small), gap_px=0, grow=1)


def _top(scene: Scene, large: float) -> Box:
    shown = max(5, int((scene.width - 640) // (large + 10)))
    tools: list[Node] = [
        worded_button(scene, "mail_compose", icon="pencil", kind="primary", size_px=max(26.0, large)),
        worded_tool(scene, "refresh", "mail_get", size_px=large),
        *worded_tools(scene, _ACTIONS[:shown], large),
        spring(),
        field(
            scene.say("mail_search"), role=Role.SEARCHBOX, icon="search", goals=scene.goals("mail_search"),
            size_px=max(26.0, large), width_px=min(420.0, max(170.0, scene.width * 0.16)),
        ),
        worded_tool(scene, "users", "mail_address_book", size_px=large),
        worded_tool(scene, "filter", "mail_rules", size_px=large),
        worded_tool(scene, "gear", "mail_settings", size_px=large),
        worded_tool(scene, "help", "mail_help", size_px=large),
    ]  # fmt: skip
    return toolbar(tools, gap_px=4, css=f"height:{_BAR_PX:g}px")


def _sidebar(scene: Scene, small: float, width: float, height: float) -> Box:
    line = scene.between(30, 23)
    count = int((height - 3 * line - 40) // line)
    rows: list[Node] = [_folder(scene, icon, key, line, small) for icon, key in _FOLDERS]
    names = scene.choices("mail_folder_names")
    tags = scene.choices("mail_tag_names")[: max(0, min(8, count - len(rows) - 4))]
    scene.rng.shuffle(names)
    own = [
        record(name, [
            entry(name, role=Role.TREEITEM, icon="folder", size_px=line, css="flex:1 1 0;padding-left:18px"),
            *([Text(str(scene.rng.randint(1, 60)), "muted small")] if scene.chance(0.5) else []),
            row_tool(scene, "kebab", "mail_folder_menu", size_px=small),
        ], gap_px=4, css=f"height:{line:g}px")
        for name in names[: max(0, count - len(rows) - len(tags))]
    ]  # fmt: skip
    head = _heading(scene, "mail_folders", worded_tool(scene, "plus", "mail_folder_add", size_px=small), line)
    colours = scene.rng.sample(sorted(TINTS), len(tags))
    tagged = [
        entry(name, role=Role.TREEITEM, icon="tag", size_px=line, tint=colour)
        for name, colour in zip(tags, colours, strict=True)
    ]
    tree = Box((*rows, head, *own), Part.TREE, scene.say("mail_folders"), named_on_screen=True)
    under = Box(
        (_heading(scene, "mail_tags", None, line), *tagged), Part.TREE, scene.say("mail_tags"), named_on_screen=True
    )
    return Box(
        (tree, *([under] if tags else [])),
        Part.SIDEBAR,
        gap_px=4,
        pad_px=6,
        css=f"width:{width:g}px;height:{height:g}px",
    )


def _heading(scene: Scene, key: str, tool: Element | None, line: float) -> Box:
    return row(
        Text(scene.say(key), "strong small muted"), spring(), *([tool] if tool else []),
        css=f"height:{line:g}px;padding-left:8px",
    )  # fmt: skip


def _folder(scene: Scene, icon: str, key: str, line: float, small: float) -> Box:
    item = tree_item(scene, key, icon=icon, selected=key == "mail_inbox", size_px=line, css="flex:1 1 0")
    count = [Text(str(scene.rng.randint(1, 480)), "small muted")] if scene.chance(0.45) else []
    return row(item, *count, gap_px=4, css=f"height:{line:g}px;padding-right:{small + 4:g}px")


def _messages(scene: Scene, small: float, width: float, height: float) -> Box:
    each = scene.between(68, 44)
    head_px = 32.0
    tabs = Box(
        (
            worded_tab(scene, "mail_all", selected=True),
            tab(scene.say("mail_unread_only"), css="flex:0 1 auto;min-width:0"),
            worded_tab(scene, "mail_with_files"),
        ),
        Part.TABLIST, flow="row", css="min-width:0;flex:0 1 auto;border-bottom:0",
    )  # fmt: skip
    head = row(
        check(scene.say("mail_select_all"), shown=False, size_px=min(15.0, small)), tabs, spring(),
        worded_tool(scene, "sort", "mail_sort", size_px=small + 4),
        worded_tool(scene, "filter", "mail_filter", size_px=small + 4),
        css=f"height:{head_px:g}px;padding:0 8px;border-bottom:{_LINE};overflow:hidden",
    )  # fmt: skip
    items = [_message(scene, small, each, selected=number == 1) for number in range(int((height - head_px) // each))]
    return column(
        head, Box(tuple(items), Part.LIST), gap_px=0,
        css=f"width:{width:g}px;height:{height:g}px;border-right:{_LINE};background:var(--zg-panel);overflow:hidden",
    )  # fmt: skip


def _message(scene: Scene, small: float, each: float, *, selected: bool) -> Node:
    sender, subject = scene.person(), scene.title(4, 8)
    new = scene.chance(0.35)
    starred = scene.chance(0.2)
    tools = [
        row_tool(scene, icon, key, size_px=small, name=sender)
        for icon, key in (("archive", "mail_row_archive"), ("trash", "mail_row_delete"), ("clock", "mail_row_snooze"))
    ]
    tools.append(row_tool(scene, "kebab", "mail_row_menu", size_px=small))
    ticked = check(
        scene.say("mail_select"), on=scene.chance(0.1), shown=False, size_px=min(15.0, small),
        goals=scene.goals("mail_select", name=sender), thing=scene.say("mail_select_thing"),
    )  # fmt: skip
    star = row_tool(
        scene, "star", "mail_star", size_px=small, on=starred, tint="orange" if starred else "", name=sender
    )
    when = scene.clock() if scene.chance(0.5) else scene.date()
    words = column(
        row(Text(sender, "strong" if new else ""), spring(), Text(when, "muted small", css="flex:none")),
        row(Text(subject, "small" if new else "small muted", css="flex:1 1 0"), *tools, gap_px=1),
        gap_px=1, grow=1,
    )  # fmt: skip
    marks = column(ticked, star, gap_px=3, css="align-items:center;width:20px")
    inside = record(sender, [marks, words], css=f"padding:0 8px;height:{each:g}px;border-bottom:{_LINE}")
    return entry(
        f"{sender}, {subject}", selected=selected, goals=scene.goals("mail_read", name=sender), size_px=each,
        css="padding:0;border:0;margin:0", children=[inside],
    )  # fmt: skip


def _reading(scene: Scene, small: float, width: float) -> Node:
    sender = scene.person()
    subject = scene.title(4, 7)
    head = row(
        Text(subject, "large strong", css="flex:1 1 0"),
        *worded_tools(
            scene, (("reply", "mail_reply"), ("users", "mail_reply_all"), ("forward", "mail_forward")), small + 6
        ),
        *worded_tools(scene, (("flag", "mail_flag"), ("print", "mail_print")), small + 6),
        gap_px=4,
    )
    origin = row(
        Picture(face(scene, 34), "flex:none", "user"),
        column(
            Text(sender, "strong"),
            row(Text(scene.say("mail_to", name=scene.person()), "muted small"),
                worded_tool(scene, "down", "mail_details", size_px=small), gap_px=4),
            gap_px=0, grow=1,
        ),
        Text(f"{scene.date()} {scene.clock()}", "muted small"),
    )  # fmt: skip
    body = column(*_paragraphs(scene, width), gap_px=12, grow=1, css="overflow:hidden")
    parts = [head, origin, body, _attachments(scene, small, width), _answer(scene, small)]
    return Box(
        tuple(parts), Part.PLAIN, subject, named_on_screen=True, gap_px=12, pad_px=14, grow=1,
        css=f"background:var(--zg-panel);border-right:{_LINE};overflow:hidden",
    )  # fmt: skip


def _paragraphs(scene: Scene, width: float) -> list[Text]:
    """Enough text to fill a pane."""
    across = min(width, 1000.0) - 28
    lines, rows = 0.0, (scene.height - 420) / 19
    text: list[Text] = []
    while lines < rows and len(text) < 24:
        said = " ".join(scene.sentence(scene.rng.randint(8, 16)) for _ in range(scene.rng.randint(2, 4)))
        text.append(Text(said, "wrap", css="max-width:1000px;flex:none"))
        lines += 1.6 + scene.reach(said) * 0.8 // across
    return text


def _attachments(scene: Scene, small: float, width: float) -> Box:
    cards = []
    for _ in range(min(5, max(1, int((width - 40) // 250)))):
        name = scene.file_name()
        cards.append(
            Box(
                (record(name, [
                    entry(name, icon="file", css="flex:1 1 0;padding:0", size_px=small + 6),
                    Text(f"{scene.number(1, 900)} KB", "muted small"),
                    row_tool(scene, "eye", "mail_view_file", size_px=small, name=name),
                    row_tool(scene, "download", "mail_save_file", size_px=small, name=name),
                ], gap_px=4),),
                Part.CARD, pad_px=4, css="width:236px",
            )
        )  # fmt: skip
    head = row(
        Text(scene.say("mail_attachments"), "strong small"), spring(),
        worded_button(scene, "mail_save_all", icon="save", size_px=small + 8),
        worded_button(scene, "mail_save_all_as", icon="save", size_px=small + 8),
    )  # fmt: skip
    return column(head, row(*cards), gap_px=6, css=f"border-top:{_LINE};padding-top:8px")


def _answer(scene: Scene, small: float) -> Box:
    writing = field(scene.say("mail_answer_field"), css="width:100%")
    tools = [
        worded_button(scene, "mail_send", icon="send", kind="primary", size_px=small + 10),
        worded_button(scene, "mail_send_later", icon="clock", size_px=small + 10, css="margin-right:6px"),
        *worded_tools(scene, _WRITING, small + 4),
    ]
    bar = Box(tuple(tools), flow="row", gap_px=3, css="overflow:hidden")
    return Box((writing, bar), Part.CARD, gap_px=6, pad_px=8)


def _agenda(scene: Scene, small: float, width: float, height: float) -> Box:
    each = scene.between(52, 40)
    month = _month(scene, small, width)
    room = height - 300
    meetings = int(room * 0.5 // each)
    people = int((room * 0.5 - 30) // (small + 14))
    events: list[Node] = []
    for number in range(meetings):
        name = scene.title(2, 4)
        inside = column(
            Text(name, css="flex:none"), Text(f"{scene.clock()} · {scene.word()}", "muted small"), gap_px=0, grow=1
        )
        bar = Picture(stripe(tint(scene), 4, 28))
        events.append(
            record(name, [bar, inside, row_tool(scene, "pencil", "mail_event_edit", size_px=small)],
                   css=f"height:{each:g}px;border-top:{'0' if not number else _LINE}")
        )  # fmt: skip
    contacts = [_contact(scene, small) for _ in range(people)]
    head = row(
        Text(scene.say("mail_agenda"), "strong small"),
        spring(),
        worded_button(scene, "mail_today", size_px=small + 6),
        worded_tool(scene, "plus", "mail_event_add", size_px=small + 2),
    )
    planned = Box((head, month, *events), Part.PLAIN, scene.say("mail_agenda"), named_on_screen=True, gap_px=2)
    known = Box(
        (Text(scene.say("mail_people"), "strong small"), *contacts), Part.PLAIN, scene.say("mail_people"),
        named_on_screen=True, gap_px=4, css=f"border-top:{_LINE};padding-top:8px",
    )  # fmt: skip
    return Box((planned, known), Part.SIDEBAR, gap_px=8, pad_px=10, css=f"width:{width:g}px;height:{height:g}px")


def _contact(scene: Scene, small: float) -> Box:
    name = scene.person()
    return record(
        name,
        [
            Picture(face(scene, small + 4), "flex:none", "user"),
            Text(name, css="flex:1 1 0"),
            row_tool(scene, "phone", "mail_call", size_px=small, name=name),
            row_tool(scene, "mail", "mail_write", size_px=small, name=name),
        ],
        gap_px=6,
        css=f"height:{small + 10:g}px",
    )


def _month(scene: Scene, small: float, width: float) -> Box:
    cell = (width - 24) / 7
    first, count = calendar.monthrange(scene.now.year, scene.now.month)
    head = row(
        worded_tool(scene, "prev", "mail_month_before", size_px=small),
        Text(f"{scene.now:%Y-%m}", "strong small", css="flex:1 1 0;text-align:center"),
        worded_tool(scene, "next", "mail_month_after", size_px=small),
    )
    names = [Text(name, "muted small", css="text-align:center") for name in scene.choices("mail_weekdays")]
    days: list[Node] = [Text("") for _ in range(first)]
    days += [
        entry(str(day), role=Role.GRIDCELL, selected=day == scene.now.day, size_px=22,
              css="border:0;justify-content:center;padding:0")
        for day in range(1, count + 1)
    ]  # fmt: skip
    grid = Box((*names, *days), Part.PLAIN, flow="grid", css=f"grid-template-columns:repeat(7,{cell:g}px)")
    return column(head, grid, gap_px=4)


def _status(scene: Scene, small: float) -> Box:
    total = scene.rng.randint(60, 4000)
    return Box(
        (
            Text(scene.say("mail_status", total=total, unread=total // 9), "small"), spring(),
            Text(scene.say("mail_online"), "small muted"), worded_tool(scene, "refresh", "mail_get", size_px=small + 2),
        ),
        Part.STATUSBAR, flow="row", gap_px=8, css=f"height:{_STATUS_PX:g}px;padding:0 10px",
    )  # fmt: skip
