"""What the environment shows after a crop: one line of JSON and the enlarged crop.

The JSON reports the region that was really cut, not the one that was asked for: a policy that maps a point of the crop
back with ``to_original`` lands on the same pixel of the screenshot.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from zoomground.geometry import NORM_FRAME, Box, Region, Size

OBSERVATION_HEAD = "crop_image action result:"


@dataclass(frozen=True, slots=True)
class CropView:
    """A crop that ran.

    Attributes:
        name: The name that later calls use (``crop_1.png``, numbered in order).
        parent: Name of the image that it was cut from.
        region: The window on the original that was cut, whole px.
        shown: Size at which the policy sees it, px.
        sha256: Hash of the encoded bytes, so that a rebuilt crop can be checked.
        mime: Encoding of those bytes.
    """

    name: str
    parent: str
    region: Region
    shown: Size
    sha256: str
    mime: str
    kind: Literal["crop"] = "crop"


def crop_name(number: int) -> str:
    """Name of the crop with this number, counted from 1."""
    return f"crop_{number}.png"


def observation_json(view: CropView, *, parent: Region, parent_shown: Size, remaining_crops: int) -> str:
    """The line of JSON for one crop.

    Args:
        view: The crop.
        parent: Region of the image that it was cut from.
        parent_shown: Size of that image as the policy knows it, px.
        remaining_crops: Crops left after this one.
    """
    mapping = view.region.mapping
    fields = {
        "image_path": view.name,
        "width": view.shown.width,
        "height": view.shown.height,
        "parent": view.parent,
        "region_in_parent_px": _numbers(view.region.box_in(parent, parent_shown)),
        "region_in_parent": _numbers(view.region.box_in(parent, NORM_FRAME)),
        "region_in_original_px": _numbers(view.region.box_px),
        "region_in_original": _numbers(view.region.box_norm),
        "to_original": {
            "x_offset": _short(mapping.x_offset, 6),
            "x_scale": _short(mapping.x_scale, 6),
            "y_offset": _short(mapping.y_offset, 6),
            "y_scale": _short(mapping.y_scale, 6),
        },
        "remaining_crops": remaining_crops,
    }
    return json.dumps(fields, ensure_ascii=False)


def _numbers(box: Box) -> list[float | int]:
    return [_short(value, 2) for value in (box.x1, box.y1, box.x2, box.y2)]


def _short(value: float, decimals: int) -> float | int:
    """Rounded; whole numbers without a point, which costs fewer tokens."""
    rounded = round(value, decimals)
    return int(rounded) if rounded == int(rounded) else rounded
