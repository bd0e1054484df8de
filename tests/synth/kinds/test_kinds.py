"""What every kind of program is held to: its graph over languages, sizes and densities, and how it is drawn."""

from collections import Counter

import pytest
from programs import SIZES, Case, cards, cases, check_bars, check_counts, check_drawn, check_graph

from synth.conftest import ASSETS
from zoomground.synth.desktop import builders

LEAST_AT_1080P = {
    "cad": 500,
    "code_editor": 520,
    "dashboard": 500,
    "file_manager": 400,
    "mail": 260,
    "phone": 120,
    "settings": 120,
    "shop": 300,
    "spreadsheet": 500,
    "timeline": 500,
}
"""Elements of a packed program that fills a 1920x1080 screen."""

ALL_SEEN = {"code_editor", "file_manager", "mail", "spreadsheet", "timeline"}
"""Kinds whose graph holds nothing that is out of sight."""


def test_every_kind_has_its_figure() -> None:
    assert set(builders()) == set(LEAST_AT_1080P)


@pytest.mark.parametrize("kind", LEAST_AT_1080P)
@pytest.mark.parametrize("case", cases(), ids=str)
def test_names_goals_and_rows(kind: str, case: Case) -> None:
    check_graph(kind, case)


@pytest.mark.parametrize("kind", LEAST_AT_1080P)
def test_larger_and_denser_windows_hold_more(kind: str) -> None:
    check_counts(kind, least_at_1080p=LEAST_AT_1080P[kind])


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_no_two_panels_of_the_settings_have_one_title(size: tuple[int, int]) -> None:
    for seed in range(4):
        titles = Counter(cards(Case("en", size, seed / 3, seed).build("settings")))
        assert titles
        assert [title for title, count in titles.items() if count > 1] == []


@pytest.mark.browser
@pytest.mark.parametrize(
    "kind", sorted(LEAST_AT_1080P.keys() - {"phone"})
)  # a phone's screens have a test of their own
def test_nothing_overlaps_or_sticks_out(browser, kind: str) -> None:
    check_drawn(browser, kind, all_seen=kind in ALL_SEEN)


@pytest.mark.browser
@pytest.mark.parametrize("kind", sorted(LEAST_AT_1080P.keys() - {"phone"}))
def test_bars_are_as_high_as_what_stands_in_them(browser, kind: str) -> None:
    check_bars(browser, kind, ASSETS)
