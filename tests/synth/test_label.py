"""Rows of a screen: labels that resolve to themselves, spread as wanted, the same for the same seed."""

from __future__ import annotations

import random
from statistics import quantiles
from typing import TYPE_CHECKING

import pytest
from pages_by_hand import SCREEN, button, drawn, one_seen, show

from zoomground.synth.desktop import builders, compose
from zoomground.synth.icons.own import ICON_SET
from zoomground.synth.label import Labelled, label_screen
from zoomground.synth.measure import seen
from zoomground.synth.query import Query
from zoomground.synth.resolve import Index
from zoomground.synth.sampling import SHORT_SIDES_PX, WORDS, Draw, quantile
from zoomground.synth.skins import skins

if TYPE_CHECKING:
    from zoomground.synth.browser import Browser

pytestmark = pytest.mark.browser


def labelled(browser: Browser, kind: str, seed: int, language: str = "en", **more: object) -> tuple[Labelled, Index]:
    phone = kind == "phone"
    screen = compose(
        kind, skins()["default"], size_px=(780, 1688) if phone else (1440, 900), scale=2.0 if phone else 1.0,
        language=language, dark=False, density=0.8, seed=seed,
    )  # fmt: skip
    shown = browser.show(screen, skins()["default"], ICON_SET)
    made = label_screen(browser, screen, shown, seed=seed, count=12, icons=ICON_SET, **more)  # type: ignore[arg-type]
    return made, Index(seen(shown.placed, browser.measure()), language, ICON_SET.synonyms)


@pytest.mark.parametrize("kind", sorted(builders()))
def test_every_label_resolves_to_itself_and_is_reached(browser: Browser, kind: str) -> None:
    for seed, language in ((0, "en"), (1, "de")):
        made, index = labelled(browser, kind, seed, language, refusals=2)
        targets = [row for row in made.rows if row.box_px]
        assert targets
        assert len({row.meta["index"] for row in targets}) == len(targets)
        for row in targets:
            assert row.box_px
            assert index.resolve(Query.from_json(row.meta["query"])) == (row.meta["index"],)  # type: ignore[arg-type]
            middle = row.box_px.center
            assert browser.click(middle.x, middle.y) == row.meta["index"], row.instruction
            assert row.instruction
            assert "{" not in row.instruction
        for row in made.rows:
            if row.box_px is None:
                assert row.meta["how"] == "absent"
                name = str(row.meta["name"])
                assert not name or index.resolve(Query(name=name)) == ()


def test_the_same_seed_gives_the_same_rows_and_another_one_others(browser: Browser) -> None:
    one, again, other = (labelled(browser, "mail", seed)[0] for seed in (3, 3, 4))
    assert one == again
    assert one != other


def test_the_halves_of_the_templates_share_none(browser: Browser) -> None:
    ids = [
        {row.meta["template"] for row in labelled(browser, "mail", 3, split=split, refusals=3)[0].rows}
        for split in ("train", "heldout")
    ]
    assert ids[0]
    assert ids[1]
    assert ids[0].isdisjoint(ids[1])


def test_what_is_not_to_be_asked_for_counts_but_becomes_no_row(browser: Browser) -> None:
    place = '<button data-zg="{}" style="position:absolute;left:{}px;top:{}px">{}</button>'
    names = ("Save", "Save", "Open")
    show(browser, "".join(place.format(n, 20 + 150 * n, 20 + 120 * n, name) for n, name in enumerate(names)))
    elements = (button("Save"), button("Save", asked=False), button("Open", asked=False))
    made = label_screen(browser, SCREEN, drawn(*elements), seed=0, count=5)
    assert made.rows == ()
    assert made.rejected == {"uniqueness": 1}


def test_where_names_fail_places_may_do(browser: Browser) -> None:
    place = '<button data-zg="{}" style="position:absolute;left:{}px;top:200px">Save</button>'
    show(browser, place.format(0, 20) + place.format(1, 300))
    made = label_screen(browser, SCREEN, drawn(button("Save"), button("Save")), seed=0, count=5)
    assert {row.meta["how"] for row in made.rows} == {"position"}
    assert len(made.rows) == 2


def test_a_box_is_that_of_the_browser_to_a_tenth(browser: Browser) -> None:
    place = "position:absolute;left:20.3px;top:9.5px;width:80px;height:30px"
    show(browser, f'<button data-zg="0" style="{place}">Save</button>')
    (row,) = label_screen(browser, SCREEN, drawn(button("Save")), seed=0, count=1).rows
    assert row.box_px
    assert (row.box_px.x1, row.box_px.y1, row.box_px.x2, row.box_px.y2) == (20.3, 9.5, 100.3, 39.5)
    assert row.meta["area_share"] == pytest.approx(80 * 30 / (800 * 600))


def test_lengths_of_instructions_come_near_the_benchmarks(browser: Browser) -> None:
    counts = [
        row.meta["words"]
        for kind in ("mail", "cad", "spreadsheet")
        for seed in range(4)
        for row in labelled(browser, kind, seed, long_share=0.0)[0].rows
    ]
    tenth, *_, last = quantiles(counts, n=10)  # type: ignore[type-var]
    half = quantiles(counts, n=2)[0]  # type: ignore[type-var]
    assert 1 <= tenth <= 3  # type: ignore[operator]
    assert 3 <= half <= 6  # type: ignore[operator]
    assert 6 <= last <= 11  # type: ignore[operator]


def test_quantiles_of_a_distribution() -> None:
    assert [round(quantile(SHORT_SIDES_PX, share)) for share in (0.0, 0.1, 0.5, 0.9, 1.0)] == [8, 17, 24, 50, 240]
    assert quantile(WORDS["short"], 0.5) == pytest.approx(4)


def test_small_targets_are_drawn_more_often_than_large_ones() -> None:
    large = [one_seen(n, button(f"a{n}"), (0, 0, 300, 60)) for n in range(300)]
    small = [one_seen(300 + n, button(f"b{n}"), (0, 0, 20, 20)) for n in range(30)]
    first: list[bool] = []
    for seed in range(60):
        draw = Draw([*large, *small], (1000, 1000)).all(random.Random(seed))
        first.append(next(draw).index >= 300)
    assert sum(first) > 15  # 30 of 330 by number


def test_drawing_gives_every_element_once() -> None:
    seen_ = [one_seen(n, button(str(n)), (n, n, n + 20, n + 20)) for n in range(50)]
    assert sorted(one.index for one in Draw(seen_, (1000, 1000)).all(random.Random(1))) == list(range(50))
