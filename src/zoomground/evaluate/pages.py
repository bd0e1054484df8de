"""Pages: the screens that items were made of. Items of one page are alike, so a sample is one of pages."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zoomground.evaluate.items import Item, ItemSet


def page_of(item: Item) -> str:
    """The page of an item: what the row's meta names, else its screenshot."""
    named = item.task.meta.get("page")
    return str(named) if named else item.task.image


def spread(items: ItemSet, limit: int, *, seed: int = 0) -> tuple[ItemSet, dict[str, Any]]:
    """Some items of a set, in its order, as evenly over its pages as can be.

    Every page gives one before any gives a second; which pages give one more, and which items, is drawn.

    Args:
        items: The whole set.
        limit: How many at most; 0: all.
        seed: Decides which.

    Returns:
        The chosen items, and how they were chosen, as `zoomground.evaluate.plan.choose` says it.
    """
    if not 0 < limit < len(items):
        return items, {}
    rng = random.Random(seed)
    pages: dict[str, list[int]] = {}
    for number, item in enumerate(items.items):
        pages.setdefault(page_of(item), []).append(number)
    piles = [rng.sample(numbers, len(numbers)) for numbers in pages.values()]
    rng.shuffle(piles)
    dealt = [number for number in chain.from_iterable(zip_longest(*piles)) if number is not None]
    chosen = tuple(items.items[number] for number in sorted(dealt[:limit]))
    name = f"{items.name}@{limit}"
    return replace(items, name=name, items=chosen, expected=None), {"rows": limit, "seed": seed, "of": len(items)}
