"""A mail program: folders, a message list with check boxes, stars and row actions, a reading pane."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screens.page import Page


def _folders(page: Page) -> str:
    items = ""
    for icon, name in [("inbox", "Inbox"), ("star", "Starred"), ("clock", "Snoozed"), ("send", "Sent"), ("pencil", "Drafts"),
                       ("shield", "Spam"), ("trash", "Bin")]:  # fmt: skip
        on = "on" if name == "Inbox" else ""
        attr = page.target("folder", name=f"Open the {name} folder")
        items += f'<div class="nav {on}"{attr}>{page.icon(icon)}<span class="grow">{name}</span></div>'
    compose = (
        f'<button class="btn pri big" style="width:100%"{page.target("button", name="Click Compose", function="Write a new mail")}>'
        f"{page.icon('pencil', 20)}Compose</button>"
    )
    labels = ""
    for name in page.words("channel", 6):
        dot = page.rng.choice(["#e8590c", "#2f9e44", "#1971c2", "#9c36b5"])
        more = page.tool("kebab", 14, "label menu", relation=f"Open the options of the label {name}")
        labels += (
            f'<div class="nav" style="height:26px"><i style="width:10px;height:10px;border-radius:3px;background:{dot}"></i>'
            f'<span class="grow sm">{name}</span>{more}</div>'
        )
    add = page.tool("plus", 16, "button", function="Create a new label")
    return (
        f'<div class="col none br p12 g4 panel" style="width:210px">{compose}<div style="height:8px"></div>{items}'
        f'<div class="row th" style="padding:14px 10px 4px"><span class="grow">LABELS</span>{add}</div>{labels}</div>'
    )


def _message(page: Page, who: str, subject: str, tall: bool) -> str:
    rng = page.rng
    star = page.tool(
        "star", 16, "star", relation=(f"Star the mail from {who}", f"Mark the message of {who} with a star")
    )
    actions = page.tool("archive", 16, "row action", relation=f"Archive the mail from {who}") + page.tool(
        "trash", 16, "row action", relation=(f"Delete the mail from {who}", f"Throw away the message of {who}")
    )
    check = page.check(on=rng.random() < 0.15, relation=f"Tick the check box of the mail from {who}")
    read = "" if rng.random() < 0.4 else "b"
    clip = page.icon("attach", 13) if rng.random() < 0.3 else ""
    when = f"{rng.randint(7, 18)}:{rng.randint(10, 59)}"
    text = rng.choice(page.words("sentence", 8))
    open_it = page.target("message", relation=f"Open the mail from {who}", name=f"Read the message “{subject}”")
    if tall:
        middle = (
            f'{page.avatar(who, 34)}<div class="col grow"><span class="{read} clip">{who}</span><span class="clip {read}">'
            f'{subject}</span><span class="clip muted sm">{text}</span></div>{clip}'
        )
    else:
        middle = (
            f'<span class="{read} clip none" style="width:140px">{who}</span><span class="grow clip"><span class="{read}">'
            f'{subject}</span> <span class="muted">- {text}</span></span>{clip}'
        )
    height = 66 if tall else 32
    return (
        f'<div class="row none bb g12 panel" style="height:{height}px;padding:0 12px"{open_it}>{check}{star}{middle}'
        f'<span class="row g8 muted">{actions}</span><span class="muted sm none" style="width:36px;text-align:right">{when}'
        f"</span></div>"
    )


def _earlier(page: Page) -> str:
    rows = ""
    for who in page.people(30)[20 : 20 + (page.height - 700) // 46]:
        unfold = page.tool("down", 16, "fold arrow", relation=f"Unfold the earlier reply of {who}")
        rows += (
            f'<div class="row bt g12" style="height:46px">{page.avatar(who, 28)}<b class="none">{who}</b>'
            f'<span class="grow clip muted">{page.word("sentence")}</span>{unfold}</div>'
        )
    return rows


def _reading(page: Page, who: str, subject: str) -> str:
    tools = "".join(
        page.tool(icon, 22, "toolbar button", css="box", function=say)
        for icon, say in [
            ("reply", "Reply to the open mail"),
            ("forward", "Forward the open mail"),
            ("flag", "Flag the open mail"),
            ("print", "Print the open mail"),
        ]
    )
    text = "".join(f"<p>{line}</p>" for line in page.words("sentence", 6))
    files = ""
    for name in page.words("file", 3):
        get = page.tool("download", 16, "attachment action", relation=f"Download the attachment {name}")
        files += (
            f'<div class="card none" style="width:150px;overflow:hidden"{page.target("attachment", name=f"Open the attachment {name}")}>'
            f'{page.scene(150, 92)}<div class="row p8 g4"><span class="grow clip sm">{name}</span>{get}</div></div>'
        )
    return (
        f'<div class="col grow panel bl p24 g16"><div class="row g8"><span class="grow xl clip">{subject}</span>{tools}</div>'
        f'<div class="row g12">{page.avatar(who, 40)}<div class="col grow"><b>{who}</b><span class="muted sm">to me</span></div>'
        f'</div><div class="col g12" style="max-width:760px;font-size:14px">{text}</div><div class="row g12 none" '
        f'style="flex-wrap:wrap">{files}</div><div class="col none">{_earlier(page)}</div></div>'
    )


def build(page: Page) -> str:
    """Body of a mail page."""
    rng = page.rng
    tall = rng.random() < 0.6
    wide = page.width >= 1600
    tabs = ""
    for icon, name, text in (
        []
        if tall
        else [
            ("users", "People", "new"),
            ("tag", "Offers", "sales"),
            ("bell", "Updates", "bills"),
            ("globe", "Forums", "lists"),
        ]
    ):
        attr = page.target(
            "tab", label=name, name=f"Switch to the {name} tab", function=f"Show the mails of the category {name}"
        )
        tabs += (
            f'<div class="row grow g12 br p12" style="height:62px"{attr}>{page.icon(icon, 20)}<span class="col grow"><b>{name}</b>'
            f'<span class="sm muted">{rng.randint(2, 40)} {text}</span></span></div>'
        )
    count = (page.height - 130 - (0 if tall else 62)) // (66 if tall else 32)
    subjects = page.words("subject", 99)
    people = page.people(min(count, 20))
    rows = "".join(
        _message(page, who, subjects[i % len(subjects)], tall) for i, who in enumerate(people) if i < len(subjects)
    )
    tools = page.check(on=False, function="Select all mails")
    for icon, say in [("refresh", "Check for new mail"), ("archive", "Archive the selected mails"), ("trash", "Delete the selected mails"),
                      ("mail", "Mark the selected mails as unread"), ("tag", "Put a label on the selected mails")]:  # fmt: skip
        tools += page.tool(icon, 22, "toolbar button", function=say)
    pager = page.tool("prev", 18, "pager", function="Show newer mails") + page.tool(
        "next", 18, "pager", function="Show older mails"
    )
    gear = page.tool("gear", 22, "toolbar button", function="Open the mail settings")
    head = (
        f'<div class="row none bar g16" style="height:48px;padding:0 16px"><b class="lg accent" style="width:180px">Pigeon Mail</b>'
        f'<input class="inp" style="max-width:560px" value="Search mail"><span class="grow"></span>{gear}{page.avatar(people[0], 28)}</div>'
    )
    bar = (
        f'<div class="row none bb g8 panel" style="height:36px;padding:0 12px">{tools}<span class="grow"></span>'
        f'<span class="muted sm">1-{len(people)} of {rng.randint(200, 900)}</span>{pager}</div>'
    )
    width = f"width:{page.width * 2 // 5}px;flex:none" if wide else ""
    reading = _reading(page, people[0], subjects[0]) if wide else ""
    main = f'<div class="col grow" style="{width}">{bar}<div class="row none panel bb">{tabs}</div><div class="col grow">{rows}</div></div>{reading}'
    return f'{page.browser("Pigeon Mail", "mail.pigeon.example/inbox")}{head}<div class="row grow" style="align-items:stretch">{_folders(page)}{main}</div>'
