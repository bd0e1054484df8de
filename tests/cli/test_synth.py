"""The verb synth: a set that validates, wrong use in words, and what is missing named with its remedy."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from pathlib import Path

import pytest
from verbs import run

_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
needs_browser = pytest.mark.skipif(
    not any(map(shutil.which, _NAMES)) or importlib.util.find_spec("playwright") is None, reason="no Chromium"
)


@pytest.mark.browser
@needs_browser
def test_a_set_validates_and_can_be_packed(tmp_path: Path) -> None:
    out = tmp_path / "set"
    made = run(
        "synth", "--out", out, "--rows", 12, "--seed", 6, "--sizes", "1280x800", "--kinds", "mail,shop", "--jobs", 1,
        "--heldout-share", 0.4, "--languages", "en", "--json",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    document = json.loads(made.stdout)
    assert document["figures"]["rows"] == 12
    assert document["failures"] == []
    for name in ("train.jsonl", "heldout.jsonl"):
        checked = run("validate", out / name, "--json")
        [report] = json.loads(checked.stdout)["files"]
        assert (checked.exit_code, report["oracle_hits"]) == (0, report["rows"])
        assert report["rows"] > 0
    card = json.loads(run("data-card", out, "--json").stdout)
    shared = card["in_common"]
    assert (shared["kind"], shared["skin"], shared["template"], shared["seed"]) == ([], [], [], [])
    assert run("pack", out, "--out", tmp_path / "packs").exit_code == 0
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["made_with"]["arguments"]["seed"] == 6
    again = run("synth", "--out", out, "--rows", 14, "--seed", 7, "--sizes", "1280x800", "--kinds", "mail,shop")
    assert again.exit_code == 1
    assert "begun with" in again.stderr


@pytest.mark.browser
@needs_browser
def test_own_pages(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "page.html").write_text("<button>Save all</button> <a href='#'>Leave this page</a>")
    made = run(
        "synth", "--out", tmp_path / "set", "--screens", 1, "--from-html", tmp_path / "site", "--sizes", "800x600",
        "--heldout-share", 0, "--jobs", 1,
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    assert run("validate", tmp_path / "set" / "train.jsonl").exit_code == 0


@pytest.mark.browser
@needs_browser
def test_pages_without_a_row_are_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "good.html").write_text("<button>Save all</button> <a href='#'>Leave this page</a>")
    (tmp_path / "site" / "prose.html").write_text("<p>Nothing to click.</p>")
    (tmp_path / "site" / "tiny.html").write_text("<button style='all:unset;font-size:4px'>Send this</button>")
    arguments = (
        "synth", "--out", tmp_path / "set", "--screens", 6, "--from-html", tmp_path / "site", "--sizes", "800x600",
        "--heldout-share", 0, "--jobs", 1,
    )  # fmt: skip
    made = run(*arguments)
    assert made.exit_code == 0, made.output
    assert "good.html gave no row" not in made.stderr
    assert "prose.html gave no row (2 screens): nothing on it has a role" in " ".join(made.stderr.split())
    assert "tiny.html gave no row (2 screens): 2 elements, 2 visible; turned away: 2 by geometry" in " ".join(
        made.stderr.split()
    )
    pages = json.loads(run(*arguments, "--json").stdout)["pages_without_rows"]
    assert {page["page"]: page["rejected"] for page in pages} == {"prose.html": {}, "tiny.html": {"geometry": 2}}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--screens"),
        (("--screens", 1, "--rows", 1), "--screens"),
        (("--screens", 0), "--screens"),
        (("--screens", 1, "--from-html", ".", "--kinds", "mail"), "pages"),
    ],
)
def test_wrong_use(tmp_path: Path, arguments: tuple, message: str) -> None:
    said = run("synth", "--out", tmp_path / "set", *arguments)
    assert said.exit_code == 2
    assert message in said.stderr
    assert not (tmp_path / "set").exists()


@pytest.mark.skipif(importlib.util.find_spec("playwright") is None, reason="no playwright")
def test_a_browser_that_is_not_there(tmp_path: Path) -> None:
    said = run("synth", "--out", tmp_path / "set", "--screens", 1, "--browser", tmp_path / "nothing")
    assert said.exit_code == 1
    assert "apt-get install chromium-headless-shell" in said.stderr
    assert "playwright install chromium" in said.stderr


def test_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright", None)
    said = run("synth", "--out", tmp_path / "set", "--screens", 1)
    assert said.exit_code == 1
    assert "pip install 'zoomground[synth]'" in said.stderr


@pytest.mark.parametrize("option", ["--kinds", "--languages", "--sizes"])
def test_a_list_that_names_nothing_is_wrong_use(option: str, tmp_path: Path) -> None:
    said = run("synth", "--out", tmp_path / "set", "--screens", 1, option, " , ")
    assert said.exit_code == 2
    assert "names nothing" in said.stderr
    assert not (tmp_path / "set").exists()
