"""A dialog over another page: only the dialog can be asked for, what lies behind it is covered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from screens.kinds import dashboard, files, records

if TYPE_CHECKING:
    from screens.page import Page

_OPTIONS = {
    "Export the report": ["Include the cover page", "Keep the links", "Embed the fonts", "Compress the pictures", "Add page numbers",
                          "Mark as draft", "Use greyscale", "Open when done"],
    "Share with people": ["Allow comments", "Allow downloads", "Notify by e-mail", "Ask for a password", "Expire after a week",
                          "Hide the history", "Show my name", "Allow copies"],
    "Back up this folder": ["Skip hidden files", "Verify after copying", "Keep old versions", "Encrypt the backup", "Follow links",
                            "Shut down when done", "Repeat every night", "Write a log"],
    "New project": ["Create a sample file", "Start version control", "Add a licence", "Use the shared theme", "Invite the team",
                    "Turn on reminders", "Copy the last settings", "Pin to the start page"],
}  # fmt: skip
_CARDS = {
    "Export the report": ["PDF document", "Web page", "Plain text", "Slides"],
    "Share with people": ["Anyone", "My team", "Named people", "Only me"],
    "Back up this folder": ["This computer", "USB drive", "Network share", "Cloud store"],
    "New project": ["Blank", "Website", "Notebook", "Photo book"],
}
_VERBS = {
    "Export the report": "Export",
    "Share with people": "Share them",
    "Back up this folder": "Back up",
    "New project": "Create it",
}
_ICONS = ["file", "globe", "text", "film", "users", "lock", "display", "folder"]


def _cards(page: Page, title: str) -> str:
    out = ""
    for number, name in enumerate(_CARDS[title]):
        on = "border:2px solid var(--accent)" if number == 0 else ""
        attr = page.target(
            "choice card", label=name, name=f"Choose {name} in the dialog", function=f"Pick the option {name}"
        )
        out += (
            f'<button class="card col grow g8" style="height:92px;align-items:center;justify-content:center;{on}"{attr}>'
            f'<span class="accent">{page.icon(page.rng.choice(_ICONS), 28)}</span><span>{name}</span></button>'
        )
    return f'<div class="row none g12">{out}</div>'


def _options(page: Page, title: str) -> str:
    out = ""
    for name in page.rng.sample(_OPTIONS[title], 6):
        info = page.tool("help", 14, "help icon", relation=f"Show the help for “{name}”")
        check = page.check(on=page.rng.random() < 0.4, name=(f"Tick “{name}”", f"Toggle the check box “{name}”"))
        out += f'<div class="row g8" style="width:50%;height:28px">{check}<span>{name}</span><span class="muted">{info}</span></div>'
    return f'<div class="row none" style="flex-wrap:wrap">{out}</div>'


def _people(page: Page) -> str:
    out = ""
    for who in page.people(3):
        drop = page.tool(
            "close", 14, "row action", relation=(f"Remove {who} from the list", f"Delete {who} in the dialog")
        )
        edit = page.tool("pencil", 16, "row action", relation=f"Change the rights of {who}")
        out += (
            f'<div class="row bb g8" style="height:34px">{page.avatar(who, 22)}<span class="grow">{who}</span>'
            f'<span class="muted row g12">{edit}{drop}</span></div>'
        )
    return f'<div class="col none">{out}</div>'


def build(page: Page) -> str:
    """Body of the dialog page."""
    rng = page.rng
    page.muted = True
    behind = rng.choice([dashboard, files, records]).build(page)
    page.muted = False
    title = rng.choice(sorted(_CARDS))
    width = min(rng.choice([620, 680, 760]), page.width - 200)
    left = rng.randint(80, page.width - width - 80)
    top = rng.randint(24, max(25, page.height - 650))
    close = page.tool("close", 18, "close button", function=("Close the dialog", "Dismiss the dialog with the cross"))
    add = page.tool("plus", 18, "button", css="box", function="Add a person to the list")
    name = (
        f'<div class="col g4"><span class="sm muted">Title</span><span class="row inp g8"><span class="grow">{page.word("subject")}</span>'
        f"{page.tool('close', 12, 'clear icon', function='Clear the title field')}</span></div>"
    )
    cancel = page.target(
        "button", label="Cancel", name="Click Cancel", function="Leave the dialog without doing anything"
    )
    verb = _VERBS[title]
    go = page.target("button", label=f"{verb}", name=f"Click {verb}", function="Confirm the dialog")
    buttons = (
        f'<div class="row g12 none" style="justify-content:flex-end"><button class="btn big"{cancel}>Cancel</button>'
        f'<button class="btn big pri"{go}>{verb}</button></div>'
    )
    box = (
        f'<div class="card col" style="position:absolute;left:{left}px;top:{top}px;width:{width}px;box-shadow:0 0 0 1px var(--line),'
        f'0 8px 0 rgba(0,0,0,.25)"><div class="row bar g8" style="height:40px;padding:0 14px;border-radius:var(--r) var(--r) 0 0">'
        f'<b class="grow">{title}</b>{page.tool("help", 18, "title bar button", function="Open the help of the dialog")}{close}</div>'
        f'<div class="col p16 g16">{name}{_cards(page, title)}{_options(page, title)}<div class="row"><b class="grow">People</b>{add}'
        f"</div>{_people(page)}{buttons}</div></div>"
    )
    return f'{behind}<div style="position:absolute;inset:0;background:rgba(0,0,0,.55)"></div>{box}'
