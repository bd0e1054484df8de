r"""JSON lines, read so that every fault has a line number and written so that no reader sees half a file.

`scan` yields each line as one of four things, and never stops at a bad one; `read` is the strict form. Both hold one
line in memory at a time. UTF-8 is the only encoding, whatever the machine's locale; a line ends at ``\n`` and nowhere
else, so text may hold every other separator.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from zoomground.data.files import replacing
from zoomground.errors import RowError, ZoomgroundError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from typing import BinaryIO

MAX_LINE_BYTES = 32 * 1024 * 1024
"""Longest line that is read: room for a screenshot as a data URI, not for a file whose line ends got lost."""

WHOLE_LINE = "line"
"""Field of an error that concerns the whole line."""

_REMEDY = "one JSON object a line"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_OTHER_ENCODINGS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


@dataclass(frozen=True, slots=True)
class JsonLine:
    """A line that holds a JSON object."""

    line: int
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class BlankLine:
    """A line of white space alone."""

    line: int


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is no JSON object, and why."""

    line: int
    error: RowError


@dataclass(frozen=True, slots=True)
class CutLine:
    """An unreadable last line without a line end: its writer was stopped, or the copy was."""

    line: int
    error: RowError


ScannedLine = JsonLine | BlankLine | BadLine | CutLine


class _LineError(Exception):
    """What is wrong with a line; becomes a `RowError` where file and number are known."""


def scan(path: Path, *, max_line_bytes: int = MAX_LINE_BYTES) -> Iterator[ScannedLine]:
    """Read a file line by line; faults are yielded, not raised.

    Args:
        path: The file.
        max_line_bytes: Longer lines are bad lines; they are skipped without being held in memory.

    Raises:
        ZoomgroundError: If the file cannot be opened.
    """
    with _open(path) as stream:
        yield from scan_stream(stream, str(path), max_line_bytes=max_line_bytes)


def scan_stream(stream: BinaryIO, name: str, *, max_line_bytes: int = MAX_LINE_BYTES) -> Iterator[ScannedLine]:
    """Like `scan`, from an open stream (stdin); ``name`` stands for the file in messages."""
    number = 0
    while raw := stream.readline(max_line_bytes + len(b"\r\n")):
        number += 1
        if len(raw.rstrip(b"\r\n")) > max_line_bytes:
            _skip_line(stream, raw)
            problem = f"is longer than {max_line_bytes:,} bytes; keep images in files, and check the line ends"
            yield BadLine(number, RowError(name, number, WHOLE_LINE, problem))
            continue
        if number == 1:
            raw = raw.removeprefix(BYTE_ORDER_MARK)
        try:
            yield _parse(raw, name, number)
        except RowError as error:
            yield BadLine(number, error) if raw.endswith(b"\n") else CutLine(number, _cut(error))
        if number == 1 and raw[:2] in _OTHER_ENCODINGS:
            return  # every further line would be the same fault


def read(path: Path, *, drop_cut_last: bool = False, max_line_bytes: int = MAX_LINE_BYTES) -> Iterator[JsonLine]:
    """Read the objects of a file, blank lines left out.

    Args:
        path: The file.
        drop_cut_last: Leave out a cut last line, for logs whose writer may have been killed.
        max_line_bytes: Longest line.

    Raises:
        RowError: At the first bad line.
        ZoomgroundError: If the file cannot be opened.
    """
    for line in scan(path, max_line_bytes=max_line_bytes):
        match line:
            case JsonLine():
                yield line
            case BadLine():
                raise line.error
            case CutLine() if not drop_cut_last:
                raise line.error
            case _:
                pass


def write(path: Path, objects: Iterable[Mapping[str, Any]]) -> int:
    """Write objects as JSON lines, beside their place and then renamed; the number of lines is returned.

    If ``objects`` or the writing fails, the file that was there before stays as it was.

    Raises:
        RowError: If an object holds what JSON cannot (NaN, an image ...).
    """
    count = 0
    with replacing(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as stream:
        for value in objects:
            stream.write(_dump(value, path, count + 1) + "\n")
            count += 1
    return count


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise ZoomgroundError(f"{path}: there is no such file; check the path") from None
    except IsADirectoryError:
        raise ZoomgroundError(f"{path}: is a folder; name a JSON lines file in it") from None
    except OSError as error:
        raise ZoomgroundError(f"{path}: cannot be read ({error.strerror}); check its permissions") from error


def _skip_line(stream: BinaryIO, raw: bytes) -> None:
    while raw and not raw.endswith(b"\n"):
        raw = stream.readline(1024 * 1024)


def _parse(raw: bytes, name: str, number: int) -> JsonLine | BlankLine:
    try:
        return JsonLine(number, _load(raw)) if raw.strip() else BlankLine(number)
    except _LineError as error:
        raise RowError(name, number, WHOLE_LINE, str(error)) from error


def _load(raw: bytes) -> dict[str, Any]:
    if encoding := _OTHER_ENCODINGS.get(raw[:2]):
        raise _LineError(f"the file is {encoding}; save it as UTF-8")
    try:
        value = json.loads(raw.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        byte = f"byte {error.start + 1} (0x{raw[error.start]:02x})"
        raise _LineError(f"{byte} is not UTF-8; save the file as UTF-8") from error
    except json.JSONDecodeError as error:
        raise _LineError(f"is not JSON: {error.msg} at column {error.colno}; {_REMEDY}") from error
    except RecursionError as error:
        raise _LineError("is nested too deeply; a row is a flat JSON object") from error
    except ValueError as error:
        raise _LineError(f"is not JSON: {error}; {_REMEDY}") from error
    if not isinstance(value, dict):
        raise _LineError(f"holds {_kind(value)}, not an object; {_REMEDY}")
    return value


def _cut(error: RowError) -> RowError:
    problem = f"the file ends inside this line; write or fetch it again ({error.problem})"
    return RowError(error.file, error.line, WHOLE_LINE, problem)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        key = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _LineError(f"key {key[:60]!r} stands there twice; keep one")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _kind(value: object) -> str:
    kinds = {list: "a list", str: "a string", bool: "true or false", int: "a number", float: "a number"}
    return kinds.get(type(value), "null")


def _dump(value: Mapping[str, Any], path: Path, number: int) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise RowError(str(path), number, WHOLE_LINE, f"cannot be written as JSON ({error})") from error
    return text
