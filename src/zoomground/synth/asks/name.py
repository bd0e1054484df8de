"""By name: the visible label, or the name that a tooltip would show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.asks.base import Page, Way, has_good_name
from zoomground.synth.asks.wording import role_fields
from zoomground.synth.query import Query
from zoomground.synth.speech import words_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zoomground.synth.measure import Seen


def ways(one: Seen, on: Page) -> Iterator[Way]:
    """Statements of its name: alone, with a word for what it is, and letter by letter."""
    if not has_good_name(one, on):
        return
    name = one.element.name
    if any(map(str.isalpha, name)):  # a mere "1" is no instruction
        yield Way("name", "bare", Query(name=name), {"name": name}, explicit=True)
    words = words_for(one.element)
    for word in words:
        if word == "linenumber":
            continue  # its name says so already
        fields = {"name": name, **role_fields(word, on.language)}
        yield Way("name", "role", Query(name=name, word=word), fields, explicit=True)
    if one.element.text and on.can_read(name):
        fields = {"name": name, **role_fields(words[0], on.language)}
        yield Way("name", "exact", Query(name=name, word=words[0], exact=True), fields, explicit=True)
