"""The folder for machines without network: it settles where it lies, and its pieces are the folder again."""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def kit(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The script as a module."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    yield importlib.import_module("pack_screens_kit")
    sys.modules.pop("pack_screens_kit", None)


def wrappers(kit: ModuleType, tree: Path) -> None:
    for name, text in kit.WRAPPERS.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text, encoding="utf-8")
        (tree / name).chmod(0o755)


def test_pieces_are_the_folder_again_and_none_is_too_large(kit: ModuleType, tmp_path: Path) -> None:
    tree, limit = tmp_path / "screens", 1 << 20
    (tree / "lib").mkdir(parents=True)
    (tree / "lib" / "noise").write_bytes(random.Random(0).randbytes(2_500_000))
    kit._pieces(tree, limit)
    pieces = sorted(tmp_path.glob("screens.tar.xz.*"))
    assert len(pieces) == 3
    assert max(one.stat().st_size for one in pieces) <= limit
    subprocess.run(["sha256sum", "--check", "--quiet", "screens.sha256"], cwd=tmp_path, check=True)
    joined, again = tmp_path / "joined.tar.xz", tmp_path / "again"
    joined.write_bytes(b"".join(one.read_bytes() for one in pieces))
    again.mkdir()
    subprocess.run(["tar", "-C", str(again), "-xJf", str(joined)], check=True)
    assert (again / "lib" / "noise").read_bytes() == (tree / "lib" / "noise").read_bytes()


def test_the_folder_settles_where_it_lies_and_the_browser_gets_its_own_libraries(
    kit: ModuleType, tmp_path: Path
) -> None:
    tree = tmp_path / "a kit"
    wrappers(kit, tree)
    (tree / "fontconfig").mkdir()
    (tree / "fontconfig" / "fonts.conf.in").write_text("<dir>@HERE@/fonts</dir>", encoding="utf-8")
    program = tree / "chromium" / "chromium-headless-shell"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$LD_LIBRARY_PATH|$FONTCONFIG_FILE|$*"\n', encoding="utf-8")
    program.chmod(0o755)
    subprocess.run(["sh", str(tree / "setup.sh")], check=True)
    assert (tree / "fontconfig" / "fonts.conf").read_text(encoding="utf-8") == f"<dir>{tree}/fonts</dir>"
    said = subprocess.run(
        [str(tree / "bin" / "chromium-headless-shell"), "--headless"], check=True, capture_output=True, text=True
    ).stdout
    assert said == f"{tree}/lib|{tree}/fontconfig/fonts.conf|--headless\n"


def test_glibc_stays_behind_and_nothing_else_does(kit: ModuleType) -> None:
    folder = "/lib/x86_64-linux-gnu/"
    assert all(kit.GLIBC.search(folder + name) for name in ("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"))
    assert not any(kit.GLIBC.search(folder + name) for name in ("libstdc++.so.6", "libcap.so.2", "libmd.so.0"))
