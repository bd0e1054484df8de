"""Where dense labels lie: every element that can be seen on a screen, one row a screen, beside the rows of a set."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

ELEMENTS_FILES = {"train": "elements.jsonl", "heldout": "elements.heldout.jsonl"}
"""Their file by split. They name no target and ask for nothing, so they are no rows files."""


def rows_files(folder: Path) -> list[Path]:
    """The rows files (``*.jsonl``) of a folder, by name; dense labels are none."""
    return sorted(file for file in folder.glob("*.jsonl") if file.name not in ELEMENTS_FILES.values())
