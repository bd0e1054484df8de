"""One box, read as its middle: ``[1, 2, 3, 4]``, ``{"bbox_2d": [1, 2, 3, 4]}``, ``<box>(1,2),(3,4)</box>``."""

from __future__ import annotations

import re

from zoomground.evaluate.dialects.base import PAIR, SEPARATED, Said, only, spoken
from zoomground.evaluate.verdicts import Unreadable

NAME = "box"
ABOUT = "Answer with one box and nothing else: [x1, y1, x2, y2]"

_BOX = re.compile(
    rf"[\[(]\s*+{PAIR}{SEPARATED}{PAIR}\s*+[\])]"
    rf"|[\[(]\s*+{PAIR}\s*+[\])]\s*+,?\s*+[\[(]\s*+{PAIR}\s*+[\])]",
    re.ASCII,
)


def read(outside: str) -> Said:
    """The middle of the only box; corners in whichever order."""
    found = only(_BOX.finditer(outside), "box")
    if isinstance(found, Unreadable):
        return found
    return spoken(*(number for number in found.groups() if number is not None))


def write(x: float, y: float) -> str:
    """An answer in this form, for scripted players."""
    return f"[{x!r}, {y!r}, {x!r}, {y!r}]"
