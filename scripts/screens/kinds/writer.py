"""A word processor: two dense tool bars, a style gallery, a ruler, pages, thumbnails, a status bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screens.page import Page

_FIRST = [
    ("new", "Start a new document"), ("folder", "Open a document from disk"), ("save", "Save the document"),
    ("print", "Print the document"), ("cut", "Cut the selected text"), ("copy", "Copy the selected text"),
    ("paste", "Paste from the clipboard"), ("undo", "Undo the last change"), ("redo", "Redo the change that was undone"),
    ("search", "Find text in the document"), ("image", "Insert a picture"), ("table", "Insert a table"),
    ("link", "Insert a link"), ("chart", "Insert a chart"), ("sum", "Insert a formula"), ("at", "Insert a mention"),
    ("calendar", "Insert the date"), ("bug", "Check the spelling"), ("share", "Share the document"),
]  # fmt: skip
_SECOND = [
    ("bold", "Make the text bold"), ("italic", "Make the text italic"), ("underline", "Underline the text"),
    ("strike", "Strike the text through"), ("left", "Align the text to the left"), ("center", "Centre the text"),
    ("right", "Align the text to the right"), ("justify", "Justify the text on both sides"),
    ("bullets", "Make a bulleted list"), ("numbers", "Make a numbered list"), ("indent", "Increase the indent"),
    ("outdent", "Decrease the indent"), ("brush", "Copy the formatting with the brush"), ("bucket", "Set the background colour"),
    ("eraser", "Clear the formatting"),
]  # fmt: skip


def _tools(page: Page, tools: list[tuple[str, str]], side: int) -> str:
    out = ""
    for number, (icon, say) in enumerate(tools):
        out += page.tool(icon, side, "toolbar button", css="on" if page.rng.random() < 0.07 else "", function=say)
        if number % 5 == 4:
            out += '<span class="sep"></span>'
    return out


def _gallery(page: Page) -> str:
    cards = ""
    names = ["Body text", "Title", "Subtitle", "Quotation", "Caption", "Footnote", "Signature", "Code sample"]
    for name in page.rng.sample(names, min(8, (page.width - 500) // 110)):
        size = page.rng.choice([13, 16, 20, 24])
        cards += (
            f'<button class="card col none" style="width:98px;height:66px;padding:6px 8px;justify-content:space-between"'
            f"{page.target('style card', label=name, name=f'Apply the {name} style', function=f'Format the paragraph as {name}')}>"
            f'<span class="serif" style="font-size:{size}px;line-height:1.2">AaBb</span><span class="sm clip">{name}</span></button>'
        )
    return f'<div class="row none bar g8" style="padding:6px 10px">{cards}</div>'


def _ruler(page: Page) -> str:
    marks = "".join(f'<span class="sm muted" style="width:48px">{n}</span>' for n in range(page.width // 60))
    return f'<div class="row none panel bb" style="height:18px;padding-left:260px">{marks}</div>'


def _sheet(page: Page, title: str, width: int) -> str:
    paragraphs = "".join(
        f'<p style="margin-bottom:12px">{" ".join(page.words("sentence", 4))}</p>'
        for _ in range(6 if page.height < 1000 else 9)
    )
    picture = page.target(
        "picture", function="Select the picture in the document", name="Click on the photo on the page"
    )
    return (
        f'<div class="serif col none" style="width:{width}px;background:#fff;color:#1a1a1a;padding:56px 64px;font-size:15px;'
        f'border:1px solid var(--line);align-self:flex-start"><h1 style="font-size:28px;margin-bottom:16px">{title}</h1>'
        f'<div style="width:300px;height:150px;margin:0 0 16px"{picture}>{page.scene(300, 150)}</div>{paragraphs}</div>'
    )


def _pages(page: Page) -> str:
    cards = ""
    for number in range(1, max(3, (page.height - 260) // 136) + 1):
        lines = "".join(
            f'<i style="height:3px;width:{page.rng.randint(40, 95)}%;background:#c4c8ce;margin:2px 0"></i>'
            for _ in range(11)
        )
        cards += (
            f'<div class="col none" style="align-items:center"><div class="card col p8" style="width:84px;height:108px;background:#fff"'
            f"{page.target('page thumbnail', name=f'Go to page {number}', position=f'Show page {number} by its thumbnail')}>{lines}"
            f'</div><span class="sm muted">{number}</span></div>'
        )
    close = page.tool("close", 14, "panel close", function="Close the Pages panel")
    return f'<div class="col none panel br p8 g8" style="width:130px"><div class="row"><b class="grow sm">Pages</b>{close}</div>{cards}</div>'


def _outline(page: Page) -> str:
    rows = ""
    for title in page.words("subject", (page.height - 260) // 30):
        fold = page.tool("down", 12, "fold arrow", relation=f"Fold the heading “{title}” in the outline")
        rows += f'<div class="row none g8" style="height:28px">{fold}<span class="clip sm">{title}</span></div>'
    return f'<div class="col none panel bl p12" style="width:230px"><b class="sm">Outline</b>{rows}</div>'


def build(page: Page) -> str:
    """Body of a word processor."""
    title = page.word("subject")
    status = (
        page.tool("zoomout", 18, "status bar button", function="Zoom out of the page")
        + '<span class="sm">100 %</span>'
        + page.tool("zoomin", 18, "status bar button", function="Zoom in on the page")
        + page.tool("grid", 18, "status bar button", function="Show several pages side by side")
        + page.tool("globe", 18, "status bar button", function="Change the language of the text")
    )
    fields = (
        '<span class="row card g8" style="height:22px;width:150px;padding:0 6px"><span class="grow sm">Liberation Serif</span>'
        f"{page.tool('down', 12, 'drop-down arrow', function='Open the list of fonts')}</span>"
        '<span class="row card g8" style="height:22px;width:56px;padding:0 6px"><span class="grow sm">12</span>'
        f"{page.tool('down', 12, 'drop-down arrow', function='Open the list of font sizes')}</span>"
    )
    body = _sheet(page, title, min(820, page.width - 420))
    two = _sheet(page, page.word("subject"), 820) if page.width >= 2300 else ""
    return (
        page.titlebar(f"{title} - Quill Writer")
        + page.menus("File", "Edit", "View", "Insert", "Format", "Tools", "Window", "Help")
        + f'<div class="row none bar g2" style="padding:3px 8px">{_tools(page, _FIRST, 24)}</div>'
        + f'<div class="row none bar g4" style="padding:3px 8px">{fields}{_tools(page, _SECOND, 22)}</div>'
        + _gallery(page)
        + _ruler(page)
        + f'<div class="row grow sunk" style="align-items:stretch">{_pages(page)}<div class="row grow g24" '
        f'style="justify-content:center;padding-top:20px;align-items:flex-start">{body}{two}</div>{_outline(page)}</div>'
        + f'<div class="row none bar g8 bt" style="height:26px;padding:0 10px"><span class="sm grow muted">Page 1 of 7   '
        f"{page.rng.randint(900, 4000)} words</span>{status}</div>"
    )
