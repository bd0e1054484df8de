"""A checkpoint of random weights that speaks of nothing, made in a second."""

from __future__ import annotations

import random
from pathlib import Path

from zoomground.engines.tiny import build_checkpoint
from zoomground.engines.tiny_shape import TinyShape
from zoomground.geometry import PixelLimits, Size
from zoomground.protocol import prompts
from zoomground.protocol.settings import EpisodeSettings

LIMITS = PixelLimits(32, 4 * 1024, 64 * 1024)


def crop(name: str) -> str:
    return f'<action>crop_image(image_path="{name}", x1=400.00, y1=400.00, x2=600.00, y2=600.00)</action>'


def checkpoint(out: Path, arch: str) -> Path:
    dice = random.Random(0)
    texts = []
    for number in range(40):
        opening = prompts.opening(
            instruction=f"Item {number}", image_name="s.png", size=Size(256, 160), settings=EpisodeSettings()
        )
        said = f"<think>look</think>\n[{dice.uniform(0, 1000):.2f},{dice.uniform(0, 1000):.2f}]"
        texts.append("\n".join(message.text for message in opening) + f"\n{crop('s.png')}\n{said}")
    shape = TinyShape(hidden_size=64, layers=2, heads=2, kv_heads=1, vision_hidden_size=32, vision_layers=1)
    build_checkpoint(out, arch=arch, limits=LIMITS, seed=0, corpus=texts, shape=shape)
    return out
