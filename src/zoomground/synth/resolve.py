"""Which elements fit what an instruction says: all of them, so that "exactly one" can be demanded.

Whatever can be seen counts, also what is partly covered or too small to be a target: a person might mean it. In doubt
an element fits: names that begin with the asked name, tints that are hard to tell apart, several nearest neighbours.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from zoomground.synth import words
from zoomground.synth.graph import Box, Group, State, Text
from zoomground.synth.query import Query, begins, plain
from zoomground.synth.speech import possibly, surely

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zoomground.synth.graph import Node
    from zoomground.synth.measure import Seen

_TWIN_TINTS = (frozenset({"red", "pink"}), frozenset({"green", "teal"}), frozenset({"blue", "purple"}))
_LINE_OVERLAP = 0.5  # share of the smaller extent by which things of one line must overlap
_NEXT_GAP_PX = 6.0  # how much farther the second nearest must lie than the nearest
_FAR = 2.5  # a neighbour lies within so many times the anchor's longer short side


def resolve(query: Query, seen: Sequence[Seen], language: str = "en") -> tuple[int, ...]:
    """The indices of all elements that fit a query, in document order."""
    return Index(seen, language).resolve(query)


class Index:
    """The elements of one screen, by everything that an instruction may say of them."""

    def __init__(self, seen: Sequence[Seen], language: str) -> None:
        self.seen: Mapping[int, Seen] = {one.index: one for one in seen}
        self.language = language
        self.names = _Names((name, one.index) for one in seen for name in names_of(one))
        self.groups = _Names((plain(group.name), one.index) for one in seen for group in one.groups)
        self.icons: dict[str, list[int]] = defaultdict(list)
        self.tints: dict[str, list[int]] = defaultdict(list)
        self.goals: dict[str, list[int]] = defaultdict(list)
        for one in seen:
            self._enter(one)
        self._order = np.array([one.index for one in seen], dtype=np.int64)
        self._boxes = np.array([one.box_px for one in seen], dtype=np.float64).reshape(-1, 4)
        self._known: dict[Query, tuple[int, ...]] = {}

    def _enter(self, one: Seen) -> None:
        element = one.element
        if element.icon:
            self.icons[element.icon].append(one.index)
        tints = {element.tint} if element.tint else set[str]()
        if State.DANGER in element.states:
            tints.add("red")
        for tint in sorted(tints):
            self.tints[tint].append(one.index)
        for goal in element.goals:
            self.goals[plain(goal)].append(one.index)

    def resolve(self, query: Query) -> tuple[int, ...]:
        """The indices of all elements that fit a query, in document order."""
        if query not in self._known:
            self._known[query] = tuple(sorted(self._resolve(query)))
        return self._known[query]

    def _resolve(self, query: Query) -> set[int]:
        fits: set[int] | None = None
        for part in self._said(query):
            fits = part if fits is None else fits & part
            if not fits:
                return set()
        if query.side:
            anchors = self.names.like(query.anchor)
            beside = self.beside(anchors.pop(), query.side) if len(anchors) == 1 else set()
            fits = beside if fits is None else fits & beside
        found = set(self.seen) if fits is None else fits
        if query.ordinal:
            return self._numbered(query, found)
        return {index for index in found if not query.word or possibly(query.word, self.seen[index].element)}

    def _said(self, query: Query) -> Iterator[set[int]]:
        if query.name:
            yield self.names.like(query.name, exact=query.exact)
        if query.group:
            yield self._in_group(query)
        if query.concept:
            yield self._doing(query.concept)
        if query.looks:
            yield self._looking(query.looks)
        if query.tint:
            yield self._tinted(query.tint)
        if query.goal:
            yield self._wanted(query.goal)

    def _in_group(self, query: Query) -> set[int]:
        near = self.groups.like(query.group)
        return {index for index in near if any(_is_group(query, group) for group in self.seen[index].groups)}

    def _doing(self, concept: str) -> set[int]:
        """What shows the concept's icon, is called by its label, or does the same under another concept."""
        mine = words.entries()[concept]
        found = set(self.icons.get(concept, ()))
        for label in {mine.texts[self.language], mine.texts["en"]}:
            found |= self.names.like(label)
        does = {plain(text) for text in mine.does}
        for other, indices in self.icons.items():
            entry = words.entries().get(other)
            if entry and does & {plain(text) for text in entry.does}:
                found.update(indices)
        return found

    def _looking(self, looks: str) -> set[int]:
        asked = _look(looks)
        return {
            index
            for concept, indices in self.icons.items()
            if (entry := words.entries().get(concept)) and any(_contains(_look(own), asked) for own in entry.looks)
            for index in indices
        }

    def _tinted(self, tint: str) -> set[int]:
        twins = next((pair for pair in _TWIN_TINTS if tint in pair), frozenset({tint}))
        return {index for one in twins for index in self.tints.get(one, ())}

    def _wanted(self, goal: str) -> set[int]:
        """What the goal is written for, and whatever has the same name."""
        found = set(self.goals.get(plain(goal), ()))
        for index in tuple(found):
            name = self.seen[index].element.name
            if name:
                found |= self.names.like(name, exact=True)
        return found

    def beside(self, anchor: int, side: str) -> set[int]:
        """What lies next to an element on a side: several if the nearest is not clearly the nearest."""
        left, top, right, bottom = self.seen[anchor].box_px
        x1, y1, x2, y2 = self._boxes.T
        if side in {"left", "right"}:
            gap = x1 - right if side == "right" else left - x2
            common, extent = np.minimum(y2, bottom) - np.maximum(y1, top), np.minimum(y2 - y1, bottom - top)
        else:
            gap = y1 - bottom if side == "below" else top - y2
            common, extent = np.minimum(x2, right) - np.maximum(x1, left), np.minimum(x2 - x1, right - left)
        reach = _FAR * max(min(right - left, bottom - top), 24.0)
        near = (gap > -2.0) & (gap < reach) & (common >= _LINE_OVERLAP * extent) & (self._order != anchor)
        if not near.any():
            return set()
        nearest = gap[near].min()
        return set(self._order[near & (gap < nearest + _NEXT_GAP_PX)].tolist())

    def _numbered(self, query: Query, among: set[int]) -> set[int]:
        """The element of a number, or all that might be counted if they are not clearly one line of one kind."""
        may = [index for index in among if possibly(query.word, self.seen[index].element)]
        groups = {group.number for index in may for group in self.seen[index].groups if _is_group(query, group)}
        if len(groups) > 1 or any(not surely(query.word, self.seen[index].element) for index in may):
            return set(may)
        axis = 0 if query.order == "left" else 1
        may.sort(key=lambda index: self.seen[index].box_px[axis])
        if not may or not self._in_line(may, axis) or abs(query.ordinal) > len(may):
            return set(may)
        return {may[query.ordinal - 1 if query.ordinal > 0 else query.ordinal]}

    def _in_line(self, indices: Sequence[int], axis: int) -> bool:
        boxes = [self.seen[index].box_px for index in indices]
        across = 1 - axis
        low, high = max(box[across] for box in boxes), min(box[across + 2] for box in boxes)
        thin = min(box[across + 2] - box[across] for box in boxes)
        apart = all(b[axis] >= a[axis + 2] - 2.0 for a, b in pairwise(boxes))
        return apart and high - low >= _LINE_OVERLAP * thin


class _Names:
    """Indices by plain name, with the names that begin with another one."""

    def __init__(self, pairs: Iterable[tuple[str, int]]) -> None:
        self._by_name: dict[str, set[int]] = defaultdict(set)
        for name, index in pairs:
            if name:
                self._by_name[name].add(index)
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

    def __iter__(self) -> Iterator[str]:
        return iter(self._sorted)


def names_of(one: Seen) -> set[str]:
    """Everything that an element may be called, as plain names."""
    element = one.element
    called = {element.label, element.text, element.value, element.thing, one.measured.name}
    called.update(_inner_texts(element.children))
    return {plain(name) for name in called if name}


def _inner_texts(children: Iterable[Node]) -> Iterator[str]:
    for child in children:
        if isinstance(child, Text):
            yield child.text
        elif isinstance(child, Box):
            yield from _inner_texts(child.children)


def _is_group(query: Query, group: Group) -> bool:
    """Whether somebody might mean this box by the query's group."""
    asked, name = plain(query.group), plain(group.name)
    return bool(asked) and query.part in {"", group.part} and (name == asked or begins(name, asked))


def _look(text: str) -> str:
    heard = plain(text)
    for article in ("a ", "an ", "the "):
        heard = heard.removeprefix(article)
    return heard


def _contains(longer: str, part: str) -> bool:
    return f" {part} " in f" {longer} "
