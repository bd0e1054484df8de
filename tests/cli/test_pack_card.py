"""The verbs pack and data-card."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from cli.verbs import run

ROW = {"problem": "<image>Open", "solution": "[1,2,30,40]", "images": ["a.png"], "id": "0"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "set"
    made.mkdir()
    Image.new("RGB", (100, 80), "white").save(made / "a.png")
    (made / "train.jsonl").write_text(json.dumps(ROW) + "\n")
    return made


def test_pack_and_verify(folder: Path, tmp_path: Path) -> None:
    packed = run("pack", folder, "--out", tmp_path / "packs", "--limit", "1MiB", "--json")
    assert packed.exit_code == 0
    [one] = json.loads(packed.stdout)["packs"]
    assert one["file"] == "train-000.tar"
    verified = run("pack", tmp_path / "packs", "--verify")
    assert (verified.exit_code, "1 archives with 1 rows are as" in verified.stdout) == (0, True)
    (tmp_path / "packs" / "train-000.tar").write_bytes(b"")
    damaged = run("pack", tmp_path / "packs", "--verify")
    assert damaged.exit_code == 1
    assert "fetch it again" in damaged.stderr


def test_pack_needs_to_know_what_to_do(folder: Path, tmp_path: Path) -> None:
    assert run("pack", folder).exit_code == 2
    assert run("pack", folder, "--verify", "--out", tmp_path / "packs").exit_code == 2
    wrong = run("pack", folder, "--out", tmp_path / "packs", "--limit", "many")
    assert (wrong.exit_code, "48MiB" in wrong.stderr) == (1, True)


def test_data_card(folder: Path) -> None:
    said = run("data-card", folder)
    assert said.exit_code == 0
    assert "train.jsonl" in said.stdout
    document = json.loads(run("data-card", folder, "--json").stdout)
    assert (document["rows"], document["screens"]) == (1, 1)
    assert (folder / "card" / "index.html").is_file()


def test_changed_bytes_of_the_same_length_are_called_that(folder: Path, tmp_path: Path) -> None:
    assert run("pack", folder, "--out", tmp_path / "packs").exit_code == 0
    file = tmp_path / "packs" / "train-000.tar"
    data = bytearray(file.read_bytes())
    data[600] ^= 1
    file.write_bytes(data)
    said = run("pack", tmp_path / "packs", "--verify").stderr
    assert "other bytes" in said
    assert "instead of" not in said
