"""A checkout form: fields with help icons, delivery and payment cards, steppers in the basket, a large button."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screens.page import Page


def _field(page: Page, label: str, value: str, extra: str = "") -> str:
    info = page.tool(
        "help",
        14,
        "help icon",
        relation=(f"Show the help for the field {label}", f"Click the question mark beside {label}"),
    )
    return (
        f'<div class="col grow g4"><span class="row g4 sm">{label}<span class="muted">{info}</span></span>'
        f'<span class="row inp g8"><span class="grow clip">{value}</span>{extra}</span></div>'
    )


def _cards(page: Page, kind: str, options: list[tuple[str, str, str]]) -> str:
    out = ""
    chosen = page.rng.randrange(len(options))
    for number, (icon, name, text) in enumerate(options):
        border = "border:2px solid var(--accent)" if number == chosen else ""
        attr = page.target(f"{kind} card", label=name, name=f"Choose {name}", function=f"Set the {kind} to {name}")
        out += (
            f'<div class="card row grow g12 p12" style="height:76px;{border}"{attr}><span class="accent">{page.icon(icon, 28)}</span>'
            f'<span class="col grow"><b>{name}</b><span class="muted sm clip">{text}</span></span></div>'
        )
    return f'<div class="row none g12">{out}</div>'


def _basket(page: Page) -> str:
    rows = ""
    count = 3 if page.height < 850 else 5 if page.height < 1200 else 8
    for name in page.words("product", count):
        less = page.tool(
            "minus", 18, "stepper", css="box", relation=(f"Take one {name} less", f"Reduce the number of the {name}")
        )
        more = page.tool(
            "plus", 18, "stepper", css="box", relation=(f"Add one more {name}", f"Raise the number of the {name}")
        )
        drop = page.tool("close", 14, "row action", relation=(f"Remove the {name} from the basket", f"Drop the {name}"))
        photo = page.target("product photo", relation=f"Look at the photo of the {name}")
        rows += (
            f'<div class="row none bb g12" style="height:88px"><div style="width:72px;height:68px"{photo}>{page.scene(72, 68)}</div>'
            f'<div class="col grow g8"><b class="clip">{name}</b><span class="row g8">{less}<span>{page.rng.randint(1, 9)}</span>{more}'
            f"</span></div><span>{page.rng.randint(9, 140)}.00</span>{drop}</div>"
        )
    code = page.target("button", name="Click Apply", function="Apply the voucher code", label="Apply")
    pay = page.target("button", label="Pay now", name="Click Pay now", function="Place the order")
    return (
        f'<div class="card col none p16 g12" style="width:{380 if page.width < 1800 else 480}px"><b class="lg">Your basket</b>'
        f'<div class="col">{rows}</div><div class="row g8"><input class="inp" value="Voucher code"><button class="btn"{code}>Apply</button>'
        f'</div><div class="row"><span class="grow">Total</span><b class="xl">{page.rng.randint(90, 900)}.00</b></div>'
        f'<button class="btn pri big"{pay}>{page.icon("lock")}Pay now</button></div>'
    )


def _address(page: Page) -> str:
    first, last = page.word("first"), page.word("last")
    pick = page.tool(
        "calendar", 16, "field icon", function=("Open the date picker", "Choose the delivery date from a calendar")
    )
    find = page.tool("place", 16, "field icon", function="Fill in the address from the current place")
    rows = [
        [_field(page, "First name", first), _field(page, "Last name", last)],
        [
            _field(page, "Street", f"{page.word('last')} Street {page.rng.randint(1, 99)}", find),
            _field(page, "Door code", ""),
        ],
        [_field(page, "Postcode", str(page.rng.randint(10000, 99999))), _field(page, "Town", page.word("city"))],
        [_field(page, "E-mail", f"{first}.{last}@mail.example".lower()), _field(page, "Phone", "+49 30 555 0101")],
        [
            _field(page, "Delivery date", f"2031-0{page.rng.randint(1, 9)}-1{page.rng.randint(0, 9)}", pick),
            _field(page, "Note", ""),
        ],
    ]
    return "".join(f'<div class="row none g16">{"".join(pair)}</div>' for pair in rows)


def build(page: Page) -> str:
    """Body of the form page."""
    rng = page.rng
    ways = [("truck", "Standard delivery", "3 to 5 days, 4.90"), ("clock", "Express delivery", "Tomorrow, 12.50"),
            ("place", "Collect in store", "Ready in two hours, free")]  # fmt: skip
    means = [("card", "Credit card", "All major cards"), ("file", "Invoice", "Due in 14 days"), ("phone", "Phone wallet", "Scan and confirm"),
             ("tag", "Gift card", "Use your balance")]  # fmt: skip
    rng.shuffle(ways)
    rng.shuffle(means)
    boxes = ""
    for text in rng.sample(["Gift wrap", "Billing address is the same", "Send me the newsletter", "Save these details",
                            "Leave with a neighbour", "Plastic-free packing"], 4):  # fmt: skip
        check = page.check(on=rng.random() < 0.4, name=(f"Tick “{text}”", f"Toggle the check box “{text}”"))
        boxes += f'<span class="row g8">{check}{text}</span>'
    nav = "".join(
        page.tool(icon, 22, "header icon", function=say)
        for icon, say in [
            ("search", "Search the shop"),
            ("user", "Open my account"),
            ("bell", "Show notifications"),
            ("help", "Get help with the order"),
        ]
    )
    left = (
        f'<div class="col grow g12"><b class="lg none">Delivery address</b>{_address(page)}<b class="lg none">Delivery</b>'
        f'{_cards(page, "delivery", ways)}<b class="lg none">Payment</b>{_cards(page, "payment", means[: 3 if page.width < 1500 else 4])}'
        f'<div class="row none g24" style="flex-wrap:wrap">{boxes}</div></div>'
    )
    halves = [left, _basket(page)]
    if rng.random() < 0.35:
        halves.reverse()
    margin = max(24, (page.width - 1560) // 2)
    head = (
        f'<div class="row none bar g24" style="height:52px;padding:0 {margin}px"><b class="xl accent">Hearth & Home</b>'
        f'<span>Kitchen</span><span>Garden</span><span>Bedroom</span><span>Sale</span><span class="grow"></span>{nav}</div>'
    )
    return (
        page.browser("Checkout", "shop.hearth.example/checkout")
        + head
        + f'<div class="row grow g24" style="align-items:flex-start;'
        f'padding:18px {margin}px">{"".join(halves)}</div>'
    )
