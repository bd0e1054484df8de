"""What a demonstration does and says: plans of looking, and the words of their thinking.

The script knows the target; what it writes must not. Thinking says where to look next and what a crop showed, in words
that anybody who sees the same pictures could say, never a coordinate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from zoomground.collect.framing import Framing, FreeWindows, NinthWindows, ninth_index

if TYPE_CHECKING:
    import random

    from zoomground.geometry import Point


class Plan(StrEnum):
    """How a demonstration finds its target.

    - direct: answers at once.
    - context: one crop around the target with its surroundings.
    - nested: a wide crop, then a crop of that crop.
    - recovered: a first crop that cuts the target off, then one that does not.
    - wrong_first: a first crop somewhere else, then the right one.
    - pair: two crops in one turn; the target is in one of them.
    """

    DIRECT = "direct"
    CONTEXT = "context"
    NESTED = "nested"
    RECOVERED = "recovered"
    WRONG_FIRST = "wrong_first"
    PAIR = "pair"

    @property
    def crops(self) -> int:
        """Crops that the plan asks for."""
        return {Plan.DIRECT: 0, Plan.CONTEXT: 1}.get(self, 2)

    @property
    def crops_in_a_turn(self) -> int:
        """Most crops that one of its turns asks for."""
        return 2 if self is Plan.PAIR else 1

    @property
    def turns(self) -> int:
        """Assistant turns that the plan takes."""
        return {Plan.DIRECT: 1, Plan.CONTEXT: 2, Plan.PAIR: 2}.get(self, 3)


PLANS: Mapping[Plan, float] = MappingProxyType(
    {Plan.CONTEXT: 0.6, Plan.NESTED: 0.1, Plan.RECOVERED: 0.1, Plan.WRONG_FIRST: 0.1, Plan.PAIR: 0.1}
)
"""Shares of the plans among demonstrations that zoom."""


@dataclass(frozen=True, slots=True)
class Style:
    """How demonstrations look.

    Attributes:
        legible_px: Short side, in px of the screenshot as seen, from which a target can be read.
        zoom_small: Share of the smaller targets that are zoomed into.
        zoom_legible: Share of the others that are zoomed into all the same.
        plans: Weights of the plans among those that zoom.
        framing: How crops are placed.
        answer_step: Answers are multiples of this, in [0, 1000], as far as the target is large enough.
        silent: Share of the turns without thinking.
        off: Share of the demonstrations in which zooming is not offered.
        renamed: Share of the demonstrations whose screenshot goes by another name, so that names are read, not known.
    """

    legible_px: float = 28.0
    zoom_small: float = 0.9
    zoom_legible: float = 0.1
    plans: Mapping[Plan, float] = field(default_factory=lambda: PLANS)
    framing: Framing = field(default_factory=FreeWindows)
    answer_step: float = 0.01
    silent: float = 0.1
    off: float = 0.15
    renamed: float = 0.5


COARSE = Style(
    legible_px=12.0,
    zoom_small=0.65,
    zoom_legible=0.35,
    plans=MappingProxyType(
        {Plan.CONTEXT: 0.8, Plan.NESTED: 0.05, Plan.RECOVERED: 0.05, Plan.WRONG_FIRST: 0.05, Plan.PAIR: 0.05}
    ),
    framing=NinthWindows(),
    answer_step=10.0,
    silent=0.0,
    renamed=0.0,
)
"""For checkpoints of a few million weights: round numbers, and a choice between zooming and answering that stays open,
because such a checkpoint learns shares long before it learns to tell sizes; RL has to find both to compare them."""

STYLES: Mapping[str, Style] = MappingProxyType({"free": Style(), "coarse": COARSE})
"""Styles by the name that a recipe uses."""

_ROWS = ("top", "middle", "bottom")
_COLUMNS = ("left", "centre", "right")
PLACES = tuple(f"{row} {column}" for row in _ROWS for column in _COLUMNS)
"""Ninths of a picture, row by row."""


class Saying(StrEnum):
    """Occasions to think aloud."""

    CLEAR = "clear"
    GUESS = "guess"
    LOOK = "look"
    MAKE_SURE = "make_sure"
    WIDE = "wide"
    FURTHER = "further"
    CUT_OFF = "cut_off"
    ABSENT = "absent"
    COMPARE = "compare"
    FOUND = "found"
    IN_FIRST = "in_first"
    IN_SECOND = "in_second"
    NOTHING = "nothing"


_FORMS: Mapping[Saying, tuple[str, ...]] = MappingProxyType(
    {
        Saying.CLEAR: ("Clear enough, {place}.", "I see it, {place}."),
        Saying.GUESS: ("Small, but probably {place}.", "It should be {place}."),
        Saying.LOOK: ("Small. Look closer, {place}.", "Hard to read from here. Zoom in, {place}."),
        Saying.MAKE_SURE: ("Look closer to be sure, {place}.",),
        Saying.WIDE: ("Start with a wide crop, {place}.",),
        Saying.FURTHER: ("Zoom in further, {place} of the crop.",),
        Saying.CUT_OFF: ("Cut off. Move the crop, {place} of the screenshot.",),
        Saying.ABSENT: ("Not in this crop. Look {place} of the screenshot.",),
        Saying.COMPARE: ("Two places could be meant. Compare them.",),
        Saying.FOUND: ("There it is, {place} of the crop.", "Found it, {place} of the crop."),
        Saying.IN_FIRST: ("It is in the first crop, {place}.",),
        Saying.IN_SECOND: ("It is in the second crop, {place}.",),
        Saying.NOTHING: ("Nothing here is what was asked for.",),
    }
)


def say(saying: Saying, point: Point, rng: random.Random) -> str:
    """One sentence for an occasion; ``point`` is where it looks, in [0, 1000] of the picture that it speaks of."""
    return rng.choice(_FORMS[saying]).format(place=place(point))


def place(point: Point) -> str:
    """The ninth of a picture that a point of [0, 1000] lies in.

    >>> place(Point(100, 500)), place(Point(1000, 1000))
    ('middle left', 'bottom right')
    """
    column, row = ninth_index(point)
    return PLACES[row * 3 + column]


def sentences() -> list[str]:
    """Every sentence that a demonstration may think, for a tokenizer that keeps each as one token."""
    forms = [form for variants in _FORMS.values() for form in variants]
    return [
        text for form in forms for text in ([form.format(place=p) for p in PLACES] if "{place}" in form else [form])
    ]
