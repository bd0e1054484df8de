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

# Screenshots of each fixture, with their sizes in px.
IMAGES: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "screenspot": {f"screenspot_imgs/{name}.png": (200, 150) for name in ("phone", "desk", "page")},
    "screenspot_v2": {f"screenspotv2_image/{name}.png": (200, 150) for name in ("phone", "desk", "page")},
    "screenspot_pro": {"images/paint_linux/one.png": (400, 200), "images/sheet_windows/two.png": (200, 100)},
    "osworld_g": {"images/aa.png": (200, 100), "images/bb.png": (160, 90)},
    "osworld_g_refined": {"images/aa.png": (200, 100), "images/bb.png": (160, 90)},
    "ui_vision": {"images/element_grounding/draw.png": (200, 100)},
    "mmbench_gui_l2": {
        "offline_images/os_android/clock.png": (200, 100),
        "offline_images/os_mac/notes.png": (300, 150),
    },
    "rows": {"shots/a.png": (200, 100)},
}

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the published annotations are not here")


def downloaded(name: str, to: Path, images: Mapping[str, tuple[int, int]]) -> Path:
    """A copy of a fixture with images of the given sizes, paths relative to the folder."""
    shutil.copytree(FIXTURES / name, to, dirs_exist_ok=True)
    for path, size in images.items():
        (to / path).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", size).save(to / path)
    return to
