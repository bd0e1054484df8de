"""The parser's own case file, one reply a line.

``read`` is the strictest mode that reads the reply (each wider mode reads the same), ``dialect`` what it is read as;
``reason`` is what the tolerant mode says where it reads nothing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from zoomground.protocol.actions import Action, Answer, Crop, CropUnits, Decline, Malformed, Parsed, ParserMode
from zoomground.protocol.parser import parse

ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("cases.jsonl").read_text(encoding="utf-8").splitlines()
]
MODES = list(ParserMode)
KINDS: dict[str, type[Answer | Crop | Decline]] = {"answer": Answer, "crop": Crop, "decline": Decline}


def _parse(row: dict[str, Any], mode: ParserMode) -> Parsed | Malformed:
    return parse(
        row["text"],
        finish_reason=row.get("finish_reason"),
        prompt_ends_in_think=row.get("prompt_ends_in_think", False),
        crop_units=CropUnits(row.get("crop_units", "norm")),
        mode=mode,
    )


def _actions(row: dict[str, Any]) -> tuple[Action, ...]:
    return tuple(KINDS[action["kind"]](**action) for action in row["actions"])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_case(row: dict[str, Any], mode: ParserMode) -> None:
    result = _parse(row, mode)
    if row["read"] in MODES[: MODES.index(mode) + 1]:
        assert isinstance(result, Parsed), result
        assert (result.actions, result.dialect.value) == (_actions(row), row["dialect"])
        return
    assert isinstance(result, Malformed), result
    expected = "not_canonical" if row["read"] == "tolerant" else row["reason"]
    assert result.reason.value == expected


def test_every_dialect_and_every_reason_of_the_parser_has_a_case() -> None:
    assert {row.get("dialect") for row in ROWS} > {"canonical", "loose_point", "json", "xml", "bare", "fallback"}
    assert {row["reason"] for row in ROWS if "reason" in row} == {
        *("length", "empty", "thinking", "special_token", "escaped_tag", "mixed", "too_many_crops", "bad_call"),
        *("bad_point", "bad_number", "out_of_range", "bad_order", "several_points", "foreign", "no_action"),
    }


def test_a_mode_may_be_given_by_its_name() -> None:
    assert parse("[1, 2]", mode=ParserMode("strict")) == parse("[1, 2]", mode="strict")  # type: ignore[arg-type]
