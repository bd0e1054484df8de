"""A phone's question in the middle of its screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.graph import Box, Part, Text
from zoomground.synth.widgets import button, row
from zoomground.synth.worded import worded_button

if TYPE_CHECKING:
    from zoomground.synth.desktop.view import View
    from zoomground.synth.scene import Scene

WEIGHT = 0.6


def fits(view: View) -> bool:
    """On phones."""
    return view.free.width < 600 and view.free.height > 400


def lay(scene: Scene, view: View) -> Box:
    """The question."""
    del view
    title = scene.say("save_title")
    text = Text(scene.say("save_text", name=scene.file_name()), "wrap")
    css = "flex:1 1 0;min-width:0;height:40px"
    buttons = row(
        button(scene.say("over_cancel"), goals=scene.goals("over_cancel"), css=css),
        worded_button(scene, "save_yes", kind="primary", css=css), gap_px=8,
    )  # fmt: skip
    last = worded_button(scene, "save_no", kind=scene.rng.choice(("", "danger")), css="height:40px")
    inside = Box((Text(title, "large strong wrap"), text, buttons, last), Part.DIALOG, title, named_on_screen=True,
                 gap_px=10, pad_px=18, css="width:86%;border-radius:16px")  # fmt: skip
    return Box((inside,), modal=True, css="display:flex;align-items:center;justify-content:center")
