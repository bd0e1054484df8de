"""The docks of the drawing program: properties, layers, colours, views, history; and what its bars share with them."""

from __future__ import annotations

from dataclasses import dataclass

from zoomground.synth.fitting import FILL, known, pictured, pile, tiles
from zoomground.synth.graph import TINTS, Box, Element, Node, Part, Role, Text
from zoomground.synth.pictures import hsl, plain
from zoomground.synth.scene import Scene
from zoomground.synth.widgets import column, entry, field, record, row, spring, tool

BARS = (
    ("new", "folder", "save", "print", "download", "upload", "share"),
    ("cut", "copy", "paste", "undo", "redo"),
    ("line", "spline", "arc", "ellipse", "rect", "polygon", "spiral", "pen", "brush", "hatch", "gradient", "bucket"),
    ("move", "rotate", "scale", "mirror", "array", "offset", "trim", "extend", "fillet", "chamfer", "explode",
     "fliph", "flipv", "breakpath", "joinpath"),
    ("text", "dimension", "angle", "leader", "table", "ruler", "tag"),
    ("alignleft", "aligncentre", "alignright", "aligntop", "alignmiddle", "alignbottom", "spreadh", "spreadv",
     "tofront", "toback", "raise", "lower"),
    ("union", "subtract", "intersect", "exclude", "group", "ungroup", "mask"),
    ("image", "link", "attach", "blocks", "palette"),
    ("zoomin", "zoomout", "fit", "hand", "grid", "guides", "magnet", "crosshair", "ortho"),
    ("bold", "italic", "underline", "left", "center", "right", "justify"),
)  # fmt: skip
"""Icons of each group, in the order of the words ``cad_groups``."""

DRAW, MODIFY = 2, 3
HUES = (None, 0.0, 0.07, 0.11, 0.15, 0.22, 0.34, 0.47, 0.52, 0.6, 0.66, 0.75, 0.83, 0.92, 0.06, 0.18)
_MOST = {
    5: 40,
    6: 100,
    7: 20,
    8: 4,
    13: 48,
    14: 3,
    15: 2,
    16: 2,
    17: 2,
    18: 45,
    4: 359,
    19: 359,
    20: 359,
    21: 20,
    23: 1,
}
"""Largest plausible values of some properties, by their place in the words."""


@dataclass(slots=True)
class Plan:
    """What one seed decided about the window."""

    scene: Scene
    tool_px: float
    line_px: float
    ribbon: bool
    swatches: bool
    library_px: float
    dock_px: float
    docks: int

    @property
    def bars(self) -> float:
        """Height of the bars on top."""
        return 3 * self.tool_px + 24 + self.line_px + 6 if self.ribbon else 2 * (self.tool_px + 8)


def amount(plan: Plan, number: int, name: str, size_px: float, css: str) -> Element:
    """A field for a number of the properties' list."""
    value = f"{plan.scene.rng.uniform(0, _MOST.get(number, 990)):.1f}"
    return field(name, value=value, role=Role.SPINBUTTON, size_px=size_px, css=css)


def panel(plan: Plan, title: str, children: list[Node], *, css: str = "", grow: float = 0.0) -> Box:
    head = row(
        Text(title, "strong small"), spring(),
        tool("minus", plan.scene.say("minus"), size_px=15, thing=plan.scene.say("minus")),
        tool("close", plan.scene.say("close"), size_px=15, thing=plan.scene.say("close")), gap_px=1,
    )  # fmt: skip
    return Box((head, *children), Part.PANEL, title, named_on_screen=True, gap_px=4, pad_px=7, grow=grow, css=css)


def dock(plan: Plan, height: float, number: int) -> Node:
    titles = plan.scene.choices("cad_panels")
    if number == 0:
        count = min(24, max(6, int(height * 0.45 // (plan.line_px + 3))))
        parts: list[Node] = [_properties(plan, titles[0], count), _layers(plan, titles[1])]
    else:
        parts = [_colours(plan, titles[3]), _views(plan, titles[4])]
    return column(*parts, gap_px=0, css=f"width:{plan.dock_px:g}px;overflow:hidden")


def _properties(plan: Plan, title: str, count: int) -> Node:
    scene = plan.scene
    choices = {9: scene.choices("cad_line_types"), 10: scene.choices("cad_caps"), 11: scene.choices("cad_layers"),
               12: scene.choices("cad_styles")}  # fmt: skip
    rows: list[Node] = []
    for number, name in enumerate(scene.choices("cad_properties")[:count]):
        if number in choices:
            one = field(
                name, value=scene.rng.choice(choices[number]), role=Role.COMBOBOX, size_px=plan.line_px, css="flex:1"
            )
        else:
            one = amount(plan, number, name, plan.line_px, "flex:1;width:40px")
        rows.append(row(Text(name, "small", f"width:{plan.dock_px * 0.42:.0f}px"), one, gap_px=4))
    return panel(plan, title, [column(*rows, gap_px=3)])


def _layers(plan: Plan, title: str) -> Node:
    scene, side = plan.scene, plan.line_px - 2
    names = scene.choices("cad_layers")
    scene.rng.shuffle(names)
    count = int(scene.height // plan.line_px)
    names += [f"{name} {copy}" for copy in range(2, 2 + count // len(names)) for name in names[:36]]
    chosen = scene.rng.randrange(5)
    rows = [_layer(plan, name, side, on=at == chosen) for at, name in enumerate(names[:count])]
    bar = row(
        *(known(scene, icon, size_px=side + 2) for icon in ("plus", "trash", "up", "down")), spring(),
        known(scene, "filter", size_px=side + 2), gap_px=1,
    )  # fmt: skip
    return panel(plan, title, [bar, pile(rows, part=Part.LIST)], grow=1)


def _layer(plan: Plan, name: str, side: float, *, on: bool) -> Node:
    scene = plan.scene
    size = f"width:{side:g}px;height:{side - 3:g}px"
    colour = scene.say("cad_layer_colour")
    tint = scene.rng.choice(list(TINTS))
    if plan.swatches:  # The strip of colours below holds look-alikes: asking by colour would be unfair.
        swatch = pictured(colour, plain(TINTS[tint]), width_px=side, height_px=side - 4, thing=colour)
    else:
        css = f"{size};min-width:0;min-height:0;padding:0;border-radius:1px"
        swatch = Element(Role.BUTTON, label=colour, tint=tint, thing=colour, css=css)
    seen = "eye" if scene.chance(0.8) else "eyeoff"
    fixed = "lock" if scene.chance(0.3) else "unlock"
    return record(
        name,
        [
            known(scene, seen, size_px=side, thing=True),
            known(scene, fixed, size_px=side, thing=True),
            swatch,
            entry(name, role=Role.OPTION, selected=on, size_px=side, css="flex:1;min-height:0;padding:0 5px"),
            Text(f"{scene.rng.choice((0.13, 0.18, 0.25, 0.35, 0.5, 0.7)):.2f}", "small muted"),
            known(scene, "print", size_px=side, thing=True),
        ],
        gap_px=2, css=f"{FILL}height:{plan.line_px:g}px;border-bottom:1px solid var(--zg-line)",
    )  # fmt: skip


def _colours(plan: Plan, title: str) -> Node:
    """A panel of shades, as many as a dock's width takes."""
    side = plan.scene.between(20, 13)
    across = int((plan.dock_px - 16) // (side + 1))
    return panel(plan, title, [tiles(shades(plan, across, side), side, side, gap_px=1)])


def shades(plan: Plan, steps: int, side: float) -> list[Node]:
    kind = plan.scene.say("cad_swatch")
    found: list[Node] = []
    for hue, name in zip(HUES, plan.scene.choices("cad_hues"), strict=True):
        for step in range(steps):
            light = 0.95 - 0.85 * step / max(1, steps - 1)
            colour = hsl(0.0, 0.0, light) if hue is None else hsl(hue, 0.75 if hue not in {0.06, 0.18} else 0.4, light)
            label = f"{name} {round(100 * (step + 1) / steps)} %"
            found.append(pictured(label, plain(colour), width_px=side, height_px=side, thing=kind))
    return found


def _views(plan: Plan, title: str) -> Node:
    scene = plan.scene
    rows: list[Node] = [
        record(name, [entry(name, icon="camera", size_px=plan.line_px, css="flex:1;min-height:0"),
                      known(scene, "pencil", size_px=plan.line_px - 2, thing=True),
                      known(scene, "trash", size_px=plan.line_px - 2, thing=True)], css=FILL, gap_px=1)
        for name in scene.choices("cad_views")
    ]  # fmt: skip
    history = [
        entry(scene.say(icon), icon=icon, size_px=plan.line_px, css=f"{FILL}min-height:0")
        for icon in scene.rng.choices(BARS[MODIFY] + BARS[DRAW], k=int(scene.height // plan.line_px))
    ]
    return column(
        panel(plan, title, [column(*rows, gap_px=0)]),
        panel(plan, scene.choices("cad_panels")[2], [pile(history, part=Part.LIST)], grow=1), gap_px=0, grow=1,
    )  # fmt: skip
