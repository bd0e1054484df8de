"""From the image path of a row to a file: relative, POSIX, and spelt as on the disk.

A data set that works on one machine only is the most common fault of shared rows, so the rule is the same everywhere:
what a case-insensitive or a Windows file system would forgive is refused here as well.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from zoomground.data.fields import FieldError

FIELD = "images"

_DRIVE = re.compile(r"[A-Za-z]:")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_DATA_SCHEME = "data:"


class MissingImageError(FieldError):
    """The image file of a row is not there."""


@dataclass(frozen=True, slots=True)
class ImageFolder:
    """The folder that a rows file's image paths are relative to; remembers the folders that it has listed."""

    root: Path
    _names: dict[Path, frozenset[str]] = field(default_factory=dict)

    def resolve(self, reference: str) -> Path | None:
        """The file that a row names; None for a data URI, which is its own file.

        Raises:
            FieldError: If the path is absolute, leaves the folder, is written for Windows, or differs in case.
            MissingImageError: If there is no such file.
        """
        if reference.lstrip()[: len(_DATA_SCHEME)].lower() == _DATA_SCHEME:
            return None
        _check_form(reference)
        path = self.root
        for part in PurePosixPath(reference).parts:
            self._check_spelling(path, part, reference)
            path = path / part
        if not path.is_file():
            raise FieldError(FIELD, f"{reference!r} is a folder; name the image file in it")
        return path

    def _check_spelling(self, folder: Path, part: str, reference: str) -> None:
        names = self._listed(folder)
        if part in names:
            return
        alike = sorted(name for name in names if _folded(name) == _folded(part))
        if alike:
            raise FieldError(FIELD, f"{reference!r}: on the disk {part!r} is spelt {alike[0]!r}; write it the same way")
        raise MissingImageError(FIELD, f"{reference!r} is missing: no {part!r} in {folder}; fetch the images first")

    def _listed(self, folder: Path) -> frozenset[str]:
        if folder not in self._names:
            try:
                self._names[folder] = frozenset(entry.name for entry in folder.iterdir())
            except OSError:
                self._names[folder] = frozenset()
        return self._names[folder]


def _check_form(reference: str) -> None:
    if not reference.strip():
        raise FieldError(FIELD, "the path is empty; name the screenshot's file")
    if not reference.isprintable():
        raise FieldError(FIELD, f"{reference[:120]!a} holds invisible characters; rename the file and the path")
    if reference.startswith(("/", "~")) or _DRIVE.match(reference):
        raise FieldError(FIELD, f"{reference[:120]!r} is absolute; write it relative to the folder of the rows file")
    if "\\" in reference:
        raise FieldError(FIELD, f"{reference[:120]!r} has backslashes; write {reference[:120].replace(chr(92), '/')!r}")
    if _SCHEME.match(reference):
        raise FieldError(FIELD, f"{reference[:120]!r} is an address; fetch the image and name the file")
    if ".." in PurePosixPath(reference).parts:
        raise FieldError(FIELD, f"{reference[:120]!r} leaves the folder of the rows file; move the images below it")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
