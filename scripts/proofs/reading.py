"""Reading: what a text recogniser makes of the labelled pixels, against the text that the label says is there."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from zoomground.synth.query import edit_distance

HEIGHT_PX = 32
NEAR = 0.2
_PAD_PX = 3

# Where the text of an element is drawn: the smallest box around its lines.
WHERE = """
index => {
  const el = document.querySelector(`[data-zg="${index}"]`), range = document.createRange();
  const at = el.querySelector(".zg-label") ?? el;
  range.selectNodeContents(at);
  const r = range.getBoundingClientRect(), s = devicePixelRatio;
  return [r.left * s, r.top * s, r.right * s, r.bottom * s];
}
"""


@dataclass(frozen=True)
class Read:
    """One text, and what was read."""

    text: str
    read: str
    distance: float
    cause: str

    @property
    def good(self) -> bool:
        """Whether it was read."""
        return self.distance <= NEAR


class Reader:
    """A recogniser of Latin and Chinese text."""

    def __init__(self) -> None:
        from rapidocr import RapidOCR  # noqa: PLC0415 -- of the extra 'proof'

        self._engine: Any = RapidOCR(params={"Global.log_level": "error"})

    def read(self, image: Image.Image, box: tuple[float, float, float, float], text: str) -> Read:
        """Read the text in a box (px) of an image, enlarged so that its line is 32 px high."""
        left, top, right, bottom = box
        edges = (
            max(0, math.floor(left) - _PAD_PX), max(0, math.floor(top)),
            min(image.width, math.ceil(right) + _PAD_PX), min(image.height, math.ceil(bottom)),
        )  # fmt: skip
        crop = image.crop(edges)
        factor = HEIGHT_PX / max(1, crop.height)
        crop = crop.resize((max(8, round(crop.width * factor)), HEIGHT_PX), Image.Resampling.LANCZOS)
        result = self._engine(np.asarray(crop)[:, :, ::-1], use_det=False, use_cls=False, use_rec=True)
        read = "".join(result.txts or ())
        distance = distance_share(_folded(text), _folded(read))
        return Read(text, read, distance, _cause(text, read, crop, distance))


def _folded(text: str) -> str:
    """Without case, spaces and accents, which recognisers of small type mix up, and with one form of punctuation."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text)).casefold()
    return "".join(char for char in plain if not unicodedata.combining(char) and not char.isspace())


def distance_share(a: str, b: str) -> float:
    """Edit distance as a share of the longer text."""
    return edit_distance(a, b) / max(len(a), len(b), 1)


def _cause(text: str, read: str, crop: Image.Image, distance: float) -> str:
    if distance <= NEAR:
        return ""
    grey = np.asarray(crop.convert("L"), dtype=np.int16)
    causes = {
        "low contrast": int(grey.max()) - int(grey.min()) < 60,
        "nothing read": not read,
        "cut off on the screen": read.rstrip(" ×").endswith((".", "…")) and not text.endswith("."),
        "symbols": not any(map(str.isalnum, text)),
        "very short text": len(text) <= 3,
    }
    return next((cause for cause, holds in causes.items() if holds), "misread")
