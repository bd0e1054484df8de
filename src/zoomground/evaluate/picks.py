"""Which items of a run a person should look at: those that an arm gained or lost first, then some of the others."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

BASELINE = "off"
"""The arm that others are held against, where it was played."""


def picks(hits: Mapping[str, Mapping[str, bool]], count: int) -> list[tuple[str, str]]:
    """Some items with a word on each, those of the same word together.

    Every word gets its turn until ``count`` items are found, so that a rare loss is not lost among the hits.

    Args:
        hits: Whether each item was right, by arm and item.
        count: How many items.
    """
    first, *others = sorted(hits, key=lambda name: name != BASELINE)
    second = others[0] if others else None
    by_word: dict[str, list[str]] = {word: [] for word in _words(first, second)}
    for item, hit in hits[first].items():
        by_word[_word(first, second, hit=hit, other=hit if second is None else hits[second][item])].append(item)
    turns = [one for round_ in zip_longest(*by_word.values()) for one in round_ if one is not None]
    chosen = set(turns[:count])
    return [(item, word) for word, items in by_word.items() for item in items if item in chosen]


def _words(first: str, second: str | None) -> list[str]:
    if second is None:
        return ["missed", "hit"]
    return [
        _word(first, second, hit=a, other=b) for a, b in ((False, True), (True, False), (False, False), (True, True))
    ]


def _word(first: str, second: str | None, *, hit: bool, other: bool) -> str:
    if second is None:
        return "hit" if hit else "missed"
    if hit is not other:
        return f"gained by {second}" if other else f"lost by {second}"
    return f"hit by {first} and {second}" if hit else f"missed by {first} and {second}"
