"""The spreadsheet: its graph over languages, sizes and densities, and how it is drawn."""

import pytest
from programs import Case, cases, check_counts, check_drawn, check_graph

KIND = "spreadsheet"


@pytest.mark.parametrize("case", cases(), ids=str)
def test_names_goals_and_rows(case: Case) -> None:
    check_graph(KIND, case)


def test_larger_and_denser_windows_hold_more() -> None:
    check_counts(KIND, least_at_1080p=500)


@pytest.mark.browser
def test_nothing_overlaps_or_sticks_out(browser) -> None:
    check_drawn(browser, KIND, all_seen=True)
