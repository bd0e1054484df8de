"""Asking for what is not there: things of other programs and screens, proven to be absent from this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth import words
from zoomground.synth.asks.base import Way
from zoomground.synth.asks.wording import role_fields
from zoomground.synth.looks import alike
from zoomground.synth.query import Query, edit_distance, is_cjk, plain
from zoomground.synth.speech import shown

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from zoomground.synth.graph import Placed
    from zoomground.synth.measure import Texts

_LEAST_WORD = 4  # shorter words ("the", "de") do not make two names alike
_LEAST_DISTANCE = 0.45  # share of the longer name that must be edited to get the other one


def ways(proof: Absence, language: str, names: Sequence[str], rng: random.Random) -> Iterator[list[Way]]:
    """Things that this screen does not hold, in random order, each with its statements.

    Args:
        proof: What the screen holds.
        language: Its language.
        names: Further names to ask for, of other screens; concepts are always tried.
        rng: Decides the order.
    """
    concepts = [key for key, entry in words.entries().items() if entry.does or entry.looks]
    things = [*((True, key) for key in concepts), *((False, name) for name in names)]
    rng.shuffle(things)
    for is_concept, thing in things:
        if is_concept and proof.concept_is_absent(thing):
            yield _concept_ways(thing, language)
        elif not is_concept and proof.name_is_absent(thing):
            yield [Way("absent", "bare", Query(name=thing), {"name": thing}, explicit=True)]


def _concept_ways(concept: str, language: str) -> list[Way]:
    entry = words.entries()[concept]
    label = entry.texts[language]
    found = [Way("absent", "bare", Query(name=label, concept=concept), {"name": label}, explicit=True)]
    for word in ("button", "icon"):
        fields = {"name": label, **role_fields(word, language)}
        found.append(Way("absent", "role", Query(name=label, concept=concept, word=word), fields, explicit=True))
    for does in entry.does if language == "en" else ():
        fields = {"does": does, "does_low": does[:1].lower() + does[1:]}
        found.append(Way("absent", "does", Query(concept=concept), fields, explicit=False))
    return found


class Absence:
    """Everything that a screen holds, to show that something is not among it."""

    def __init__(
        self, placed: Sequence[Placed], texts: Texts, language: str, synonyms: Callable[[str], Sequence[str]],
        drawn: Iterable[str] = (),
    ) -> None:  # fmt: skip
        """Take in a screen.

        Args:
            placed: Its elements.
            texts: Its words.
            language: Its language.
            synonyms: Further names of a concept.
            drawn: Concepts that pictures show which belong to no element.
        """
        self._language = language
        self._synonyms = synonyms
        said = set(texts.every)
        self._concepts = set(drawn).union(*(shown(one.element) for one in placed))
        for one in placed:
            element = one.element
            said.update((element.label, element.text, element.value, element.thing))
            said.update(group.name for group in one.groups)
        for concept in self._concepts:
            entry = words.entries().get(concept)
            said.update((*entry.texts.values(), *synonyms(concept)) if entry else (concept,))
        self._names = [(name, _letters(name)) for name in sorted({plain(text) for text in said if text})]
        self._words = {word for name, _ in self._names for word in _content_words(name)}

    def concept_is_absent(self, concept: str) -> bool:
        """Whether no element shows it, does the same, looks the same or is called alike."""
        entry = words.entries()[concept]
        if concept in self._concepts:
            return False
        does = {plain(text) for text in entry.does}
        for other in self._concepts:
            theirs = words.entries().get(other)
            if theirs is None:
                continue
            looks_alike = any(alike(one, two) for one in entry.looks for two in theirs.looks)
            if looks_alike or does & {plain(text) for text in theirs.does}:
                return False
        names = {entry.texts[self._language], entry.texts["en"], *self._synonyms(concept)}
        return all(self.name_is_absent(name) for name in sorted(names))

    def name_is_absent(self, name: str) -> bool:
        """Whether nothing on the screen, seen or unseen, has this name, a word of it, or a spelling near it."""
        asked = plain(name)
        if not asked or self._words & set(_content_words(asked)):
            return False
        if any(is_cjk(char) for char in asked):
            return not any(asked in name or name in asked for name, _ in self._names)
        if any(f" {asked} " in f" {name} " or f" {name} " in f" {asked} " for name, _ in self._names):
            return False
        letters = _letters(asked)
        return not any(_may_be_near(asked, letters, name, other) and _near(asked, name) for name, other in self._names)


def _content_words(name: str) -> Iterator[str]:
    """What makes two names alike: beginnings of words; of languages without spaces every pair of characters."""
    for word in name.split():
        if any(is_cjk(char) for char in word):
            yield from (word[at : at + 2] for at in range(len(word) - 1))
        elif len(word) >= _LEAST_WORD:
            yield word[:_LEAST_WORD]


def _letters(name: str) -> int:
    """The letters of a name as bits; letters that share a bit only make names look nearer."""
    bits = 0
    for char in name:
        bits |= 1 << (ord(char) & 63)
    return bits


def _may_be_near(a: str, a_letters: int, b: str, b_letters: int) -> bool:
    """Whether lengths and letters allow two names to be near: every letter that only one has costs an edit."""
    most = _LEAST_DISTANCE * max(len(a), len(b))
    alone = max((a_letters & ~b_letters).bit_count(), (b_letters & ~a_letters).bit_count())
    return abs(len(a) - len(b)) < most and alone < most


def _near(a: str, b: str) -> bool:
    """Whether the edit distance is a small share of the longer name."""
    return edit_distance(a, b) < _LEAST_DISTANCE * max(len(a), len(b))
