"""Which things one may number: as many as a person sees before them, and none that might be counted otherwise."""

from __future__ import annotations

import pytest
from pages_by_hand import one_seen

from zoomground.synth.graph import Element, Group, Part, Placed, Role
from zoomground.synth.measure import Seen
from zoomground.synth.query import Query
from zoomground.synth.resolve import Index

TABLE = Group(Part.TABLE, "Orders", True, 1)
OTHER = Group(Part.TABLE, "Stock", True, 2)


def head(index: int, text: str, *, share: float = 1.0, groups: tuple[Group, ...] = (TABLE,)) -> Seen:
    left = 60 * index
    return one_seen(index, Element(Role.COLUMNHEADER, text), (left, 0, left + 50, 20), groups, share=share)


def away(index: int, groups: tuple[Group, ...] = (TABLE,)) -> Placed:
    return Placed(index, Element(Role.COLUMNHEADER, f"Head {index}"), groups, None)


def numbers(heads: list[Seen], hidden: list[Placed], index: int) -> tuple[int, ...]:
    return Index(heads, "en", hidden=hidden).line("columnheader", "Orders", "table", "left").ordinals(index)


HEADS = [head(index, name) for index, name in ((3, "Date"), (4, "Name"), (5, "Sum"))]


@pytest.mark.parametrize(
    ("hidden", "second", "last"),
    [
        ([], (2,), (3, -1)),
        ([away(1)], (), (-1,)),
        ([away(7)], (2,), (3,)),
        ([away(1), away(7)], (), ()),
        ([away(1, (OTHER,))], (2,), (3, -1)),
    ],
    ids=["all seen", "first scrolled away", "last scrolled away", "both", "another table's"],
)
def test_what_is_out_of_sight_is_not_counted(
    hidden: list[Placed], second: tuple[int, ...], last: tuple[int, ...]
) -> None:
    assert numbers(HEADS, hidden, 4) == second
    assert numbers(HEADS, hidden, 5) == last


def test_what_is_out_of_sight_between_others_spoils_the_count() -> None:
    heads = [head(3, "Date"), head(5, "Sum")]
    assert numbers(heads, [away(4)], 5) == ()


def test_a_cut_end_is_no_end() -> None:
    heads = [head(3, "Date", share=0.4), head(4, "Name"), head(5, "Sum", share=0.7)]
    assert numbers(heads, [], 4) == ()
    assert numbers(heads, [], 5) == ()


@pytest.mark.parametrize(
    ("texts", "place"), [("ABC", (2,)), ("FGH", ()), (("1", "2", "3"), (2,)), (("37", "38", "39"), ()), ("AXC", ())]
)
def test_numbers_that_things_bear_are_their_numbers(texts: tuple[str, ...], place: tuple[int, ...]) -> None:
    heads = [head(index, text) for index, text in enumerate(texts)]
    assert numbers(heads, [], 1) == place


def test_an_unclear_number_fits_all() -> None:
    query = Query(word="columnheader", group="Orders", part="table", ordinal=2, order="left")
    assert Index(HEADS, "en").resolve(query) == (4,)
    assert Index(HEADS, "en", hidden=[away(1)]).resolve(query) == (3, 4, 5)
