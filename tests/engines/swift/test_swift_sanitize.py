"""Neutralising a sampled turn: ids, mask and log-probs stay in step whatever the engine gave."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swift_loops import LetterTokenizer

from zoomground.engines.swift.sanitize import MediaIds, clean

MEDIA = MediaIds(frozenset({10, 11, 12}), filler=99)

LOGPROBS = st.one_of(
    st.none(), st.floats(max_value=0.0, min_value=-50.0), st.sampled_from([math.nan, math.inf, -math.inf])
)


@dataclass
class Choice:
    token_ids: list[int] | None
    logprobs: dict[str, list[dict[str, Any]]] | None


def entries(values: list[float | None]) -> dict[str, list[dict[str, Any]]]:
    return {"content": [{"token": "t", "logprob": value} for value in values]}


@given(
    ids=st.one_of(st.none(), st.lists(st.integers(8, 20), max_size=12)),
    values=st.one_of(st.none(), st.lists(LOGPROBS, max_size=14)),
)
def test_whatever_comes_in_what_goes_out_fits_together(
    ids: list[int] | None, values: list[float | None] | None
) -> None:
    choice = Choice(ids, None if values is None else entries(values))
    cleaned = clean(choice, MEDIA)
    assert choice.token_ids
    assert len(cleaned.mask) == len(choice.token_ids) == max(1, len(ids or []))
    assert not set(choice.token_ids) & MEDIA.forbidden
    for before, after, keep in zip(ids or [], choice.token_ids, cleaned.mask, strict=False):
        assert after == before or keep == 0
    kept = (choice.logprobs or {}).get("content") or []
    assert len(kept) in {0, sum(cleaned.mask)}
    assert all(math.isfinite(entry["logprob"]) for entry in kept)
    json.dumps(choice.logprobs, allow_nan=False)
    again = clean(choice, MEDIA)
    assert again.counts["media_tokens"] == again.counts["nonfinite_logprobs"] == 0, "a second time finds nothing"


def test_alternatives_that_json_cannot_carry_are_dropped() -> None:
    choice = Choice([1], {"content": [{"logprob": -0.5, "top_logprobs": [{"logprob": -0.5}, {"logprob": -math.inf}]}]})
    clean(choice, MEDIA)
    assert choice.logprobs == {"content": [{"logprob": -0.5, "top_logprobs": [{"logprob": -0.5}]}]}


def test_rl_01_ids_are_read_from_the_tokenizer_and_the_template() -> None:
    tokenizer = LetterTokenizer()
    media = MediaIds.of(tokenizer, [12345])
    assert media.forbidden == {*tokenizer.media.values(), 12345}
    assert media.filler == ord(".") + 1000


def test_the_filler_is_never_a_media_id() -> None:
    assert MediaIds.of(None, [0, 1]) == MediaIds(frozenset({0, 1}), filler=2)

    class Odd(LetterTokenizer):
        def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
            return []

    assert MediaIds.of(Odd(), [0, 1]).filler == 2


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None])
def test_rl_17_finite_is_asked_for_explicitly(bad: float | None) -> None:
    """RL-17: `max` with NaN depends on the order of its arguments, so nothing is clamped: it is left out."""
    choice = Choice([1, 2, 3], entries([-0.1, bad, -0.3]))
    assert clean(choice, MEDIA).mask == [1, 0, 1]
    assert choice.logprobs == entries([-0.1, -0.3])
