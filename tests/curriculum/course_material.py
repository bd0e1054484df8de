"""What the tests of the curriculum learn from."""

from __future__ import annotations

from pathlib import Path

from zoomground.collect.lattice import Lattice
from zoomground.geometry import PixelLimits
from zoomground.protocol.settings import EpisodeSettings
from zoomground.synth.boards.sheet import Sheet

LIMITS = PixelLimits(32, 4096, 40960)
SETTINGS = EpisodeSettings(crop_max_pixels=40960, limits=LIMITS)
SHEET = Sheet(Path(__file__).parents[2] / "data_samples" / "boards" / "parts.png")
STYLE = Lattice(zoom_small=0.8, forced=0.2)
