"""Figures with known values: intervals and pairs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zoomground.errors import ZoomgroundError
from zoomground.evaluate.metrics import Share, bootstrap_mean, paired_difference, wilson


def test_wilson_matches_published_values() -> None:
    assert wilson(8, 10) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611252), abs=1e-6)
    assert wilson(50, 50) == pytest.approx((0.9286524, 1.0), abs=1e-6)
    assert wilson(0, 0) == (0.0, 1.0)


@given(total=st.integers(1, 5000), data=st.data())
def test_wilson_holds_the_share_and_mirrors(total: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, total))
    low, high = wilson(count, total)
    assert 0 <= low <= count / total <= high <= 1
    assert wilson(total - count, total) == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_shares_print_with_their_interval() -> None:
    assert str(Share.of([True] * 8 + [False] * 2)) == "0.800 [0.490, 0.943]"
    assert str(Share.of([])) == "-"


def test_a_paired_difference_sees_what_pairs_share() -> None:
    # 100 rows, equal but for ten that the second gets right: far from noise in pairs.
    first = {str(i): i < 40 for i in range(100)}
    second = {str(i): i < 50 for i in range(100)}
    difference = paired_difference(first, second)
    assert difference.mean == pytest.approx(0.1)
    assert 0 < difference.low < 0.1 < difference.high < 0.2
    assert difference.pairs == 100
    assert paired_difference(first, second) == difference
    back = paired_difference(second, first)
    assert back.mean == -difference.mean
    # The normal approximation of the same interval.
    assert difference.high - difference.low == pytest.approx(2 * 1.96 * math.sqrt(0.09 / 100), rel=0.15)


def test_a_paired_difference_uses_common_rows_only() -> None:
    difference = paired_difference({"a": True, "b": False}, {"b": True, "c": False})
    assert (difference.mean, difference.low, difference.high, difference.pairs) == (1.0, 1.0, 1.0, 1)
    assert str(difference) == "+1.000 [+1.000, +1.000]"
    with pytest.raises(ZoomgroundError, match="no row in common"):
        paired_difference({"a": True}, {"b": True})


def test_rows_of_a_page_are_drawn_together() -> None:
    # Two pages of ten alike rows: what is drawn is both, the one twice or the other twice, in every fourth case each.
    values = {f"{page}{n}": float(page == "a") for page in "ab" for n in range(10)}
    pages = {item: item[0] for item in values}
    by_page, by_row = bootstrap_mean(values, pages), bootstrap_mean(values)
    assert (by_page.mean, by_page.low, by_page.high, by_page.items, by_page.clusters) == (0.5, 0.0, 1.0, 20, 2)
    assert by_row.clusters == 20
    assert 0.2 < by_row.low < 0.5 < by_row.high < 0.8
    # What is alike on all pages has no interval.
    even = bootstrap_mean({item: float(item[1] in "012") for item in values}, pages)
    assert (even.mean, even.low, even.high) == (0.3, 0.3, 0.3)


def test_a_page_weighs_as_much_as_it_has_rows() -> None:
    first = dict.fromkeys(("a0", "b0", "b1", "b2"), 0.0)
    found = paired_difference(first, first | {"a0": 1.0}, {item: item[0] for item in first})
    # Drawn are both pages (1 of 4 rows), the small one twice (1 of 1) or the large one twice (0 of 3).
    assert (found.mean, found.low, found.high, found.pairs, found.clusters) == (0.25, 0.0, 1.0, 4, 2)
    seen = {
        round(bootstrap_mean({"a": 1, "b": 0, "c": 0}, {"a": "p", "b": "q", "c": "q"}, seed=s, resamples=1).low, 3)
        for s in range(30)
    }
    assert seen == {0.0, 0.333, 1.0}


def test_a_mean_of_nothing_is_an_error() -> None:
    with pytest.raises(ZoomgroundError, match="no item"):
        bootstrap_mean({})
