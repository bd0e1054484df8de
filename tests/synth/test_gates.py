"""Every gate turns away a page that violates just it, and lets its neighbour through."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pages_by_hand import HEIGHT, SCREEN, WIDTH, button, drawn, one_seen, pixels, seen_on, show

from zoomground.synth import gates
from zoomground.synth.graph import Element, Role, State
from zoomground.synth.label import label_screen

if TYPE_CHECKING:
    from zoomground.synth.browser import Browser

pytestmark = pytest.mark.browser

PLACE = "position:absolute;left:40px;width:100px;height:30px;"
GOOD = f'<button data-zg="0" style="{PLACE}top:20px">Open</button>'
SAVE = button("Save")


def faults(browser: Browser, second: str, element: Element = SAVE) -> list[str | None]:
    """The faults of a good button and of what is put beside it."""
    show(browser, GOOD + second)
    return [gates.fault(one, WIDTH, HEIGHT) for one in seen_on(browser, button("Open"), element)]


@pytest.mark.parametrize(
    "style",
    [
        f"{PLACE}top:585px",  # leaves the screen
        "position:absolute;left:40px;top:100px;width:100px;height:7px;padding:0;border:0;font-size:5px",
    ],
)
def test_geometry(browser: Browser, style: str) -> None:
    assert faults(browser, f'<button data-zg="1" style="{style}">Save</button>') == [None, "geometry"]


def test_geometry_of_a_box_that_is_partly_scrolled_away(browser: Browser) -> None:
    inner = f'<button data-zg="1" style="{PLACE}top:-4px">Save</button>'
    page = f'<div style="position:absolute;left:0;top:100px;width:300px;height:60px;overflow:hidden">{inner}</div>'
    assert faults(browser, page) == [None, "geometry"]


def test_occlusion_by_a_sliver_and_of_the_middle(browser: Browser) -> None:
    save = f'<button data-zg="1" style="{PLACE}top:100px">Save</button>'
    sliver = '<div style="position:absolute;left:110px;top:90px;width:40px;height:50px;background:#ccc"></div>'
    assert faults(browser, save + sliver) == [None, "occlusion"]
    middle = '<div style="position:absolute;left:88px;top:113px;width:4px;height:4px;background:#ccc"></div>'
    assert faults(browser, save + middle) == [None, "occlusion"]


def test_occlusion_of_a_middle_that_belongs_to_an_element_inside(browser: Browser) -> None:
    inner = '<button data-zg="1" style="position:absolute;left:40px;top:5px;width:20px;height:20px">x</button>'
    show(browser, f'<div role="button" aria-label="Save" data-zg="0" style="{PLACE}top:100px">{inner}</div>')
    assert [gates.fault(one, WIDTH, HEIGHT) for one in seen_on(browser, SAVE, button("x"))] == ["occlusion", None]


def test_geometry_of_a_page_that_is_larger_than_its_picture() -> None:
    # Sizes that do not divide by the scale leave half a px of the page outside.
    edge = one_seen(0, SAVE, (700, 100, 800.5, 130))
    assert gates.fault(edge, WIDTH, HEIGHT) == "geometry"
    assert gates.fault(edge, WIDTH + 1, HEIGHT) is None


def test_disabled(browser: Browser) -> None:
    assert faults(browser, f'<button data-zg="1" disabled style="{PLACE}top:100px">Save</button>') == [None, "disabled"]
    off = button("Save", states=frozenset({State.DISABLED}))
    assert faults(browser, f'<button data-zg="1" style="{PLACE}top:100px">Save</button>', off) == [None, "disabled"]


def test_role(browser: Browser) -> None:
    assert faults(browser, f'<a href="#" data-zg="1" style="{PLACE}top:100px">Save</a>') == [None, "role"]


def test_name(browser: Browser) -> None:
    page = f'<button data-zg="1" aria-label="Save as" style="{PLACE}top:100px">Save</button>'
    assert faults(browser, page) == [None, "name"]


def test_glyphs(browser: Browser) -> None:
    name = "Save \u0378"
    page = f'<button data-zg="1" style="{PLACE}top:100px">{name}</button>'
    assert faults(browser, page, button(name)) == [None, "glyphs"]


ICON = '<svg width="16" height="16" stroke="{}" stroke-width="2"><path d="M2 2L14 14M14 2L2 14"/></svg>'
TOOL = "position:absolute;left:40px;top:{}px;width:26px;height:26px;padding:0;border:1px solid #888;background:#fff"


def test_ink_of_an_icon_that_was_not_drawn_though_its_frame_was(browser: Browser) -> None:
    show(
        browser,
        f'<button data-zg="0" aria-label="Cut" style="{TOOL.format(10)}">{ICON.format("#333")}</button>'
        f'<button data-zg="1" aria-label="Cut" style="{TOOL.format(60)}">{ICON.format("none")}</button>',
    )
    cut = button(label="Cut", icon="cut")
    assert [gates.ink(one, pixels(browser)) for one in seen_on(browser, cut, cut)] == [True, False]


def test_ink_of_text_in_the_colour_of_its_ground(browser: Browser) -> None:
    plain = "border:0;background:#eee;color:{};"
    show(
        browser,
        f'<button data-zg="0" style="{PLACE}top:10px;{plain.format("#222")}">Save</button>'
        f'<button data-zg="1" style="{PLACE}top:60px;{plain.format("#eee")}">Save</button>',
    )
    assert [gates.ink(one, pixels(browser)) for one in seen_on(browser, SAVE, SAVE)] == [True, False]


def test_ink_of_a_swatch_that_has_the_colour_of_its_ground(browser: Browser) -> None:
    plain = "border:0;background:{};"
    show(
        browser,
        f'<button data-zg="0" aria-label="Red" style="{PLACE}top:10px;{plain.format("#c00")}"></button>'
        f'<button data-zg="1" aria-label="White" style="{PLACE}top:60px;{plain.format("#fff")}"></button>',
    )
    red, white = button(label="Red", tint="red"), button(label="White", tint="grey")
    assert [gates.ink(one, pixels(browser)) for one in seen_on(browser, red, white)] == [True, False]


def test_ink_of_an_empty_check_box(browser: Browser) -> None:
    show(browser, '<input type="checkbox" data-zg="0" aria-label="Bold" style="margin:20px">')
    (one,) = seen_on(browser, Element(Role.CHECKBOX, label="Bold"))
    assert gates.ink(one, pixels(browser))


def test_uniqueness(browser: Browser) -> None:
    show(
        browser,
        GOOD
        + "".join(f'<button data-zg="{n}" style="position:absolute;left:{200 * n}px;top:{150 * n}px">Save</button>'
                  for n in (1, 2)),
    )  # fmt: skip
    made = label_screen(browser, SCREEN, drawn(button("Open"), SAVE, SAVE), seed=0, count=9)
    assert [row.meta["name"] for row in made.rows] == ["Open"]
    assert made.rejected == {"uniqueness": 2}
    assert (made.elements, made.visible) == (3, 3)
