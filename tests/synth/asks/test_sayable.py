"""What instructions say is what a person who only sees the screen can know, in words that are said once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from zoomground.synth.asks import families
from zoomground.synth.asks.base import Page, Way, has_good_name
from zoomground.synth.asks.wording import role_fields, word_way
from zoomground.synth.graph import Element, Group, Part, Picture, Placed, Role
from zoomground.synth.measure import Measured, Seen, Texts
from zoomground.synth.query import Query
from zoomground.synth.resolve import Index

WINDOW = Group(Part.WINDOW, "Sheets", True, 1)
DIALOG = Group(Part.DIALOG, "Open file", True, 2)


def seen(index: int, element: Element, *, left: float = 0.0, top: float = 0.0, groups: tuple[Group, ...] = ()) -> Seen:
    box = (left, top, left + 60, top + 20)
    return Seen(Placed(index, element, groups, None), Measured(index, box, name=element.name))


def page(*things: Seen, language: str = "en", readable: tuple[str, ...] = ()) -> Page:
    return Page(Index(things, language), Texts(frozenset(readable), readable), language)


def ways(family: str, one: Seen, on: Page) -> list[Way]:
    return list(families()[family](one, on))


def photograph(name: str) -> Element:
    return Element(Role.BUTTON, label=name, children=(Picture("<svg/>"),))


def test_the_name_of_a_picture_is_said_only_where_it_can_be_read() -> None:
    one = seen(0, photograph("IMG_1459"))
    below = seen(1, Element(Role.BUTTON, "Share"), top=22)
    hidden, captioned = page(one, below), page(one, below, readable=("IMG_1459",))
    assert not has_good_name(one, hidden)
    assert has_good_name(one, captioned)
    assert not ways("name", one, hidden)
    assert {way.query.name for way in ways("name", one, captioned)} == {"IMG_1459"}
    anchors = {way.query.anchor for way in ways("position", below, hidden)}
    assert "IMG_1459" not in anchors
    assert "IMG_1459" in {way.query.anchor for way in ways("position", below, captioned)}


def test_the_name_of_a_picture_is_not_said_with_its_box_either() -> None:
    panel = Group(Part.PANEL, "Symbols", True, 3)
    one = seen(0, photograph("Stove 60"), groups=(panel,))
    on = page(one, readable=("Symbols",))
    assert {way.query.name for way in ways("relation", one, on)} == {""}


def test_the_name_of_an_icon_can_be_guessed() -> None:
    one = seen(0, Element(Role.BUTTON, label="Save", icon="save"))
    assert has_good_name(one, page(one))


def test_digits_alone_are_no_instruction() -> None:
    one = seen(0, Element(Role.BUTTON, "1"))
    keys = {way.key for way in ways("name", one, page(one, readable=("1",)))}
    assert "bare" not in keys
    assert "role" in keys


@pytest.mark.parametrize(
    ("groups", "clear", "asked"),
    [((DIALOG,), 1.0, True), ((WINDOW,), 1.0, False), ((DIALOG,), 0.0, False)],
    ids=["same dialog", "window behind", "under a veil"],
)
def test_neighbours_lie_in_the_same_window(groups: tuple[Group, ...], clear: float, *, asked: bool) -> None:
    cancel = seen(0, Element(Role.BUTTON, "Cancel"), groups=(DIALOG,))
    anchor = seen(1, Element(Role.BUTTON, "Page view"), top=22, groups=groups)
    anchor = replace(anchor, measured=replace(anchor.measured, clear=clear))
    anchors = {way.query.anchor for way in ways("position", cancel, page(cancel, anchor)) if way.query.side}
    assert ("Page view" in anchors) is asked


@pytest.mark.parametrize(
    ("language", "role", "name", "twice"),
    [
        ("es", "checkbox", "casilla", True),
        ("en", "searchbox", "Search box", True),
        ("en", "tab", "New tab", True),
        ("en", "tab", "Table", False),
        ("zh", "button", "确定按钮", True),
        ("zh", "button", "确定", False),
    ],
)
def test_the_word_for_the_kind_is_said_once(language: str, role: str, name: str, *, twice: bool) -> None:
    way = Way("name", "role", Query(name=name, word=role), {"name": name, **role_fields(role, language)}, explicit=True)
    asks = list(word_way(way, language, "train", lambda _: True))
    assert (not asks) is twice


def test_a_file_in_a_list_may_be_called_an_entry() -> None:
    entries = [seen(at, Element(Role.TREEITEM, f"Place {at}"), top=22.0 * at, groups=(DIALOG,)) for at in range(3)]
    file = seen(3, Element(Role.GRIDCELL, "us_professor.pdf"), left=100, groups=(DIALOG,))
    assert Index(entries, "en").line("entry", "Open file", "dialog", "top").indices == (0, 1, 2)
    assert Index([*entries, file], "en").line("entry", "Open file", "dialog", "top").indices == ()
