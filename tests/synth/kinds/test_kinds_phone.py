"""The phone: its graph over languages, sizes and densities, and how it is drawn."""

import random
from collections import Counter

import pytest
from programs import FAULTS, Case, check_graph

from zoomground.synth import words
from zoomground.synth.desktop import compose
from zoomground.synth.graph import Role, elements
from zoomground.synth.icons.own import ICON_SET
from zoomground.synth.kinds.phone import build
from zoomground.synth.scene import Scene
from zoomground.synth.skins import skins

KIND = "phone"
SIZES = ((390, 844), (360, 800), (390, 664))


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("language", words.LANGUAGES)
def test_names_goals_and_rows_on_phones(language: str, size: tuple[int, int]) -> None:
    for seed in range(9):
        check_graph(KIND, Case(language, size, seed / 8, seed))


def test_layouts_differ_and_each_has_a_bar_of_five_tabs() -> None:
    kinds = Counter()
    for seed in range(40):
        found = list(elements(build(Scene(random.Random(seed), "en", 390, 844))))
        assert len(found) >= 18
        tabs = [one for one in found if one.role is Role.TAB and one.icon]
        assert len(tabs) == 5
        kinds[next(one.name for one in tabs if "selected" in one.states)] += 1
    assert len(kinds) == 7


@pytest.mark.browser
def test_nothing_overlaps_or_sticks_out(browser) -> None:
    skin = skins()["default"]
    for seed in range(14):
        width, height = SIZES[seed % 3]
        language = list(words.LANGUAGES)[seed % 5]
        scale = 2 + seed % 2
        screen = compose(
            KIND, skin, size_px=(width * scale, height * scale), scale=scale, language=language, dark=seed % 2 == 1,
            density=seed / 13, seed=seed,
        )  # fmt: skip
        browser.show(screen, skin, ICON_SET)
        faults = browser.page.evaluate(FAULTS, "#zg-root > div > div")
        assert not faults, f"{seed}: {len(faults)} faults, as {faults[:5]}"
