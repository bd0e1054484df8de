"""Rows and their images as tar archives of bounded size, each usable on its own.

A pack holds some rows of one file and every image that they name, at the same paths: unpacked alone it can be trained
on; unpacked into one folder all packs together are the set again. The bytes depend on the files alone.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import tarfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground.data import jsonl
from zoomground.data.elements import rows_files
from zoomground.data.fields import FieldError
from zoomground.data.files import replacing
from zoomground.data.image_paths import ImageFolder
from zoomground.errors import RowError, ZoomgroundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

INDEX = "index.json"
_BLOCK = tarfile.BLOCKSIZE
_ENDING = tarfile.RECORDSIZE
"""What the end of an archive takes at most: it is filled up to whole records."""

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Pack:
    """One archive.

    Attributes:
        file: Its name.
        sha256: Of its bytes.
        size_bytes: Its size.
        rows_file: Name of the rows file in it.
        rows: Number of rows.
        images: Number of images.
    """

    file: str
    sha256: str
    size_bytes: int
    rows_file: str
    rows: int
    images: int


def read_bytes(text: str) -> int:
    """A size as people write it.

    >>> read_bytes("48MiB")
    50331648

    Raises:
        ZoomgroundError: If it is not written so.
    """
    found = _WRITTEN.fullmatch(text.strip())
    unit = _UNITS.get(found[2].upper()) if found else None
    if found is None or unit is None or float(found[1]) <= 0:
        raise ZoomgroundError(f"size '{text}' is not written like 48MiB, 50MB or 1GiB")
    return round(float(found[1]) * unit)


def write_packs(folder: Path, out: Path, *, limit_bytes: int) -> tuple[Pack, ...]:
    """Pack every rows file of a folder.

    Args:
        folder: Holds rows files (``*.jsonl``) and their images.
        out: Where the archives and the index go; must be empty or not there, and not in the folder.
        limit_bytes: Largest archive.

    Raises:
        ZoomgroundError: If there is nothing to pack, an image is missing, or one screen is larger than the limit.
    """
    files = rows_files(folder)
    if not files:
        raise ZoomgroundError(f"{folder} holds no rows file (*.jsonl)")
    if out.resolve().is_relative_to(folder.resolve()):
        raise ZoomgroundError(
            f"{out} lies in {folder}, which is packed; name a folder beside it, such as {folder}-packs"
        )
    if out.exists() and any(out.iterdir()):
        raise ZoomgroundError(f"{out} is not empty; name a new folder for the packs")
    out.mkdir(parents=True, exist_ok=True)
    packs = []
    for file in files:
        for number, load in enumerate(_loads(file, limit_bytes)):
            packs.append(_write(out / f"{file.stem}-{number:03d}.tar", load))
    if not packs:
        raise ZoomgroundError(f"{folder}: its rows files hold no row")
    index = {"limit_bytes": limit_bytes, "unpack": "tar -xf FILE.tar", "packs": [asdict(pack) for pack in packs]}
    with replacing(out / INDEX) as partial:
        partial.write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")
    return tuple(packs)


def verify_packs(folder: Path) -> tuple[Pack, ...]:
    """Hold all archives of a folder against its index.

    Raises:
        ZoomgroundError: If there is no index, or an archive is missing or differs from it.
    """
    packs = _read_index(folder / INDEX)
    for pack in packs:
        file = folder / pack.file
        if not file.is_file():
            raise ZoomgroundError(f"{file} is missing; fetch it again")
        found = _digest(file)
        if found != pack.sha256:
            size = file.stat().st_size
            state = "other bytes" if size == pack.size_bytes else f"{size} bytes instead of {pack.size_bytes}"
            raise ZoomgroundError(f"{file} is damaged ({state}, sha256 {found[:12]}...); fetch it again")
    return packs


@dataclass(slots=True)
class _Load:
    """What goes into one archive."""

    rows: list[Mapping[str, Any]] = field(default_factory=list)
    images: dict[str, Path] = field(default_factory=dict)
    rows_bytes: int = 0
    images_bytes: int = 0

    def bytes_with(self, other: _Load) -> int:
        """Size of an archive that holds both."""
        rows = _BLOCK + _padded(self.rows_bytes + other.rows_bytes)
        return rows + self.images_bytes + self._more_bytes(other) + _ENDING

    def take(self, other: _Load) -> None:
        """Add another load."""
        self.images_bytes += self._more_bytes(other)
        self.images.update(other.images)
        self.rows += other.rows
        self.rows_bytes += other.rows_bytes

    def _more_bytes(self, other: _Load) -> int:
        new = other.images.items() - self.images.items()
        return sum(_member_bytes(name, path.stat().st_size) for name, path in new)


def _loads(file: Path, limit_bytes: int) -> Iterator[_Load]:
    load = _Load()
    for first, group in _groups(file):
        alone = _Load().bytes_with(group)
        if alone > limit_bytes:
            name = next(iter(group.images), "its rows")
            raise ZoomgroundError(
                f"{file}:{first}: {name} and its {len(group.rows)} rows take {alone:,} bytes, more than the limit of "
                f"{limit_bytes:,}; screens stay whole: give a larger --limit"
            )
        if load.rows and load.bytes_with(group) > limit_bytes:
            yield load
            load = _Load()
        load.take(group)
    if load.rows:
        yield load


def _groups(file: Path) -> Iterator[tuple[int, _Load]]:
    """Rows that follow each other on one screen, with the line of the first."""
    folder = ImageFolder(file.parent)
    group, first, screen = _Load(), 0, ""
    for line in jsonl.read(file):
        names = _images(file, line)
        one = _Load(
            [line.value], _found(file, line.line, folder, names), len(_text(line.value).encode("utf-8"))
        )  # fmt: skip
        if group.rows and (not names or names[0] != screen):
            yield first, group
            group = _Load()
        if not group.rows:
            first, screen = line.line, names[0] if names else ""
        group.take(one)
    if group.rows:
        yield first, group


def _images(file: Path, line: jsonl.JsonLine) -> list[str]:
    names = line.value.get("images", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise RowError(str(file), line.line, "images", "must be a list of paths")
    return names


def _found(file: Path, line: int, folder: ImageFolder, names: Iterable[str]) -> dict[str, Path]:
    try:
        found = {name: folder.resolve(name) for name in names}
    except FieldError as error:
        raise RowError(str(file), line, error.field, error.problem) from error
    return {name: path for name, path in found.items() if path is not None}


def _write(file: Path, load: _Load) -> Pack:
    rows_file = f"{file.stem}.jsonl"
    rows = "".join(_text(row) for row in load.rows).encode("utf-8")
    with replacing(file) as partial:
        with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT) as archive:
            archive.addfile(_member(rows_file, len(rows)), io.BytesIO(rows))
            for name, path in load.images.items():
                data = path.read_bytes()
                archive.addfile(_member(name, len(data)), io.BytesIO(data))
        digest, size = _digest(partial), partial.stat().st_size
    return Pack(file.name, digest, size, rows_file, len(load.rows), len(load.images))


def _text(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _member(name: str, size: int) -> tarfile.TarInfo:
    """A header that says nothing of this machine or moment."""
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o644
    return info


def _member_bytes(name: str, size: int) -> int:
    return len(_member(name, size).tobuf(tarfile.PAX_FORMAT)) + _padded(size)


def _padded(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _read_index(file: Path) -> tuple[Pack, ...]:
    try:
        return tuple(Pack(**one) for one in json.loads(file.read_text(encoding="utf-8"))["packs"])
    except FileNotFoundError:
        raise ZoomgroundError(f"{file.parent} holds no {INDEX}; name the folder that pack wrote") from None
    except (ValueError, TypeError, KeyError) as error:
        raise ZoomgroundError(f"{file} is not an index of packs ({error}); fetch it again") from error
