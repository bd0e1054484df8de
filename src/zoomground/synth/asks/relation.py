"""By what it belongs to: the row, card, panel or dialog around it, whose name can be read on the screen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from zoomground.synth.asks.base import Page, Way, has_good_name
from zoomground.synth.asks.wording import role_fields
from zoomground.synth.graph import Part
from zoomground.synth.query import Query, plain
from zoomground.synth.speech import words_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zoomground.synth.measure import Seen

_PARTS = {
    Part.ROW: "row", Part.CARD: "card", Part.TILE: "card", Part.TAB: "tab",
    Part.PANEL: "panel", Part.DIALOG: "dialog", Part.TOOLBAR: "toolbar",
    Part.MENU: "menu", Part.WINDOW: "window", Part.FORM: "panel", Part.SIDEBAR: "panel",
}  # fmt: skip
_OF_ONE_THING = frozenset({Part.ROW, Part.CARD, Part.TILE, Part.TAB})
_NEAREST = 2  # farther boxes say little of a place


def ways(one: Seen, on: Page) -> Iterator[Way]:
    """Statements of its name or kind and of the box that it lies in."""
    called = one.element.thing or (one.element.name if has_good_name(one, on) else "")
    own = plain(called) == plain(one.element.name)
    for group in on.groups(one)[:_NEAREST]:
        key = _PARTS.get(group.part)
        if key is None or plain(group.name) in {plain(called), plain(one.element.name)}:
            continue  # a box of its own name says nothing of where it is, also when its name is cut off
        if group.part is Part.WINDOW and len(on.index.resolve(Query(name=called))) < 2:
            continue  # that everything is in the window need not be said
        for word in words_for(one.element):
            fields = {"name": called, "group": group.name, **role_fields(word, on.language)}
            # A row, a card and a tab can show the same thing: who reads "card" may still look at the row.
            part = "" if group.part in _OF_ONE_THING else group.part.value
            inside = Query(word=word, group=group.name, part=part)
            yield Way("relation", f"{key}_only", inside, fields, explicit=True)
            if not called:
                continue
            yield Way("relation", key, replace(inside, name=called), fields, explicit=True, quoted=own)
            if group.part in _OF_ONE_THING:
                yield Way("relation", "owner", replace(inside, name=called), fields, explicit=True, quoted=own)
