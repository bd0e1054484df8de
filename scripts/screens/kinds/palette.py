"""A drawing program: a tool box, option bar, swatches, layers with eyes and locks, a canvas, a strip of templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screens.page import Page

_TOOLS = [
    ("pointer", "Pick the selection tool"), ("hand", "Pick the hand tool to pan"), ("pen", "Pick the pen tool"),
    ("brush", "Pick the brush"), ("eraser", "Pick the eraser"), ("bucket", "Pick the paint bucket"),
    ("dropper", "Pick the colour picker"), ("rect", "Pick the rectangle tool"), ("ellipse", "Pick the ellipse tool"),
    ("line", "Pick the line tool"), ("polygon", "Pick the polygon tool"), ("text", "Pick the text tool"),
    ("crop", "Pick the crop tool"), ("rotate", "Pick the rotate tool"), ("fliph", "Mirror left to right"),
    ("flipv", "Mirror top to bottom"), ("ruler", "Pick the measuring tool"), ("group", "Group the selected shapes"),
    ("spline", "Pick the curve tool"), ("spray", "Pick the spray can"), ("zoomin", "Pick the magnifier"), ("star", "Pick the star tool"),
]  # fmt: skip
_SHAPES = [
    ("orange", "#f76707"),
    ("green", "#37b24d"),
    ("blue", "#1c7ed6"),
    ("purple", "#ae3ec9"),
    ("red", "#e03131"),
    ("yellow", "#fcc419"),
]
_ROWS = ["first", "second", "third", "fourth", "fifth"]
_COLS = [*_ROWS, "sixth", "seventh", "eighth"]


def _toolbox(page: Page) -> str:
    tools = list(_TOOLS)
    page.rng.shuffle(tools)
    buttons = "".join(
        page.tool(icon, 22, "tool", css="on" if i == 2 else "", function=say) for i, (icon, say) in enumerate(tools)
    )
    return f'<div class="row none panel p8 g4 br" style="width:66px;flex-wrap:wrap;align-content:flex-start">{buttons}</div>'


def _swatches(page: Page) -> str:
    base = page.rng.randint(0, 359)
    cells = ""
    for row, row_name in enumerate(_ROWS):
        for col, col_name in enumerate(_COLS):
            attr = page.target(
                "swatch",
                position=(
                    f"Pick the colour swatch in row {row + 1}, column {col + 1}",
                    f"Click the {col_name} swatch of the {row_name} row",
                ),
            )
            colour = f"hsl({(base + col * 45) % 360},70%,{22 + row * 14}%)"
            cells += f'<i style="width:18px;height:18px;background:{colour};border:1px solid var(--line)"{attr}></i>'
    more = page.tool("plus", 16, "panel button", function="Add a colour to the swatches")
    return (
        f'<div class="col none g8 p12 bb"><div class="row"><b class="grow sm">Swatches</b>{more}</div><div class="row" '
        f'style="flex-wrap:wrap;gap:6px;width:192px">{cells}</div></div>'
    )


def _layers(page: Page) -> str:
    rows = ""
    for name in page.words("layer", min(9, (page.height - 420) // 34)):
        eye = page.tool("eye", 16, "layer eye", relation=(f"Hide the layer {name}", f"Switch off the layer {name}"))
        lock = page.tool("lock", 14, "layer lock", relation=(f"Lock the layer {name}", f"Protect the layer {name}"))
        rows += (
            f'<div class="row none g8 bb" style="height:32px;padding:0 12px">{eye}<span style="width:26px;height:20px;overflow:hidden">'
            f'{page.scene(26, 20)}</span><span class="grow clip">{name}</span><span class="muted">{lock}</span></div>'
        )
    foot = ""
    for icon, say in [
        ("plus", "Add a new layer"),
        ("copy", "Duplicate the layer"),
        ("trash", "Delete the layer"),
        ("layers", "Merge the layers"),
    ]:
        foot += page.tool(icon, 18, "panel button", function=say)
    return (
        f'<div class="col grow"><b class="sm" style="padding:10px 12px">Layers</b>{rows}</div>'
        f'<div class="row none g12 p8 bt" style="justify-content:flex-end">{foot}</div>'
    )


def _canvas(page: Page, width: int, height: int) -> str:
    rng = page.rng
    shapes = ""
    cols = 3
    cell_w, cell_h = (width - 60) // cols, (height - 84) // 2
    picked = rng.sample(_SHAPES, 6)
    lines = page.words("subject", 6)
    for number, (name, colour) in enumerate(picked):
        w, h = rng.randint(cell_w // 2, cell_w * 7 // 8), rng.randint(max(64, cell_h // 2), cell_h * 7 // 8)
        x = 30 + number % cols * cell_w + rng.randint(0, cell_w - w - 10)
        y = 74 + number // cols * cell_h + rng.randint(0, cell_h - h - 10)
        attr = page.target("shape", name=f"Select the {name} box", function=f"Click on the {name} shape on the canvas")
        art = page.icon(
            rng.choice(["home", "truck", "sun", "globe", "camera", "music", "key", "place"]), min(w, h) // 3
        )
        shapes += (
            f'<div class="col" style="position:absolute;left:{x}px;top:{y}px;width:{w}px;height:{h}px;background:{colour};'
            f'color:#fff;padding:10px;justify-content:space-between;border-radius:6px"{attr}>{art}'
            f'<b class="clip">{lines[number]}</b></div>'
        )
    title = f'<div style="position:absolute;left:30px;top:22px;font-size:28px;color:#222">{page.word("event")}, {page.word("city")}</div>'
    return (
        f'<div style="position:relative;width:{width}px;height:{height}px;background:#fff;border:1px solid var(--line);flex:none">'
        f"{title}{shapes}</div>"
    )


def _templates(page: Page, space: int) -> str:
    cards = ""
    names = page.rng.sample(
        [
            "Poster",
            "Postcard",
            "Banner",
            "Icon set",
            "Flyer",
            "Sticker",
            "Book cover",
            "Ticket",
            "Menu card",
            "Name badge",
        ],
        8,
    )
    for name in names[: space // 150]:
        attr = page.target(
            "template card", label=name, name=f"Open the {name} template", function=f"Start from the template {name}"
        )
        cards += (
            f'<div class="card col none" style="width:136px;overflow:hidden"{attr}>{page.scene(136, 74)}'
            f'<span class="sm p4 clip">{name}</span></div>'
        )
    close = page.tool("close", 14, "panel close", function="Close the template strip")
    return (
        f'<div class="col none panel bt p8 g8"><div class="row"><b class="sm grow">Templates</b>{close}</div>'
        f'<div class="row g12">{cards}</div></div>'
    )


def _options(page: Page) -> str:
    out = ""
    for icon, say in [("undo", "Undo the last stroke"), ("redo", "Redo the last stroke"), ("zoomin", "Enlarge the view"), ("zoomout", "Shrink the view"),
                      ("grid", "Show the grid"), ("magnet", "Snap to the grid"), ("left", "Align the shapes to the left"),
                      ("center", "Centre the shapes"), ("right", "Align the shapes to the right"), ("save", "Save the drawing"),
                      ("download", "Export the drawing"), ("print", "Print the drawing")]:  # fmt: skip
        out += page.tool(icon, 22, "option bar button", function=say)
    sliders = "".join(
        f'<span class="sm muted">{name}</span><span style="width:110px;height:4px;background:var(--line)"><i style="display:block;height:4px;'
        f'width:{page.rng.randint(20, 90)}%;background:var(--accent)"></i></span>'
        for name in ("Size", "Opacity", "Softness")
    )
    return f'<div class="row none bar g8" style="padding:4px 10px">{out}<span class="sep"></span>{sliders}</div>'


def _history(page: Page) -> str:
    if page.width < 1600:
        return ""
    cards = ""
    for number in range(1, (page.height - 150) // 112 + 1):
        attr = page.target(
            "version card", name=f"Go back to version {number}", function=f"Restore version {number} of the drawing"
        )
        cards += (
            f'<div class="card row none p8 g12" style="height:104px"{attr}>{page.scene(86, 86)}'
            f'<span class="col"><b>Version {number}</b><span class="sm muted">{page.rng.randint(2, 59)} min ago</span></span></div>'
        )
    return f'<div class="col none panel bl p12 g8" style="width:240px"><b class="sm">History</b>{cards}</div>'


def build(page: Page) -> str:
    """Body of the drawing program."""
    side = page.width - 66 - 220 - (240 if page.width >= 1600 else 0)
    canvas = _canvas(page, side - 80, page.height - 32 - 27 - 32 - 124 - 60)
    right = f'<div class="col none panel bl" style="width:220px">{_swatches(page)}{_layers(page)}</div>'
    return (
        page.titlebar(f"{page.word('layer')} study - Easel")
        + page.menus("File", "Edit", "Object", "Path", "Filters", "View", "Help")
        + _options(page)
        + f'<div class="row grow" style="align-items:stretch">{_toolbox(page)}<div class="col grow"><div class="row grow sunk" '
        f'style="justify-content:center">{canvas}</div>{_templates(page, side)}</div>{_history(page)}{right}</div>'
    )
