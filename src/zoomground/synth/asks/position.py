"""By place: its number in a named bar or list, the first of its kind, what it lies directly beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.asks.base import Page, Way, has_good_name
from zoomground.synth.asks.wording import role_fields
from zoomground.synth.query import Query
from zoomground.synth.speech import is_icon, word_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zoomground.synth.graph import Group
    from zoomground.synth.measure import Seen
    from zoomground.synth.resolve import Index

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_REVERSE = {"right": "left", "left": "right", "below": "above", "above": "below"}


def ways(one: Seen, on: Page) -> Iterator[Way]:
    """Statements of its number and of its neighbours."""
    words = [word_for(one.element), *(["icon"] if is_icon(one.element) else [])]
    groups: list[Group | None] = [*on.groups(one)[:1], None]
    for word in words:
        for group in groups:
            yield from _numbered(one, on, word, group)
        yield from _beside(one, on, word)


def _numbered(one: Seen, on: Page, word: str, group: Group | None) -> Iterator[Way]:
    base = {"name": group.name, "part": group.part.value} if group else {"name": "", "part": ""}
    for order in ("left", "top"):
        for ordinal in (*range(1, len(_ORDINALS) + 1), -1):
            query = Query(word=word, group=base["name"], part=base["part"], ordinal=ordinal, order=order)
            if on.index.resolve(query) != (one.index,):
                continue
            key = ("last" if ordinal < 0 else "number") + f"_{order}" + ("_in" if group else "")
            fields = {
                "group": base["name"], "n": str(abs(ordinal)), "nth": _ORDINALS[abs(ordinal) - 1],
                **role_fields(word, on.language),
            }  # fmt: skip
            yield Way("position", key, query, fields, explicit=True)


def _beside(one: Seen, on: Page, word: str) -> Iterator[Way]:
    for side in ("right", "left", "below", "above"):
        for anchor in neighbours(on.index, one, _REVERSE[side]):
            name = anchor.element.name
            query = Query(word=word, side=side, anchor=name)
            fields = {"anchor": name, **role_fields(word, on.language)}
            yield Way("position", f"beside_{side}", query, fields, explicit=True)


def neighbours(index: Index, one: Seen, side: str) -> list[Seen]:
    """What lies directly beside an element on a side and has a name that can be said."""
    found = (index.seen[at] for at in sorted(index.beside(one.index, side)))
    return [other for other in found if has_good_name(other)]
