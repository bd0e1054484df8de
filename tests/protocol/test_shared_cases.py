"""The project's case file, where it is present: each reply in each mode."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from zoomground.protocol.actions import Answer, Crop, Malformed, Parsed, ParserMode
from zoomground.protocol.parser import parse

CASES = Path(__file__).parents[2] / ".." / "shared" / "cases" / "parser.jsonl"


def _rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()] if CASES.exists() else []


def _outcome(result: Parsed | Malformed) -> str:
    if isinstance(result, Malformed):
        return "invalid"
    return "crops" if isinstance(result.actions[0], Crop) else result.actions[0].kind


@pytest.mark.skipif(not CASES.exists(), reason="the shared case file is not here")
@pytest.mark.parametrize("mode", list(ParserMode))
@pytest.mark.parametrize("row", _rows(), ids=lambda row: row["id"])
def test_shared_case(row: dict[str, Any], mode: ParserMode) -> None:
    result = parse(
        row["text"],
        finish_reason=row.get("finish_reason"),
        prompt_ends_in_think=row.get("prompt_ends_in_think", False),
        mode=mode,
    )
    assert _outcome(result) == row[mode.value]
    if isinstance(result, Parsed) and row[mode.value] == "answer":
        assert result.actions == (Answer(*row["point"]),)
    if isinstance(result, Parsed) and row[mode.value] == "crops":
        assert result.actions == tuple(Crop(**crop) for crop in row["crops"])
