"""Asking for what is not there: things of other programs and screens, proven to be absent from this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth import words
from zoomground.synth.asks.base import Way
from zoomground.synth.asks.wording import role_fields
from zoomground.synth.query import Query, is_cjk, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zoomground.synth.graph import Placed
    from zoomground.synth.measure import Texts

_LEAST_WORD = 4  # shorter words ("the", "de") do not make two names alike
_LEAST_DISTANCE = 0.45  # share of the longer name that must be edited to get the other one


def ways(placed: Sequence[Placed], texts: Texts, language: str, names: Sequence[str]) -> Iterator[Way]:
    """Statements of what this screen does not hold.

    Args:
        placed: Every element of the screen, seen or not.
        texts: All its words.
        language: Its language.
        names: Further names to ask for, of other screens; concepts are always tried.
    """
    proof = Absence(placed, texts, language)
    for concept, entry in words.entries().items():
        if not (entry.does or entry.looks) or not proof.concept_is_absent(concept):
            continue
        label = entry.texts[language]
        yield Way("absent", "bare", Query(name=label, concept=concept), {"name": label}, explicit=True)
        for word in ("button", "icon"):
            fields = {"name": label, **role_fields(word, language)}
            yield Way("absent", "role", Query(name=label, concept=concept, word=word), fields, explicit=True)
        for does in entry.does if language == "en" else ():
            fields = {"does": does, "does_low": does[:1].lower() + does[1:]}
            yield Way("absent", "does", Query(concept=concept), fields, explicit=False)
    for name in names:
        if proof.name_is_absent(name):
            yield Way("absent", "bare", Query(name=name), {"name": name}, explicit=True)


class Absence:
    """Everything that a screen holds, to show that something is not among it."""

    def __init__(self, placed: Sequence[Placed], texts: Texts, language: str) -> None:
        self._language = language
        said = set(texts.every)
        self._concepts = {one.element.icon for one in placed if one.element.icon}
        for one in placed:
            element = one.element
            said.update((element.label, element.text, element.value, element.thing))
            said.update(group.name for group in one.groups)
        for concept in self._concepts:
            entry = words.entries().get(concept)
            said.update(entry.texts.values() if entry else (concept,))
        self._names = sorted({plain(text) for text in said if text})
        self._words = {word for name in self._names for word in _content_words(name)}

    def concept_is_absent(self, concept: str) -> bool:
        """Whether no element shows it, does the same, looks the same or is called alike."""
        entry = words.entries()[concept]
        if concept in self._concepts:
            return False
        mine = {plain(text) for text in (*entry.does, *entry.looks)}
        for other in self._concepts:
            theirs = words.entries().get(other)
            if theirs and mine & {plain(text) for text in (*theirs.does, *theirs.looks)}:
                return False
        return self.name_is_absent(entry.texts[self._language]) and self.name_is_absent(entry.texts["en"])

    def name_is_absent(self, name: str) -> bool:
        """Whether nothing on the screen, seen or unseen, has this name, a word of it, or a spelling near it."""
        asked = plain(name)
        if not asked or self._words & set(_content_words(asked)):
            return False
        if any(is_cjk(char) for char in asked):
            return not any(asked in name or name in asked for name in self._names)
        return all(_distance(asked, name) >= _LEAST_DISTANCE for name in self._names)


def _content_words(name: str) -> Iterator[str]:
    """The words that make two names alike; of languages without spaces every pair of characters."""
    for word in name.split():
        if any(is_cjk(char) for char in word):
            yield from (word[at : at + 2] for at in range(len(word) - 1))
        elif len(word) >= _LEAST_WORD:
            yield word


def _distance(a: str, b: str) -> float:
    """Edit distance as a share of the longer text; 1 at once where the lengths alone say more than enough."""
    longer = max(len(a), len(b))
    if abs(len(a) - len(b)) >= _LEAST_DISTANCE * longer:
        return 1.0
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1] / longer
