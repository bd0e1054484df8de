"""A note in a corner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.graph import Box, Part, Text
from zoomground.synth.widgets import column, row, spring, tool
from zoomground.synth.worded import worded_button

if TYPE_CHECKING:
    from zoomground.synth.desktop.view import View
    from zoomground.synth.scene import Scene

WEIGHT = 1.0
_WIDTH, _HEIGHT = 350.0, 124.0


def fits(view: View) -> bool:
    """Where there is room."""
    return view.free.width > 600


def lay(scene: Scene, view: View) -> Box:
    """The note."""
    free = view.free
    left = free.x + free.width - _WIDTH - 14
    top = free.y + (free.height - _HEIGHT - 14 if scene.chance(0.7) else 14)
    title = scene.rng.choice(scene.choices("toast_titles"))
    cross = tool("close", scene.say("toast_close"), size_px=20)
    head = row(Text(title, "strong"), spring(), cross)
    do = [worded_button(scene, "toast_later"), worded_button(scene, "toast_do", kind="primary")]
    body = column(head, Text(scene.sentence(9), "small muted"), row(spring(), *do, gap_px=8), gap_px=8)
    css = f"left:{left:.0f}px;top:{top:.0f}px;width:{_WIDTH:g}px;padding:12px;box-shadow:0 6px 24px rgba(0,0,0,.4)"
    return Box((body,), Part.CARD, title, named_on_screen=True, css=css)
