"""Pass rates: the unbiased estimator against counting every choice."""

from __future__ import annotations

import itertools

import pytest

from zoomground.collect.pass_rates import PassRates, Tries


@pytest.mark.parametrize(("hits", "played"), [(0, 5), (1, 5), (3, 5), (5, 5), (2, 8)])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_pass_at_k_is_the_share_of_choices_with_a_hit(hits: int, played: int, k: int) -> None:
    outcomes = [True] * hits + [False] * (played - hits)
    choices = list(itertools.combinations(outcomes, k))
    assert Tries(hits, played).pass_at(k) == pytest.approx(sum(map(any, choices)) / len(choices))


def test_too_few_episodes_say_nothing() -> None:
    assert Tries(1, 3, failed=1).pass_at(4) is None
    assert Tries(0, 0, failed=4).rate is None
    rates = PassRates(4, {"a": Tries(1, 3, 1), "b": Tries(0, 0, 4), "c": Tries(4, 4)})
    assert rates.pass_at(4) == 1.0
    assert (rates.all_wrong, rates.all_right) == (0.0, 0.5)
    assert rates.inside(0.1, 0.9) == ["a"]
    assert rates.inside(0.0, 1.0) == ["a", "c"]
    assert list(rates.to_dict()["pass_at"]) == ["1", "2", "4"]
    assert PassRates(3, {}).to_dict()["pass_at"] == {"1": None, "2": None, "3": None}
