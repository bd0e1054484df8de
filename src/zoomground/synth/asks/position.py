"""By place: its number in a named bar or list, the first of its kind, what it lies directly beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.asks.base import Page, Way, has_good_name
from zoomground.synth.asks.wording import role_fields
from zoomground.synth.query import Query
from zoomground.synth.speech import words_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zoomground.synth.graph import Group
    from zoomground.synth.measure import Seen
from zoomground.synth.graph import Part
from zoomground.synth.places import SIDES

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
# Nobody numbers the buttons of a row; a region without a kind is no place that one would name.
_COUNTED_IN = frozenset(
    {
        Part.TOOLBAR, Part.PANEL, Part.SIDEBAR, Part.TABLIST, Part.TREE, Part.LIST, Part.MENU, Part.MENUBAR,
        Part.DIALOG, Part.FORM, Part.TABLE,
    }
)  # fmt: skip
_CLEAR = 0.5  # share of an anchor over which nothing else may lie, be it the dark sheet behind a dialog
_OF_ONE_THING = frozenset({Part.ROW, Part.HEADER_ROW, Part.CARD, Part.TILE, Part.TAB})
_REVERSE = {"right": "left", "left": "right", "below": "above", "above": "below"}


def ways(one: Seen, on: Page) -> Iterator[Way]:
    """Statements of its number and of its neighbours."""
    words = words_for(one.element)
    named = [group for group in on.groups(one)[:1] if group.part in _COUNTED_IN]
    groups: list[Group | None] = [*named, None]
    for word in words:
        for group in groups:
            yield from _numbered(one, on, word, group)
        yield from _beside(one, on, word)


def _numbered(one: Seen, on: Page, word: str, group: Group | None) -> Iterator[Way]:
    name, part = (group.name, group.part.value) if group else ("", "")
    for order in ("left", "top"):
        for ordinal in on.index.line(word, name, part, order).ordinals(one.index):
            if ordinal > len(_ORDINALS):
                continue
            key = ("last" if ordinal < 0 else "number") + f"_{order}" + ("_in" if group else "")
            fields = {"group": name, "n": str(ordinal), "nth": _ORDINALS[ordinal - 1], **role_fields(word, on.language)}
            query = Query(word=word, group=name, part=part, ordinal=ordinal, order=order)
            yield Way("position", key, query, fields, explicit=True)


def _beside(one: Seen, on: Page, word: str) -> Iterator[Way]:
    for side in SIDES:
        for index in sorted(on.index.places.beside(one.index, _REVERSE[side])):
            anchor = on.index.seen[index]
            if not has_good_name(anchor, on) or anchor.element.name == one.element.name or _apart(one, anchor):
                continue
            name = anchor.element.name
            fields = {"anchor": name, **role_fields(word, on.language)}
            yield Way("position", f"beside_{side}", Query(word=word, side=side, anchor=name), fields, explicit=True)


def _apart(one: Seen, anchor: Seen) -> bool:
    """Whether they lie in different panels or windows, or one under another: beside each other by chance only."""
    if anchor.measured.clear < _CLEAR:
        return True
    return _region(one) != _region(anchor)


def _region(one: Seen) -> int | None:
    """Number of the innermost named box around an element that is more than a row of things."""
    inside = (group.number for group in reversed(one.groups) if group.part not in _OF_ONE_THING)
    return next(inside, None)
