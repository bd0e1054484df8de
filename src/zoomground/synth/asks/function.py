"""By what it does, in English: the sentences of its concept, and the icon set's own words for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth import words
from zoomground.synth.asks.base import Page, Way
from zoomground.synth.asks.wording import role_fields
from zoomground.synth.query import Query
from zoomground.synth.speech import words_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zoomground.synth.measure import Seen


def ways(one: Seen, on: Page) -> Iterator[Way]:
    """Statements of what a click would do, with the box that it lies in where others do the same."""
    entry = words.entries().get(one.element.icon)
    if entry is None:
        return
    if one.element.name != entry.texts[on.language] and one.element.name:
        return  # an icon that only decorates: a star before a folder's name does not mark anything
    word, concept = words_for(one.element)[-1], one.element.icon
    for synonym in on.index.synonyms(concept):
        fields = {"synonym": synonym, **role_fields(word, "en")}
        query = Query(concept=concept, word=word)
        yield Way("function", "synonym", query, fields, explicit=False, language="en")
    for does in entry.does:
        fields = {"does": does, "does_low": does[:1].lower() + does[1:]}
        yield Way("function", "does", Query(concept=concept), fields, explicit=False, language="en")
        for group in on.telling(one, Query(concept=concept)):
            # The words do not say what kind of box it is: any box of that name may be meant.
            query = Query(concept=concept, group=group.name)
            inside = {**fields, "group": group.name}
            yield Way("function", "does_in", query, inside, explicit=False, language="en")
