"""Reading a judge's reply: a score that was given exactly as asked for, or the name of what is wrong. Never a guess.

The verdict is the end of the reply: a JSON object ``{"score": 0.8}``, or one line ``Score: 0.8``. Reasoning before it
is skipped, unless it holds a second, different score.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import Any

from zoomground.policies.base import Trouble


class NoVerdict(StrEnum):
    """Why there is no score, beyond what can be the matter with any endpoint (`Trouble`).

    - unreadable: the reply does not end in a verdict of the asked form.
    - out_of_range: the score is no number in [0, 1].
    - several_scores: the reply gives scores that differ.
    - deadline: the time of the whole batch was over.
    - resting: every endpoint has failed and is left alone for a while; nobody was asked.
    - error: something broke on this side.
    """

    UNREADABLE = "unreadable"
    OUT_OF_RANGE = "out_of_range"
    SEVERAL_SCORES = "several_scores"
    DEADLINE = "deadline"
    RESTING = "resting"
    ERROR = "error"


Failure = Trouble | NoVerdict
"""Why an episode has no score."""

_THINKING_END = re.compile(r"<\s*+/\s*+think(?:ing)?\s*+>", re.ASCII | re.IGNORECASE)
_CODE = re.compile(r"```(?:json)?[ \t]*+\n?|\n?[ \t]*+```", re.ASCII | re.IGNORECASE)
_NUMBER = r"[-+]?(?:[0-9]++(?:\.[0-9]++)?+(?:[eE][-+]?[0-9]++)?+)"
_LINE = re.compile(rf"(?:score|评分|得分|分数)[ \t]*+[:：][ \t]*+({_NUMBER})", re.ASCII | re.IGNORECASE)
_LABELLED = re.compile(
    r"(?:score|评分|得分|分数)[\"'*_`]*+\s*+(?:[:：=]|is\b|为|是)[\"'*_`\s]*+([-+]?(?:[0-9]++(?:\.[0-9]++)?+|\.[0-9]++)"
    r"(?:[eE][-+]?[0-9]++)?+)",
    re.ASCII | re.IGNORECASE,
)
"""A score by any name before the verdict, in more forms than a verdict may have."""

_LONGEST_OBJECT = 2000
"""Characters at the end of a reply in which the verdict's object must begin."""

_MOST_BRACES = 32


def read_verdict(text: str) -> float | NoVerdict:
    """Read a reply.

    >>> read_verdict('Sound, but brief. {"score": 0.7}'), read_verdict("not excellent").value
    (0.7, 'unreadable')
    """
    after = _THINKING_END.split(text)[-1]
    said = _CODE.sub("\n", after).strip()
    found = _object_at_end(said) if said.endswith("}") else _line_at_end(said)
    if found is None:
        return NoVerdict.UNREADABLE
    score, before = found
    if not 0 <= score <= 1:
        return NoVerdict.OUT_OF_RANGE
    if any(float(other) != score for other in _LABELLED.findall(before)):
        return NoVerdict.SEVERAL_SCORES
    return score + 0.0  # no negative zero


def _line_at_end(said: str) -> tuple[float, str] | None:
    before, _, line = said.rpartition("\n")
    match = _LINE.fullmatch(line.strip())
    return None if match is None else (float(match[1]), before)


def _object_at_end(said: str) -> tuple[float, str] | None:
    """The shortest object that ends the reply; one that stands inside another one is none."""
    end = len(said)
    for _ in range(_MOST_BRACES):
        end = said.rfind("{", max(0, len(said) - _LONGEST_OBJECT), end)
        if end < 0:
            return None
        score = _score(said[end:])
        if score is not None:
            return score, said[:end]
    return None


def _score(text: str) -> float | None:
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    score = value.pop("score", None)
    if isinstance(score, bool) or not isinstance(score, int | float):
        return None
    # A second number could be the one that was meant; words beside the score are welcome.
    return _as_float(score) if all(isinstance(other, str) for other in value.values()) else None


def _as_float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:  # an integer of hundreds of digits
        return float("inf")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a key is given twice")
    return dict(pairs)


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")
