"""Lines of things that somebody may number, and from which of their ends one can count."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.synth.measure import Seen

_WHOLE = 0.95  # share from which on an end of a line is not cut off
_NUMBER = re.compile(r"\d+|[A-Z]{1,2}", re.ASCII)
_LETTERS = 26


@dataclass(frozen=True, slots=True)
class Line:
    """Things of one kind in one line.

    Attributes:
        indices: Their indices, from the left or from the top.
        from_start: Whether the first one that can be seen is the first one: none before it is scrolled away or cut.
        from_end: The same for the last one.
    """

    indices: tuple[int, ...] = ()
    from_start: bool = False
    from_end: bool = False

    def at(self, ordinal: int) -> int | None:
        """The index of a number (from 1; -1 is the last); None if it is not clear which that is."""
        known = self.from_start if ordinal > 0 else self.from_end
        if not known or abs(ordinal) > len(self.indices):
            return None
        return self.indices[ordinal - 1 if ordinal > 0 else ordinal]

    def ordinals(self, index: int) -> tuple[int, ...]:
        """The numbers that clearly mean an element."""
        if index not in self.indices:
            return ()
        found = (self.indices.index(index) + 1, -1)
        return tuple(one for one in found if self.at(one) == index)


def counted(line: Sequence[Seen], hidden: Sequence[int]) -> Line:
    """A line with what is known of its ends.

    Args:
        line: What can be seen of it, in order.
        hidden: Indices of things of its kind in its box of which nothing can be seen; an element's index is its place
            in the document, where what is scrolled away at the start comes first.
    """
    if not line:
        return Line()
    first, last = min(one.index for one in line), max(one.index for one in line)
    if any(first < index < last for index in hidden):
        return Line()
    whole = [one.measured.share >= _WHOLE for one in line]
    starts = whole[0] and all(index > first for index in hidden) and _counts_from_one(line)
    ends = whole[-1] and all(index < last for index in hidden)
    return Line(tuple(one.index for one in line), starts, ends)


def _counts_from_one(line: Sequence[Seen]) -> bool:
    """False if the things bear numbers or letters of their own that begin elsewhere: rows 37 and 38, column F."""
    written = [one.element.text for one in line]
    if not all(_NUMBER.fullmatch(text) for text in written):
        return True
    return [_value(text) for text in written] == list(range(1, len(written) + 1))


def _value(text: str) -> int:
    if text.isdigit():
        return int(text)
    value = 0
    for letter in text:
        value = value * _LETTERS + ord(letter) - ord("A") + 1
    return value
