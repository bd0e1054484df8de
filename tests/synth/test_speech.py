"""What people call an icon: also a picture beside words, in every language, by name, by looks and by function."""

from __future__ import annotations

import random

import pytest
from pages_by_hand import button, one_seen, placed

from zoomground.synth import words
from zoomground.synth.asks import families
from zoomground.synth.asks.absent import Absence
from zoomground.synth.asks.base import Page
from zoomground.synth.asks.wording import word_way
from zoomground.synth.desktop.bars import desk_icons
from zoomground.synth.desktop.view import Area
from zoomground.synth.graph import Box, Element, Picture, Role, Text, elements
from zoomground.synth.measure import Seen, Texts
from zoomground.synth.query import Query
from zoomground.synth.resolve import Index, resolve
from zoomground.synth.scene import Scene
from zoomground.synth.speech import possibly, words_for
from zoomground.synth.widgets import entry, tab, tool

BIN = "a waste bin"


def composite(role: Role, name: str, *, shows: str = "") -> Element:
    """A line or card with a picture in it and its name beside."""
    return Element(role, label=name, children=(Box((Picture("<svg/>", shows=shows), Text(name)), flow="row"),))


@pytest.mark.parametrize(
    ("element", "may_be"),
    [
        (composite(Role.BUTTON, "Ann Lee"), True),
        (composite(Role.OPTION, "Ann Lee"), True),
        (composite(Role.TREEITEM, "Projects"), True),
        (button("Settings", icon="gear"), True),
        (tab("Mail", icon="mail"), True),
        (entry("notes.txt", icon="file"), True),
        (Element(Role.GRIDCELL, "notes.txt", icon="file"), True),
        (Element(Role.SEARCHBOX, label="Search", icon="search"), True),
        (button("+"), True),
        (button("B", label="Bold"), True),
        (button("OK"), False),
        (button("保存"), False),
        (button("Save"), False),
        (Element(Role.OPTION, label="Ann Lee", children=(Text("Ann Lee"),)), False),
        (Element(Role.OPTION, label="Ann Lee", children=(tool("star", "Star"),)), False),
        (Element(Role.OPTION, label="x", children=(Box((composite(Role.BUTTON, "y"),)),)), False),
    ],
)
def test_whatever_bears_a_picture_may_be_called_an_icon(element: Element, *, may_be: bool) -> None:
    assert possibly("icon", element) is may_be


def test_a_picture_beside_words_may_be_called_a_colour() -> None:
    seen = [one_seen(0, button(label="Red", tint="red")), one_seen(1, composite(Role.BUTTON, "Sales"))]
    assert resolve(Query(tint="red", word="swatch"), seen) == (0, 1)


def desk(language: str) -> list[Seen]:
    """A desktop's shortcuts, then a dock's bin."""
    scene = Scene(random.Random(1), language, 1440, 900)
    shortcuts = list(elements(desk_icons(scene, Area(0, 0, 1440, 800))))
    things = [*shortcuts, tool("trash", scene.say("desk_bin"), size_px=40)]
    return [one_seen(at, one, (0, 60.0 * at, 50, 60.0 * at + 50)) for at, one in enumerate(things)]


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_a_shortcut_of_the_desk_is_an_icon_too(language: str) -> None:
    seen = desk(language)
    dock, name = len(seen) - 1, words.say("desk_bin", language)
    assert resolve(Query(name=name, word="icon"), seen, language) == (0, dock)
    assert resolve(Query(looks=BIN, word="icon"), seen, language) == (0, dock)
    assert len(resolve(Query(looks="a folder", word="icon"), seen, language)) > 1
    readable = frozenset(one.element.name for one in seen)
    page = Page(Index(seen, language), Texts(readable, tuple(readable)), language)
    for index in (0, dock):
        asks = [
            ask.text
            for way in families()["name"](seen[index], page)
            for ask in word_way(way, language, "train", lambda query, at=index: page.index.resolve(query) == (at,))
        ]
        assert not asks
    assert words_for(seen[0].element) == ("icon",)


def test_what_a_loose_picture_shows_is_not_asked_for_by_looks() -> None:
    """A face beside a name belongs to no element, and is a head with shoulders all the same."""
    one = one_seen(0, tool("user", "Account"))
    alone = Page(Index([one], "en"), Texts(frozenset(), ()), "en")
    beside_faces = Page(Index([one], "en"), Texts(frozenset(), ()), "en", frozenset({"user"}))
    assert [way.key for way in families()["appearance"](one, alone)] == ["looks"]
    assert list(families()["appearance"](one, beside_faces)) == []


def test_a_synonym_is_asked_for_with_the_word_that_it_says() -> None:
    one = one_seen(0, tool("trash", "Delete"))
    entry_too = one_seen(1, entry("Bin", role=Role.TREEITEM, icon="trash"), (0, 30, 20, 50))
    index = Index([one, entry_too], "en", lambda _: ("rubbish",))
    page = Page(index, Texts(frozenset(), ()), "en")
    (way,) = (way for way in families()["function"](one, page) if way.key == "synonym")
    assert (way.fields["role"], way.query.word) == ("icon", "icon")
    assert index.resolve(way.query) == (0, 1)


def test_what_a_picture_shows_is_not_absent() -> None:
    nothing = Texts(frozenset(), ())
    assert Absence(placed(button("Go")), nothing, "en", lambda _: ()).concept_is_absent("trash")
    for elements_, loose in (([composite(Role.BUTTON, "Old", shows="trash")], ()), ([button("Go")], ("trash",))):
        assert not Absence(placed(*elements_), nothing, "en", lambda _: (), loose).concept_is_absent("trash")
