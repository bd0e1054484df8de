"""A team chat: channels, messages with reactions and pictures, members, a composer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screens.page import Page


def _side(page: Page) -> str:
    rows = ""
    for name in page.words("channel", 9):
        bell = page.tool(
            "bell", 14, "channel bell", relation=(f"Mute the channel {name}", f"Switch off the bell of {name}")
        )
        rows += f'<div class="nav" style="height:28px">{page.icon("hash", 14)}<span class="grow clip">{name}</span><span class="muted">{bell}</span></div>'
    add = page.tool("plus", 16, "panel button", function="Create a channel")
    attr = page.target(
        "button", label="Start a call", name="Click Start a call", function="Ring everybody in the channel"
    )
    return (
        f'<div class="col none panel br p12 g4" style="width:220px"><button class="btn pri big"{attr}>{page.icon("phone", 20)}Start a call</button>'
        f'<div class="row th" style="padding:12px 8px 4px"><span class="grow">CHANNELS</span>{add}</div>{rows}</div>'
    )


def _message(page: Page, who: str, picture: str | None) -> str:
    reacts = ""
    for icon, verb in [
        ("smile", "Add a smile to the message of"),
        ("reply", "Answer the message of"),
        ("pin", "Pin the message of"),
    ]:
        reacts += page.tool(icon, 18, "message action", relation=f"{verb} {who}")
    art = ""
    if picture:
        attr = page.target(
            "picture", name=f"Open the picture {picture}", relation=f"Enlarge the picture that {who} sent"
        )
        art = f'<div style="width:220px;height:116px;margin-top:6px"{attr}>{page.scene(220, 116)}</div><span class="sm muted">{picture}</span>'
    face = page.target("avatar", relation=f"Open the profile of {who} from the message")
    return (
        f'<div class="row none g12" style="align-items:flex-start;padding:9px 18px"><span style="padding:1px"{face}>{page.avatar(who, 36)}</span>'
        f'<div class="col grow"><span class="row g8"><b>{who}</b><span class="sm muted">{page.rng.randint(8, 17)}:{page.rng.randint(10, 59)}</span>'
        f'<span class="grow"></span><span class="row g8 muted">{reacts}</span></span><span>{page.word("sentence")}</span>{art}</div></div>'
    )


def _members(page: Page, people: list[str], height: int) -> str:
    cards = ""
    for who in people[: (height - 60) // 76]:
        call = page.tool("video", 18, "member icon", relation=f"Start a video call with {who}")
        attr = page.target("member card", name=f"Open the card of {who}")
        cards += (
            f'<div class="card row none p12 g8" style="height:66px"{attr}>{page.avatar(who, 36)}<span class="col grow"><b class="clip">{who}</b>'
            f'<span class="sm muted">{page.word("city")}</span></span>{call}</div>'
        )
    close = page.tool("close", 16, "panel close", function="Close the list of members")
    return f'<div class="col none panel bl p12 g8" style="width:240px"><div class="row"><b class="grow">Members</b>{close}</div>{cards}</div>'


def build(page: Page) -> str:
    """Body of the chat."""
    people = page.people(16)
    body = page.height - 65 - 50 - 64
    pictures = page.words("file", 99)
    rows, left, number = "", body, 0
    while number < 12:
        photo = next((n for n in pictures if n.endswith(("jpg", "png"))), None) if number % 3 == 0 else None
        left -= 205 if photo else 56
        if left < -200:
            break
        if photo:
            pictures.remove(photo)
        rows += _message(page, people[number], photo)
        number += 1
    tools = ""
    for icon, say in [("bold", "Write in bold"), ("italic", "Write in italics"), ("link", "Insert a web address"), ("attach", "Attach a file to the message"),
                      ("smile", "Choose a smiley"), ("mic", "Record a voice message"), ("at", "Mention somebody")]:  # fmt: skip
        tools += page.tool(icon, 20, "composer icon", function=say)
    send = page.tool("send", 22, "composer icon", css="box", function=("Send the message", "Post what is written"))
    head = ""
    for icon, say in [
        ("search", "Search the conversation"),
        ("users", "Add people to the channel"),
        ("pin", "Show the pinned messages"),
        ("gear", "Open the channel settings"),
    ]:
        head += page.tool(icon, 22, "header icon", function=say)
    middle = (
        f'<div class="col grow"><div class="row none bb g12 panel" style="height:50px;padding:0 18px">{page.icon("hash", 18)}<b class="lg grow">kitchen-table</b>{head}'
        f'</div><div class="col grow" style="justify-content:flex-end">{rows}</div><div class="row none g8 p12"><span class="row inp g8" style="height:40px">'
        f'<span class="grow muted">Write a message</span>{tools}{send}</span></div></div>'
    )
    return page.browser("Murmur", "chat.murmur.example/kitchen-table") + (
        f'<div class="row grow" style="align-items:stretch">{_side(page)}{middle}{_members(page, people, body)}</div>'
    )
