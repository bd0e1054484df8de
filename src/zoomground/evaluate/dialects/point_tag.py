"""One tag with a point in it: ``<point>1 2</point>``, ``<point>[[1, 2]]</point>``, ``<point x="1" y="2">``."""

from __future__ import annotations

import re

from zoomground.evaluate.dialects.base import NUMBER, Said, only, spoken
from zoomground.evaluate.verdicts import Unreadable

NAME = "point_tag"
ABOUT = "Answer with one tag and nothing else: <point>x y</point>"

_OPENING = re.compile(r"<points?\b", re.ASCII | re.IGNORECASE)
_FORMS = tuple(
    re.compile(pattern, re.ASCII | re.IGNORECASE)
    for pattern in (
        rf"\s*+>\s*+[\[(]{{0,2}}\s*+({NUMBER})(?:\s*+,\s*+|\s++)({NUMBER})\s*+[\])]{{0,2}}\s*+</point>",
        rf"\s++x\s*+=\s*+[\"']({NUMBER})[\"']\s++y\s*+=\s*+[\"']({NUMBER})[\"'][^<>]*+>",
    )
)


def read(outside: str) -> Said:
    """The only point tag."""
    tag = only(_OPENING.finditer(outside), "point tag")
    if isinstance(tag, Unreadable):
        return tag
    for pattern in _FORMS:
        if found := pattern.match(outside, tag.end()):
            return spoken(found[1], found[2])
    return Unreadable("the point tag cannot be read")


def write(x: float, y: float) -> str:
    """An answer in this form, for scripted players."""
    return f"<point>{x!r} {y!r}</point>"
