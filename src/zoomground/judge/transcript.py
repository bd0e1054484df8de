"""An episode as the judge reads it: text alone, no image, no file name, nothing of the policy outside a fence.

What stands outside the fences is written here and holds numbers and names of ours only: the screenshot's size, crops
that ran, mappings, reasons, the answer. The instruction comes from a data file, so it is fenced as well.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.judge.fence import is_hidden, quoted
from zoomground.protocol.actions import Answer, Crop, CropUnits, Decline
from zoomground.protocol.thinking import thought

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zoomground.protocol.observation import CropView
    from zoomground.trajectory import Trajectory, Turn

SCREENSHOT = "screenshot"
"""What the record calls the original, whatever its file is called."""

_CROP_NAME = re.compile(r"crop_[1-9][0-9]{0,3}\.png", re.ASCII)
_MARK_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Transcript:
    """The record of one episode.

    Attributes:
        text: What is sent.
        letters: Letters (of any script) in the thinking of all readable turns.
    """

    text: str
    letters: int


@dataclass(frozen=True, slots=True)
class _Quote:
    """Text of the policy or of a data file."""

    label: str
    text: str


def transcript(trajectory: Trajectory) -> Transcript:
    """Write an episode down. The same episode gives the same text, to the byte."""
    parts = list(_parts(trajectory))
    thoughts = (_thought(trajectory, turn) for turn in trajectory.turns if turn.malformed is None)
    letters = sum(letter.isalpha() and not is_hidden(letter) for text in thoughts for letter in text)
    return Transcript("\n".join(_rendered(parts)), letters)


def _rendered(parts: Iterable[str | _Quote]) -> Iterator[str]:
    parts = list(parts)
    mark = _mark(parts)
    for part in parts:
        if isinstance(part, str):
            yield part
        else:
            yield f"{part.label} [{mark}"
            yield from quoted(part.text)
            yield f"{mark}]"


def _mark(parts: Iterable[str | _Quote]) -> str:
    """A number that nobody who wrote a part of the record could have known, and that stands in none of them."""
    texts = [part if isinstance(part, str) else part.text for part in parts]
    salt = 0
    while True:
        told = json.dumps([salt, *texts]).encode("ascii")
        mark = hashlib.sha256(told).hexdigest()[:_MARK_DIGITS]
        if not any(mark in text for text in texts):
            return mark
        salt += 1


def _parts(trajectory: Trajectory) -> Iterator[str | _Quote]:
    size = trajectory.task.size
    yield f"{SCREENSHOT}: {size.width} x {size.height} px"
    yield _Quote("task", trajectory.task.instruction)
    for number, turn in enumerate(trajectory.turns, start=1):
        yield ""
        yield f"turn {number}"
        yield from _turn(trajectory, turn)
    yield ""
    yield f"end: {trajectory.stop_reason or 'still running'}"


def _turn(trajectory: Trajectory, turn: Turn) -> Iterator[str | _Quote]:
    if turn.malformed is not None:
        yield f"not carried out: {turn.malformed}"
        yield _Quote("reply", turn.text)
        return
    words = _thought(trajectory, turn)
    yield _Quote("thinking", words) if words else "thinking: none"
    crops = iter(turn.crops)
    for action in turn.actions:
        match action:
            case Answer():
                yield f"answer: ({action.x:.2f}, {action.y:.2f})"
            case Decline():
                yield "decline: what the task names is not on the screenshot"
            case Crop():
                yield _asked(trajectory, action)
                shown = next(crops, None)
                yield "no crop" if shown is None else _shown(trajectory, shown)


def _asked(trajectory: Trajectory, crop: Crop) -> str:
    units = " px" if trajectory.settings.crop_units is CropUnits.PIXELS else ""
    corners = ", ".join(f"{value:.2f}" for value in (crop.x1, crop.y1, crop.x2, crop.y2))
    return f"crop of {_name(trajectory, crop.image_path)}: ({corners}){units}"


def _shown(trajectory: Trajectory, crop: CropView) -> str:
    box, mapping = crop.region.box_norm, crop.region.mapping
    corners = ", ".join(f"{value:.2f}" for value in (box.x1, box.y1, box.x2, box.y2))
    return (
        f"shown as {_name(trajectory, crop.name)}: ({corners}) of the {SCREENSHOT}, enlarged to {crop.shown.width} x "
        f"{crop.shown.height} px; original x = {mapping.x_offset:.3f} + {mapping.x_scale:.6f} x, "
        f"original y = {mapping.y_offset:.3f} + {mapping.y_scale:.6f} y"
    )


def _name(trajectory: Trajectory, name: str) -> str:
    """A name of ours; the policy's and the data's names stay out of the record."""
    if name == trajectory.image_name:
        return SCREENSHOT
    known = {crop.name for crop in trajectory.crops}
    return name if name in known and _CROP_NAME.fullmatch(name) else "an image"


def _thought(trajectory: Trajectory, turn: Turn) -> str:
    return thought(turn.text, prompt_ends_in_think=trajectory.settings.prompt_ends_in_think)
