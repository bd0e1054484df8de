"""Desktops: where windows lie, what lies over them, and that a phone shows its program alone."""

from __future__ import annotations

import random
import re
from collections import Counter
from functools import lru_cache

import pytest

from zoomground.synth import words
from zoomground.synth.desktop import builders, compose
from zoomground.synth.desktop.arrange import arrange, companions
from zoomground.synth.desktop.view import Area, View
from zoomground.synth.desktop.windows import ICONS
from zoomground.synth.graph import Box, Element, Part, Screen, elements
from zoomground.synth.icons.own import ICON_SET
from zoomground.synth.icons.own import ICONS as DRAWN
from zoomground.synth.overlays import overlays
from zoomground.synth.plan import HELDOUT_KINDS
from zoomground.synth.scene import Scene
from zoomground.synth.skins import skins

SIZES = ((1280, 800), (1920, 1080), (3840, 2160), (5120, 1440))
_PLACE = re.compile(r"left:([\d.]+)px;top:([\d.]+)px;width:([\d.]+)px;height:([\d.]+)px")


@lru_cache(None)
def screen(seed: int, size: tuple[int, int] = (1920, 1080), kind: str = "dashboard", language: str = "en") -> Screen:
    return compose(
        kind, skins()["default"], size_px=size, scale=1.0, language=language, dark=False, density=0.3, seed=seed
    )


def parts(one: Screen, part: Part) -> list[Box]:
    return [box for box in one.root.children if isinstance(box, Box) and box.part is part]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_windows_lie_inside_the_screen_and_the_kind_is_in_front(size):
    for seed in range(12):
        windows = parts(screen(seed, size), Part.WINDOW)
        assert windows
        for window in windows:
            found = _PLACE.search(window.css)
            assert found is not None
            x, y, width, height = map(float, found.groups())
            assert x >= 0
            assert y >= 0
            assert x + width <= size[0]
            assert y + height <= size[1]
        assert windows[-1].name == words.say("kind_dashboard", "en")


def test_a_modal_dialog_is_last():
    seen = 0
    for seed in range(60):
        modal = [at for at, node in enumerate(screen(seed).root.children) if isinstance(node, Box) and node.modal]
        assert modal in ([], [len(screen(seed).root.children) - 1])
        seen += len(modal)
    assert seen > 3


def test_all_arrangements_bars_and_layers_occur():
    windows, bars, over = Counter(), Counter(), Counter()
    for seed in range(90):
        one = screen(seed)
        windows[len(parts(one, Part.WINDOW))] += 1
        bars[len(parts(one, Part.TASKBAR))] += 1
        over[isinstance(one.root.children[-1], Box) and one.root.children[-1].modal] += 1
    assert set(windows) == {1, 2, 3}
    assert set(bars) == {0, 1}
    assert set(over) == {False, True}
    ways = Counter()
    for seed in range(80):
        scene = Scene(random.Random(seed), "en", 5120, 1400)
        placed = arrange(scene, "dashboard", Area(0.0, 0.0, 5120.0, 1400.0))
        heights = {area.height for _, area in placed}
        ways["maximised" if len(placed) == 1 else "tiled" if heights == {1400.0} else "overlapping"] += 1
    assert min(ways["maximised"], ways["tiled"], ways["overlapping"]) > 8


def test_tiled_windows_do_not_overlap_and_leave_nothing_free():
    for seed in range(80):
        scene = Scene(random.Random(seed), "en", 5120, 1400)
        areas = [area for _, area in arrange(scene, "dashboard", Area(0.0, 0.0, 5120.0, 1400.0))]
        if len(areas) < 2 or any(area.height < 1400 for area in areas):
            continue
        areas.sort(key=lambda area: area.x)
        assert areas[0].x == 0
        assert [area.x + area.width for area in areas] == [*(area.x for area in areas[1:]), 5120]


def test_companions_stay_on_their_side_of_the_split():
    for kind in builders():
        assert {one in HELDOUT_KINDS for one in companions(kind)} == {kind in HELDOUT_KINDS}


def test_a_phone_has_no_taskbar_and_no_window():
    for kind in builders():
        one = screen(3, (390, 844), kind)
        assert not parts(one, Part.TASKBAR)
        assert not parts(one, Part.WINDOW)


def test_the_same_seed_gives_the_same_screen():
    settings = {"size_px": (1920, 1080), "scale": 1.5, "language": "fr", "dark": True, "density": 0.7}
    first, again, other = (compose("cad", skins()["default"], seed=seed, **settings) for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_every_program_has_a_name_and_an_icon():
    for kind in builders():
        assert ICONS[kind] in DRAWN
        assert words.say(f"kind_{kind}", "zh")


PHONE = {"action_sheet", "alert"}


def _sizes(name: str) -> tuple[tuple[int, int], ...]:
    return ((390, 844), (360, 800)) if name in PHONE else ((1280, 800), (3840, 2160))


def _view(width: float, height: float) -> View:
    free = Area(0.0, 0.0, width, height - 40)
    return View("cad", free, free, 30.0, (6.0, height - 46, True), (width - 6, height - 46, True), (2.0, 24.0))


@pytest.mark.parametrize("language", words.LANGUAGES)
@pytest.mark.parametrize("name", overlays())
def test_what_lies_over_has_names_and_goals_that_keep_them(name, language):
    module = overlays()[name]
    for seed in range(4):
        for width, height in _sizes(name):
            view = _view(width, height)
            assert module.fits(view)
            laid = module.lay(Scene(random.Random(seed), language, width, height, seed / 3), view)
            found = list(elements(laid))
            assert len(found) >= 3
            for one in found:
                _check(one)


def _check(one: Element) -> None:
    assert one.name or one.thing
    assert not one.icon or one.icon in DRAWN
    for goal in one.goals:
        assert "{" not in goal
        assert one.name.casefold() not in goal.casefold()


@pytest.mark.parametrize("name", overlays())
def test_what_lies_over_stays_out_where_it_does_not_fit(name):
    assert not overlays()[name].fits(_view(390, 300))


@pytest.mark.parametrize("name", overlays())
def test_what_lies_over_is_inside_the_screen(name):
    module, place = overlays()[name], re.compile(r"(left|top|width|height):([\d.-]+)px")
    for seed in range(8):
        width, height = _sizes(name)[0]
        laid = module.lay(Scene(random.Random(seed), "de", width, height, seed / 8), _view(width, height))
        found = {key: float(value) for key, value in place.findall(laid.css)}
        if laid.modal:
            continue
        assert 0 <= found["left"] <= 1280 - found["width"]
        assert 0 <= found["top"] <= 800 - found.get("height", 60)


_INSIDE = """() => [...document.querySelectorAll(".zg-q-dialog, .zg-q-menu")].map(one => {
  const box = one.getBoundingClientRect();
  return [box.left, box.top, innerWidth - box.right, innerHeight - box.bottom];
}).flat()"""


@pytest.mark.browser
@pytest.mark.parametrize("size", [(390, 844), (1280, 800), (3840, 2160), (5120, 1440)], ids=str)
@pytest.mark.parametrize("name", overlays())
def test_what_lies_over_is_drawn_inside_the_screen(browser, name, size):
    module = overlays()[name]
    view = _view(*size)
    if not module.fits(view):
        assert (name in PHONE) != (size[0] < 600)
        return
    for seed in range(5):
        scene = Scene(random.Random(seed), "de", *map(float, size), seed / 4)
        root = Box((module.lay(scene, view),), flow="stack", css="width:100%;height:100%")
        shown = Screen(*size, 1.0, "de", "cad", False, '"DejaVu Sans", sans-serif', 12 + seed % 4, root)
        browser.show(shown, skins()["mint"], ICON_SET)
        cut = [one.name for one in browser.measure() if 0 < one.share < 0.99]
        assert cut == []
        assert min(browser.page.evaluate(_INSIDE), default=0) >= 0
