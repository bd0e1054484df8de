"""Dense labels: what can be seen whole is listed once, with its words; what cannot is left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pages_by_hand import button, drawn, show
from PIL import Image

from zoomground.data.elements import ELEMENTS_FILES, rows_files
from zoomground.errors import ZoomgroundError
from zoomground.synth.card.figures import read_set
from zoomground.synth.card.text import short_card
from zoomground.synth.dense import elements_row
from zoomground.synth.graph import Element, Role, State, Text
from zoomground.synth.make import Asking
from zoomground.synth.measure import seen
from zoomground.synth.parts import Workshop
from zoomground.synth.plan import ScreenSpec, Split, make_plan
from zoomground.synth.run import Goal, make_set
from zoomground.synth.sizes import ScreenSize
from zoomground.synth.studio import ProgramStudio, supply

if TYPE_CHECKING:
    from zoomground.synth.browser import Browser

pytestmark = pytest.mark.browser

SIZE = ScreenSize(800, 600, 1.0)
SPEC = ScreenSpec(7, "1/7", Split.TRAIN, "mail", "default", "own", SIZE, "en", False, 0.5)
PLACE = "position:absolute;width:100px;height:30px;"


def listed(browser: Browser, html: str, *elements: Element) -> list[dict[str, Any]]:
    """The dense labels of a page that is written by hand."""
    show(browser, html)
    found = seen(drawn(*elements).placed, browser.measure())
    entries: list[dict[str, Any]] = elements_row(SPEC, "a.webp", found, browser.words())["elements"]
    return entries


def test_what_is_covered_clipped_or_hidden_is_not_listed(browser: Browser) -> None:
    entries = listed(
        browser,
        f'<button data-zg="0" style="{PLACE}left:40px;top:20px">Open</button>'
        f'<button data-zg="1" style="{PLACE}left:40px;top:100px">Save</button>'
        f'<button data-zg="2" style="{PLACE}left:40px;top:585px">Print</button>'
        f'<button data-zg="3" style="{PLACE}left:40px;top:200px;visibility:hidden">Undo</button>'
        '<div style="position:absolute;left:100px;top:90px;width:60px;height:60px;background:#ccc"></div>'
        '<span style="position:absolute;left:300px;top:20px">Read me</span>'
        '<span style="position:absolute;left:300px;top:590px">Read me not</span>',
        *map(button, ("Open", "Save", "Print", "Undo")),
    )
    assert [one["name"] for one in entries] == ["Open", "Read me"]
    assert entries[0] == {"box": [40, 20, 140, 50], "role": "button", "kind": "button", "name": "Open", "text": "Open"}
    left, top, right, bottom = entries[1]["box"]
    assert (left, entries[1]["role"], entries[1]["kind"]) == (300, "text", "text")
    assert right - left < 120
    assert 15 <= top < bottom <= 45


def test_names_may_stand_twice_and_say_what_is_drawn(browser: Browser) -> None:
    bold = Element(Role.BUTTON, icon="bold", label="Bold", states=frozenset({State.DISABLED}))
    field = Element(Role.TEXTBOX, label="Street")
    entries = listed(
        browser,
        f'<button data-zg="0" style="{PLACE}left:40px;top:20px" aria-label="Bold" disabled></button>'
        f'<button data-zg="1" style="{PLACE}left:240px;top:20px" aria-label="Bold" disabled></button>'
        f'<input data-zg="2" style="{PLACE}left:440px;top:20px" aria-label="Street" placeholder="Street">',
        bold, bold, field,
    )  # fmt: skip
    assert [(one["kind"], one["name"]) for one in entries] == [("icon", "Bold"), ("icon", "Bold"), ("field", "Street")]
    assert (entries[0]["icon"], entries[0]["states"]) == ("bold", ["disabled"])
    assert "text" not in entries[0]
    assert entries[2]["text"] == "Street"


def test_words_inside_an_element_are_listed_unless_they_are_its_own_text(browser: Browser) -> None:
    card = Element(Role.OPTION, label="Ann, Lunch", children=(Text("Ann"), Text("Lunch")))
    entries = listed(
        browser,
        f'<div data-zg="0" role="listitem" aria-label="Ann, Lunch" style="{PLACE}left:40px;top:20px">'
        "<span>Ann</span> <span>Lunch</span></div>"
        f'<button data-zg="1" style="{PLACE}left:240px;top:20px"><span>Open</span></button>',
        card,
        button("Open"),
    )
    assert [one["name"] for one in entries] == ["Ann, Lunch", "Open", "Ann", "Lunch"]
    outer, inner = entries[0]["box"], entries[2]["box"]
    assert outer[0] <= inner[0] < inner[2] <= outer[2]


def make(out: Path, screens: int, asking: Asking) -> dict[str, list[dict[str, Any]]]:
    """Make a set of real screens; its dense labels by split."""
    plan = make_plan(supply(None), seed=11, sizes=[ScreenSize(1024, 640, 1.0)], heldout_share=0.3)
    workshop = Workshop(out)
    make_set(
        plan, ProgramStudio(workshop, asking), workshop, Goal(screens=screens), jobs=1, terms={},
        describe=lambda: short_card(out),
    )  # fmt: skip
    lines = {split: (out / name).read_text(encoding="utf-8") for split, name in ELEMENTS_FILES.items()}
    return {split: [json.loads(line) for line in text.splitlines()] for split, text in lines.items()}


def test_a_quick_set_of_dense_labels_alone(tmp_path: Path, browser: Browser) -> None:
    made = make(tmp_path, 6, Asking(0, 0.0, elements=True, quick=True))
    assert sorted(row["id"] for rows in made.values() for row in rows) == [f"{number:06d}" for number in range(6)]
    for split, rows in made.items():
        assert rows
        for row in rows:
            with Image.open(tmp_path / row["image"]) as image:
                assert (image.format, image.size) == ("PNG", (row["width"], row["height"]))
            assert row["split"] == split
            assert len(row["elements"]) > 40
            for one in row["elements"]:
                left, top, right, bottom = one["box"]
                assert 0 <= left < right <= row["width"]
                assert 0 <= top < bottom <= row["height"]
    kinds = {split: {row["kind"] for row in rows} for split, rows in made.items()}
    assert kinds["train"].isdisjoint(kinds["heldout"])
    assert rows_files(tmp_path) == []
    with pytest.raises(ZoomgroundError, match="no rows file"):
        read_set(tmp_path)


def test_lost_dense_labels_are_made_again_and_the_rows_are_those_without(tmp_path: Path, browser: Browser) -> None:
    with_elements = make(tmp_path / "set", 4, Asking(3, 0.1, elements=True))
    (tmp_path / "set" / ".synth" / "elements" / "000001.json").unlink()
    assert make(tmp_path / "set", 4, Asking(3, 0.1, elements=True)) == with_elements
    quick = make(tmp_path / "quick", 4, Asking(0, 0.0, elements=True, quick=True))
    for split, rows in with_elements.items():
        assert [row["elements"] for row in quick[split]] == [row["elements"] for row in rows]
    files = rows_files(tmp_path / "set")
    assert [file.name for file in files] == ["heldout.jsonl", "train.jsonl"]
    manifest = json.loads((tmp_path / "set" / "manifest.json").read_text(encoding="utf-8"))
    assert set(ELEMENTS_FILES.values()) < set(manifest["files"])
    by_id = {row["id"]: row for rows in with_elements.values() for row in rows}
    for file in files:
        for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            if "solution" in row:
                boxes = [one["box"] for one in by_id[row["id"][:6]]["elements"]]
                assert json.loads(row["solution"]) in boxes
