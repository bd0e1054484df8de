"""One field ``"coordinate": [x, y]``, in an answer tag, in the arguments of a call, or alone.

As ``<answer>{"coordinate": [483, 434]}</answer>`` after thinking, or as the argument of a computer-use tool call. JSON
that closes one brace too often is still read: which two numbers are meant is not in doubt.
"""

from __future__ import annotations

import re

from zoomground.evaluate.dialects.base import PAIR, Said, only, spoken
from zoomground.evaluate.verdicts import Unreadable

NAME = "coordinate"
ABOUT = 'Answer with one JSON object in tags and nothing else: <answer>{"coordinate": [x, y]}</answer>'

_KEY = re.compile(r"[\"']coordinate[\"']\s*+:", re.ASCII)
_VALUE = re.compile(rf"\s*+[\[(]\s*+{PAIR}\s*+[\])]", re.ASCII)


def read(outside: str) -> Said:
    """The only coordinate field."""
    key = only(_KEY.finditer(outside), "coordinate")
    if isinstance(key, Unreadable):
        return key
    found = _VALUE.match(outside, key.end())
    return spoken(found[1], found[2]) if found else Unreadable("the coordinate is not two numbers")


def write(x: float, y: float) -> str:
    """An answer in this form, for scripted players."""
    return f'<answer>{{"coordinate": [{x!r}, {y!r}]}}</answer>'
