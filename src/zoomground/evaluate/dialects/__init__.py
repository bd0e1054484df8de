"""How models of other families write an answer: one module each, its file name is its name.

They live beside the chain of `zoomground.protocol.dialects` and never join it: an answer here is one point for good,
and its numbers may be pixels. Which one a model speaks is declared by its profile.

==========  ===================================================================================================
box         ``[x1, y1, x2, y2]``, read as its middle
click       ``click(x, y)`` and its relatives
coordinate  ``{"coordinate": [x, y]}``, in an answer tag or a tool call
point       ``[x, y]`` or ``(x, y)``
point_tag   ``<point>x y</point>``
==========  ===================================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError
from zoomground.evaluate.dialects import box, click, coordinate, point, point_tag

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.evaluate.dialects.base import AnswerDialect

DIALECTS: Mapping[str, AnswerDialect] = {one.NAME: one for one in (box, click, coordinate, point, point_tag)}
"""Every answer dialect by its name."""


def dialect(name: str) -> AnswerDialect:
    """An answer dialect by its name.

    Raises:
        ZoomgroundError: If there is none of that name.
    """
    if name not in DIALECTS:
        raise ZoomgroundError(f"there is no answer dialect '{name}'; known are: {', '.join(DIALECTS)}")
    return DIALECTS[name]
