"""Which elements fit what an instruction says: all of them, so that "exactly one" can be demanded.

Whatever can be seen counts, also what is partly covered or too small to be a target: a person might mean it. In doubt
an element fits: names that begin with the asked name, tints that are hard to tell apart, several nearest neighbours.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from zoomground.synth import words
from zoomground.synth.graph import TINTS, State
from zoomground.synth.lines import Line, counted
from zoomground.synth.looks import alike
from zoomground.synth.names import Names, names_of
from zoomground.synth.places import Places
from zoomground.synth.query import Query, plain
from zoomground.synth.speech import bears_picture, is_bare, possibly, shown, surely

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from zoomground.synth.graph import Group, Placed
    from zoomground.synth.measure import Seen

_RIVALS = {"close": ("over_cancel",)}  # keys of texts whose elements do the same as a concept
_TWIN_TINTS = (frozenset({"red", "pink"}), frozenset({"green", "teal"}), frozenset({"blue", "purple"}))


def resolve(query: Query, seen: Sequence[Seen], language: str = "en") -> tuple[int, ...]:
    """The indices of all elements that fit a query, in document order."""
    return Index(seen, language).resolve(query)


class Index:
    """The elements of one screen, by everything that an instruction may say of them."""

    def __init__(
        self, seen: Sequence[Seen], language: str, synonyms: Callable[[str], Sequence[str]] = lambda _: (),
        hidden: Sequence[Placed] = (),
    ) -> None:  # fmt: skip
        """Take in a screen.

        Args:
            seen: Its elements of which anything can be seen.
            language: Its language.
            synonyms: Further names of a concept.
            hidden: Its other elements: scrolled away or under something else.
        """
        self.seen: Mapping[int, Seen] = {one.index: one for one in seen}
        self.language = language
        self.synonyms = synonyms
        self.places = Places(seen)
        self._names = Names((name, one.index) for one in seen for name in names_of(one))
        self._groups: dict[int, Group] = {group.number: group for one in seen for group in one.groups}
        self._group_names = Names((plain(group.name), number) for number, group in self._groups.items())
        self._members: dict[int, set[int]] = defaultdict(set)
        self._icons: dict[str, set[int]] = defaultdict(set)
        self._tints: dict[str, set[int]] = defaultdict(set)
        self._goals: dict[str, set[int]] = defaultdict(set)
        for one in seen:
            self._enter(one)
        self._words: dict[str, set[int]] = {}
        self._hidden = hidden
        self._lines: dict[tuple[str, str, str, str], Line] = {}
        self._known: dict[Query, tuple[int, ...]] = {}

    def _enter(self, one: Seen) -> None:
        for group in one.groups:
            self._members[group.number].add(one.index)
        element = one.element
        for concept in shown(element):
            self._icons[concept].add(one.index)
        for tint in TINTS if bears_picture(element) else [element.tint]:
            self._tints[tint].add(one.index)
        if State.DANGER in element.states:
            self._tints["red"].add(one.index)
        for goal in element.goals:
            self._goals[plain(goal)].add(one.index)

    def resolve(self, query: Query) -> tuple[int, ...]:
        """The indices of all elements that fit a query, in document order."""
        if query not in self._known:
            self._known[query] = tuple(sorted(self._resolve(query)))
        return self._known[query]

    def line(self, word: str, group: str, part: str, order: str) -> Line:
        """What is counted when somebody numbers the things of a word: none if that is not clearly one line of one kind.

        Args:
            word: A word for elements.
            group: Name of the box that they are in; empty: the whole screen.
            part: What that box is; empty: any.
            order: "left" or "top".
        """
        key = (word, group, part, order)
        if key not in self._lines:
            self._lines[key] = self._line(*key)
        return self._lines[key]

    def _line(self, word: str, group: str, part: str, order: str) -> Line:
        may, away = self._called(word), [one for one in self._hidden if possibly(word, one.element)]
        if group:
            boxes = self._boxes_named(group, part)
            if len(boxes) != 1:
                return Line()
            box = boxes.pop()
            may = may & self._members[box]
            away = [one for one in away if any(around.number == box for around in one.groups)]
        if not all(surely(word, self.seen[index].element) for index in may):
            return Line()
        found = self.places.line(may, order)
        return counted([self.seen[index] for index in found], [one.index for one in away])

    def _resolve(self, query: Query) -> set[int]:
        fits: set[int] | None = None
        if query.side:
            fits = self._beside(query)
            if len(fits) > 1:
                return fits  # a word for what is meant does not settle which of several lies directly beside
        for part in self._said(query):
            fits = part if fits is None else fits & part
            if not fits:
                return set()
        return set(self.seen) if fits is None else fits

    def _beside(self, query: Query) -> set[int]:
        anchors = self._names.like(query.anchor)
        return self.places.beside(anchors.pop(), query.side) if len(anchors) == 1 else set()

    def _said(self, query: Query) -> Iterator[set[int]]:
        """What fits each part of the query but its side by itself."""
        if query.name:
            yield self._named(query)
        if query.group:
            yield self._inside(query.group, query.part)
        if query.word:
            yield self._called(query.word)
        if query.concept:
            yield self._doing(query.concept)
        if query.looks:
            yield self._looking(query.looks)
        if query.tint:
            yield self._tinted(query.tint)
        if query.goal:
            yield self._wanted(query.goal)
        if query.ordinal:
            yield self._numbered(query)

    def _named(self, query: Query) -> set[int]:
        """What has the name; if it is that of a thing ("page icon"), also whatever shows the same icon."""
        found = self._names.like(query.name, exact=query.exact)
        asked = plain(query.name)
        for index in tuple(found):
            element = self.seen[index].element
            if element.icon and element.thing and plain(element.thing) == asked:
                found |= self._icons[element.icon]
        return found

    def _called(self, word: str) -> set[int]:
        if word not in self._words:
            self._words[word] = {index for index, one in self.seen.items() if possibly(word, one.element)}
        return self._words[word]

    def _boxes_named(self, name: str, part: str) -> set[int]:
        return {number for number in self._group_names.like(name) if part in {"", self._groups[number].part}}

    def _inside(self, name: str, part: str) -> set[int]:
        return set().union(*(self._members[number] for number in self._boxes_named(name, part)))

    def _numbered(self, query: Query) -> set[int]:
        """The element of a number, or all that somebody might count if that is not clear."""
        index = self.line(query.word, query.group, query.part, query.order).at(query.ordinal)
        return self._called(query.word) if index is None else {index}

    def _doing(self, concept: str) -> set[int]:
        """What shows the concept's icon, is called by its label, or does the same under another concept."""
        mine = words.entries()[concept]
        found = set(self._icons.get(concept, ()))
        for label in {mine.texts[self.language], mine.texts["en"], *self.synonyms(concept)}:
            found |= self._names.like(label)
        for rival in _RIVALS.get(concept, ()):
            found |= self._names.like(words.say(rival, self.language))
        does = {plain(text) for text in mine.does}
        for other, indices in self._icons.items():
            entry = words.entries().get(other)
            if entry and does & {plain(text) for text in entry.does}:
                found |= indices
        return found

    def _looking(self, looks: str) -> set[int]:
        found: set[int] = set()
        for concept, indices in self._icons.items():
            entry = words.entries().get(concept)
            if entry and any(alike(looks, own) for own in entry.looks):
                found |= indices
        return found

    def palette(self, one: Seen) -> frozenset[str]:
        """The tints of what shows a colour only, in the innermost box around an element."""
        inside = self._members[one.groups[-1].number] if one.groups else set(self.seen)
        found = (self.seen[index].element for index in inside)
        return frozenset(element.tint for element in found if element.tint and is_bare(element))

    def _tinted(self, tint: str) -> set[int]:
        twins = next((pair for pair in _TWIN_TINTS if tint in pair), frozenset({tint}))
        return set().union(*(self._tints.get(one, set()) for one in twins))

    def _wanted(self, goal: str) -> set[int]:
        """What the goal is written for, and whatever has the same name."""
        found = set(self._goals.get(plain(goal), ()))
        for index in tuple(found):
            name = self.seen[index].element.name
            if name:
                found |= self._names.like(name, exact=True)
        return found
