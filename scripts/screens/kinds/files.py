"""A file manager: tree, path bar, tiles or rows of files, a details pane."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screens.page import Page

_KINDS = {
    "jpg": "image",
    "png": "image",
    "svg": "image",
    "mp3": "music",
    "wav": "music",
    "mp4": "film",
    "zip": "folder",
    "tar": "folder",
}


def _tree(page: Page, folders: list[str]) -> str:
    rows = ""
    for depth, name in enumerate(folders):
        arrow = page.tool(
            page.rng.choice(["next", "down"]),
            14,
            "tree arrow",
            relation=(f"Click the arrow before {name} in the tree", f"Fold or unfold {name} in the tree"),
        )
        pad = 8 + 16 * (depth % 3)
        rows += f'<div class="row none g4" style="height:26px;padding-left:{pad}px">{arrow}{page.icon("folder", 15)}<span class="clip">{name}</span></div>'
    return f'<div class="col none panel br p8" style="width:220px"><b class="sm muted p8">FOLDERS</b>{rows}</div>'


def _tile(page: Page, name: str) -> str:
    icon = _KINDS.get(name.rsplit(".", 1)[1], "file")
    check = page.check(
        on=page.rng.random() < 0.12, relation=(f"Tick the file {name}", f"Select {name} by its check box")
    )
    more = page.tool(
        "kebab", 16, "tile menu", relation=(f"Open the menu of {name}", f"Show what can be done with {name}")
    )
    art = page.scene(100, 62) if icon == "image" else f'<span class="accent">{page.icon(icon, 46)}</span>'
    attr = page.target("file tile", name=(f"Open {name}", f"Double-click the file {name}"))
    return (
        f'<div class="card col none g4" style="width:146px;height:128px;padding:4px 22px 8px"{attr}><span class="row">{check}<span class="grow"></span><span class="muted">{more}</span>'
        f'</span><span class="row grow" style="justify-content:center">{art}</span><span class="clip sm" style="text-align:center">{name}</span></div>'
    )


def _line(page: Page, name: str) -> str:
    icon = _KINDS.get(name.rsplit(".", 1)[1], "file")
    check = page.check(
        on=page.rng.random() < 0.12, relation=(f"Tick the file {name}", f"Select {name} by its check box")
    )
    star = page.tool("star", 16, "star", relation=(f"Star the file {name}", f"Make {name} a favourite"))
    acts = page.tool("pencil", 16, "row action", relation=(f"Rename {name}", f"Give {name} another name")) + page.tool(
        "trash", 16, "row action", relation=(f"Delete {name}", f"Move {name} to the bin")
    )
    return (
        f'<div class="row none bb g12" style="height:30px;padding:0 12px">{check}{star}{page.icon(icon, 15)}<span class="grow clip">{name}</span>'
        f'<span class="muted" style="width:80px">{page.rng.randint(2, 990)} KB</span><span class="muted" style="width:90px">2031-0{page.rng.randint(1, 9)}-1'
        f'{page.rng.randint(0, 9)}</span><span class="row g8 muted">{acts}</span></div>'
    )


def _details(page: Page, name: str) -> str:
    buttons = ""
    for icon, text, say in [("share", "Share", "Send the selected file to somebody"), ("download", "Save a copy", "Keep a copy of the selected file"),
                            ("trash", "Move to bin", "Throw the selected file away")]:  # fmt: skip
        attr = page.target("button", label=text, name=f"Click {text} in the details pane", function=say)
        buttons += f'<button class="btn big" style="padding:0 12px"{attr}>{page.icon(icon, 20)}{text}</button>'
    close = page.tool("close", 16, "panel close", function=("Close the details pane", "Hide the details"))
    photo = page.target("preview", function=("Open the large preview", "Click the preview picture of the details pane"))
    tags = ""
    for text in page.words("channel", 3):
        tags += f'<span class="chip row g4">{text}{page.tool("close", 12, "tag close", relation=f"Remove the tag {text}")}</span>'
    return (
        f'<div class="col none panel bl p16 g12" style="width:270px"><div class="row"><b class="grow clip">{name}</b>{close}</div>'
        f'<div style="height:150px"{photo}>{page.scene(236, 150)}</div><span class="muted">1.{page.rng.randint(1, 9)} MB, changed today</span>'
        f'<div class="row g4" style="flex-wrap:wrap">{tags}</div>{buttons}</div>'
    )


def build(page: Page) -> str:
    """Body of the file manager."""
    rng = page.rng
    folders = page.words("folder", min(12, (page.height - 160) // 26))
    words = page.words("file", 99)
    more = [word.replace(".", f"-{mark}.") for mark in ("old", "v2", "final") for word in words]
    names = words + rng.sample(more, 44)
    space = page.width - 220 - 270
    if rng.random() < 0.6 and page.height < 1200:
        recent = "".join(_tile(page, name) for name in names)
        content = f'<div class="row p16 g12" style="flex-wrap:wrap;align-content:flex-start">{recent}</div>'
    else:
        top = "".join(_tile(page, name) for name in names[: (space - 20) // 160])
        rest = names[(space - 20) // 160 :]
        lines = "".join(_line(page, name) for name in rest[: (page.height - 340) // 30])
        content = f'<b class="p12 none">Recent</b><div class="row none g12" style="padding:0 16px">{top}</div><b class="p12 none">All files</b>{lines}'
    tools = ""
    for icon, say in [("prev", "Go back to the last folder"), ("next", "Go forward to the next folder"), ("up", "Go to the parent folder"), ("home", "Go to the home folder"),
                      ("plus", "Create a new folder"), ("cut", "Cut the selected files"), ("copy", "Copy the selected files"), ("paste", "Paste files here"),
                      ("list", "Show the files as a list"), ("grid", "Show the files as tiles"), ("sort", "Change the sort order"), ("eyeoff", "Show hidden files")]:  # fmt: skip
        tools += page.tool(icon, 22, "toolbar button", function=say)
    path = f'<span class="row inp g8" style="max-width:420px;height:26px">{page.icon("folder", 14)}<span class="grow clip">/home/{page.word("first").lower()}/{folders[0]}</span></span>'
    find = page.tool("search", 20, "toolbar button", function="Search in this folder")
    return (
        page.titlebar(f"{folders[0]} - Cabinet")
        + page.menus("File", "Edit", "View", "Go", "Bookmarks", "Help")
        + f'<div class="row none bar g4" style="padding:4px 10px">{tools}<span class="sep"></span>{path}{find}</div>'
        + f'<div class="row grow" style="align-items:stretch">{_tree(page, folders)}<div class="col grow">{content}</div>{_details(page, names[0])}</div>'
        + f'<div class="row none bar bt sm muted" style="height:24px;padding:0 12px">{len(names)} files, {rng.randint(10, 400)} GB free</div>'
    )
