"""What fits a statement: all that somebody might mean by it."""

from __future__ import annotations

import pytest
from pages_by_hand import button, one_seen

from zoomground.synth.graph import Element, Group, Part, Role, State
from zoomground.synth.looks import alike, is_vague
from zoomground.synth.measure import Seen
from zoomground.synth.query import Query, begins, plain, word_count
from zoomground.synth.resolve import resolve


def row_of(*elements: Element, step: float = 30.0, groups: tuple[Group, ...] = ()) -> list[Seen]:
    """Elements beside each other, 20 px wide."""
    return [
        one_seen(index, element, (step * index, 0, step * index + 20, 20), groups)
        for index, element in enumerate(elements)
    ]


@pytest.mark.parametrize(
    ("name", "names", "fits"),
    [
        ("Save", ["Save", "Open"], (0,)),
        ("Save", ["Save", "SAVE…"], (0, 1)),
        ("Save", ["Save", "Save as"], (0, 1)),
        ("Save as", ["Save", "Save as"], (1,)),
        ("Save", ["Save", "Savings"], (0,)),
        ("B1", ["B1", "B10"], (0,)),
        ("保存", ["保存", "保存为", "另存"], (0, 1)),
        ("+", ["+", "-"], (0,)),
        ("Close", ["Open"], ()),
    ],
)
def test_names(name: str, names: list[str], fits: tuple[int, ...]) -> None:
    assert resolve(Query(name=name), row_of(*map(button, names))) == fits


def test_an_exact_name_leaves_longer_ones_out() -> None:
    seen = row_of(button("Save"), button("Save as"), button("save"))
    assert resolve(Query(name="Save", exact=True), seen) == (0, 2)


def test_values_and_things_are_names_too() -> None:
    seen = row_of(
        button("Search"), Element(Role.TEXTBOX, label="Find", value="search"), button(label="x", thing="Search")
    )
    assert resolve(Query(name="search"), seen) == (0, 1, 2)


def test_what_is_partly_covered_or_too_small_counts() -> None:
    seen = [
        one_seen(0, button("Save")),
        one_seen(1, button("Save"), (0, 0, 3, 3)),
        one_seen(2, button("Save"), clear=0.1, centre=False),
    ]
    assert resolve(Query(name="Save"), seen) == (0, 1, 2)


def test_a_word_tells_roles_apart_but_not_finely() -> None:
    seen = row_of(button("View"), Element(Role.TAB, "View"), Element(Role.LINK, "Home"), button("Home"))
    assert resolve(Query(name="View"), seen) == (0, 1)
    assert resolve(Query(name="View", word="tab"), seen) == (1,)
    assert resolve(Query(name="Home", word="button"), seen) == (2, 3)


def test_rows() -> None:
    rows = [Group(Part.ROW, name, True, number) for number, name in enumerate(("Ann Lee", "Bo Chan", "Ann Lee-Smith"))]
    seen = [one_seen(index, button(label="Delete", icon="trash"), groups=(group,)) for index, group in enumerate(rows)]
    assert resolve(Query(name="Delete", group="Bo Chan"), seen) == (1,)
    assert resolve(Query(name="Delete", group="Ann Lee"), seen) == (0, 2)
    assert resolve(Query(name="Delete", group="Bo Chan", part="panel"), seen) == ()


def test_two_boxes_of_one_name_are_both_meant() -> None:
    seen = [one_seen(n, button("Delete"), groups=(Group(Part.ROW, "Ann Lee", True, n),)) for n in range(2)]
    assert resolve(Query(name="Delete", group="Ann Lee"), seen) == (0, 1)


def test_concepts_by_icon_by_label_and_by_synonym() -> None:
    seen = row_of(button(label="Bin", icon="trash"), button("Delete"), button("Save", icon="save"))
    assert resolve(Query(concept="trash"), seen) == (0, 1)
    assert resolve(Query(concept="save"), seen) == (2,)


def test_looks_that_could_be_taken_for_each_other_count_for_each_other() -> None:
    seen = row_of(button(icon="search"), button(icon="zoomin"), button(icon="save"))
    assert resolve(Query(looks="a magnifying glass with a plus sign"), seen) == (0, 1)
    assert resolve(Query(looks="a floppy disk"), seen) == (2,)
    assert not alike("a bell", "a waste bin")
    assert alike("a bell", "a bell with a number above a sleeping moon and a star")
    assert is_vague("a cross")
    assert not is_vague("a floppy disk")


def test_tints_that_are_hard_to_tell_apart_count_for_each_other() -> None:
    seen = row_of(
        button(label="a", tint="red"), button(label="b", tint="pink"), button(label="c", tint="yellow"),
        button("Delete", states=frozenset({State.DANGER})),
    )  # fmt: skip
    assert resolve(Query(tint="yellow"), seen) == (2,)
    assert resolve(Query(tint="red"), seen) == (0, 1, 3)
    assert resolve(Query(tint="red", word="swatch"), seen) == (0, 1)


def test_goals_also_fit_what_has_the_same_name() -> None:
    seen = row_of(button("Write", goals=("Start a letter",)), button("Send"), button("write"))
    assert resolve(Query(goal="start a letter."), seen) == (0, 2)
    assert resolve(Query(goal="Something else"), seen) == ()


def test_numbers_in_a_line() -> None:
    tabs = row_of(*(Element(Role.TAB, name) for name in "abcd"))
    assert resolve(Query(word="tab", ordinal=2, order="left"), tabs) == (1,)
    assert resolve(Query(word="tab", ordinal=-1, order="left"), tabs) == (3,)
    assert resolve(Query(word="tab", ordinal=2, order="top"), tabs) == (0, 1, 2, 3)
    assert resolve(Query(word="tab", ordinal=5, order="left"), tabs) == (0, 1, 2, 3)


def test_numbers_need_one_line_of_one_kind_in_one_box() -> None:
    below = [*row_of(button("a"), button("b")), one_seen(2, button("c"), (0, 50, 20, 70))]
    assert resolve(Query(word="button", ordinal=1, order="left"), below) == (0, 1, 2)
    mixed = row_of(button("a"), Element(Role.LINK, "b"), button("c"))
    assert resolve(Query(word="button", ordinal=3, order="left"), mixed) == (0, 1, 2)
    twice = [
        one_seen(n, button(name), (30 * n, 0, 30 * n + 20, 20), (Group(Part.TOOLBAR, "Draw", True, n // 2),))
        for n, name in enumerate("abcd")
    ]
    assert resolve(Query(word="button", group="Draw", ordinal=1, order="left"), twice) == (0, 1, 2, 3)


def test_neighbours_with_a_margin() -> None:
    right = Query(side="right", anchor="Undo")
    assert resolve(right, row_of(button("Undo"), button("Redo"), button("Cut"))) == (1,)
    close = [
        one_seen(0, button("Undo"), (0, 0, 20, 20)),
        one_seen(1, button("Redo"), (24, 0, 44, 9)),
        one_seen(2, button("Cut"), (27, 10, 44, 20)),
    ]
    assert resolve(right, close) == (1, 2)
    far = [one_seen(0, button("Undo"), (0, 0, 20, 20)), one_seen(1, button("Redo"), (300, 0, 320, 20))]
    assert resolve(right, far) == ()
    askew = [one_seen(0, button("Undo"), (0, 0, 20, 20)), one_seen(1, button("Redo"), (24, 15, 44, 35))]
    assert resolve(right, askew) == ()


def test_a_thing_that_is_half_beside_is_nobodys_neighbour_but_makes_doubt() -> None:
    below = Query(side="below", anchor="Clip")
    anchor, under = one_seen(0, button("Clip"), (0, 0, 100, 20)), one_seen(1, button("a"), (0, 24, 60, 44))
    assert resolve(below, [anchor, under]) == (1,)
    beside = one_seen(2, button("b"), (70, 24, 170, 44))
    assert resolve(below, [anchor, under, beside]) == (1, 2)
    assert resolve(below, [anchor, beside]) == ()


def test_the_name_of_a_thing_fits_whatever_shows_its_icon() -> None:
    seen = row_of(button(label="Open", icon="file", thing="page icon"), button("notes.txt", icon="file"), button("b"))
    assert resolve(Query(name="page icon"), seen) == (0, 1)
    assert resolve(Query(name="Open"), seen) == (0,)


def test_a_word_does_not_settle_which_of_two_lies_directly_beside() -> None:
    anchor = one_seen(0, button("G1"), (100, 0, 150, 20))
    cell, tool = one_seen(1, Element(Role.GRIDCELL, "F1"), (40, 0, 100, 20)), one_seen(2, button("a"), (80, 2, 96, 18))
    assert resolve(Query(side="left", anchor="G1", word="button"), [anchor, cell, tool]) == (1, 2)


def test_neighbours_need_one_anchor() -> None:
    seen = row_of(button("Undo"), button("Redo"), button("Undo"), button("Cut"))
    assert resolve(Query(side="right", anchor="Undo"), seen) == ()


@pytest.mark.parametrize("side", ["left", "above", "below"])
def test_other_sides(side: str) -> None:
    places = {"left": (-30, 0, -10, 20), "above": (0, -30, 20, -10), "below": (0, 30, 20, 50)}
    seen = [one_seen(n, button(name), place) for n, (name, place) in enumerate(places.items())]
    seen.append(one_seen(3, button("Undo"), (0, 0, 20, 20)))
    assert resolve(Query(side=side, anchor="Undo"), seen) == (list(places).index(side),)


def test_a_query_survives_json() -> None:
    query = Query(name="Save", word="button", ordinal=-1)
    assert Query.from_json(query.to_json()) == query
    assert query.to_json() == {"name": "Save", "word": "button", "ordinal": -1}


def test_plain_names() -> None:
    assert plain("Save  As…") == "save as"
    assert plain("ＡＢＣ Grün!") == "abc grün"
    assert begins("save as", "save")
    assert not begins("savings", "save")
    assert not begins("save", "save")


@pytest.mark.parametrize(("text", "count"), [("Save", 1), ("click on “Save as”", 4), ("点击保存", 2), ("?!", 1)])
def test_words(text: str, count: int) -> None:
    assert word_count(text) == count
