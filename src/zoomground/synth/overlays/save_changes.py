"""Asks whether changes should be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.graph import Box, Text
from zoomground.synth.overlays._frame import dialog, modal
from zoomground.synth.widgets import button, check, row, spring
from zoomground.synth.worded import worded_button

if TYPE_CHECKING:
    from zoomground.synth.desktop.view import View
    from zoomground.synth.graph import Node
    from zoomground.synth.scene import Scene

WEIGHT = 1.0


def fits(view: View) -> bool:
    """Always."""
    return view.free.width > 500


def lay(scene: Scene, view: View) -> Box:
    """The dialog."""
    del view
    text = Text(scene.say("save_text", name=scene.file_name()), "wrap")
    buttons: list[Node] = [
        worded_button(scene, "save_no", kind=scene.rng.choice(("", "danger"))), spring(),
        button(scene.say("over_cancel"), goals=scene.goals("over_cancel")),
        *([button(scene.say("save_as"))] if scene.chance(0.4) else []),
        worded_button(scene, "save_yes", kind="primary"),
    ]  # fmt: skip
    never = [check(scene.say("save_never"))] if scene.chance(0.4) else []
    inside = dialog(scene, scene.say("save_title"), [text, *never, row(*buttons, gap_px=8)], width=500)
    return modal(scene, inside)
