"""One click as a call: ``click(x=1, y=2)``, ``click(1, 2)``, ``click(start_box='(1,2)')`` and the like.

A point tag may stand in the argument, ``click(point='<point>1 2</point>')``; a box there is clicked in its middle.
"""

from __future__ import annotations

import re

from zoomground.evaluate.dialects.base import NUMBER, PAIR, SEPARATED, Said, only, spoken
from zoomground.evaluate.verdicts import Unreadable

NAME = "click"
ABOUT = "Answer with one call and nothing else: click(x, y)"

_CALL = re.compile(r"(?<![A-Za-z0-9_])(?:left_)?(?:click|tap)\s*+\(", re.ASCII | re.IGNORECASE)
_OPEN = r"(?:<\|box_start\|>\s*+)?[\[(]?"
_CLOSE = r"[\])]?(?:\s*+<\|box_end\|>)?"
_ARGUMENTS = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        rf"\s*+(?:x\s*+=\s*+)?({NUMBER}){SEPARATED}(?:y\s*+=\s*+)?({NUMBER})\s*+\)",
        rf"\s*+[\[(]\s*+{PAIR}\s*+[\])]\s*+\)",
        rf"\s*+(?:start_box|box|point|coordinate)\s*+=\s*+['\"]?{_OPEN}\s*+{PAIR}\s*+{_CLOSE}['\"]?\s*+\)",
        rf"\s*+(?:start_box|box)\s*+=\s*+['\"]?{_OPEN}\s*+{PAIR}{SEPARATED}{PAIR}\s*+{_CLOSE}['\"]?\s*+\)",
        rf"\s*+point\s*+=\s*+['\"]?<point>\s*+({NUMBER})(?:\s*+,\s*+|\s++)({NUMBER})\s*+</point>['\"]?\s*+\)",
    )
)


def read(outside: str) -> Said:
    """The only click."""
    call = only(_CALL.finditer(outside), "click")
    if isinstance(call, Unreadable):
        return call
    for pattern in _ARGUMENTS:
        if found := pattern.match(outside, call.end()):
            return spoken(*found.groups())
    return Unreadable("the arguments of the click cannot be read")


def write(x: float, y: float) -> str:
    """An answer in this form, for scripted players."""
    return f"click({x!r}, {y!r})"
