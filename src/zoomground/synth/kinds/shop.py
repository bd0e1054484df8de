"""A web shop in a browser: tabs, address bar, filters, a grid of products with small tools, the cart."""

from __future__ import annotations

from dataclasses import dataclass, field

from zoomground.synth.fitting import FILL, divider, known, pile, shelf
from zoomground.synth.graph import TINTS, Box, Element, Node, Part, Picture, Role, Text
from zoomground.synth.pictures import SERIES, plain, product
from zoomground.synth.scene import Scene
from zoomground.synth.widgets import check, column, record, row, spring, states, tab_and_cross, tile, tool
from zoomground.synth.widgets import field as box
from zoomground.synth.worded import worded_button, worded_tool

_SYLLABLES = ("no", "ra", "vel", "to", "ki", "mar", "len", "so", "bri", "tan", "del", "fu", "pol", "ne", "ga", "ri")


@dataclass(slots=True)
class _Plan:
    """Sizes of one window, and the brands it sells."""

    scene: Scene
    tool_px: float
    line_px: float
    gap_px: float
    side_px: float
    cart_px: float
    brands: list[str]
    sold: list[str] = field(default_factory=list)


def build(scene: Scene) -> Box:
    """The program, to fill a window."""
    brands = sorted({_brand(scene) for _ in range(14)})
    plan = _Plan(
        scene, scene.between(26, 18), scene.between(28, 20), scene.between(18, 9),
        scene.between(250, 185) if scene.width > 900 else 0.0, scene.between(320, 250) if scene.width > 2000 else 0.0,
        brands,
    )  # fmt: skip
    chrome = _browser(plan)
    head_px, nav_px, bar_px = 58.0, 34.0, 38.0
    room = scene.height - 36 - 36 - 28 - head_px - nav_px - bar_px - plan.tool_px - 3 * plan.gap_px
    width = scene.width - plan.side_px - plan.cart_px - 2 * plan.gap_px
    middle = column(_bar(plan, bar_px), _grid(plan, width, room), _pages(plan), gap_px=plan.gap_px, grow=1,
                    css=f"padding:0 {plan.gap_px:g}px {plan.gap_px:g}px")  # fmt: skip
    parts = [*([_filters(plan)] if plan.side_px else []), middle, *([_cart(plan)] if plan.cart_px else [])]
    page = row(*parts, gap_px=0, grow=1, css="align-items:stretch")
    inside = (*chrome, _head(plan, head_px), _departments(plan, nav_px), page)
    return column(*inside, gap_px=0, grow=1, css="overflow:hidden")


def _brand(scene: Scene) -> str:
    return "".join(scene.rng.sample(_SYLLABLES, scene.rng.randint(2, 3))).title()


def _browser(plan: _Plan) -> list[Node]:
    scene = plan.scene
    count = min(14, max(3, int(scene.width // 210)) - scene.rng.randint(0, 2))
    chosen = scene.rng.randrange(count)
    wide = min(230.0, (scene.width - 60) / count)
    tabs: list[Node] = [_tab(plan, wide, on=at == chosen) for at in range(count)]
    strip = shelf([*tabs, worded_tool(scene, "plus", "shop_newtab", size_px=22)], 36, 32, part=Part.TABLIST, gap_px=1)
    place = f"{scene.rng.randint(10, 99)}/list?page={scene.rng.randint(1, 9)}"
    site = f"https://www.{_brand(scene).lower()}-shop.example/{place}"
    address = box(
        scene.say("shop_address"), value=site, icon="lock", size_px=27, css="flex:1", goals=scene.goals("shop_address")
    )
    tools: list[Node] = [known(scene, icon, size_px=26) for icon in ("prev", "next", "refresh", "home")]
    extras: list[Node] = [
        known(scene, icon, size_px=24) for icon in ("bookmark", "download", "shield", "blocks", "palette", "camera")
    ]
    ends = [known(scene, icon, size_px=24) for icon in ("user", "dots")]
    bar = Box((*tools, address, *extras, divider(18), *ends),
              Part.TOOLBAR, flow="row", gap_px=3, css="height:36px;padding:0 8px")  # fmt: skip
    links = [
        Element(Role.LINK, scene.title(1, 2), "star", css="font-size:.88em;color:inherit;padding:0 5px;flex:none")
        for _ in range(int(scene.width // 130))
    ]
    marks = shelf(links, 28, 22, part=Part.TOOLBAR)
    return [strip, bar, marks]


def _tab(plan: _Plan, width: float, *, on: bool) -> Node:
    scene = plan.scene
    title = scene.title(2, 4)
    one = Element(
        Role.TAB, title, states=states(selected=on), size_px=32, css="flex:1 1 0;min-width:0;padding:0 4px 0 8px"
    )
    cross = tool("close", scene.say("shop_closetab"), size_px=18, thing=scene.say("shop_closetab"))
    css = f"width:{width:.0f}px;height:32px;border-right:1px solid var(--zg-line);padding-right:4px"
    return tab_and_cross(one, cross, gap_px=0, css=css)


def _head(plan: _Plan, height: float) -> Node:
    scene = plan.scene
    mark = Picture(plain(scene.rng.choice(SERIES)), "width:28px;height:28px;border-radius:8px")
    area = scene.rng.choice(scene.choices("shop_departments"))
    search = row(
        box(scene.say("shop_area"), value=area, role=Role.COMBOBOX, width_px=120, size_px=32),
        box(scene.say("shop_find"), role=Role.SEARCHBOX, icon="search", size_px=32, css="flex:1"),
        gap_px=0, grow=1, css="max-width:900px",
    )  # fmt: skip
    tools: list[Node] = [
        worded_button(scene, "shop_account", icon="user", size_px=32), worded_tool(scene, "heart", size_px=30),
        worded_tool(scene, "compare", size_px=30), worded_button(scene, "shop_basket", icon="cart", size_px=32),
    ]  # fmt: skip
    return row(mark, Text(_brand(scene), "large strong"), search, spring(), *tools, gap_px=12,
               css=f"height:{height:g}px;padding:0 16px;background:var(--zg-panel);overflow:hidden")  # fmt: skip


def _departments(plan: _Plan, height: float) -> Node:
    links = [
        Element(Role.LINK, name, css="padding:0 10px;font-weight:bold;font-size:.93em;color:inherit;flex:none")
        for name in plan.scene.choices("shop_departments")
    ]
    return shelf(links, height, 22, css="background:var(--zg-bar);border-bottom:1px solid var(--zg-line);")


def _bar(plan: _Plan, height: float) -> Node:
    scene = plan.scene
    label = scene.say("shop_sort")
    parts: list[Node] = [
        Text(scene.rng.choice(scene.choices("shop_departments")), "large strong"),
        Text(scene.say("shop_results", count=scene.number(40, 9000)), "muted small"), spring(), Text(label, "small"),
        box(label, value=scene.rng.choice(scene.choices("shop_sorts")), role=Role.COMBOBOX, width_px=170,
            size_px=plan.line_px, goals=scene.goals("shop_sort")),
        known(scene, "grid", size_px=plan.tool_px, on=True), known(scene, "list", size_px=plan.tool_px),
    ]  # fmt: skip
    return row(*parts, gap_px=8, css=f"height:{height:g}px")


def _group(title: str, children: list[Node], *, gap_px: float = 4.0) -> Box:
    return Box((Text(title, "strong small"), *children), Part.PANEL, title, named_on_screen=True, gap_px=gap_px,
               css=f"{FILL}border:0;border-bottom:1px solid var(--zg-line);padding:8px 2px")  # fmt: skip


def _filters(plan: _Plan) -> Node:
    scene = plan.scene
    price = row(
        box(scene.say("shop_from"), value=str(scene.rng.randint(1, 40)), role=Role.SPINBUTTON, size_px=plan.line_px,
            css="flex:1;width:40px"),
        Text("–"),
        box(scene.say("shop_to"), value=str(scene.rng.randint(90, 900)), role=Role.SPINBUTTON, size_px=plan.line_px,
            css="flex:1;width:40px", goals=scene.goals("shop_price")),
    )  # fmt: skip
    slider = box(scene.say("shop_price"), value="60", role=Role.SLIDER, css=FILL)
    stars: list[Node] = [
        check(scene.say("shop_stars", number=number), role=Role.RADIO, on=number == 4) for number in (4, 3, 2)
    ]
    sizes = row(
        *(_chip(size, plan.line_px) for size in ("XS", "S", "M", "L", "XL", "XXL")), gap_px=4, css="flex-wrap:wrap"
    )
    colours = row(*(_swatch(scene, tint, plan.tool_px) for tint in TINTS), gap_px=5, css="flex-wrap:wrap")
    names = scene.choices("shop_filters")
    groups = [
        _group(scene.say("shop_price"), [slider, price]), _group(names[0], _checks(scene, plan.brands[:8])),
        _group(scene.say("shop_colour"), [colours]), _group(scene.say("shop_rating"), stars),
        _group(scene.say("shop_size"), [sizes]),
        *(_group(names[at], _checks(scene, scene.choices(f"shop_filter_{at}"))) for at in range(1, 8)),
    ]  # fmt: skip
    if scene.height > 1300:
        groups.append(_group(names[0], _checks(scene, plan.brands[8:])))
    return Box((pile(groups),), Part.SIDEBAR, pad_px=9, css=f"width:{plan.side_px:g}px")


def _checks(scene: Scene, names: list[str]) -> list[Node]:
    return [
        row(check(name, on=scene.chance(0.15)), spring(), Text(f"({scene.rng.randint(1, 400)})", "muted small"))
        for name in names
    ]


def _chip(text: str, height: float) -> Element:
    return Element(Role.BUTTON, text, size_px=height, css="padding:0 8px;min-width:0;font-size:.88em")


def _swatch(scene: Scene, tint: str, side: float) -> Element:
    name = scene.choices("shop_colours")[list(TINTS).index(tint)]
    css = f"width:{side:g}px;height:{side:g}px;min-width:0;min-height:0;padding:0;border-radius:50%"
    return Element(Role.BUTTON, label=name, tint=tint, thing=name, css=css)


def _grid(plan: _Plan, width: float, room: float) -> Node:
    scene = plan.scene
    wide, tall = scene.between(290, 190), scene.between(340, 240)
    across = max(1, int((width + plan.gap_px) // (wide + plan.gap_px)))
    down = max(1, int((room + plan.gap_px) // (tall + plan.gap_px)))
    each = (width - (across - 1) * plan.gap_px) / across
    cards = [_card(plan, each) for _ in range(across * down)]
    css = f"grid-template-columns:repeat({across},minmax(0,1fr));grid-template-rows:repeat({down},minmax(0,1fr))"
    return Box(tuple(cards), flow="grid", gap_px=plan.gap_px, grow=1, css=f"{css};overflow:hidden")


def _goods(plan: _Plan) -> str:
    scene = plan.scene
    goods = scene.choices("shop_goods")
    for _ in range(50):
        name = f"{scene.rng.choice(goods)} {scene.rng.choice(plan.brands)} {scene.rng.randint(10, 99)}"
        if name not in plan.sold:
            break
    plan.sold.append(name)
    return name


def _card(plan: _Plan, width: float) -> Node:
    scene, side, line = plan.scene, plan.tool_px, plan.line_px
    name = _goods(plan)
    price = scene.rng.uniform(4, 400)
    heart = tool("heart", scene.say("heart"), size_px=side, thing=scene.say("heart"), on=scene.chance(0.15),
                 goals=scene.goals("shop_keep", name=name))  # fmt: skip
    eye = tool("eye", scene.say("shop_quick"), size_px=side, thing=scene.say("shop_quick"))
    tools = Box(
        (heart, known(scene, "compare", size_px=side, thing=True), eye),
        gap_px=3,
        css="right:5px;top:5px;background:var(--zg-panel);border-radius:5px",
    )
    picture = Box((Picture(product(scene.rng), "left:0;top:0;width:100%;height:100%"), tools), flow="stack", grow=1)
    stars = scene.rng.randint(2, 5)
    reviews = scene.say("shop_reviews", number=scene.rng.randint(3, 900))
    tints = scene.rng.sample(list(TINTS), 4 if width > 180 else 3)
    cart = scene.say("cart")
    buy = Element(
        Role.BUTTON, cart, "cart", states=states(primary=True), thing=cart, goals=scene.goals("shop_buy", name=name),
        size_px=line, css="flex:1;min-width:0;padding:0 6px;font-size:.9em",
    )  # fmt: skip
    inside: list[Node] = [
        picture,
        Element(Role.LINK, name, size_px=20, css="font-weight:bold;color:inherit;min-height:0"),
        row(Text("★" * stars + "☆" * (5 - stars), "accent small"),
            Element(Role.LINK, reviews, css="font-size:.82em;min-width:0"), css="overflow:hidden"),
        row(Text(f"{price:.2f} €", "strong"),
            Text(f"{price * 1.2:.2f} €", "muted small", "text-decoration:line-through"), spring(),
            *(_swatch(scene, tint, max(10.0, side - 8)) for tint in tints), gap_px=3),
        row(_amount(scene, 1, line), buy, gap_px=4),
    ]  # fmt: skip
    return Box((tile(name, inside, gap_px=4, css="height:100%;padding:8px"),), Part.CARD, css="min-width:0")


def _amount(scene: Scene, count: int, height: float) -> Element:
    name = scene.say("shop_amount")
    return Element(Role.SPINBUTTON, label=name, value=str(count), thing=name, size_px=height, css="width:48px")


def _pages(plan: _Plan) -> Node:
    scene, side = plan.scene, plan.tool_px
    css = f"padding:0;width:{side + 8:g}px;min-width:0;font-size:.9em"
    chosen = scene.rng.randint(1, 9)
    pages = [
        Element(Role.BUTTON, str(number), size_px=side, states=states(selected=number == chosen), css=css)
        for number in range(1, 10)
    ]
    ends = known(scene, "prev", size_px=side), known(scene, "next", size_px=side)
    return row(spring(), ends[0], *pages, ends[1], spring(), gap_px=3)


def _cart(plan: _Plan) -> Node:
    """What was put into the cart, and what was looked at."""
    scene, side = plan.scene, plan.tool_px
    lines = []
    for _ in range(min(9, int(scene.height // 150))):
        name = _goods(plan)
        one = record(
            name,
            [
                Picture(product(scene.rng), "width:30px;height:30px"),
                column(Text(name, "small"), Text(f"{scene.number(4, 400, 2)} €", "small muted"), gap_px=0, grow=1),
                _amount(scene, scene.rng.randint(1, 4), plan.line_px),
                known(scene, "trash", size_px=side, thing=True),
            ],
            gap_px=6, css="padding:3px 0",
        )  # fmt: skip
        lines.append(one)
    total = row(
        Text(scene.say("shop_total"), "strong"), spring(), Text(f"{scene.rng.uniform(90, 900):.2f} €", "strong")
    )
    coupon = row(box(scene.say("shop_coupon"), size_px=plan.line_px, css="flex:1"), known(scene, "check", size_px=side))
    pay = worded_button(scene, "shop_checkout", kind="primary", icon="card", size_px=plan.line_px + 6, css=FILL)
    seen: list[Node] = [
        row(Picture(product(scene.rng), "width:34px;height:34px"),
            Element(Role.LINK, _goods(plan), css="flex:1;font-size:.9em;min-width:0"), css=f"{FILL}padding:2px 0")
        for _ in range(40)
    ]  # fmt: skip
    return Box(
        (_group(scene.say("shop_basket"), [*lines, total, coupon, pay]),
         Text(scene.say("shop_seen"), "strong small"), pile(seen)),
        Part.SIDEBAR, gap_px=6, pad_px=9, css=f"width:{plan.cart_px:g}px;border-left:1px solid var(--zg-line)",
    )  # fmt: skip
