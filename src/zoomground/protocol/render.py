"""Writing a turn: the canonical text of actions, which `zoomground.protocol.parser.parse` reads back in every mode."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zoomground.protocol import calls, spelling
from zoomground.protocol.actions import Answer, Crop, Decline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.protocol.actions import Action

_UNWRITABLE_NAME = re.compile(r'["\r\n]|<\s*+/?\s*+think\s*+>', re.ASCII | re.IGNORECASE)
_THINK_TAG = re.compile(r"<\s*+/?\s*+think\s*+>", re.ASCII | re.IGNORECASE)


def render(action_or_actions: Action | Sequence[Action], think: str | None = None) -> str:
    r"""The canonical text of one turn, values with two decimals.

    >>> render(Answer(512.3, 407.1), think="top bar")
    '<think>top bar</think>\n[512.30,407.10]'

    Args:
        action_or_actions: One answer, one decline, or one or two crops.
        think: What stands in the thinking block; None for no block.

    Raises:
        ValueError: If these actions make no turn, or cannot be written so that they are read back.
    """
    if isinstance(action_or_actions, Answer | Crop | Decline):
        action_or_actions = (action_or_actions,)
    actions = tuple(action_or_actions)
    crops_only = all(isinstance(action, Crop) for action in actions)
    if not 1 <= len(actions) <= (calls.MAX_CROPS if crops_only else 1):
        raise ValueError("a turn is one answer, one decline, or one or two crops")
    if think is not None and (_THINK_TAG.search(think) or spelling.SPECIAL_TOKEN.search(think)):
        raise ValueError("thinking holds a thinking tag or a special token")
    block = "" if think is None else f"<think>{think}</think>\n"
    return block + "\n".join(_one(action) for action in actions)


def _one(action: Action) -> str:
    match action:
        case Answer(x, y):
            if not spelling.in_range(x + 0.0, y + 0.0):
                raise ValueError(f"answer ({x}, {y}) is outside [0, 1000]")
            return f"[{x + 0.0:.2f},{y + 0.0:.2f}]"
        case Decline():
            return "<action>decline()</action>"
        case Crop():
            return _crop(action)


def _crop(crop: Crop) -> str:
    if (
        not crop.image_path
        or _UNWRITABLE_NAME.search(crop.image_path)
        or spelling.SPECIAL_TOKEN.search(crop.image_path)
    ):
        raise ValueError(f"image name {crop.image_path!r} cannot be written between double quotes")
    corners = [round(value + 0.0, 2) for value in (crop.x1, crop.y1, crop.x2, crop.y2)]
    x1, y1, x2, y2 = corners
    if not spelling.finite(*corners) or min(x1, y1) < 0 or x1 >= x2 or y1 >= y2:
        raise ValueError(f"the corners of {crop} are negative, not finite, or not in order at two decimals")
    written = ", ".join(f"{key}={value:.2f}" for key, value in zip(calls.CORNERS, corners, strict=True))
    return f'<action>crop_image(image_path="{crop.image_path}", {written})</action>'
