"""By looks: what an icon shows (in English), what colour a thing has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zoomground.synth import words
from zoomground.synth.asks.base import Page, Way
from zoomground.synth.asks.wording import role_fields, tint_fields
from zoomground.synth.graph import Part
from zoomground.synth.looks import is_vague
from zoomground.synth.query import Query
from zoomground.synth.speech import is_bare, is_icon, words_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zoomground.synth.measure import Seen

_ARTICLE = re.compile(r"^(?:an?|the) ")
_PALETTE = 3  # so many colours beside each other are for choosing one


def ways(one: Seen, on: Page) -> Iterator[Way]:
    """Statements of what can be seen of it."""
    yield from _drawn(one, on)
    yield from _coloured(one, on)


def _drawn(one: Seen, on: Page) -> Iterator[Way]:
    """What its icon shows, alone or beside its text, with the box that it lies in where others show the same."""
    element = one.element
    entry = words.entries().get(element.icon)
    for looks in entry.looks if entry else ():
        if is_vague(looks) or on.pictures_show(looks):
            continue
        shown = {"looks": looks, "looks_bare": _ARTICLE.sub("", looks)}
        if not is_icon(element):
            word = words_for(element)[0]
            fields = {**shown, **role_fields(word, "en")}
            yield Way("appearance", "looks_on", Query(looks=looks, word=word), fields, explicit=True, language="en")
            continue
        query = Query(looks=looks, word="icon")
        yield Way("appearance", "looks", query, shown, explicit=True, language="en")
        for group in on.telling(one, query):
            inside = Query(looks=looks, word="icon", group=group.name)
            fields = {**shown, "group": group.name}
            yield Way("appearance", "looks_in", inside, fields, explicit=True, language="en")


def _coloured(one: Seen, on: Page) -> Iterator[Way]:
    element = one.element
    word = "icon" if is_icon(element) else "swatch" if _is_choice(one, on) else ""
    if not (element.tint and word):
        return
    query, fields = (
        Query(tint=element.tint, word=word),
        {**tint_fields(element.tint, on.language), **role_fields(word, on.language)},
    )
    yield Way("appearance", "tint", query, fields, explicit=True)
    for group in on.telling(one, query):
        inside = Query(tint=element.tint, word=word, group=group.name)
        yield Way("appearance", "tint_in", inside, {**fields, "group": group.name}, explicit=True)


def _is_choice(one: Seen, on: Page) -> bool:
    """Whether it is a colour among others to choose from. The three dots of a title bar are no such colours."""
    in_title_bar = any(group.part is Part.TITLEBAR for group in one.groups)
    return is_bare(one.element) and not in_title_bar and len(on.index.palette(one)) >= _PALETTE
