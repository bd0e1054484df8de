"""What the browser says of elements: boxes, visible parts, cover, veils, names, glyphs, clicks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pages_by_hand import show

from zoomground.synth.desktop import builders, compose
from zoomground.synth.icons.own import ICON_SET
from zoomground.synth.skins import skins

if TYPE_CHECKING:
    from zoomground.synth.browser import Browser

pytestmark = pytest.mark.browser

AT = "position:absolute;left:{}px;top:{}px;width:{}px;height:{}px;padding:0;border:0;"


def at(x: float, y: float, width: float, height: float) -> str:
    return AT.format(x, y, width, height)


def test_boxes_are_device_px(browser: Browser) -> None:
    show(browser, f'<button data-zg="0" style="{at(10, 20, 100, 30)}">Save</button>', scale=2.0)
    (one,) = browser.measure()
    assert one.box_px == (20, 40, 220, 100)
    assert (one.share, one.clear, one.centre, one.seen) == (1, 1, True, True)
    assert (one.role, one.name) == ("button", "Save")


def test_names_and_roles_of_wrapped_fields_are_the_inner_ones(browser: Browser) -> None:
    show(
        browser,
        '<label data-zg="0"><input type="checkbox"><span>Bold</span></label>'
        '<span data-zg="1"><svg width="9" height="9"></svg><input type="search" aria-label="Search"></span>'
        '<select data-zg="2" aria-label="Size"><option>12</option></select>',
    )
    assert [(one.role, one.name) for one in browser.measure()] == [
        ("checkbox", "Bold"),
        ("searchbox", "Search"),
        ("combobox", "Size"),
    ]


def test_what_hidden_overflow_cuts_off_is_not_in_the_box(browser: Browser) -> None:
    inner = f'<button data-zg="0" style="{at(0, 30, 100, 40)}">Save</button>'
    show(browser, f'<div style="{at(0, 0, 200, 50)}overflow:hidden">{inner}</div>')
    (one,) = browser.measure()
    assert one.box_px == (0, 30, 100, 50)
    assert one.share == pytest.approx(0.5)


def test_hidden_overflow_of_a_box_that_is_not_the_containing_one_cuts_nothing(browser: Browser) -> None:
    inner = f'<button data-zg="0" style="{at(0, 30, 100, 40)}">Save</button>'
    show(browser, f'<div style="height:50px;overflow:hidden">{inner}</div>')
    (one,) = browser.measure()
    assert one.share == 1


def test_a_thing_on_top_takes_its_share_of_the_points(browser: Browser) -> None:
    show(
        browser,
        f'<button data-zg="0" style="{at(0, 0, 100, 40)}">Save</button>'
        f'<div style="{at(60, 0, 100, 40)}background:#000"></div>',
    )
    (one,) = browser.measure()
    assert 0.5 < one.clear < 0.7
    assert one.centre


def test_an_element_inside_takes_the_middle_but_covers_nothing(browser: Browser) -> None:
    inner = f'<button data-zg="1" style="{at(30, 10, 40, 20)}">x</button>'
    show(browser, f'<div role="button" data-zg="0" style="{at(0, 0, 100, 40)}">{inner}</div>')
    outer, own = browser.measure()
    assert (outer.clear, outer.centre) == (1, False)
    assert (own.clear, own.centre) == (1, True)


@pytest.mark.parametrize(("colour", "is_seen"), [("rgba(0,0,0,.3)", True), ("rgb(0,0,0)", False)])
def test_behind_a_veil_a_thing_is_seen_and_covered_behind_a_wall_it_is_not(
    browser: Browser, colour: str, is_seen: bool
) -> None:
    show(
        browser,
        f'<button data-zg="0" style="{at(50, 50, 100, 40)}">Save</button>'
        f'<div style="{at(0, 0, 800, 600)}background:{colour}"></div>',
    )
    (one,) = browser.measure()
    assert (one.clear, one.centre, one.seen) == (0, False, is_seen)


def test_round_things_are_not_covered_by_what_shows_beside_them(browser: Browser) -> None:
    show(browser, f'<button data-zg="0" style="{at(0, 0, 40, 40)}border-radius:50%">o</button>')
    (one,) = browser.measure(full=True)
    assert one.clear == 1


def test_cut_text_is_told(browser: Browser) -> None:
    style = "display:inline-block;width:60px;overflow:hidden;white-space:nowrap;text-overflow:ellipsis"
    show(
        browser,
        f'<button data-zg="0"><span style="{style}">A name that is far too long</span></button>'
        f'<button data-zg="1"><span style="{style}">Short</span></button>',
    )
    assert [one.cut for one in browser.measure()] == [True, False]
    assert browser.texts().readable == {"Short"}
    assert browser.texts().every == ("A name that is far too long", "Short")


def test_text_without_glyphs_is_told(browser: Browser) -> None:
    show(browser, '<button data-zg="0">\u0378\u0379</button><button data-zg="1">Grün</button>')
    assert [one.drawn for one in browser.measure()] == [False, True]


def test_disabled_is_told(browser: Browser) -> None:
    show(browser, '<button data-zg="0" disabled>a</button><div role="button" data-zg="1" aria-disabled="true">b</div>')
    assert all(one.disabled for one in browser.measure())


def test_a_click_reaches_what_lies_on_top_and_changes_nothing(browser: Browser) -> None:
    show(
        browser,
        f'<label data-zg="0" style="{at(0, 0, 100, 30)}"><input type="checkbox">Bold</label>'
        f'<button data-zg="1" style="{at(0, 100, 100, 40)}">under</button>'
        f'<button data-zg="2" style="{at(50, 100, 100, 40)}">over</button>',
        scale=2.0,
    )
    assert browser.click(40, 30) == 0
    assert browser.click(60, 240) == 1
    assert browser.click(150, 240) == 2
    assert browser.click(1000, 1000) is None
    assert browser.page.evaluate("document.querySelector('input').checked") is False


@pytest.mark.parametrize("kind", sorted(builders()))
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_what_the_tree_tells_is_what_hit_tests_tell(browser: Browser, kind: str, seed: int) -> None:
    size = (780, 1688) if kind == "phone" else (1280, 800)
    screen = compose(
        kind, skins()["default"], size_px=size, scale=2.0 if kind == "phone" else 1.0, language="en", dark=False,
        density=0.7, seed=seed,
    )  # fmt: skip
    browser.show(screen, skins()["default"], ICON_SET)
    quick, full = browser.measure(), browser.measure(full=True)
    differ = [
        (one.name, one.box_px, one.clear, two.clear, one.centre, two.centre)
        for one, two in zip(quick, full, strict=True)
        if (one.clear >= 0.95 and one.centre) and not (two.clear >= 0.95 and two.centre)
    ]
    assert not differ
    assert all(one.seen for one, two in zip(quick, full, strict=True) if two.clear > 0)
