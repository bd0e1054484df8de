"""The month behind the clock."""

from __future__ import annotations

import calendar
from typing import TYPE_CHECKING

from zoomground.synth.fitting import known
from zoomground.synth.graph import Box, Element, Role, Text
from zoomground.synth.overlays._frame import flyout
from zoomground.synth.widgets import row, spring, states

if TYPE_CHECKING:
    from zoomground.synth.desktop.view import View
    from zoomground.synth.scene import Scene

WEIGHT = 1.0
_SIZE = (300.0, 330.0)


def fits(view: View) -> bool:
    """Where the bar has a clock."""
    return view.clock is not None and view.free.height > _SIZE[1] + 20


def lay(scene: Scene, view: View) -> Box:
    """The panel."""
    corner = view.clock or (0.0, 0.0, False)
    head, grid = month(scene, 30.0)
    nodes = (Text(f"{scene.now:%H:%M}", "title"), Text(f"{scene.now:%Y-%m-%d}", "muted"), head, grid)
    right = view.free.x < corner[0] - 10
    return flyout(nodes, corner, right=right, width=_SIZE[0], height=_SIZE[1], screen_width=scene.width)


def month(scene: Scene, tall: float) -> tuple[Box, Box]:
    """The head and the days of this month."""
    year, number = scene.now.year, scene.now.month
    name = scene.choices("desk_months")[number - 1]
    head = row(Text(f"{name} {year}", "strong"), spring(), *(known(scene, one, size_px=24) for one in ("prev", "next")))
    first, count = calendar.monthrange(year, number)
    css = f"justify-content:center;padding:0;border:0;height:{tall:g}px;min-height:0"
    days = [Text(day, "muted small", "text-align:center") for day in scene.choices("desk_weekdays")]
    blanks = [Box() for _ in range(first)]
    cells = [
        Element(Role.GRIDCELL, str(day), states=states(selected=day == scene.now.day), css=css)
        for day in range(1, count + 1)
    ]
    grid = Box((*days, *blanks, *cells), flow="grid", css="grid-template-columns:repeat(7,minmax(0,1fr))",
               name=f"{name} {year}")  # fmt: skip
    return head, grid
