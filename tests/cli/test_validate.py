"""``validate``: good rows pass, every fault names file, line and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verbs import run

from saved import picture
from zoomground.geometry import Size


def row(image: str = "a.png", **fields: Any) -> dict[str, Any]:
    base = {"problem": "<image>Open File", "solution": "[640,400,652,412]", "images": [image]}
    return {key: value for key, value in (base | fields).items() if value is not None}


def rows_file(folder: Path, *rows: dict[str, Any]) -> Path:
    picture(folder / "a.png")
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    return path


def test_good_rows(tmp_path: Path) -> None:
    path = rows_file(
        tmp_path,
        row(),
        row(solution="[100,100,700,500]", difficulty="easy"),
        row(solution=None, polygon=[10, 10, 60, 10, 35, 50]),
        row(solution=None, refusal=True),
    )
    result = run("validate", path, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    (report,) = found["files"]
    assert found["ok"] is True
    assert (report["rows"], report["refusals"], report["polygons"], report["oracle_hits"]) == (4, 1, 1, 4)
    assert report["oracle_zoomed"] == 1
    text = run("validate", path)
    assert text.exit_code == 0
    assert "4 good rows" in text.stdout
    assert "the oracle scores 1 on 4 rows, with a crop on 1" in text.stdout


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (row(image="missing.png"), "images"),
        (row(image="cut.png"), "images"),
        (row(solution="[640,400,5000,412]"), "solution"),
        (row(solution="[640,400"), "solution"),
        (row(solution=None), "solution"),
        (row(problem="no tag"), "problem"),
        (row(bbox=[1, 2, 3, 4]), "bbox"),
        (row(difficulty="medium"), "difficulty"),
    ],
)
def test_a_bad_row_is_named_and_the_others_are_checked(tmp_path: Path, bad: dict[str, Any], field: str) -> None:
    path = rows_file(tmp_path, row(), bad, row())
    (tmp_path / "cut.png").write_bytes((tmp_path / "a.png").read_bytes()[:3000])
    result = run("validate", path, "--json")
    assert result.exit_code == 1
    (report,) = json.loads(result.stdout)["files"]
    assert report["rows"] == 2
    (error,) = report["errors"]
    assert (error["file"], error["line"]) == (str(path), 2)
    assert field in error["field"] or field in error["problem"]
    assert f"error: {path}:2: field '" in result.stderr


def test_a_target_that_no_answer_can_hit_is_a_fault(tmp_path: Path) -> None:
    # Between two answers of two decimals there are 1280 px / 100,000.
    path = rows_file(tmp_path, row(solution="[640.004,400.0,640.006,412.0]"))
    result = run("validate", path, "--json")
    (report,) = json.loads(result.stdout)["files"]
    assert result.exit_code == 1
    assert report["errors"][0]["field"] == "solution"
    assert "misses it" in report["errors"][0]["problem"]
    assert run("validate", path, "--quick").exit_code == 0


def test_an_image_that_the_processor_refuses_is_a_fault(tmp_path: Path) -> None:
    path = rows_file(tmp_path, row(image="thin.png", solution="[0,0,5,5]"))
    picture(tmp_path / "thin.png", Size(4020, 20))
    result = run("validate", path)
    assert result.exit_code == 1
    assert f"{path}:1: field 'images'" in result.stderr


def test_several_files(tmp_path: Path) -> None:
    good = rows_file(tmp_path / "one", row())
    bad = rows_file(tmp_path / "two", row(image="missing.png"))
    result = run("validate", good, bad, "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["ok"], [report["ok"] for report in found["files"]]) == (1, False, [True, False])


def test_a_file_without_rows_is_a_problem(tmp_path: Path) -> None:
    result = run("validate", rows_file(tmp_path))
    assert result.exit_code == 1
    assert "holds no row" in result.stderr
