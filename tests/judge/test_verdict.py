"""Reading a judge's reply: a score of the asked form or the name of what is wrong, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zoomground.judge.verdict import NoVerdict, read_verdict


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ('{"score": 0.8}', 0.8),
        ('{"score": 1}', 1.0),
        ('{"score":0}\n', 0.0),
        ('{"score": 8e-1}', 0.8),
        ('Sound, with a thin second step. {"score": 0.7}', 0.7),
        ('Sound.\n\n{"reason": "a brace { inside", "score": 0.7}', 0.7),
        ('```json\n{\n  "score": 0.4\n}\n```', 0.4),
        ("Sound.\nScore: 0.7", 0.7),
        ("评分：0.7", 0.7),
        ('I would say score: 0.7. {"score": 0.7}', 0.7),
    ],
)
def test_a_verdict_of_the_asked_form_is_read(reply: str, score: float) -> None:
    assert read_verdict(reply) == score


@pytest.mark.parametrize(
    "reply",
    [
        "There are 5 issues, still I give 0.8",
        "not excellent",
        "",
        "   ",
        "0.8",
        "8/10",
        "Score: 8/10",
        "Score: 80%",
        "Score: .8",
        "Score: 0.8 or so",
        "**Score: 0.8**",
        '{"score": "0.8"}',
        '{"score": true}',
        '{"score": null}',
        '{"score": [0.8]}',
        '{"score": NaN}',
        '{"score": Infinity}',
        '{"Score": 0.8}',
        '{"score": 0.8, "of": 1}',
        '{"score": 0.1, "score": 0.9}',
        '{"verdict": {"score": 0.8}}',
        '[{"score": 0.8}]',
        '{"score": 0.8} I hope that helps!',
        '{"score": 0.8',
        "{'score': 0.8}",
        "I cannot evaluate this",
    ],
)
def test_jdg_01_anything_else_is_no_score(reply: str) -> None:
    """JDG-01: neither a number in prose, nor a word of praise inside a negation, nor a scale that has to be guessed."""
    assert read_verdict(reply) is NoVerdict.UNREADABLE


@pytest.mark.parametrize(
    "reply",
    ['{"score": 98989}', '{"score": -0.01}', '{"score": 1.001}', '{"score": 8}', '{"score": 1e999}', "Score: 7"],
)
def test_jdg_03_out_of_range_is_a_failure_and_never_clamped(reply: str) -> None:
    assert read_verdict(reply) is NoVerdict.OUT_OF_RANGE


@pytest.mark.parametrize(
    "reply",
    [
        'maybe 0.2</think>{"score": 0.9}',
        '<think>{"score": 0.2} or {"score": 0.5}</think>\n{"score": 0.9}',
        '<think>a</think>score: 0.1</think>\n{"score": 0.9}',
        "< THINK >Score: 0.2</ think >\nScore: 0.9",
    ],
)
def test_jdg_07_thinking_is_cut_off_before_reading(reply: str) -> None:
    assert read_verdict(reply) == 0.9


def test_jdg_07_a_score_inside_the_thinking_alone_is_none() -> None:
    assert read_verdict('{"score": 0.9}</think>') is NoVerdict.UNREADABLE


@pytest.mark.parametrize(
    "reply",
    [
        '{"score": 0.2} {"score": 0.9}',
        "Score: 0.2\nScore: 0.9",
        "得分: 0.2\n评分: 0.9",
        '"score": 0.2 then {"score": 0.9}',
        '**Score**: 0.3\n{"score": 0.9}',
        'score: .2\n{"score": 0.9}',
        'My score is 0.2. {"score": 0.9}',
        '评分为 0.2。{"score": 0.9}',
    ],
)
def test_scores_that_differ_are_a_failure(reply: str) -> None:
    assert read_verdict(reply) is NoVerdict.SEVERAL_SCORES


@given(st.text(alphabet=st.sampled_from('{}"score: 0.19\n</think>`{"score": 0.5}')))
def test_reading_is_total(reply: str) -> None:
    verdict = read_verdict(reply)
    assert isinstance(verdict, NoVerdict) or 0 <= verdict <= 1


@pytest.mark.parametrize(
    "reply", ["{" * 100_000 + "}", '{"score":' * 50_000 + "}" * 50_000, "</think>" * 100_000, "9" * 200_000]
)
def test_a_huge_reply_is_read_in_no_time(reply: str) -> None:
    assert read_verdict(reply) is NoVerdict.UNREADABLE
