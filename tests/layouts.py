"""Folders as they are downloaded: the fixtures' annotations with placeholder screenshots beside them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Mapping

FIXTURES = Path(__file__).parent / "evaluate" / "fixtures"
SHARED = Path(__file__).parents[1] / ".." / "shared" / "data" / "benchmarks"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the published annotations are not here")


def downloaded(name: str, to: Path, images: Mapping[str, tuple[int, int]]) -> Path:
    """A copy of a fixture with images of the given sizes, paths relative to the folder."""
    shutil.copytree(FIXTURES / name, to, dirs_exist_ok=True)
    for path, size in images.items():
        (to / path).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", size).save(to / path)
    return to
