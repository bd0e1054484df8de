"""Skins: every role, part and state drawn as what it is, at the size that the graph asks for."""

from __future__ import annotations

import io
import re

import pytest
from legible import ratios
from PIL import Image, ImageChops

from synth.conftest import ASSETS
from synth.widget_page import TOOL_SIZES_PX, screen
from zoomground.synth import assets as npm
from zoomground.synth.graph import Part, Role, State
from zoomground.synth.icons.own import ICON_SET
from zoomground.synth.skins import available_skins, skins

pytestmark = pytest.mark.browser

MEASURE = """() => [...document.querySelectorAll("[data-zg]")].map(one => {
  const input = one.matches("input") ? one : one.querySelector(":scope > input") || one;
  const box = one.getBoundingClientRect();
  const label = one.querySelector(":scope > .zg-label");
  return {
    index: +one.dataset.zg, role: input.computedRole, x: box.x, y: box.y, width: box.width, height: box.height,
    inner: input === one ? box.height : input.getBoundingClientRect().height,
    cut: label ? label.scrollHeight > label.clientHeight + 1 || label.scrollWidth > label.clientWidth + 1 : false,
    faint: +getComputedStyle(one).opacity < 0.3 || getComputedStyle(one).visibility !== "visible",
  };
})"""
SAME = {"searchbox": {"searchbox", "textbox"}, "option": {"option", "listitem"}, "img": {"img", "image"}}


@pytest.fixture(params=list(skins()))
def skin(request):
    one = skins()[request.param]
    if not npm.has(ASSETS, one.package):
        pytest.skip(f"the npm package {one.package} is not there; fetch it: {npm.INSTALL}")
    return one


def picture(browser) -> Image.Image:
    return Image.open(io.BytesIO(browser.png())).convert("RGB")


def part_of(image: Image.Image, box: dict[str, float]) -> Image.Image:
    return image.crop(
        (round(box["x"]), round(box["y"]), round(box["x"] + box["width"]), round(box["y"] + box["height"]))
    )


def test_every_element_is_what_the_graph_says(browser, skin):
    placed = browser.show(screen(), skin, ICON_SET).placed
    boxes = {one["index"]: one for one in browser.page.evaluate(MEASURE)}
    assert sorted(boxes) == list(range(len(placed)))
    roles = set()
    for one in placed:
        box, element = boxes[one.index], one.element
        said = f"{skin.name}: {element.role} '{element.name}' {box}"
        assert box["role"] in SAME.get(element.role.value, {element.role.value}), said
        assert box["width"] >= 5, said
        assert box["height"] >= 5, said
        assert not box["cut"], said
        assert not box["faint"], said
        roles.add(element.role)
        if not element.size_px:
            assert 10 <= box["height"] <= 46, said
        elif element.role in {Role.CHECKBOX, Role.RADIO, Role.SWITCH} and element.text:
            assert box["inner"] == pytest.approx(element.size_px, abs=1), said
        else:
            assert box["height"] == pytest.approx(element.size_px, abs=1), said
            if element.icon and not element.text:
                assert box["width"] == pytest.approx(element.size_px, abs=1), said
    assert roles == set(Role)
    assert {element.element.size_px for element in placed} >= set(TOOL_SIZES_PX)


def test_nothing_lies_over_anything_else_or_outside(browser, skin):
    placed = browser.show(screen(), skin, ICON_SET).placed
    boxes = {one["index"]: one for one in browser.page.evaluate(MEASURE)}
    flat = [boxes[one.index] for one in placed if not one.element.children and one.parent is None]
    for one in flat:
        assert one["x"] >= 0 <= one["y"], one
        assert one["x"] + one["width"] <= 1280, one
        assert one["y"] + one["height"] <= 800, one
    for number, one in enumerate(flat):
        for other in flat[number + 1 :]:
            apart = (
                one["x"] + one["width"] <= other["x"] + 0.6
                or other["x"] + other["width"] <= one["x"] + 0.6
                or one["y"] + one["height"] <= other["y"] + 0.6
                or other["y"] + other["height"] <= one["y"] + 0.6
            )
            assert apart, f"{skin.name}: {placed[one['index']].element.name} and {placed[other['index']].element.name}"


def test_pictures_keep_their_size(browser, skin):
    browser.show(screen(), skin, ICON_SET)
    box = browser.page.evaluate("() => document.querySelector('.zg-pic svg').getBoundingClientRect().toJSON()")
    assert (box["width"], box["height"]) == (60, 40)


def test_states_are_seen(browser, skin):
    placed = browser.show(screen(), skin, ICON_SET).placed
    boxes = {one["index"]: one for one in browser.page.evaluate(MEASURE)}
    image = picture(browser)
    by_name = {one.element.name: one.index for one in placed}

    def corner(name: str) -> tuple[int, int, int]:
        box = boxes[by_name[name]]
        found = image.getpixel((round(box["x"] + 5), round(box["y"] + box["height"] / 2)))
        assert isinstance(found, tuple)
        return found[0], found[1], found[2]

    def whole(name: str) -> Image.Image:
        return part_of(image, boxes[by_name[name]])

    def differ(one: str, other: str) -> bool:
        first, second = whole(one), whole(other)
        size = (min(first.width, second.width), min(first.height, second.height))
        return ImageChops.difference(first.crop((0, 0, *size)), second.crop((0, 0, *size))).getbbox() is not None

    frame = lambda name: whole(name).crop((0, 0, 7, whole(name).height)).tobytes()  # noqa: E731 -- a border and fill
    assert frame("Plain") != frame("Primary"), skin.name
    assert corner("Bold") != corner("Italic") or frame("Bold") != frame("Italic"), skin.name
    assert corner("Chosen entry") != corner("Entry"), skin.name
    assert differ("Alone", "Lone dot")
    assert differ("Lone switch", "Lone switch off")
    for one in placed:
        extremes = part_of(image, boxes[one.index]).convert("L").getextrema()
        assert extremes[1] - extremes[0] >= 30 or one.element.role is Role.IMAGE, (
            f"{skin.name}: no ink in '{one.element.name}'"
        )


def test_dark_is_dark(browser, skin):
    browser.show(screen(), skin, ICON_SET)
    light = picture(browser).convert("L").resize((1, 1)).getpixel((0, 0))
    browser.show(screen(dark=True), skin, ICON_SET)
    dark = picture(browser).convert("L").resize((1, 1)).getpixel((0, 0))
    if skin.dark is None:
        assert dark == light
    else:
        assert dark < 90, skin.name
        assert light > 150, skin.name


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_texts_can_be_read(browser, skin, dark):
    if dark and skin.dark is None:
        pytest.skip("it has no dark form")
    browser.show(screen(dark=dark), skin, ICON_SET)
    found = [one for one in ratios(browser) if not one["off"]]
    assert {"In a bar", "EN", "12:30", "and tomorrow", "Everything"} <= {one["text"] for one in found}
    faint = {one["text"]: one["ratio"] for one in found if one["ratio"] < (2 if one["tinted"] else 3)}
    assert faint == {}


def test_languages_are_drawn_where_a_font_has_their_letters(browser, monkeypatch):
    from zoomground.synth import browser as module

    found = browser.languages()
    assert {"en", "de", "fr", "es"} <= set(found)
    monkeypatch.setattr(module, "LETTERS", {"en": "Aa", "none": "\u0378\u0379"})
    assert browser.languages() == ("en",)


def test_classes_are_the_librarys(skin):
    if not skin.package:
        assert not skin.classes
        return
    sheet = "".join(npm.text(ASSETS, skin.package, file, wanted_by="a test") for file in skin.sheets)
    keys = {one.value for one in [*Role, *Part]}
    keys |= {f"{role}.{state}" for role in Role for state in State} | {"button.icon"}
    assert set(skin.classes) <= keys
    for classes in [*skin.classes.values(), *skin.wraps.values()]:
        for word in classes.split():
            assert word.startswith("zg-") or re.search(rf"\.{re.escape(word)}\b", sheet), f"{skin.name}: {word}"


def test_sheets_fetch_nothing(skin):
    sheet = skin.sheet(ASSETS)
    assert "@import" not in sheet
    assert "@font-face" not in sheet


def test_without_packages_the_own_skins_are_there():
    assert sorted(available_skins(None)) == ["contrast", "default", "graphite", "mint", "paper", "plum"]
