"""A dashboard: key figures, charts with legends and corner icons, an alert list."""

from __future__ import annotations

from screens.page import TINTS, Page


def _frame(width: int, height: int, marks: str) -> str:
    """A plot: grid lines, marks, and week numbers below."""
    grid = "".join(
        f'<path d="M0 {y}H{width}" stroke="var(--line)"/>' for y in range(0, height - 16, max(20, height // 5))
    )
    weeks = "".join(
        f'<text x="{i * width // 12 + 4}" y="{height - 3}" font-size="10" fill="var(--muted)">W{i + 1}</text>'
        for i in range(12)
    )
    return f'<svg width="{width}" height="{height}">{grid}{marks}{weeks}</svg>'


def bars(page: Page, width: int, height: int, tints: list[str]) -> str:
    """Pairs of bars."""
    step, foot = width / 12, height - 16
    marks = ""
    for i in range(12):
        for j, tint in enumerate(tints):
            h = page.rng.randint(foot // 6, foot - 6)
            marks += f'<rect x="{i * step + 3 + j * step * 0.35:.1f}" y="{foot - h}" width="{step * 0.33:.1f}" height="{h}" fill="{tint}"/>'
    return _frame(width, height, marks)


def _lines(page: Page, width: int, height: int, tints: list[str]) -> str:
    marks, foot = "", height - 16
    for tint in tints:
        y = page.rng.randint(foot // 3, foot * 2 // 3)
        points = []
        for i in range(13):
            y = max(6, min(foot - 6, y + page.rng.randint(-foot // 6, foot // 6)))
            points.append(f"{i * width // 12} {y}")
        marks += f'<path d="M{"L".join(points)}" stroke="{tint}" stroke-width="2" fill="none"/>'
    return _frame(width, height, marks)


def _chart(page: Page, title: str, width: int, height: int) -> str:
    corner = (
        page.tool("download", 16, "card icon", relation=(f"Download the chart {title}", f"Export the data of {title}"))
        + page.tool("expand", 16, "card icon", relation=(f"Enlarge the chart {title}", f"Show {title} full screen"))
        + page.tool("kebab", 16, "card icon", relation=f"Open the menu of the chart {title}")
    )
    keys, tints = "", page.rng.sample(TINTS, 2)
    for year, tint in zip(("2030", "2031"), tints, strict=True):
        check = page.target("legend key", relation=f"Hide {year} in the chart {title}")
        keys += f'<span class="row g4 sm"><i style="width:12px;height:12px;background:{tint}"{check}></i>{year}</span>'
    draw = page.rng.choice([bars, _lines])(page, width - 34, height - 86, tints)
    attr = page.target("chart", function=(f"Click into the plot of {title}", f"Show the values in the chart {title}"))
    return (
        f'<div class="card col none p16 g8" style="width:{width}px;height:{height}px"><div class="row g8"><b class="grow">{title}</b>'
        f'<span class="row g8 muted">{corner}</span></div><div style="height:{height - 86}px"{attr}>{draw}</div><div class="row g16">{keys}</div></div>'
    )


def _figures(page: Page, names: list[str], total: int) -> str:
    width = (total - 12 * (len(names) - 1)) // len(names)
    cards = ""
    for name in names:
        info = page.tool(
            "info", 14, "info icon", relation=(f"Explain the figure {name}", f"Show how {name} is counted")
        )
        attr = page.target("figure card", name=f"Open the {name} card", function=f"See the details of {name}")
        cards += (
            f'<div class="card col none p12 g4" style="width:{width}px;height:92px"{attr}><span class="row"><span class="grow muted">{name}</span>'
            f'<span class="muted">{info}</span></span><span class="xl b">{page.rng.randint(100, 99999):,}</span><span class="sm accent">'
            f"{page.rng.choice(['up', 'down'])} {page.rng.randint(1, 40)} % on last month</span></div>"
        )
    return f'<div class="row none g12">{cards}</div>'


def _alerts(page: Page, width: int, height: int) -> str:
    rows = ""
    for text in page.words("subject", (height - 60) // 44):
        done = page.tool(
            "close", 14, "alert close", relation=(f"Dismiss the alert “{text}”", f"Clear “{text}” from the alerts")
        )
        icon = page.rng.choice(["warn", "info", "bell"])
        rows += (
            f'<div class="row none bt g8" style="height:44px">{page.icon(icon)}<span class="col grow"><span class="clip">{text}</span>'
            f'<span class="sm muted">{page.rng.randint(2, 59)} minutes ago</span></span><span class="muted">{done}</span></div>'
        )
    return f'<div class="card col none p16" style="width:{width}px;height:{height}px"><b style="height:28px">Alerts</b>{rows}</div>'


def build(page: Page) -> str:
    """Body of the dashboard."""
    rail = ""
    for icon, say in [("home", "Go to the start page"), ("chart", "Show the reports"), ("users", "Show the team"), ("calendar", "Show the calendar"),
                      ("mail", "Show the messages"), ("gear", "Open the dashboard settings"), ("help", "Open the manual")]:  # fmt: skip
        rail += page.tool(icon, 23, "navigation icon", function=say)
    total = page.width - 56 - 32
    metrics = page.words("metric", 8)
    figures = _figures(page, metrics[: 4 if page.width < 1900 else 6], total)
    cols = 2 if page.width < 1900 else 3
    alert_w = 300
    chart_w = (total - alert_w - 12 * cols) // cols
    rows = 2 if page.height < 1200 else 3
    chart_h = (page.height - 65 - 48 - 92 - 62 - 12 * rows) // rows
    titles = page.rng.sample([f"{a} by {b}" for a in metrics[:5] for b in ("week", "region", "team")], rows * cols)
    charts = "".join(_chart(page, title, chart_w, chart_h) for title in titles)
    alerts = _alerts(page, alert_w, chart_h * rows + 12 * (rows - 1))
    spans = "".join(
        f'<button class="ib box" style="height:22px;padding:0 8px"{page.target("range button", label=t, name=f"Show the range {t}")}>{t}</button>'
        for t in ("Day", "Week", "Month", "Year")
    )
    head = (
        f'<div class="row none g8" style="height:32px"><b class="xl grow">{page.word("company")}</b>{spans}'
        f"{page.tool('calendar', 22, 'header icon', css='box', function='Choose other dates')}"
        f"{page.tool('share', 22, 'header icon', css='box', function='Share the dashboard')}"
        f"{page.tool('plus', 22, 'header icon', css='box', function='Add a chart to the dashboard')}</div>"
    )
    plots = f'<div class="row none g12" style="flex-wrap:wrap;width:{total - alert_w - 12}px;align-content:flex-start">{charts}</div>'
    body = [plots, alerts] if page.rng.random() < 0.6 else [alerts, plots]
    return page.browser("Dashboard", "stats.beacon.example/overview") + (
        f'<div class="row grow" style="align-items:stretch"><div class="col none bar br p16 g16" style="width:56px;align-items:center">{rail}</div>'
        f'<div class="col grow p16 g12">{head}{figures}<div class="row none g12" style="align-items:flex-start">{"".join(body)}</div></div></div>'
    )
