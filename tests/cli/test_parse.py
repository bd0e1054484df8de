"""``parse``: one line out for each readable line in; bad lines are named and cost nothing else."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from verbs import run

CROPS = '<action>crop_image(image_path="s.png", x1=1.00, y1=2.00, x2=300.00, y2=400.00)</action>'
SHARED = Path(__file__).parents[2] / ".." / "shared" / "cases" / "parser.jsonl"


def rows_file(folder: Path, *rows: dict[str, Any] | str) -> Path:
    path = folder / "replies.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(line + "\n" for line in lines), "utf-8")
    return path


def parsed(path: Path, *options: str) -> list[dict[str, Any]]:
    result = run("parse", path, *options)
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_every_kind_of_turn(tmp_path: Path) -> None:
    path = rows_file(
        tmp_path,
        {"id": "a", "text": "<think>x</think>\n[512.30,407.10]"},
        {"id": 7, "text": f"{CROPS}\n{CROPS}"},
        {"id": "c", "text": "<action>decline()</action>"},
        {"id": "d", "text": "I cannot see it"},
        {"text": "(512, 407)"},
    )
    answer, crops, decline, invalid, loose = parsed(path)
    assert answer == {
        "id": "a", "kind": "answer", "point": [512.3, 407.1], "crops": [], "dialect": "canonical", "reason": None,
    }  # fmt: skip
    crop = {"image_path": "s.png", "x1": 1.0, "y1": 2.0, "x2": 300.0, "y2": 400.0}
    assert crops == {
        "id": 7, "kind": "crops", "point": None, "crops": [crop, crop], "dialect": "canonical", "reason": None,
    }  # fmt: skip
    assert (decline["kind"], decline["dialect"]) == ("decline", "canonical")
    assert invalid == {
        "id": "d", "kind": "invalid", "point": None, "crops": [], "dialect": None, "reason": "no_action",
    }  # fmt: skip
    assert (loose["id"], loose["point"], loose["dialect"]) == (5, [512.0, 407.0], "loose_point")


def test_modes(tmp_path: Path) -> None:
    path = rows_file(tmp_path, {"text": "(512, 407)"}, {"text": "[1.00,2.00] or [3.00,4.00]"})
    kinds = {mode: [row["kind"] for row in parsed(path, "--mode", mode)] for mode in ("strict", "tolerant", "fallback")}
    assert kinds == {
        "strict": ["invalid", "invalid"],
        "tolerant": ["answer", "invalid"],
        "fallback": ["answer", "answer"],
    }


def test_what_a_row_says_beside_its_text_counts(tmp_path: Path) -> None:
    path = rows_file(
        tmp_path,
        {"text": "[1.00,2.00]", "finish_reason": "length"},
        {"text": "[1.00,2.00]", "finish_reason": None, "prompt_ends_in_think": None},
        {"text": "thought</think>\n[1.00,2.00]", "prompt_ends_in_think": True},
        {"text": "thought</think>\n[1.00,2.00]"},
        {"text": CROPS.replace("300.00", "3000.00")},
    )
    rows = parsed(path)
    assert [row["kind"] for row in rows] == ["invalid", "answer", "answer", "invalid", "invalid"]
    assert rows[0]["reason"] == "length"
    assert parsed(path, "--crop-units", "pixels")[4]["kind"] == "crops"


def test_stdin() -> None:
    result = run("parse", "-", text='\ufeff{"text": "[1.00,2.00]"}\n\n{"text": "x"}')
    assert result.exit_code == 0
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == [1, 3]


@pytest.mark.parametrize(
    ("line", "field", "says"),
    [
        ("{not json", "line", "is not JSON"),
        ('["text"]', "line", "not an object"),
        ("[" * 100_000, "line", "nested too deeply"),
        ('{"id": "a"}', "text", "is missing"),
        ('{"text": 5}', "text", "must be a string"),
        ('{"text": null}', "text", "must be a string"),
        ('{"text": "x", "id": 1.5}', "id", "whole number"),
        ('{"text": "x", "id": true}', "id", "whole number"),
        ('{"text": "x", "finish_reason": 3}', "finish_reason", "must be a string"),
        ('{"text": "x", "prompt_ends_in_think": "yes"}', "prompt_ends_in_think", "true or false"),
        ('{"text": "x", "prompt_ends_in_think": 1}', "prompt_ends_in_think", "true or false"),
    ],
)
def test_a_bad_row_is_named_and_the_others_are_still_read(tmp_path: Path, line: str, field: str, says: str) -> None:
    path = rows_file(tmp_path, {"id": "a", "text": "[1.00,2.00]"}, line, {"id": "c", "text": "[1.00,2.00]"})
    result = run("parse", path)
    assert result.exit_code == 1
    assert [json.loads(row)["id"] for row in result.stdout.splitlines()] == ["a", "c"]
    (error,) = result.stderr.splitlines()
    assert error.startswith(f"error: {path}:2: field '{field}': ")
    assert says in error
    as_json = json.loads(run("parse", path, "--json").stderr)
    assert (as_json["file"], as_json["line"], as_json["field"]) == (str(path), 2, field)


def test_bytes_that_are_no_text_spoil_their_own_line_only(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_bytes(b'{"text": "[1.00,2.00]"}\n{"text": "\xff"}\n{"text": "[1.00,2.00]"}\n')
    result = run("parse", path)
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 2
    assert ":2: " in result.stderr
    assert "UTF-8" in result.stderr


def test_strange_text_goes_through(tmp_path: Path) -> None:
    path = rows_file(tmp_path, '{"id": "\\ud800", "text": "\\ud800 \\u0000 [1.00,2.00]"}', {"text": "]" * 200_000})
    first, second = parsed(path)
    assert first["kind"] == "answer"
    assert second["kind"] == "invalid"


@pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are not here")
@pytest.mark.parametrize("mode", ["strict", "tolerant", "fallback"])
def test_shared_cases(mode: str) -> None:
    cases = {case["id"]: case for case in map(json.loads, SHARED.read_text("utf-8").splitlines())}
    rows = parsed(SHARED, "--mode", mode)
    assert len(rows) == len(cases)
    wrong = [row["id"] for row in rows if row["kind"] != cases[row["id"]][mode]]
    assert wrong == []


def test_a_pipe_is_read_and_a_folder_is_wrong_use(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=('{"text": "[1.00,2.00]"}\n',))
    writer.start()
    result = run("parse", pipe)
    writer.join()
    assert json.loads(result.stdout)["point"] == [1.0, 2.0]
    refused = run("parse", tmp_path)
    assert refused.exit_code == 2
    assert "is a folder" in refused.stderr
