"""By what it does, in English: the sentences of its concept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth import words
from zoomground.synth.asks.base import Page, Way
from zoomground.synth.query import Query

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zoomground.synth.measure import Seen


def ways(one: Seen, on: Page) -> Iterator[Way]:
    """Statements of what a click would do."""
    entry = words.entries().get(one.element.icon)
    if on.language != "en" or entry is None:
        return
    if one.element.name != entry.texts["en"] and one.element.name:
        return  # an icon that only decorates: a star before a folder's name does not mark anything
    for does in entry.does:
        fields = {"does": does, "does_low": does[:1].lower() + does[1:]}
        yield Way("function", "does", Query(concept=one.element.icon), fields, explicit=False)
