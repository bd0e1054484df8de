"""What an instruction says of its target, as data, and the names that people would take for the same."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


_APART = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Query:
    """A statement about one element; empty fields say nothing.

    Attributes:
        name: What it is called, as label, text, value or thing.
        exact: Whether the name is meant letter by letter ("labelled exactly"): longer names that begin with it do
            not count.
        word: What it is said to be (a key of `speech.WORDS`): button, icon, tab, field ...
        concept: What it does, as a concept.
        looks: What its icon looks like.
        tint: Its colour.
        goal: What one would use it for, as a whole instruction.
        group: Name of the box that it lies in.
        part: What that box is said to be (a `Part`); empty: any.
        ordinal: Its number among the things of its word in that box, from 1; -1 is the last.
        order: How these are counted: "left" (from the left) or "top" (from the top).
        side: Where it lies directly beside the anchor: "right", "left", "below", "above".
        anchor: Name of the element beside it.
    """

    name: str = ""
    exact: bool = False
    word: str = ""
    concept: str = ""
    looks: str = ""
    tint: str = ""
    goal: str = ""
    group: str = ""
    part: str = ""
    ordinal: int = 0
    order: str = ""
    side: str = ""
    anchor: str = ""

    def to_json(self) -> dict[str, object]:
        """The fields that say something."""
        return {key: value for key, value in asdict(self).items() if value}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Query:
        """The inverse of `to_json`."""
        known = {one.name for one in fields(cls)}
        return cls(**{key: value for key, value in values.items() if key in known})


def edit_distance(a: str, b: str) -> int:
    """Levenshtein distance: letters to put in, take out or replace.

    Example:
        >>> edit_distance("Save", "Safes"), edit_distance("", "ab")
        (2, 2)
    """
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        before, row[0] = row[0], i
        last = i
        for j, right in enumerate(b, 1):
            # Without `min`, and of the last number in hand: half of the time.
            above = row[j]
            best = before if left == right else before + 1
            if above < best:
                best = above + 1
            if last < best:
                best = last + 1
            before, last = above, best
            row[j] = best
    return row[-1]


@lru_cache(65536)
def plain(text: str) -> str:
    """A name as one hears it: without case, punctuation, width forms and double spaces.

    Example:
        >>> plain("Save  As…"), plain("“Grün”"), plain("+")
        ('save as', 'grün', '+')
    """
    if text.isascii():
        low = text.lower()
        return " ".join(_APART.split(low)).strip() or " ".join(low.split())
    folded = unicodedata.normalize("NFKC", text).casefold()
    heard = "".join(char if char.isalnum() or unicodedata.category(char).startswith("M") else " " for char in folded)
    return " ".join(heard.split()) or " ".join(folded.split())


def is_cjk(char: str) -> bool:
    """Whether a character is written without spaces between words."""
    return "\u3040" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff"


def begins(longer: str, name: str) -> bool:
    """Whether a plain name goes on where another one ends, at the end of a word: "save as" begins with "save"."""
    if len(longer) <= len(name) or not longer.startswith(name):
        return False
    return longer[len(name)] == " " or is_cjk(name[-1:]) or is_cjk(longer[len(name)])


@lru_cache(65536)
def word_count(text: str) -> int:
    """Number of words; languages without spaces count 1.7 characters as one."""
    if text.isascii():
        return max(1, len(text.split()))
    cjk = sum(map(is_cjk, text))
    rest = "".join(" " if is_cjk(char) else char for char in text)
    return max(1, len([one for one in rest.split() if any(map(str.isalnum, one))]) + round(cjk / 1.7))
