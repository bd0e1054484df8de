"""``verify-data``: known faults are named, problems give exit code 1, another layout says what was expected."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from verbs import run

from layouts import SHARED, downloaded, needs_shared

if TYPE_CHECKING:
    from pathlib import Path

IMAGES = {"images/aa.png": (200, 100), "images/bb.png": (160, 90)}


def test_a_good_folder_of_rows(tmp_path: Path) -> None:
    folder = downloaded("rows", tmp_path, {"shots/a.png": (200, 100)})
    result = run("verify-data", "rows", "--data", folder, "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert (found["ok"], found["items"], found["layout"]) == (True, 3, "rows")
    assert found["groups"] == {"kind": {"mail": 2, "cad": 1}, "difficulty": {"hard": 1}}
    assert found["faults"] == []
    text = run("verify-data", "rows", "--data", folder)
    assert text.exit_code == 0
    assert "Training rows: 3 items, rows layout, 1 file" in text.stdout
    assert "kind: mail 2, cad 1" in text.stdout
    assert text.stdout.endswith("good\n")


def test_missing_screenshots_wrong_counts_and_bad_rows_are_problems(tmp_path: Path) -> None:
    folder = downloaded("osworld_g", tmp_path, dict(list(IMAGES.items())[:1]))
    entries = json.loads((folder / "OSWorld-G.json").read_text("utf-8"))
    entries[1]["box_type"] = "circle"
    (folder / "OSWorld-G.json").write_text(json.dumps(entries), "utf-8")
    result = run("verify-data", "osworld-g", "--data", folder, "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert found["counts"] == {"problem": {"count": 1, "missing image": 1, "unreadable": 1}}
    (bad,) = [fault for fault in found["faults"] if fault["kind"] == "unreadable"]
    assert (bad["number"], bad["field"], bad["fate"]) == (2, "box_type", "problem")
    text = run("verify-data", "osworld-g", "--data", folder)
    assert text.exit_code == 1
    assert "must be bbox, polygon or refusal, got 'circle'" in text.stderr
    assert "screenshot 'bb.png' is in none of the folders" in text.stderr
    assert "holds 2 items, the published set 564" in text.stderr
    assert "3 problems" in text.stdout
    without = run("verify-data", "osworld-g", "--data", folder, "--no-images", "--json")
    assert json.loads(without.stdout)["counts"] == {"problem": {"count": 1, "unreadable": 1}}


def test_another_layout_and_an_unknown_benchmark(tmp_path: Path) -> None:
    (tmp_path / "readme.md").write_text("nothing here", "utf-8")
    result = run("verify-data", "ui_vision", "--data", tmp_path)
    assert result.exit_code == 1
    assert "not the layout of UI-Vision: expected annotations/element_grounding/" in result.stderr
    assert "the folder holds: readme.md" in result.stderr
    assert "known are: mmbench_gui_l2" in run("verify-data", "nosuch", "--data", tmp_path).stderr


@needs_shared
@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("screenspot_v2", {"repaired": {"outside": 1}, "kept": {"duplicate": 1}}),
        ("screenspot_pro", {"repaired": {"outside": 1}}),
        ("osworld_g", {"repaired": {"polygon": 40, "refusal": 54}}),
        ("osworld_g_refined", {"repaired": {"empty instruction": 1, "polygon": 40, "refusal": 54}}),
        ("ui_vision", {"repaired": {"outside": 77}, "kept": {"no area": 1}}),
        ("mmbench_gui_l2", {"kept": {"duplicate": 13}}),
    ],
)
def test_the_known_faults_of_the_published_sets(name: str, counts: dict[str, dict[str, int]]) -> None:
    result = run("verify-data", name, "--data", SHARED / "annotations", "--no-images", "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["counts"] == counts
    if name == "osworld_g_refined":
        (empty,) = [fault for fault in found["faults"] if fault["kind"] == "empty instruction"]
        assert empty["item"] == "9bQOfLzvdu-0"


@needs_shared
def test_without_screenshots_the_published_sets_are_a_problem() -> None:
    result = run("verify-data", "screenspot_pro", "--data", SHARED / "annotations")
    assert result.exit_code == 1
    assert "problem: missing image 1581" in result.stdout
    assert "... and 1576 more of these; --all shows them" in result.stderr
