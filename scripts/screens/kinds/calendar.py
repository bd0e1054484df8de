"""A calendar: month grid with appointments, a small month, calendars with check boxes, an agenda."""

from __future__ import annotations

from calendar import monthrange

from screens.page import TINTS, Page

_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def _cell(page: Page, day: int, month: str, events: list[str], height: int) -> str:
    add = page.tool(
        "plus", 14, "add icon", relation=(f"Add an appointment on {day} {month}", f"Click the plus on {day} {month}")
    )
    chips = ""
    for name in events:
        attr = page.target(
            "appointment", label=name, name=f"Open the appointment {name}", relation=f"Open {name} on {day} {month}"
        )
        chips += f'<div class="none clip" style="height:18px;padding:1px 6px;border-radius:3px;color:#fff;font-size:11px;background:{page.rng.choice(TINTS)}"{attr}>{name}</div>'
    attr = page.target(
        "day",
        name=f"Select {day} {month} in the large calendar",
        position=f"Click on the day {day} {month} in the month grid",
    )
    return (
        f'<div class="col br bb panel g2" style="height:{height}px;padding:4px 6px"{attr}><span class="row"><b class="grow">{day}</b>'
        f'<span class="muted">{add}</span></span>{chips}</div>'
    )


def _grid(page: Page, month: str, height: int, start: int, length: int) -> str:
    names = page.words("event", 99)
    head = "".join(f'<span class="grow th" style="text-align:center">{d}</span>' for d in _DAYS)
    rows = ""
    weeks = -(-(start + length) // 7)
    cell_h = (height - 26) // weeks
    for week in range(weeks):
        cells = ""
        for col in range(7):
            day = week * 7 + col - start + 1
            if not 1 <= day <= length:
                cells += f'<div class="br bb sunk" style="height:{cell_h}px"></div>'
                continue
            count = page.rng.choice([0, 0, 1, 1, 2])
            events = [names.pop() for _ in range(min(count, len(names)))]
            cells += _cell(page, day, month, events, cell_h)
        rows += f'<div class="none" style="display:grid;grid-template-columns:repeat(7,minmax(0,1fr))">{cells}</div>'
    return f'<div class="col none"><div class="row" style="height:26px">{head}</div>{rows}</div>'


def _small(page: Page, month: str) -> str:
    cells = ""
    for day in range(1, 29):
        attr = page.target(
            "small day", relation=(f"Jump to {day} {month} in the small month", f"Pick the {day} in the small calendar")
        )
        cells += f'<button class="ib sm" style="width:22px;height:20px"{attr}>{day}</button>'
    back = page.tool("prev", 16, "arrow", relation="Go to the month before in the small calendar")
    on = page.tool("next", 16, "arrow", relation="Go to the month after in the small calendar")
    return (
        f'<div class="col g8"><div class="row g8"><b class="grow">{month}</b>{back}{on}</div><div class="row" style="flex-wrap:wrap;gap:4px 7px;width:204px">'
        f"{cells}</div></div>"
    )


def _sources(page: Page) -> str:
    rows = ""
    for who in page.words("first", 6):
        check = page.check(
            on=page.rng.random() < 0.7, relation=(f"Show or hide the calendar of {who}", f"Tick the calendar of {who}")
        )
        tint = page.tool("gear", 14, "row action", relation=f"Open the settings of {who}'s calendar")
        rows += f'<div class="row g8" style="height:26px">{check}<span class="grow">{who}</span><span class="muted">{tint}</span></div>'
    return f'<div class="col"><b class="sm muted">CALENDARS</b>{rows}</div>'


def _agenda(page: Page, height: int) -> str:
    cards = ""
    for who in page.people(max(2, (height - 120) // 96)):
        attr = page.target("agenda card", name=f"Open the meeting with {who}")
        join = page.tool(
            "video", 18, "card icon", relation=(f"Join the call with {who}", f"Start the video meeting with {who}")
        )
        cards += (
            f'<div class="card row none p12 g8" style="height:84px"{attr}>{page.avatar(who, 34)}<span class="col grow"><b class="clip">{who}</b>'
            f'<span class="muted sm">{page.rng.randint(8, 17)}:00, one hour</span></span>{join}</div>'
        )
    return f'<div class="col none panel bl p12 g8" style="width:260px"><b>Today</b>{cards}</div>'


def build(page: Page) -> str:
    """Body of the calendar."""
    rng = page.rng
    month = rng.choice(_MONTHS[::2] if page.spec.split == "train" else _MONTHS[1::2])
    body_h = page.height - 32 - 44
    arrows = (
        page.tool("prev", 22, "arrow", css="box", function="Show the previous month")
        + page.tool("next", 22, "arrow", css="box", function="Show the next month")
        + f'<button class="ib box" style="height:22px;padding:0 10px"{page.target("button", function="Go back to today", name="Click the Now button", label="Now")}>Now</button>'
    )
    views = "".join(
        f'<button class="ib box" style="height:22px;padding:0 9px"{page.target("view button", label=v, name=f"Switch to the {v}")}>{v}</button>'
        for v in ("Day view", "Week view", "Month view", "Year view")
    )
    icons = ""
    for icon, say in [
        ("search", "Search for an appointment"),
        ("print", "Print the calendar"),
        ("refresh", "Synchronise the calendar"),
        ("gear", "Open the calendar settings"),
    ]:
        icons += page.tool(icon, 22, "header icon", function=say)
    add = page.target("button", name="Click New event", function="Create an appointment", label="New event")
    side = (
        f'<div class="col none panel br p12 g16" style="width:230px"><button class="btn pri big"{add}>{page.icon("plus", 20)}New event</button>'
        f"{_small(page, month)}{_sources(page)}</div>"
    )
    grid = _grid(page, month, body_h, *monthrange(2031, _MONTHS.index(month) + 1))
    agenda = _agenda(page, body_h) if page.width >= 1400 else ""
    return page.titlebar("Almanac") + (
        f'<div class="row none bar g12" style="height:44px;padding:0 14px"><b class="xl">{month} 2031</b>{arrows}<span class="grow"></span>{views}{icons}</div>'
        f'<div class="row grow" style="align-items:stretch">{side}<div class="col grow">{grid}</div>{agenda}</div>'
    )
