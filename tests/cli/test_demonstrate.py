"""``zoomground demonstrate`` writes the data set, tells what is in it, and goes on where it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from verbs import run

from episodes import screenshot
from zoomground.cli.demonstrate import StyleName
from zoomground.collect import workers
from zoomground.collect.styles import STYLES
from zoomground.data.rows import write_rows
from zoomground.geometry import Size


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MAX_PIXELS", str(64 * 32**2))
    folder = tmp_path / "set"
    folder.mkdir()
    screenshot(Size(640, 512)).pixels.save(folder / "a.png")
    rows: list[dict[str, Any]] = [
        {"problem": f"<image>Open item {i}", "solution": f"[{x}, 40, {x + 20}, 60]", "images": ["a.png"]}
        for i, x in enumerate(range(20, 600, 60))
    ]
    write_rows(folder / "train.jsonl", [*rows, {"problem": "<image>Open Mars", "refusal": True, "images": ["a.png"]}])
    write_rows(folder / "heldout.jsonl", rows[:2])
    return folder


def test_a_folder_stands_for_its_training_rows_and_every_row_comes_once(folder: Path, tmp_path: Path) -> None:
    result = run("demonstrate", folder, "--out", tmp_path / "sft.jsonl", "--jobs", 1)
    assert result.exit_code == 0
    assert len((tmp_path / "sft.jsonl").read_text().splitlines()) == 11
    lines = result.stdout.splitlines()
    assert lines[0].split()[:3] == ["plan", "episodes", "share"]
    (total,) = (line.split() for line in lines if line.startswith("all"))
    assert total[1:4] == ["11", "100.0", "%"]
    assert any(line.startswith("decline ") for line in lines)
    assert any(line.startswith("11 played in ") for line in lines)
    assert "pictures of" in lines[-1]

    again = run("demonstrate", folder, "--out", tmp_path / "sft.jsonl", "--jobs", 1)
    assert "was complete; nothing was played" in again.stdout


def test_json_and_options(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "coarse.jsonl"
    options = ("--count", 5, "--seed", 7, "--style", "coarse", "--split", "heldout", "--absolute", "--jobs", 1)
    document = json.loads(run("demonstrate", folder, "--out", out, *options, "--json").stdout)
    assert document["count"] == document["played"] == 5
    assert document["decline_offered"] == 0
    assert sum(plan["count"] for plan in document["plans"].values()) == 5
    manifest = json.loads(Path(document["manifest"]).read_text(encoding="utf-8"))
    assert manifest["made_from"]["style"]["name"] == "Coarse"
    assert manifest["made_from"]["seed"] == 7
    first = json.loads(out.read_text().splitlines()[0])
    assert all(Path(path).is_absolute() for path in first["images"])


def test_what_is_legible_and_the_limits_are_the_recipes(folder: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        "[rewards]\nlegible_px = 9.0\n[data]\noff_share = 1.0\n[sft]\nstyle = 'coarse'\n[run]\nseed = 5\n"
    )
    out = tmp_path / "sft.jsonl"
    document = json.loads(run("demonstrate", folder, "--out", out, "--recipe", recipe, "--jobs", 1, "--json").stdout)
    assert document["arms"] == {"off": 10}
    made_from = json.loads(Path(document["manifest"]).read_text(encoding="utf-8"))["made_from"]
    assert made_from["style"]["legible_px"] == "9.0"
    assert made_from["style"]["name"] == "Coarse"
    assert made_from["seed"] == 5
    assert made_from["settings"]["limits"]["max_pixels"] == 64 * 32**2


def test_other_arguments_are_a_problem_unless_overwriting(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "sft.jsonl"
    assert run("demonstrate", folder, "--out", out, "--count", 3, "--jobs", 1).exit_code == 0
    refused = run("demonstrate", folder, "--out", out, "--count", 4, "--jobs", 1)
    assert refused.exit_code == 1
    assert "made with other arguments (count)" in refused.stderr
    assert run("demonstrate", folder, "--out", out, "--count", 4, "--jobs", 1, "--overwrite").exit_code == 0


def test_ctrl_c_is_no_traceback(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(workers.Player, "rows", interrupt)
    result = run("demonstrate", folder, "--out", tmp_path / "sft.jsonl", "--jobs", 1)
    assert result.exit_code == 130
    assert "goes on from what is done" in result.stderr


def test_a_folder_without_that_split_is_named(folder: Path, tmp_path: Path) -> None:
    result = run("demonstrate", folder, "--out", tmp_path / "sft.jsonl", "--split", "dev")
    assert result.exit_code == 1
    assert "dev.jsonl: there is no such file" in result.stderr


def test_every_style_has_a_name_here() -> None:
    assert [name.value for name in StyleName] == list(STYLES)
