"""Ways of asking: what each family says of an element, and that its words say no less than its query."""

from __future__ import annotations

import random
import re

import pytest
from pages_by_hand import button, one_seen, placed

from zoomground.synth import words
from zoomground.synth.asks import absent, families
from zoomground.synth.asks.base import Page, Way
from zoomground.synth.asks.wording import SPLITS, role_fields, templates, word_way
from zoomground.synth.graph import Element, Group, Part, Role
from zoomground.synth.measure import Seen, Texts
from zoomground.synth.query import Query
from zoomground.synth.resolve import Index
from zoomground.synth.speech import WORDS


def page_of(seen: list[Seen], *readable: str, language: str = "en") -> Page:
    return Page(Index(seen, language), Texts(frozenset(readable), readable), language)


def said(family: str, one: Seen, page: Page) -> dict[str, Query]:
    """The queries of a family by key; the last one where a key comes twice."""
    return {way.key: way.query for way in families()[family](one, page)}


def test_by_name() -> None:
    one = one_seen(0, button("Save", icon="save"))
    assert said("name", one, page_of([one], "Save")) == {
        "bare": Query(name="Save"),
        "role": Query(name="Save", word="button"),
        "exact": Query(name="Save", word="button", exact=True),
    }


@pytest.mark.parametrize("element", [button("Save", label=""), button("?!"), button("x" * 61), Element(Role.BUTTON)])
def test_no_name_that_cannot_be_said(element: Element) -> None:
    one = one_seen(0, element, cut=element.text == "Save")
    assert said("name", one, page_of([one])) == {}


def test_an_icon_is_not_asked_for_letter_by_letter() -> None:
    one = one_seen(0, button(label="Save", icon="save"))
    assert set(said("name", one, page_of([one]))) == {"bare", "role"}


def test_by_function_in_english_and_only_if_the_icon_means_it() -> None:
    save, folder = one_seen(0, button(label="Save", icon="save")), one_seen(1, button("Holidays", icon="star"))
    assert said("function", save, page_of([save])) == {"does": Query(concept="save")}
    assert said("function", folder, page_of([folder])) == {}
    german = one_seen(0, button(label="Speichern", icon="save"))
    assert said("function", german, page_of([german], language="de")) == {"does": Query(concept="save")}
    english = one_seen(0, button(label="Holidays", icon="save"))
    assert said("function", english, page_of([english], language="de")) == {}


def test_what_many_do_is_asked_for_with_the_row() -> None:
    rows = [Group(Part.ROW, name, True, number) for number, name in enumerate(("Ann Lee", "Bo Chan"))]
    seen = [one_seen(n, button(label="Delete", icon="trash"), groups=(row,)) for n, row in enumerate(rows)]
    page = page_of(seen, "Ann Lee", "Bo Chan")
    in_row = {"concept": "trash", "group": "Bo Chan"}
    assert said("function", seen[1], page)["does_in"] == Query(**in_row)
    assert said("appearance", seen[1], page)["looks_in"].group == "Bo Chan"
    assert page.index.resolve(Query(**in_row)) == (1,)
    plain = [one_seen(2, button(label="Delete", icon="trash"), groups=(Group(Part.PLAIN, "Agenda", True, 3),))]
    assert "does_in" not in said("function", plain[0], page_of(seen + plain, "Agenda"))
    alone = page_of(seen[:1], "Ann Lee")
    assert "does_in" not in said("function", seen[0], alone)
    assert "looks_in" not in said("appearance", seen[0], alone)


def test_a_row_and_a_tab_of_one_name_are_not_told_apart() -> None:
    """A file that is open stands in a list and on a tab: "make this go away" in it could be the cross of either."""
    named = ((Part.ROW, "a.py"), (Part.TAB, "a.py"), (Part.ROW, "b.py"))
    boxes = [Group(part, name, True, number) for number, (part, name) in enumerate(named)]
    seen = [one_seen(n, button(label="Close", icon="close"), groups=(box,)) for n, box in enumerate(boxes)]
    page = page_of(seen, "a.py", "b.py")
    for family in ("function", "relation"):
        for one, unique in zip(seen, (False, False, True), strict=True):
            found = [page.index.resolve(query) for query in said(family, one, page).values() if query.group]
            assert found
            assert all(found_one == (one.index,) for found_one in found) is unique


def test_a_box_of_its_own_name_tells_nothing() -> None:
    row = Group(Part.ROW, "report_2024.pdf", True, 1)
    for cut in (False, True):
        one = one_seen(0, Element(Role.TREEITEM, "report_2024.pdf"), groups=(row,), cut=cut)
        assert said("relation", one, page_of([one], "report_2024.pdf")) == {}


def test_a_mere_word_for_a_thing_stands_in_no_quotation_marks() -> None:
    row = Group(Part.ROW, "Ann Lee", True, 1)
    one = one_seen(0, button(label="Mark with star", icon="star", thing="star"), groups=(row,))
    page = page_of([one], "Ann Lee")
    asks = [
        ask.text
        for split in SPLITS
        for language in words.LANGUAGES
        for way in families()["relation"](one, page)
        if way.query.name
        for ask in word_way(way, language, split, lambda _: True)
    ]
    assert any("star in the row" in text for text in asks)
    assert not [text for text in asks if re.search('[“„«"]\\s?star', text)]


def test_by_appearance() -> None:
    save = one_seen(0, button(label="Save", icon="save"))
    assert said("appearance", save, page_of([save])) == {"looks": Query(looks="a floppy disk", word="icon")}
    close = one_seen(0, button(label="Close", icon="close"))
    assert said("appearance", close, page_of([close])) == {}
    words_too = one_seen(0, button("Keep", icon="save"))
    assert said("appearance", words_too, page_of([words_too])) == {
        "looks_on": Query(looks="a floppy disk", word="button")
    }
    assert set(said("appearance", save, page_of([save], language="zh"))) == {"looks"}


def test_by_tint_only_where_colours_are_for_choosing() -> None:
    colours = [one_seen(n, button(label=tint, tint=tint)) for n, tint in enumerate(("red", "yellow", "grey"))]
    assert said("appearance", colours[1], page_of(colours)) == {"tint": Query(tint="yellow", word="swatch")}
    assert said("appearance", colours[1], page_of(colours[1:])) == {}


def test_by_relation_if_the_name_of_the_box_can_be_read() -> None:
    row = Group(Part.ROW, "Ann Lee", True, 1)
    one = one_seen(0, button(label="Delete", icon="trash"), groups=(row,))
    found = said("relation", one, page_of([one], "Ann Lee"))
    assert found["row"] == Query(name="Delete", word="icon", group="Ann Lee")
    assert found["owner"] == Query(name="Delete", word="icon", group="Ann Lee")
    assert found["row_only"] == Query(word="icon", group="Ann Lee")
    assert said("relation", one, page_of([one])) == {}
    hidden = one_seen(0, button(label="Delete"), groups=(Group(Part.ROW, "Ann Lee", False, 1),))
    assert said("relation", hidden, page_of([hidden], "Ann Lee")) == {}


def test_by_position() -> None:
    bar = Group(Part.TOOLBAR, "Draw", True, 1)
    seen = [
        one_seen(n, button(label=name, icon="pencil"), (40 * n, 0, 40 * n + 20, 20), (bar,))
        for n, name in enumerate(("Line", "Arc", "Text"))
    ]
    found = said("position", seen[1], page_of(seen, "Draw"))
    assert found["number_left_in"] == Query(word="icon", group="Draw", part="toolbar", ordinal=2, order="left")
    assert found["beside_right"] == Query(word="icon", side="right", anchor="Line")
    assert found["beside_left"] == Query(word="icon", side="left", anchor="Text")
    assert said("position", seen[2], page_of(seen, "Draw"))["last_left_in"].ordinal == -1


def test_a_neighbour_in_another_box_is_none() -> None:
    boxes = [Group(Part.PANEL, name, True, number) for number, name in enumerate(("Layers", "Colours"))]
    seen = [one_seen(n, button(f"b{n}"), (40 * n, 0, 40 * n + 20, 20), (box,)) for n, box in enumerate(boxes)]
    assert not [key for key in said("position", seen[1], page_of(seen)) if key.startswith("beside")]


def test_by_goal() -> None:
    one = one_seen(0, button("Write", goals=("Start a letter.",)))
    assert said("goal", one, page_of([one])) == {"wish": Query(goal="Start a letter.")}


def test_a_template_without_a_role_asks_for_less() -> None:
    way = Way("name", "role", Query(name="Save", word="tab"), {"name": "Save", **role_fields("tab", "en")}, True)
    for ask in word_way(way, "en", "train", lambda _: True):
        assert (ask.query.word == "tab") == ("tab" in ask.text)
    row = Way(
        "relation", "row", Query(name="Delete", word="button", group="Ann"),
        {"name": "Delete", "group": "Ann", **role_fields("button", "en")}, True,
    )  # fmt: skip
    asks = list(word_way(row, "en", "train", lambda query: not query.word))
    assert asks
    assert not any("button" in ask.text for ask in asks)


def test_templates_of_the_two_halves_are_different_and_fill_their_places() -> None:
    for where, texts in templates().items():
        if where.endswith("/train"):
            other = templates()[where.removesuffix("train") + "heldout"]
            assert not set(texts.values()) & set(other.values()), where
            assert not texts.keys() & other.keys()
        for text in texts.values():
            assert set(re.findall(r"\{(\w+)\}", text)) <= {
                "name", "role", "the_role", "group", "anchor", "n", "nth", "does", "does_low", "goal", "goal_bare",
                "goal_low", "looks", "looks_bare", "tint", "synonym",
            }  # fmt: skip


@pytest.mark.parametrize("family", ["name", "relation", "position", "goal"])
def test_every_language_has_every_template_list(family: str) -> None:
    keys = {where.split(".")[1] for where in templates() if where.startswith(f"{family}.")}
    for key in keys:
        for language in words.LANGUAGES:
            for split in SPLITS:
                assert templates()[f"{family}.{key}.{language}/{split}"]


def test_english_names_have_many_wordings() -> None:
    assert len(templates()["name.bare.en/train"]) >= 8
    assert len(templates()["name.role.en/train"]) >= 8


def test_every_word_has_a_form_in_every_language() -> None:
    for word in WORDS:
        for language in words.LANGUAGES:
            assert all(role_fields(word, language).values())


def no_synonyms(_concept: str) -> tuple[str, ...]:
    return ()


def absence(*elements: Element, texts: tuple[str, ...] = (), language: str = "en") -> absent.Absence:
    return absent.Absence(placed(*elements), Texts(frozenset(), texts), language, no_synonyms)


@pytest.mark.parametrize(
    ("there", "asked", "is_absent"),
    [
        ("Save", "Print", True),
        ("Print", "Print", False),
        ("print…", "Print", False),
        ("Print preview", "Print", False),
        ("Print", "Print preview", False),
        ("Prints", "Print", False),
        ("Maria Gomez", "Maria Lopez", False),
        ("Cut", "Cat", False),
        ("Undo", "Paste", True),
        ("New project", "New", False),
    ],
)
def test_a_name_is_absent_if_nothing_is_near_it(there: str, asked: str, is_absent: bool) -> None:
    assert absence(button(there)).name_is_absent(asked) is is_absent
    assert absence(texts=(there,)).name_is_absent(asked) is is_absent


@pytest.mark.parametrize(("there", "is_absent"), [("打印预览", False), ("打印", False), ("保存", True)])
def test_chinese_names_are_near_if_two_characters_are_common(there: str, is_absent: bool) -> None:
    assert absence(button(there), language="zh").name_is_absent("打印") is is_absent


def test_a_concept_is_absent_if_neither_its_icon_nor_its_name_is_there() -> None:
    assert absence(button("Open")).concept_is_absent("save")
    assert not absence(button(label="Keep", icon="save")).concept_is_absent("save")
    assert not absence(button("Save as")).concept_is_absent("save")
    assert not absence(button(label="Bigger", icon="zoomin")).concept_is_absent("search")


def test_refusals_ask_for_nothing_that_is_there() -> None:
    proof = absence(button(label="Save", icon="save"), button("Delete"))
    asked = [ways[0].query for ways in absent.ways(proof, "en", ["Ann Lee", "Saved games", "Delete"], random.Random(3))]
    assert {query.name for query in asked} >= {"Ann Lee", "Print"}
    assert {query.name for query in asked}.isdisjoint({"Save", "Delete", "Saved games"})
