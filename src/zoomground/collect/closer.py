"""Demonstrations on screens for checkpoints of some ten million weights: windows from a lattice, whole numbers.

As on boards (`zoomground.collect.lattice`) a window is a quarter of the screen on a side and its corner one of 49, so
that where to look is a choice among few. Answers are finer: multiples of 5 where the target holds one, else whole
numbers, for a target may be a few thousandths of a screen wide. What the thinking says after a crop is the place in it,
four times the distance from the window's corner.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.collect.lattice import NOTHING, UNNAMED, WindowScript, drawn_window
from zoomground.collect.places import answer_point, to_norm
from zoomground.collect.style import Style
from zoomground.errors import ZoomgroundError
from zoomground.geometry import NORM, Box
from zoomground.protocol.messages import harmless
from zoomground.protocol.settings import Arm
from zoomground.rewards.base import seen_short_side
from zoomground.task import Refusal

if TYPE_CHECKING:
    import random

    from zoomground.environment import GroundingEnv

STEPS = (5, 1)
"""Answers are multiples of the first of these that has one in the target, in [0, 1000] of the screenshot."""

SENTENCES = (" is at ", " needs a closer look at ", " of the crop.", "The", UNNAMED, NOTHING)
"""What thinking is made of, beside names and numbers."""

_LONGEST_NAME = 40
_BRACKETS = re.compile(r"[\[\](){}<>|]")


def spot(box_norm: Box) -> tuple[int, int] | None:
    """The answer for a box: the nearest to its middle of the coarsest grid that has a point in it; None if none has.

    >>> spot(Box(402, 500, 441, 521)), spot(Box(402.2, 500, 404.1, 521))
    ((420, 510), (403, 510))
    """
    x, y = _on_grid(box_norm.x1, box_norm.x2), _on_grid(box_norm.y1, box_norm.y2)
    return None if x is None or y is None else (x, y)


def _on_grid(low: float, high: float) -> int | None:
    middle = (low + high) / 2
    for step in STEPS:
        value = round(middle / step) * step
        # Not on an edge: a place that is off by a little should still be inside.
        if low + 0.15 * (high - low) <= value <= high - 0.15 * (high - low) and 0 <= value <= NORM:
            return value
    return None


def called(name: object) -> str:
    """How thinking speaks of something: by its name if that is short and plain, else as ``It``.

    >>> called("Compose"), called("[1,2]"), called(None)
    ('Compose', 'It', 'It')
    """
    if not isinstance(name, str):
        return UNNAMED
    plain = " ".join(name.split())
    odd = not plain or len(plain) > _LONGEST_NAME or not plain.isprintable() or _BRACKETS.search(plain) is not None
    return UNNAMED if odd or harmless(plain) != plain else plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Closer(Style):
    """See the module.

    Whether a demonstration looks again depends on size and on chance, so that RL finds both ways to compare.

    Attributes:
        zoom_small: Share of the targets below `legible_px` that are zoomed into.
        any_window: Share of the windows that are drawn from all that show the target; the others are the nearest.
    """

    legible_px: float = 12.0
    zoom_legible: float = 0.3
    silent: float = 0.0
    forced: float = 0.05
    renamed: float = 0.0
    zoom_small: float = 0.75
    any_window: float = 0.0

    def script(self, env: GroundingEnv, rng: random.Random) -> WindowScript:
        """See `Style`.

        Raises:
            ZoomgroundError: If the task has no target.
        """
        name = called(env.task.meta.get("name"))
        place = env.task.place
        if place is None:
            if isinstance(env.task.target, Refusal):
                return WindowScript(env, name, None, None)
            raise ZoomgroundError(f"task '{env.task.id}': has no target; nobody knows what to demonstrate")
        target = to_norm(place.box, env.screenshot.size)
        answer = spot(target)
        if answer is None:
            # No whole number lies well inside: answered at once, as finely as it takes.
            point = answer_point(place, env.screenshot.size, 1.0, rng)
            return WindowScript(env, name, (point.x, point.y), None)
        is_legible = seen_short_side(env.trajectory(), place.box) >= self.legible_px
        share = self.zoom_legible if is_legible else self.zoom_small
        zooms = env.settings.crop_budget > 0 and (env.settings.arm is Arm.FORCED or rng.random() < share)
        return WindowScript(env, name, answer, drawn_window(target, self.any_window, rng) if zooms else None)

    def sentences(self) -> list[str]:
        """See `Style`."""
        return list(SENTENCES)
