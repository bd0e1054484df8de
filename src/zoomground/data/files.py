"""Writing a file so that no reader sees half of it: beside its place, then renamed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to, beside ``path``, which it replaces when the block ends well.

    If the block or the renaming fails, what was there before stays as it was and nothing is left beside it. The
    folder is made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    try:
        yield partial
        partial.replace(path)
    finally:
        if partial.is_file():
            partial.unlink()


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file at once."""
    with replacing(path) as partial:
        partial.write_bytes(data)
