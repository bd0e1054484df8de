"""A mail program: folders, a list of messages with small actions, the open message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.graph import Box, Node, Part, Role, Text
from zoomground.synth.widgets import button, column, entry, field, record, row, spring, tool, toolbar

if TYPE_CHECKING:
    from zoomground.synth.scene import Scene


def build(scene: Scene) -> Box:
    """The program, to fill a window."""
    side = scene.between(22, 15)
    count = int((scene.height - 110) // scene.between(64, 42))
    folders = [
        entry(scene.say(text), role=Role.TREEITEM, icon=icon, selected=icon == "inbox")
        for icon, text in (
            ("inbox", "inbox"),
            ("send", "mail_sent"),
            ("archive", "archive"),
            ("trash", "trash"),
            ("flag", "flag"),
        )
    ]
    folders += [entry(scene.word().title(), role=Role.TREEITEM, icon="star") for _ in range(scene.rng.randint(3, 8))]
    compose = button(
        scene.say("mail_compose"), icon="pencil", kind="primary", goals=[scene.say("mail_compose_goal")]
    )  # fmt: skip
    sidebar = Box(
        (compose, Box(tuple(folders), Part.TREE, gap_px=2)), Part.SIDEBAR, gap_px=10, pad_px=8,
        css=f"width:{scene.between(220, 170):g}px",
    )  # fmt: skip
    messages = Box(
        tuple(_message(scene, side, selected=number == 0) for number in range(max(3, count))), Part.LIST,
        css=f"width:{scene.between(420, 320):g}px;border-right:1px solid var(--zg-line)",
    )  # fmt: skip
    top = toolbar(
        [
            *(tool(key, scene.say(key), size_px=side + 6) for key in ("reply", "forward", "archive", "trash")),
            spring(),
            field(scene.say("search"), role=Role.SEARCHBOX, icon="search", width_px=260),
            tool("gear", scene.say("gear"), size_px=side + 6),
        ]
    )
    return column(
        top,
        row(sidebar, messages, _reading(scene, side), grow=1, gap_px=0, css="align-items:stretch"),
        gap_px=0,
        grow=1,
    )


def _message(scene: Scene, side: float, *, selected: bool) -> Node:
    sender = scene.person()
    tools = [tool(key, f"{scene.say(key)}", size_px=side, thing=scene.say(key)) for key in ("star", "archive", "trash")]
    inside = record(
        sender,
        [
            column(
                row(Text(sender, "strong"), spring(), Text(scene.clock(), "muted small")),
                row(Text(scene.title(), "small", css="flex:1"), *tools, gap_px=2),
                gap_px=2, grow=1,
            )
        ],
        css="padding:5px 8px;border-bottom:1px solid var(--zg-line)",
    )  # fmt: skip
    return entry(sender, selected=selected, goals=[scene.say("mail_read_goal", name=sender)], children=[inside])


def _reading(scene: Scene, side: float) -> Node:
    paragraphs = [Text(" ".join(scene.sentence(14) for _ in range(4)), "wrap") for _ in range(3)]
    head = row(
        Text(scene.title(3, 6), "title"), spring(),
        tool("reply", scene.say("reply"), size_px=side + 4), tool("flag", scene.say("flag"), size_px=side + 4),
    )  # fmt: skip
    return column(head, *paragraphs, button(scene.say("attach"), icon="attach"), gap_px=12, pad_px=16, grow=1,
                  css="background:var(--zg-panel);align-items:flex-start")  # fmt: skip
