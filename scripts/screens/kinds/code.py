"""A code editor: activity bar, file tree, tabs, numbered lines with breakpoints and folds, a mini map, a terminal."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screens.page import Page

_LINES = [
    ("k", "def {a}({b}, {c}):"), ("", "    {b} = {c}.get({s})"), ("", "    {a} = [{b} for {b} in {c}]"), ("k", "    if {b} is None:"),
    ("k", "        return {c}"), ("", "    {c}.append({b})"), ("k", "    for {b} in {c}:"), ("", "        {a} += {b} * 2"),
    ("c", "    # {b} comes before {c}"), ("k", "    return {a}"), ("", ""), ("k", "class {A}:"), ("s", "    name = {s}"),
    ("k", "import {b}"), ("k", "from {a} import {c}"), ("k", "    while {b} < {c}:"), ("k", "    try:"), ("k", "    with open({s}) as {a}:"),
]  # fmt: skip
_WORDS = [
    "tide",
    "harbour",
    "parcel",
    "ledger",
    "basket",
    "signal",
    "router",
    "mapper",
    "window",
    "cursor",
    "buffer",
    "token",
    "layer",
    "anchor",
    "bridge",
    "timer",
]
_KEYWORDS = {
    "def",
    "if",
    "is",
    "return",
    "for",
    "in",
    "class",
    "import",
    "from",
    "while",
    "try:",
    "with",
    "as",
    "None:",
}


def _line(page: Page) -> str:
    rng = page.rng
    kind, form = rng.choice(_LINES)
    words = rng.sample(_WORDS, 3)
    text = form.format(a=words[0], b=words[1], c=words[2], A=words[0].title(), s=f'"{words[1]}"')
    colours = page.spec.theme == "light"
    if kind == "c":
        return f'<span style="color:{"#6a8a5b" if colours else "#7f9f6f"}">{escape(text)}</span>'
    out = []
    for part in text.split(" "):
        if part in _KEYWORDS:
            out.append(f'<span style="color:{"#8250df" if colours else "#c792ea"}">{part}</span>')
        elif '"' in part:
            out.append(f'<span style="color:{"#b35900" if colours else "#ecc48d"}">{escape(part)}</span>')
        else:
            out.append(escape(part))
    return " ".join(out)


def _editor(page: Page, count: int, first: int) -> str:
    rows = ""
    for number in range(first, first + count):
        dot = "#e03131" if page.rng.random() < 0.06 else "transparent"
        mark = page.target(
            "gutter", position=(f"Toggle a breakpoint on line {number}", f"Click in the gutter beside line {number}")
        )
        fold = (
            page.tool("down", 12, "fold arrow", position=f"Fold the code at line {number}")
            if page.rng.random() < 0.2
            else ""
        )
        rows += (
            f'<div class="row none" style="height:19px"><span class="row none" style="width:52px;height:19px"{mark}><i style="width:10px;'
            f'height:10px;margin:0 5px;border-radius:5px;background:{dot}"></i><span class="muted" style="width:28px;text-align:right">'
            f'{number}</span></span><span class="none muted" style="width:20px;padding-left:4px">{fold}</span>'
            f'<span style="white-space:pre">{_line(page)}</span></div>'
        )
    return f'<div class="col grow mono panel" style="font-size:12px;padding-top:6px">{rows}</div>'


def _minimap(page: Page) -> str:
    lines = "".join(
        f'<i style="height:2px;width:{page.rng.randint(8, 80)}%;background:var(--muted);margin:1px 0 1px {page.rng.choice([0, 8, 16])}px"></i>'
        for _ in range(90)
    )
    attr = page.target("mini map", function=("Jump through the file with the mini map", "Click on the mini map"))
    return f'<div class="col none panel bl" style="width:92px;padding:6px;overflow:hidden"{attr}>{lines}</div>'


def _tree(page: Page) -> str:
    rows = ""
    rows_left = (page.height - 420) // 24
    for folder in page.words("folder", max(2, rows_left // 5)):
        arrow = page.tool(
            "down", 12, "tree arrow", relation=(f"Collapse the folder {folder}", f"Click the arrow before {folder}")
        )
        rows += f'<div class="row none g4" style="height:24px;padding-left:8px">{arrow}{page.icon("folder", 14)}<b class="clip">{folder}</b></div>'
        for name in page.words("file", 4):
            rows += f'<div class="row none g4 clip" style="height:24px;padding-left:34px">{page.icon("file", 13)}<span>{name}</span></div>'
    tools = ""
    for icon, say in [
        ("new", "Create a new file in the explorer"),
        ("folder", "Create a new folder in the explorer"),
        ("refresh", "Refresh the explorer"),
    ]:
        tools += page.tool(icon, 16, "panel button", function=say)
    runs = ""
    for name in page.words("channel", 2):
        attr = page.target("run card", name=f"Open the run configuration {name}")
        play = page.tool("play", 18, "run button", relation=f"Run the configuration {name}")
        runs += (
            f'<div class="card row none p12 g8" style="height:64px"{attr}>{page.icon("gear", 20)}<span class="col grow"><b class="clip">{name}</b>'
            f'<span class="sm muted">python, local</span></span>{play}</div>'
        )
    return (
        f'<div class="col none br" style="width:250px"><div class="row none g8 p8"><b class="grow sm muted">EXPLORER</b>{tools}</div>'
        f'<div class="col grow">{rows}</div><div class="col none p8 g8 bt"><b class="sm muted">RUN</b>{runs}</div></div>'
    )


def _tabs(page: Page, names: list[str]) -> str:
    out = ""
    for number, name in enumerate(names):
        close = page.tool(
            "close", 14, "tab close", relation=(f"Close the tab {name}", f"Shut the file {name} in the editor")
        )
        css = "panel" if number == 0 else "muted"
        out += f'<span class="row none g8 br {css}" style="height:32px;padding:0 10px">{page.icon("file", 13)}<span>{name}</span>{close}</span>'
    split = page.tool("columns", 18, "editor action", function="Split the editor")
    run = page.tool("play", 18, "editor action", function="Run the open file")
    return f'<div class="row none sunk bb">{out}<span class="grow"></span><span class="row g8 p8">{run}{split}</span></div>'


def _terminal(page: Page, height: int) -> str:
    lines = "".join(
        f"<div>$ {page.rng.choice(['make test', 'git status', 'ls -la', 'python tide.py'])}   <span class='muted'>ok {page.rng.randint(2, 99)} ms</span></div>"
        for _ in range((height - 50) // 17)
    )
    tools = ""
    for icon, say in [
        ("plus", "Open a new terminal"),
        ("trash", "Kill the terminal"),
        ("expand", "Maximise the terminal panel"),
        ("close", "Close the terminal panel"),
    ]:
        tools += page.tool(icon, 16, "panel button", function=say)
    attr = page.target("terminal", function=("Put the cursor into the terminal", "Focus the terminal output"))
    return (
        f'<div class="col none bt" style="height:{height}px"><div class="row none g12" style="height:28px;padding:0 12px"><b class="sm">TERMINAL</b>'
        f'<span class="sm muted">PROBLEMS</span><span class="sm muted">OUTPUT</span><span class="grow"></span>{tools}</div>'
        f'<div class="mono grow p8 sunk" style="font-size:12px"{attr}>{lines}</div></div>'
    )


def build(page: Page) -> str:
    """Body of the code editor."""
    rng = page.rng
    names = [f"{word}.py" for word in rng.sample(_WORDS, 4 if page.width < 1500 else 6)]
    activity = ""
    for icon, say in [("copy", "Show the explorer"), ("search", "Search in all files"), ("branch", "Show the version control view"), ("bug", "Show the debugger"),
                      ("blocks", "Show the extensions"), ("user", "Open the account menu"), ("gear", "Open the editor settings")]:  # fmt: skip
        activity += page.tool(icon, 23, "activity icon", function=say)
    term = rng.choice([150, 180, 220])
    count = (page.height - 32 - 27 - 34 - term - 24 - 10) // 19
    editors = _editor(page, count, rng.choice([1, 40, 96]))
    if page.width >= 2300:
        editors += f'<div class="col grow bl">{_editor(page, count, 300)}</div>'
    status = ""
    for icon, text, say in [
        ("branch", "main", "Switch the branch"),
        ("warn", "3", "Show the warnings"),
        ("bell", "", "Show the notifications"),
        ("text", "UTF-8", "Change the encoding"),
    ]:
        status += f'<span class="row g4 sm" style="height:20px;padding:0 6px"{page.target("status item", function=say)}>{page.icon(icon, 12)}{text}</span>'
    return (
        page.titlebar(f"{names[0]} - Burin")
        + page.menus("File", "Edit", "Selection", "View", "Go", "Run", "Help")
        + f'<div class="row grow" style="align-items:stretch"><div class="col none bar br g16 p8" style="align-items:center;width:44px">{activity}'
        f'</div>{_tree(page)}<div class="col grow">{_tabs(page, names)}<div class="row grow" style="align-items:stretch">{editors}{_minimap(page)}'
        f"</div>{_terminal(page, term)}</div></div>"
        + f'<div class="row none bar bt g8" style="height:24px;padding:0 8px">{status}<span class="grow"></span><span class="sm muted">Ln 12, Col 8</span></div>'
    )
