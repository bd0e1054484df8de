"""``zoomground parse FILE``: what the parser makes of replies, one JSON line in, one JSON line out."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zoomground.cli.output import complain, emit, finish, note, standard_input
from zoomground.data.jsonl import BlankLine, JsonLine, scan, scan_stream
from zoomground.errors import RowError
from zoomground.protocol.actions import Answer, Crop, CropUnits, Malformed, Parsed, ParserMode
from zoomground.protocol.parser import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zoomground.data.jsonl import ScannedLine


@dataclass(frozen=True, slots=True)
class _Row:
    """A reply as the file holds it; ``id`` is the line number where the row has none."""

    id: str | int
    text: str
    finish_reason: str | None
    prompt_ends_in_think: bool


_STDIN = Path("-")

_TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "id": (str, int, type(None)),
    "finish_reason": (str, type(None)),
    "prompt_ends_in_think": (bool, type(None)),
}
_NAMES = {"text": "a string", "id": "a string or a whole number", "finish_reason": "a string", "prompt_ends_in_think":
          "true or false"}  # fmt: skip


def parse_file(
    file: Annotated[
        Path,
        typer.Argument(
            help="JSON lines with 'text' and, where known, 'id', 'finish_reason', 'prompt_ends_in_think'; - is stdin.",
        ),
    ],
    *,
    mode: Annotated[ParserMode, typer.Option(help="How much of the dialect chain is tried.")] = ParserMode.TOLERANT,
    crop_units: Annotated[CropUnits, typer.Option(help="Unit of a crop call's corners.")] = CropUnits.NORM,
    as_json: Annotated[
        bool, typer.Option("--json", help="Problems are JSON lines too; the result is in any case.")
    ] = False,
) -> None:
    """Read replies of a policy and print what each one says.

    A row that cannot be read is named on stderr, the others are still printed, and the exit code is 1.
    """
    problems = 0
    for line in _lines(file):
        if isinstance(line, BlankLine):
            continue
        row = _row(line, _name(file)) if isinstance(line, JsonLine) else line.error
        if isinstance(row, RowError):
            problems += 1
            _tell(row, as_json=as_json)
            continue
        parsed = parse(
            row.text,
            finish_reason=row.finish_reason,
            prompt_ends_in_think=row.prompt_ends_in_think,
            crop_units=crop_units,
            mode=mode,
        )
        emit({"id": row.id} | described(parsed))
    finish(problems=problems > 0)


def _lines(file: Path) -> Iterator[ScannedLine]:
    # Typer's own check of a path takes "-" for a file that is not there.
    if file == _STDIN:
        return scan_stream(standard_input().buffer, _name(file))
    if not file.exists() or file.is_dir():
        raise typer.BadParameter(f"'{file}' is {'a folder' if file.is_dir() else 'no file'}", param_hint="FILE")
    return scan(file)


def _name(file: Path) -> str:
    return "<stdin>" if file == _STDIN else str(file)


def described(parsed: Parsed | Malformed) -> dict[str, Any]:
    """A result of the parser as plain values: ``kind``, ``point``, ``crops``, ``dialect``, ``reason``."""
    if isinstance(parsed, Malformed):
        return {"kind": "invalid", "point": None, "crops": [], "dialect": None, "reason": parsed.reason.value}
    first = parsed.actions[0]
    return {
        "kind": "crops" if isinstance(first, Crop) else first.kind,
        "point": [first.x, first.y] if isinstance(first, Answer) else None,
        "crops": _crops(parsed.actions),
        "dialect": parsed.dialect.value,
        "reason": None,
    }


def _crops(actions: Iterable[object]) -> list[dict[str, Any]]:
    crops = [asdict(action) for action in actions if isinstance(action, Crop)]
    return [{key: value for key, value in crop.items() if key != "kind"} for crop in crops]


def _row(line: JsonLine, file: str) -> _Row | RowError:
    data = line.value
    if "text" not in data:
        return RowError(file, line.line, "text", "is missing")
    for field, types in _TYPES.items():
        value = data.get(field)
        # bool is an int to Python, but true is no id.
        if field in data and (not isinstance(value, types) or (isinstance(value, bool) and bool not in types)):
            return RowError(file, line.line, field, f"must be {_NAMES[field]}, got {type(value).__name__}")
    identity = data.get("id")
    return _Row(
        line.line if identity is None else identity,
        data["text"],
        data.get("finish_reason"),
        bool(data.get("prompt_ends_in_think")),
    )


def _tell(error: RowError, *, as_json: bool) -> None:
    if as_json:
        note(json.dumps({"file": error.file, "line": error.line, "field": error.field, "problem": error.problem}))
    else:
        complain(error)
