"""What the families of asks share: the screen they look at, the statements they make, the asks that come of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from zoomground.synth import words
from zoomground.synth.graph import Part
from zoomground.synth.looks import alike
from zoomground.synth.measure import Seen, Texts
from zoomground.synth.query import Query, plain
from zoomground.synth.resolve import Index
from zoomground.synth.speech import is_pictured

if TYPE_CHECKING:
    from zoomground.synth.graph import Group

_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Way:
    """One statement about an element, to be worded by the templates of its key.

    Attributes:
        family: The family that makes it.
        key: Which of the family's template lists words it.
        query: What it says.
        fields: What fills the templates' places.
        explicit: Whether it names the element or its place; implicit ones say what it is for.
        quoted: Whether its name may stand in quotation marks: it is the element's own. A mere word for what it is
            ("star", "row menu") is written nowhere.
        language: Language of the words; empty: the screen's. What icons show and do is said in English everywhere.
    """

    family: str
    key: str
    query: Query
    fields: Mapping[str, str]
    explicit: bool
    quoted: bool = True
    language: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """An instruction.

    Attributes:
        text: Its words.
        how: The family.
        explicit: As in `Way`.
        template: Id of its template.
        language: Language of its words.
        query: What it says.
    """

    text: str
    how: str
    explicit: bool
    template: str
    language: str
    query: Query


@dataclass(frozen=True, slots=True)
class Page:
    """A screen as those see it who ask.

    Attributes:
        index: Its elements.
        texts: Its words.
        language: Their language.
        drawn: Concepts that pictures show which belong to no element.
    """

    index: Index
    texts: Texts
    language: str
    drawn: frozenset[str] = frozenset()
    _readable: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_readable", frozenset(plain(text) for text in self.texts.readable))

    def can_read(self, name: str) -> bool:
        """Whether a text can be read in full on the screen."""
        return plain(name) in self._readable

    def pictures_show(self, looks: str) -> bool:
        """Whether a picture that belongs to no element looks like this: a face beside a name."""
        return any(alike(looks, own) for key in self.drawn for own in words.entries()[key].looks)

    def groups(self, one: Seen) -> list[Group]:
        """The boxes around an element whose names can be read, innermost first."""
        return [group for group in reversed(one.groups) if group.on_screen and self.can_read(group.name)]

    def telling(self, one: Seen, query: Query) -> list[Group]:
        """The innermost box around an element whose name can be read, if a statement fits others too.

        A box that is no part of its own, only layout with a heading, is none to a person nor to the accessibility tree.
        """
        own = plain(one.element.name)
        named = [group for group in self.groups(one) if group.part is not Part.PLAIN and plain(group.name) != own]
        return named[:1] if len(self.index.resolve(query)) > 1 else []


def has_good_name(one: Seen, on: Page) -> bool:
    """Whether its name can be said: readable, not cut off, and known to somebody who only sees the screen.

    An icon's name can be guessed. A photograph's file name, a symbol's number, a shade's share of white cannot.
    """
    name = one.element.name
    if not name or len(name) > _LONGEST_NAME or not any(map(str.isalnum, name)) or one.measured.cut:
        return False
    return not is_pictured(one.element) or on.can_read(name)
