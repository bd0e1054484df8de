"""Small screens, drawn here, as `zoomground synth --elements` would leave them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageDraw, ImageFont

from zoomground.collect.closer import Closer
from zoomground.geometry import PixelLimits
from zoomground.protocol.settings import EpisodeSettings

if TYPE_CHECKING:
    from pathlib import Path

LIMITS = PixelLimits(32, 4096, 65536)
SETTINGS = EpisodeSettings(crop_max_pixels=65536, limits=LIMITS)
STYLE = Closer(legible_px=12.0, zoom_small=0.8, off=0.1)
NAMES = ("Save", "Open", "Close", "Print", "Undo", "Share", "Paste", "Find", "Sort", "Help", "Insert", "Layout")
SIZE = (640, 400)


def draw_screen(folder: Path, number: int, *, split: str = "train") -> None:
    """A screen with twelve buttons in an order of its own and a picture that is called Delete."""
    image = Image.new("RGB", SIZE, "white")
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(14)
    elements: list[dict[str, Any]] = []
    letters: list[list[Any]] = []
    for place in range(12):
        name = NAMES[(place * 5 + number) % 12]
        x, y = 20 + 150 * (place % 4), 60 + 110 * (place // 4)
        pen.rectangle((x, y, x + 90, y + 28), outline="grey")
        pen.text((x + 8, y + 5), name, fill="black", font=font)
        elements.append({"box": [x, y, x + 90, y + 28], "role": "button", "kind": "button", "name": name, "text": name})
        left, top, right, bottom = pen.textbbox((x + 8, y + 5), name, font=font)
        letters.append([name, left, top - 3, right, bottom + 3])
    pen.ellipse((600, 10, 624, 34), fill="red")
    elements.append({"box": [600, 10, 624, 34], "role": "button", "kind": "icon", "name": "Delete", "icon": "trash"})
    stem = f"{number:06d}"
    row = {
        "id": stem, "image": f"images/{stem}/screen.png", "width": SIZE[0], "height": SIZE[1], "split": split,
        "elements": elements, "letters": letters,
    }  # fmt: skip
    asked = {"problem": "<image>Click the trash can", "solution": "[600,10,624,34]"}
    meta = {"meta": {"name": "Delete", "how": "appearance"}}
    part = {"number": number, "split": split, "rows": [{**asked, **meta}, {"problem": "<image>x", "refusal": True}]}
    for kind, value in (("elements", row), ("parts", part)):
        path = folder / ".synth" / kind / f"{stem}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
    (folder / row["image"]).parent.mkdir(parents=True)
    image.save(folder / row["image"])


def draw_screens(folder: Path, count: int = 4) -> Path:
    """So many screens, the last one held out."""
    for number in range(count):
        draw_screen(folder, number, split="heldout" if number == count - 1 else "train")
    return folder
