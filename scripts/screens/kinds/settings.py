"""System settings: categories, switches, info and reset icons, theme and account cards, accent colours."""

from __future__ import annotations

from screens.page import TINTS, Page

_SWITCHES = {
    "Display": ["Night light", "Adaptive brightness", "Reduce motion", "Large cursor", "Show seconds in the clock", "Dim when idle", "Smooth scrolling"],
    "Network": ["Wireless", "Airplane mode", "Metered connection", "Wake on network", "Share this connection", "Use a proxy", "Private address"],
    "Sound": ["Startup sound", "Mono audio", "Loudness limit", "Noise removal", "Key clicks", "Spatial sound", "Mute when locked"],
    "Privacy": ["Location", "Camera access", "Crash reports", "Search history", "Screen sharing", "Guest account", "Lock when away"],
}  # fmt: skip
_SIDE = [("home", "Overview"), ("display", "Display"), ("wifi", "Network"), ("volume", "Sound"), ("lock", "Privacy"), ("keyboard", "Keyboard"), ("bell", "Alerts"),
         ("users", "Accounts"), ("print", "Printers"), ("clock", "Date and time"), ("globe", "Language"), ("shield", "Updates"), ("info", "About")]  # fmt: skip


def _switch(page: Page, name: str) -> str:
    on = page.rng.random() < 0.5
    toggle = page.target("switch", name=f"Toggle {name}", function=f"Turn {name} {'off' if on else 'on'}")
    info = page.tool("info", 14, "info icon", relation=(f"Show more about {name}", f"Click the info icon of {name}"))
    reset = page.tool("undo", 16, "reset icon", relation=(f"Reset {name} to its default", f"Undo the change of {name}"))
    return (
        f'<div class="row none bb g12" style="height:46px;padding:0 16px"><span class="col grow"><span class="row g8"><b>{name}</b>'
        f'<span class="muted">{info}</span></span></span><span class="muted">{reset}</span><span class="tg {"on" if on else ""}"{toggle}><i></i>'
        f"</span></div>"
    )


def _themes(page: Page) -> str:
    cards = ""
    names = page.rng.sample(
        ["Daylight", "Dusk", "Forest", "Slate", "Desert", "Ocean", "Paper", "Midnight"], 4 if page.width < 1500 else 6
    )
    for name in names:
        attr = page.target(
            "theme card", label=name, name=f"Choose the {name} theme", function=f"Switch the desktop to the look {name}"
        )
        cards += f'<div class="card col grow fill" style="overflow:hidden"{attr}>{page.scene(220, 84)}<span class="p8">{name}</span></div>'
    dots = ""
    for number, tint in enumerate(page.rng.sample(TINTS, 8), 1):
        attr = page.target(
            "accent swatch",
            position=(f"Pick accent colour number {number} from the left", f"Choose the accent swatch number {number}"),
        )
        dots += f'<i style="width:20px;height:20px;border-radius:4px;background:{tint}"{attr}></i>'
    return f'<b class="none lg">Theme</b><div class="row none g12">{cards}</div><div class="row none g12"><span class="muted">Accent colour</span>{dots}</div>'


def _devices(page: Page) -> str:
    cards = ""
    for who in page.people(3 if page.width < 1500 else 5):
        attr = page.target("account card", name=f"Open the account of {who}")
        drop = page.tool(
            "close", 14, "card close", relation=(f"Remove the account of {who}", f"Delete the card of {who}")
        )
        cards += (
            f'<div class="card row grow p12 g12" style="height:76px"{attr}>{page.avatar(who, 40)}<span class="col grow"><b class="clip">{who}</b>'
            f'<span class="sm muted">Standard user</span></span><span class="muted" style="align-self:flex-start">{drop}</span></div>'
        )
    return f'<b class="none lg">People on this computer</b><div class="row none g12">{cards}</div>'


def _details(page: Page, spare: int) -> str:
    if spare < 150:
        return ""
    cards = ""
    for icon, name in [
        ("refresh", "Check for updates"),
        ("save", "Back up now"),
        ("key", "Change password"),
        ("help", "Get support"),
    ]:
        attr = page.target("action card", label=name, name=f"Click {name}")
        cards += f'<div class="card col grow p16 g12"{attr}><span class="accent">{page.icon(icon, 32)}</span><b>{name}</b></div>'
    return f'<b class="none lg">Maintenance</b><div class="row none g12">{cards}</div>'


def build(page: Page) -> str:
    """Body of the settings page."""
    rng = page.rng
    topic = rng.choice(sorted(_SWITCHES))
    side = ""
    for icon, name in _SIDE:
        on = "on" if name == "Overview" else ""
        attr = "" if on else page.target("category", label=name, name=f"Open the {name} settings")
        side += f'<div class="nav {on}"{attr}>{page.icon(icon)}<span>{name}</span></div>'
    names = rng.sample(_SWITCHES[topic], 5 if page.height < 1000 else 7)
    if page.height >= 1300:
        names += rng.sample(_SWITCHES[rng.choice([t for t in sorted(_SWITCHES) if t != topic])], 6)
    switches = "".join(_switch(page, name) for name in names)
    parts = [
        _themes(page),
        f'<b class="none lg">{topic} options</b><div class="card col none">{switches}</div>',
        _devices(page),
    ]
    if rng.random() < 0.5:
        parts.reverse()
    spare = page.height - 520 - 46 * len(names)
    find = page.tool("search", 16, "field icon", function="Search the settings")
    back = page.tool("prev", 20, "header button", function="Go back one level")
    pin = page.tool("pin", 18, "header button", function="Pin this page to the start menu")
    link = page.tool("link", 18, "header button", function="Copy a link to this page")
    head = f'<div class="row none g12">{back}<b class="xl grow">Overview</b>{pin}{link}</div>'
    wide = min(1500, page.width - 320)
    return page.titlebar("Settings") + (
        f'<div class="row grow" style="align-items:stretch"><div class="col none panel br p12 g4" style="width:230px"><span class="row inp g8">'
        f'<span class="grow muted">Find a setting</span>{find}</span><div style="height:8px"></div>{side}</div><div class="col grow g12" '
        f'style="padding:16px 32px"><div class="col g12" style="width:{wide}px">{head}{"".join(parts)}{_details(page, spare)}</div></div></div>'
    )
