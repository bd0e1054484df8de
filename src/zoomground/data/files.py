"""Writing files: whole ones beside their place and then renamed, so that no reader sees half; logs by whole lines."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO
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


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Have a folder alone while the block runs; it is made.

    Raises:
        ZoomgroundError: If another process has it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    opened = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ZoomgroundError(f"{folder}: another process is writing it; wait for that one, or stop it") from error
        yield
    finally:
        os.close(opened)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file at once."""
    with replacing(path) as partial:
        try:
            partial.write_bytes(data)
        except OSError as error:
            error.filename = error.filename or str(path)  # a full disk does not say which file it was
            raise


def append(stream: FileIO, data: bytes, path: Path) -> None:
    """Append to a log; the bytes are in the file when this returns.

    Args:
        stream: The log, open for appending without a buffer: what a full disk did not take must not come later.
        data: A whole line.
        path: Name of the file, for messages.

    Raises:
        ZoomgroundError: If the disk is full, or broken. The line may be cut then.
    """
    try:
        while data:
            data = data[stream.write(data) :]
    except OSError as error:
        raise ZoomgroundError(
            f"{path}: cannot be written ({error.strerror}); what was written before is kept: "
            "make room, and the same command goes on"
        ) from error
