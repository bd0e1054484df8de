"""Figures with known values: intervals and pairs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zoomground.errors import ZoomgroundError
from zoomground.evaluate.metrics import Share, paired_difference, wilson


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
