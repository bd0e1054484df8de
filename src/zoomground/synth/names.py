"""What elements may be called, and looking them up so that look-alikes come along."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING

from zoomground.synth.graph import Box, Text
from zoomground.synth.query import begins, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zoomground.synth.graph import Node
    from zoomground.synth.measure import Seen


class Names:
    """Numbers by plain name, with the names that begin with another one."""

    def __init__(self, pairs: Iterable[tuple[str, int]]) -> None:
        self._by_name: dict[str, set[int]] = defaultdict(set)
        for name, number in pairs:
            if name:
                self._by_name[name].add(number)
        self._sorted = sorted(self._by_name)

    def like(self, name: str, *, exact: bool = False) -> set[int]:
        """Everything that has this name or, unless it is exact, one that begins with it."""
        asked = plain(name)
        found = set(self._by_name.get(asked, ()))
        if exact or not asked:
            return found
        at = bisect_left(self._sorted, asked)
        while at < len(self._sorted) and self._sorted[at].startswith(asked):
            if begins(self._sorted[at], asked):
                found |= self._by_name[self._sorted[at]]
            at += 1
        return found


def names_of(one: Seen) -> set[str]:
    """Everything that an element may be called, as plain names: also what is written in it."""
    element = one.element
    called = {element.label, element.text, element.value, element.thing, one.measured.name}
    if element.children:
        called.update(_inner_texts(element.children))
    return {plain(name) for name in called if name}


def _inner_texts(children: Iterable[Node]) -> Iterator[str]:
    """Texts in a composite element; elements in it are called for themselves."""
    for child in children:
        if isinstance(child, Text):
            yield child.text
        elif isinstance(child, Box):
            yield from _inner_texts(child.children)
