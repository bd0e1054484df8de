"""Screens of any size: the shipped ones side by side at their own scale, as windows on a large monitor."""

from __future__ import annotations

import shutil
from functools import lru_cache
from typing import TYPE_CHECKING

from PIL import Image

from bench.machine import ROOT
from zoomground.geometry import Size

if TYPE_CHECKING:
    from pathlib import Path

FULL_HD, UHD = Size(1920, 1080), Size(3840, 2160)

_WINDOW = Size(1280, 800)
"""Size of most of the shipped screens in px; of larger ones the upper left part is taken."""


@lru_cache(maxsize=1)
def _windows() -> tuple[Path, ...]:
    files = sorted((ROOT / "data_samples" / "screens" / "images").glob("*/screen.webp"))
    assert files, "the shipped screens are not there"  # noqa: S101 -- part of the repository
    return tuple(files)


def draw(size: Size, number: int) -> Image.Image:
    """The screen of a number; different ones begin with different windows."""
    picture = Image.new("RGB", (size.width, size.height))
    files = _windows()
    at = number * 7
    for top in range(0, size.height, _WINDOW.height):
        for left in range(0, size.width, _WINDOW.width):
            with Image.open(files[at % len(files)]) as window:
                picture.paste(window.convert("RGB").crop((0, 0, _WINDOW.width, _WINDOW.height)), (left, top))
            at += 1
    return picture


def write(folder: Path, size: Size, count: int, *, different: int | None = None) -> list[Path]:
    """PNG files at the default level; after the first ``different`` ones, copies of them."""
    different = min(count, different or count)
    files = [folder / f"{size.width}x{size.height}-{number}.png" for number in range(count)]
    for number, file in enumerate(files):
        if number < different:
            draw(size, number).save(file)
        else:
            shutil.copyfile(files[number % different], file)
    return files
