"""A table of customers: key figures, filters, sortable columns, check boxes and actions in each row, a pager."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screens.page import Page


def _head(page: Page, columns: list[str], widths: list[int]) -> str:
    cells = ""
    for name, width in zip(columns, widths, strict=True):
        arrow = page.tool(
            "sort", 13, "sort arrow", name=f"Sort the table by {name}", function=f"Order the rows by {name}"
        )
        cells += f'<span class="row g4 th" style="flex:{width} 1 0"><span>{name}</span>{arrow}</span>'
    every = page.check(on=False, function=("Select all rows", "Tick the box in the head of the table"))
    return f'<div class="row none bar g12" style="height:34px;padding:0 14px">{every}{cells}<span style="width:84px"></span></div>'


def _row(page: Page, who: str, widths: list[int], number: int, height: int) -> str:
    rng = page.rng
    state = rng.choice(["Active", "Trial", "Paused", "Late"])
    cells = [
        f'<span class="row g8">{page.avatar(who, 22)}<b class="clip">{who}</b></span>',
        rng.choice(page.words("company", 9)),
        rng.choice(page.words("city", 9)),
        f'<span class="chip">{state}</span>',
        f"{rng.randint(120, 9800):,}.{rng.randint(10, 99)}",
        f"2031-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
    ]
    cols = "".join(f'<span class="clip" style="flex:{w} 1 0">{c}</span>' for w, c in zip(widths, cells, strict=True))
    check = page.check(on=rng.random() < 0.2, relation=(f"Select the row of {who}", f"Tick the box next to {who}"))
    acts = (
        page.tool("pencil", 18, "row action", relation=(f"Edit the row of {who}", f"Change the details of {who}"))
        + page.tool("trash", 18, "row action", relation=(f"Delete the row of {who}", f"Remove {who} from the table"))
        + page.tool("kebab", 18, "row action", relation=f"Open the menu of the row of {who}")
    )
    shade = "panel" if number % 2 else ""
    return (
        f'<div class="row none bb g12 {shade}" style="height:{height}px;padding:0 14px">{check}{cols}'
        f'<span class="row g8 muted" style="width:84px">{acts}</span></div>'
    )


def _figures(page: Page) -> str:
    cards = ""
    for name in page.words("metric", 4 if page.width < 1900 else 6):
        value = f"{page.rng.randint(100, 9999):,}"
        cards += (
            f'<div class="card col grow p12 g4"{page.target("figure card", label=name, name=f"Open the figure {name}", function=f"Show the details of {name}")}>'
            f'<span class="muted">{name}</span><span class="xl b">{value}</span><span class="sm accent">up {page.rng.randint(1, 30)} %'
            f"</span></div>"
        )
    return f'<div class="row none g12">{cards}</div>'


def _pager(page: Page, count: int) -> str:
    numbers = "".join(
        f'<button class="ib box {"on" if n == 1 else ""}" style="width:22px;height:22px"'
        f"{page.target('pager', name=f'Go to page {n} of the table')}>{n}</button>"
        for n in range(1, 7)
    )
    before = page.tool("prev", 22, "pager", css="box", function="Go to the previous page of the table")
    after = page.tool("next", 22, "pager", css="box", function="Go to the next page of the table")
    return (
        f'<div class="row none g4 p8 bt"><span class="grow muted sm">{count} of {page.rng.randint(300, 2000)} rows</span>'
        f"{before}{numbers}{after}</div>"
    )


def table(page: Page, space_px: int) -> str:
    """The table with head and pager, as tall as the space allows."""
    columns = ["Name", "Company", "City", "State", "Balance", "Since"]
    widths = [5, 5, 3, 2, 3, 3]
    height = page.rng.choice([30, 34, 38])
    count = max(3, min(20, (space_px - 80) // height))
    rows = "".join(_row(page, who, widths, i, height) for i, who in enumerate(page.people(count)))
    if space_px - 80 - count * height > 250:
        rows += _notes(page)
    return f'<div class="card col grow">{_head(page, columns, widths)}<div class="col grow">{rows}</div>{_pager(page, count)}</div>'


def _notes(page: Page) -> str:
    cards = ""
    for who in page.people(24)[20:]:
        attr = page.target("note card", name=f"Open the note about {who}")
        cards += f'<div class="card col grow p16 g8"{attr}><b>{who}</b><span class="muted">{page.word("sentence")}</span></div>'
    return f'<div class="col p16 g12"><b class="lg">Notes</b><div class="row g12" style="align-items:stretch">{cards}</div></div>'


def build(page: Page) -> str:
    """Body of the table page."""
    side = ""
    for icon, name in [("home", "Overview"), ("users", "Customers"), ("card", "Payments"), ("truck", "Shipments"), ("tag", "Offers"),
                       ("chart", "Reports"), ("gear", "Set-up")]:  # fmt: skip
        on = "on" if name == "Customers" else ""
        side += f'<div class="nav {on}"{page.target("navigation", label=name, name=f"Go to {name}")}>{page.icon(icon)}{name}</div>'
    chips = ""
    for text in page.rng.sample(["Active only", "This year", "Balance over 500", "Has e-mail", "North region"], 3):
        drop = page.tool("close", 12, "filter close", relation=f"Remove the filter “{text}”")
        chips += f'<span class="chip row g8" style="height:24px">{text}{drop}</span>'
    icons = ""
    for icon, say in [("filter", "Filter the table"), ("columns", "Choose the columns of the table"), ("download", "Export the table"),
                      ("print", "Print the table"), ("refresh", "Reload the table")]:  # fmt: skip
        icons += page.tool(icon, 22, "toolbar button", css="box", function=say)
    add = page.target("button", name="Click New customer", function="Add a customer")
    bar = (
        f'<div class="row none g8"><input class="inp" style="max-width:280px" value="Search">{chips}<span class="grow"></span>{icons}'
        f'<button class="btn pri"{add}>{page.icon("plus")}New customer</button></div>'
    )
    logo = '<b class="lg accent" style="padding:8px 10px 14px">Ledgerly</b>'
    return page.browser("Ledgerly", "app.ledgerly.example/customers") + (
        f'<div class="row grow" style="align-items:stretch"><div class="col none panel br p12 g4" style="width:190px">{logo}{side}</div>'
        f'<div class="col grow p16 g12"><b class="xl none">Customers</b>{_figures(page)}{bar}{table(page, page.height - 330)}</div></div>'
    )
