"""How good one crop is: how much more legible it made the target, without losing what surrounds it.

A crop that shows the target large but cut off from its surroundings helps nobody who does not already know the answer;
that is why ``gain`` asks for the surroundings and ``iou``, which rewards the bare box, is not the default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.geometry import Region
from zoomground.rewards.base import Quality, legibility, seen_short_side, target_box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.geometry import Box, Size
    from zoomground.protocol.observation import CropView
    from zoomground.rewards.base import RewardSettings
    from zoomground.trajectory import Trajectory

REPEAT_IOU = 0.9
"""From this overlap on, a crop shows again what was already seen."""


def surround(box: Box, size: Size) -> Box:
    """The target's box grown on each side by its own short side, clipped to the screen, in px."""
    return box.grown(min(box.width, box.height), size)


def inside(crop: CropView, box: Box) -> float:
    """Share of the target's surround that lies in the crop, 0 to 1.

    Args:
        crop: A crop that ran.
        box: The target's box in px.
    """
    area = surround(box, crop.region.original)
    if area.area == 0:
        # A target without area has a surround without area: all of it is in the crop, or nothing.
        return float(crop.region.box_px.contains(area.center))
    return crop.region.box_px.intersection_area(area) / area.area


def short_side_in_crop(crop: CropView, box: Box, *, seen_px: float) -> float:
    """s(c): short side of the target at the crop's magnification, px.

    The target counts whole, even where the crop cuts it: what is cut off is charged by `inside`. A crop that was
    merely blown up adds nothing over its share of the screen, hence the second bound.

    Args:
        crop: A crop that ran.
        box: The target's box in px.
        seen_px: s0, the short side on the screenshot.
    """
    size = crop.region.size
    shown = min(box.width * crop.shown.width / size.width, box.height * crop.shown.height / size.height)
    return min(shown, seen_px * crop.region.zoom)


def crop_quality(crop: CropView, trajectory: Trajectory, settings: RewardSettings) -> float:
    """Quality of a crop under ``settings.quality``, 0 to 1; 0 on a refusal task, where there is nothing to find."""
    box = target_box(trajectory)
    if box is None:
        return 0.0
    match settings.quality:
        case Quality.GAIN:
            seen = seen_short_side(trajectory, box)
            shown = short_side_in_crop(crop, box, seen_px=seen)
            return inside(crop, box) * max(0.0, legibility(shown, settings) - legibility(seen, settings))
        case Quality.IOU:
            return crop.region.box_px.iou(box)


def is_repeat(crop: CropView, earlier: Sequence[CropView]) -> bool:
    """Whether the crop shows (IoU >= `REPEAT_IOU`) what an earlier crop or the whole screenshot already showed."""
    seen = [Region.whole(crop.region.original), *(view.region for view in earlier)]
    return any(crop.region.box_px.iou(region.box_px) >= REPEAT_IOU for region in seen)
