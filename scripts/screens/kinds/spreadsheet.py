"""A spreadsheet: tool bars, a cell grid, column filters, sheet tabs, floating charts."""

from __future__ import annotations

from screens.kinds.dashboard import bars
from screens.page import TINTS, Page

_TOOLS = [
    ("new", "Start a new workbook"), ("folder", "Open a workbook"), ("save", "Save the workbook"), ("print", "Print the sheet"),
    ("undo", "Undo the last entry"), ("redo", "Redo the last entry"), ("cut", "Cut the cells"), ("copy", "Copy the cells"), ("paste", "Paste into the cells"),
    ("bold", "Make the cells bold"), ("italic", "Make the cells italic"), ("underline", "Underline the cells"), ("left", "Align the cells to the left"),
    ("center", "Centre the cells"), ("right", "Align the cells to the right"), ("percent", "Show the numbers as per cent"), ("sum", "Add up the column"),
    ("sort", "Sort the cells"), ("filter", "Filter the cells"), ("chart", "Insert a chart into the sheet"), ("bucket", "Colour the cells"), ("table", "Draw borders"),
]  # fmt: skip


def _grid(page: Page, cols: int, rows: int, width: int) -> str:
    letters = [chr(65 + i) for i in range(cols)]
    head = '<span class="none br bb bar" style="width:40px;height:22px"></span>' + "".join(
        f'<span class="row none br bb bar" style="width:{width}px;height:22px;padding:0 6px"><b class="grow sm">{c}</b>'
        f"{page.tool('down', 14, 'column filter', position=(f'Open the filter of column {c}', f'Click the arrow in the head of column {c}'))}</span>"
        for c in letters
    )
    out = f'<div class="row none">{head}</div>'
    for number in range(1, rows + 1):
        cells = (
            f'<span class="none br bb bar sm row" style="width:40px;height:21px;justify-content:center">{number}</span>'
        )
        for column, letter in enumerate(letters):
            text = (
                page.word("product")
                if column == 0
                else str(page.rng.randint(10, 9900))
                if page.rng.random() < 0.8
                else ""
            )
            attr = page.target(
                "cell", position=(f"Select cell {letter}{number}", f"Click into the cell {letter}{number}")
            )
            side = "left" if column == 0 else "right"
            cells += f'<span class="none br bb panel clip sm" style="width:{width}px;height:21px;padding:3px 6px;text-align:{side}"{attr}>{text}</span>'
        out += f'<div class="row none">{cells}</div>'
    return f'<div class="col grow">{out}</div>'


def _charts(page: Page, height: int) -> str:
    cards = ""
    for name in page.words("metric", height // 230):
        drop = page.tool(
            "close", 14, "chart close", relation=(f"Remove the chart {name}", f"Delete the chart titled {name}")
        )
        edit = page.tool("pencil", 16, "chart icon", relation=f"Edit the chart {name}")
        attr = page.target("chart", function=f"Select the plot of {name}", name=f"Click on the chart {name}")
        cards += (
            f'<div class="card col none p12 g8"><div class="row g8"><b class="grow">{name}</b>{edit}{drop}</div>'
            f'<div style="height:150px"{attr}>{bars(page, 296, 150, page.rng.sample(TINTS, 2))}</div></div>'
        )
    return f'<div class="col none bl p12 g12" style="width:346px">{cards}</div>'


def build(page: Page) -> str:
    """Body of the spreadsheet."""
    tools = "".join(page.tool(icon, 22, "toolbar button", function=say) for icon, say in _TOOLS)
    tabs = "".join(
        f'<span class="row g8 br" style="height:22px;padding:0 12px"{page.target("sheet tab", label=n, name=(f"Switch to the sheet {n}", f"Open the tab {n}"))}>'
        f"{n}</span>"
        for n in page.words("folder", 5)
    )
    add = page.tool("plus", 18, "sheet button", function="Add a new sheet")
    enter = page.tool("check", 18, "formula button", function="Accept the formula") + page.tool(
        "close", 18, "formula button", function="Discard the formula"
    )
    cols = (page.width - 40 - 346) // 104
    rows = (page.height - 32 - 27 - 31 - 33 - 22 - 26) // 21
    return (
        page.titlebar(f"{page.word('subject')} - Abacus")
        + page.menus("File", "Edit", "Insert", "Format", "Data", "View", "Help")
        + f'<div class="row none bar g2" style="padding:4px 8px">{tools}</div>'
        + f'<div class="row none bar g8" style="padding:3px 8px"><span class="inp" style="width:70px;height:26px;padding:4px 8px">B4</span>{enter}'
        f'<span class="inp grow mono" style="height:26px;padding:5px 8px;font-size:12px">=SUM(B2:B{rows})</span></div>'
        + f'<div class="row grow" style="align-items:stretch">{_grid(page, cols, rows, 104)}{_charts(page, page.height - 150)}</div>'
        + f'<div class="row none bar bt g8" style="height:26px;padding:0 8px">{add}{tabs}<span class="grow"></span>'
        f"{page.tool('zoomout', 18, 'status bar button', function='Zoom out of the sheet')}{page.tool('zoomin', 18, 'status bar button', function='Zoom in on the sheet')}</div>"
    )
