"""The ways of a crop from the screenshot's file to the pixels that the model's processor cuts into patches.

Each way does all of it: the environment's side up to the data URI, and the receiver's, from the data URI to an image of
the size that the processor keeps. The processor's resize is bicubic; Pillow's stands for it.
"""

from __future__ import annotations

import base64
import io
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PIL import Image

from bench.episodes import play
from bench.timing import Laps
from zoomground.crops import enlarged
from zoomground.engines.swift.pictures import Shelf
from zoomground.geometry import Size
from zoomground.images import EncodedImage, Screenshot, load_screenshot
from zoomground.protocol.views import TravellingViews

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bench.episodes import Episode
    from zoomground.geometry import PixelLimits, Region
    from zoomground.protocol.settings import EpisodeSettings

UPSCALE, MOST_PX = 4, 4_000_000
"""The straightforward way's enlargement and its limit."""

SHELF_BYTES = 4_000_000_000
"""Memory for opened screenshots: the recipes' default."""

ENVIRONMENT = ("open", "protocol", "cut", "encode", "picture", "base64")
"""Steps of the environment's side; the others are the receiver's."""


@dataclass
class Trip:
    """What one way took and shipped.

    Attributes:
        laps: CPU time by step.
        shipped: The data URIs of each episode.
    """

    laps: Laps = field(default_factory=Laps)
    shipped: list[list[str]] = field(default_factory=list)

    @property
    def crops(self) -> int:
        """Number of crops."""
        return sum(len(uris) for uris in self.shipped)

    @property
    def chars_a_trajectory(self) -> float:
        """Bytes of the data URIs of an episode."""
        return sum(len(uri) for uris in self.shipped for uri in uris) / len(self.shipped)


def received(uri: str) -> Image.Image:
    """What a receiver makes of a data URI before the processor sees it."""
    data = base64.b64decode(uri.partition(",")[2])
    return Image.open(io.BytesIO(data)).convert("RGB")


def arrived(uri: str) -> Image.Image:
    """What a receiver of ours makes of a crop: decoded, and enlarged if it travelled unenlarged."""
    return enlarged(uri) or received(uri)


def processed(image: Image.Image, limits: PixelLimits) -> Image.Image:
    """What the processor's resize makes of it; an image that has the size already is left alone."""
    kept = limits.view_size(Size(*image.size))
    if image.size == (kept.width, kept.height):
        return image
    return image.resize((kept.width, kept.height), Image.Resampling.BICUBIC)


class _TimedViews(TravellingViews):
    """Views with a clock on the pixels."""

    def __init__(self, screenshot: Screenshot, name: str, settings: EpisodeSettings, laps: Laps) -> None:
        super().__init__(screenshot, name, settings)
        self._laps = laps

    def picture(self, region: Region, shown: Size) -> EncodedImage:
        """The crop's pixels, encoded."""
        with self._laps.step("picture"):
            return super().picture(region, shown)


def ours(episodes: Sequence[Episode], settings: EpisodeSettings) -> Trip:
    """The environment as the engine drives it: screenshots opened once for a group, crops of the size that is kept."""
    trip, shelf = Trip(), Shelf(_open, SHELF_BYTES)
    laps = trip.laps
    for episode in episodes:
        with laps.step("open"):
            screenshot = shelf.open(episode.file)
        inside_s = laps.total_s("picture")
        with laps.step("protocol"):
            env = episode.environment(screenshot, settings)
            env.views = _TimedViews(screenshot, env.image_name, settings, laps)
            uris = play(env, episode.script)
        laps.seconds["protocol"] -= laps.total_s("picture") - inside_s
        trip.shipped.append(uris)
    for uris in trip.shipped:
        for uri in uris:
            with laps.step("decode"):
                image = arrived(uri)
            with laps.step("processor"):
                processed(image, settings.limits)
    return trip


def _open(reference: object) -> Screenshot:
    return load_screenshot(str(reference))


def straightforward_size(region: Size) -> tuple[int, int]:
    """Four times each side, at most four million pixels."""
    scale = min(UPSCALE, math.sqrt(MOST_PX / region.area))
    return max(1, int(region.width * scale)), max(1, int(region.height * scale))


def straightforward_picture(file: Path, region: Region, laps: Laps) -> Image.Image:
    """Open, convert, crop, enlarge."""
    with laps.step("open"), Image.open(file) as opened:
        screen = opened.convert("RGB")
    with laps.step("cut"):
        window = screen.crop((region.x1, region.y1, region.x2, region.y2))
        return window.resize(straightforward_size(region.size), Image.Resampling.LANCZOS)


def straightforward(episodes: Sequence[Episode], limits: Mapping[str, PixelLimits]) -> Trip:
    """Everything again for each crop of each episode.

    The processors' resizes alone differ between set-ups: each is charged to a step of its own, ``processor NAME``.
    """
    trip = Trip()
    for episode in episodes:
        uris = []
        for region in episode.regions:
            picture = straightforward_picture(episode.file, region, trip.laps)
            buffer = io.BytesIO()
            with trip.laps.step("encode"):
                picture.save(buffer, "PNG")
            with trip.laps.step("base64"):
                uri = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
            with trip.laps.step("decode"):
                image = received(uri)
            for name, some in limits.items():
                with trip.laps.step(f"processor {name}"):
                    processed(image, some)
            uris.append(uri)
        trip.shipped.append(uris)
    return trip


def floor(episodes: Sequence[Episode], screenshot: Screenshot, settings: EpisodeSettings) -> Laps:
    """What no program gets around: the region's bytes once, one resample, one encode and one decode of the codec."""
    laps = Laps()
    for region in (region for episode in episodes for region in episode.regions):
        shown = settings.limits.shown_size(region.size, settings.crop_upscale_factor, settings.crop_max_pixels)
        with laps.step("copy"):
            window = screenshot.pixels.crop((region.x1, region.y1, region.x2, region.y2))
        with laps.step("resample"):
            picture = window.resize((shown.width, shown.height), Image.Resampling.LANCZOS)
        buffer = io.BytesIO()
        with laps.step("encode"):
            picture.save(buffer, "PNG", compress_level=1)
        with laps.step("decode"):
            Image.open(buffer).load()
    return laps
