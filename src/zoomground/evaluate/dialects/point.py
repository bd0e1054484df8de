"""One pair of numbers in brackets, ``[x, y]`` or ``(x, y)``, in prose, JSON or tags."""

from __future__ import annotations

import re

from zoomground.evaluate.dialects.base import PAIR, Said, only, spoken
from zoomground.evaluate.verdicts import Unreadable

NAME = "point"
ABOUT = "Answer with one point and nothing else: [x, y]"

_POINT = re.compile(rf"[\[(]\s*+{PAIR}\s*+[\])]")


def read(outside: str) -> Said:
    """The only bracketed pair."""
    found = only(_POINT.finditer(outside), "point")
    return found if isinstance(found, Unreadable) else spoken(found[1], found[2])


def write(x: float, y: float) -> str:
    """An answer in this form, for scripted players."""
    return f"[{x!r}, {y!r}]"
