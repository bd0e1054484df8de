"""By looks, in English: what an icon shows, what colour a thing has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth import words
from zoomground.synth.asks.base import Page, Way
from zoomground.synth.asks.wording import role_fields
from zoomground.synth.looks import is_vague
from zoomground.synth.query import Query
from zoomground.synth.speech import is_bare, is_icon

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zoomground.synth.measure import Seen

_PALETTE = 3  # so many colours beside each other are for choosing one


def ways(one: Seen, on: Page) -> Iterator[Way]:
    """Statements of what can be seen of it."""
    element = one.element
    if on.language != "en":
        return
    entry = words.entries().get(element.icon)
    if entry and is_icon(element):
        for looks in entry.looks:
            if is_vague(looks):
                continue
            yield Way("appearance", "looks", Query(looks=looks, word="icon"), {"looks": looks}, explicit=True)
    word = (
        "icon" if is_icon(element) else "swatch" if is_bare(element) and len(on.index.palette(one)) >= _PALETTE else ""
    )
    if element.tint and word:
        fields = {"tint": element.tint, **role_fields(word, "en")}
        yield Way("appearance", "tint", Query(tint=element.tint, word=word), fields, explicit=True)
