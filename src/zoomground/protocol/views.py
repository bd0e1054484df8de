"""The images that an episode holds: the screenshot and the crops cut from it, each a region of the original.

Names are looked up here and nowhere else. A name is only ever a key of this table, never a path, so that no text of a
policy can open a file.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PIL import Image

from zoomground.crops import encoded_cut, travelling_cut
from zoomground.geometry import NORM_FRAME, Box, Region, Size
from zoomground.images import EncodedImage, Screenshot, display_name, load_screenshot
from zoomground.protocol.actions import Crop, CropUnits
from zoomground.protocol.observation import CropView, crop_name, observation_json
from zoomground.protocol.settings import EpisodeSettings

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class _View:
    region: Region
    shown: Size
    encoded: EncodedImage | None


class Views:
    """The named images of one episode.

    Args:
        screenshot: The opened original.
        name: The name that the policy knows it by.
        settings: Units, enlargement and limits of crops.
    """

    def __init__(self, screenshot: Screenshot, name: str, settings: EpisodeSettings) -> None:
        self._screenshot = screenshot
        self._settings = settings
        self._views = {name: _View(Region.whole(screenshot.size), screenshot.size, None)}

    def __contains__(self, name: str) -> bool:
        return name in self._views

    @property
    def crop_count(self) -> int:
        """Number of crops that ran."""
        return len(self._views) - 1

    @property
    def image_tokens(self) -> int:
        """Image tokens of all images, after the processor's resize."""
        return sum(self._settings.limits.image_tokens(view.shown) for view in self._views.values())

    def region(self, name: str) -> Region:
        """The window on the original that the named image shows.

        Raises:
            KeyError: If there is no such image.
        """
        return self._views[name].region

    def encoded(self, name: str) -> EncodedImage:
        """The encoded bytes of a crop.

        Raises:
            KeyError: If no crop of that name ran; the screenshot itself is not re-encoded.
        """
        encoded = self._views[name].encoded
        if encoded is None:
            raise KeyError(name)
        return encoded

    def compose(self, call: Crop) -> Region:
        """The region on the original that a call asks for.

        Raises:
            KeyError: If the call names no image of the episode.
            RegionError: If nothing of it lies inside the image.
        """
        parent = self._views[call.image_path]
        frame = NORM_FRAME if self._settings.crop_units is CropUnits.NORM else parent.shown
        return parent.region.subregion(Box(call.x1, call.y1, call.x2, call.y2), frame)

    def cut(self, parent: str, region: Region) -> CropView:
        """Cut a composed region from the original's pixels, enlarge it once, and give it the next name."""
        settings = self._settings
        shown = settings.limits.shown_size(region.size, settings.crop_upscale_factor, settings.crop_max_pixels)
        encoded = self.picture(region, shown)
        name = crop_name(self.crop_count + 1)
        self._views[name] = _View(region, shown, encoded)
        return CropView(name, parent, region, shown, encoded.sha256, encoded.mime)

    def picture(self, region: Region, shown: Size) -> EncodedImage:
        """The encoded pixels of a crop; overridden where nobody looks at them (`UnseenViews`)."""
        return encoded_cut(self._screenshot, region, shown)

    def observation(self, view: CropView, *, remaining_crops: int) -> str:
        """The line of JSON that reports a crop of this episode."""
        parent = self._views[view.parent]
        return observation_json(view, parent=parent.region, parent_shown=parent.shown, remaining_crops=remaining_crops)


class TravellingViews(Views):
    """Views whose crops travel to a receiver that enlarges them itself: the trainer and its rollout engine."""

    def picture(self, region: Region, shown: Size) -> EncodedImage:
        """The crop's own pixels, with the size to show."""
        return travelling_cut(self._screenshot, region, shown)


class UnseenViews(Views):
    """Views whose crops nobody looks at, or whose pixels somebody cuts later: the same regions and sizes, no pixels."""

    def picture(self, region: Region, shown: Size) -> EncodedImage:  # noqa: ARG002 -- the seam's signature
        """No pixels."""
        return EncodedImage(b"", "image/png", "")


@dataclass(frozen=True, slots=True)
class ExecutedCrop:
    """What `execute_crop` gives.

    Attributes:
        image: The enlarged crop.
        observation: The fields of the observation's JSON.
        encoded: The same crop as it travels.
    """

    image: Image.Image
    observation: dict[str, Any]
    encoded: EncodedImage


def execute_crop(
    image: str | Path | bytes,
    *,
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    image_path: str | None = None,
    remaining_crops: int = 2,
    settings: EpisodeSettings | None = None,
) -> ExecutedCrop:
    """Cut one crop from a screenshot, as an episode would: for scripts that need no environment.

    Args:
        image: Path, bytes or data URI of the screenshot.
        x1: Left edge in [0, 1000]; likewise ``y1``, ``x2``, ``y2``.
        y1: Top edge.
        x2: Right edge.
        y2: Bottom edge.
        image_path: The screenshot's name in the observation; default: its file name.
        remaining_crops: What the observation says is left.
        settings: Enlargement, units and limits; default: those of `EpisodeSettings`.

    Raises:
        ImageError: If the screenshot does not open.
        RegionError: If nothing of the region lies inside it.
    """
    screenshot = load_screenshot(image)
    name = image_path or display_name(screenshot.source)
    settings = settings or EpisodeSettings()
    views = Views(screenshot, name, settings)
    view = views.cut(name, views.compose(Crop(name, x1, y1, x2, y2)))
    encoded = views.encoded(view.name)
    observation = json.loads(views.observation(view, remaining_crops=remaining_crops))
    return ExecutedCrop(Image.open(io.BytesIO(encoded.data)), observation, encoded)
