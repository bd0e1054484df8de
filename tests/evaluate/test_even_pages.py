"""Pages of items, and a choice of rows that is even over them."""

from __future__ import annotations

from collections import Counter

import pytest

from zoomground.evaluate.items import Item, ItemSet
from zoomground.evaluate.pages import page_of, spread
from zoomground.geometry import Box, Size
from zoomground.task import Task


def item(number: int, page: str | None, image: str = "a.png") -> Item:
    meta = {} if page is None else {"page": page}
    return Item(Task(str(number), "Open", image, Size(100, 100), Box(1, 1, 5, 5), meta=meta), None)


def items(*counts: int) -> ItemSet:
    """A set with so many items on each page, pages one after another."""
    pages = [f"p{page}" for page, count in enumerate(counts) for _ in range(count)]
    return ItemSet("rows:r", tuple(item(n, page) for n, page in enumerate(pages)), "1", "rows")


def test_a_page_is_what_the_row_says_or_its_screenshot() -> None:
    assert page_of(item(0, "mail-1")) == "mail-1"
    assert page_of(item(0, None, "shots/b.png")) == "shots/b.png"
    assert page_of(item(0, "")) == "a.png"


@pytest.mark.parametrize(("limit", "expected"), [(6, [2, 2, 2]), (3, [1, 1, 1]), (12, [1, 2, 9]), (8, [1, 2, 5])])
def test_every_page_gives_as_many_as_the_others_while_it_has_some(limit: int, expected: list[int]) -> None:
    whole = items(20, 20, 20) if limit < 8 else items(1, 2, 20)
    chosen, selection = spread(whole, limit)
    assert sorted(Counter(map(page_of, chosen.items)).values()) == expected
    assert (chosen.name, selection) == (f"rows:r@{limit}", {"rows": limit, "seed": 0, "of": len(whole)})
    numbers = [int(one.id) for one in chosen.items]
    assert numbers == sorted(numbers)
    assert spread(whole, limit)[0] == chosen


def test_which_rows_is_drawn_and_not_the_first_of_each_page() -> None:
    whole = items(20, 20, 20)
    found = {tuple(one.id for one in spread(whole, 3, seed=seed)[0].items) for seed in range(5)}
    assert len(found) == 5
    assert len({spread(whole, 1, seed=seed)[0].items[0].task.meta["page"] for seed in range(20)}) == 3


@pytest.mark.parametrize("limit", [0, 3, 4])
def test_no_limit_is_the_whole_set(limit: int) -> None:
    whole = items(3)
    assert spread(whole, limit) == (whole, {})
