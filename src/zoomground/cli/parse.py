"""``zoomground parse FILE``: what the parser makes of replies, one JSON line in, one JSON line out."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zoomground.cli.output import complain, emit, finish
from zoomground.errors import RowError
from zoomground.protocol.actions import Answer, Crop, CropUnits, Malformed, Parsed, ParserMode
from zoomground.protocol.parser import parse

if TYPE_CHECKING:
    from collections.abc import Iterator


def parse_file(
    file: Annotated[
        typer.FileBinaryRead, typer.Argument(help="JSON lines with 'text' and optional 'id', 'finish_reason', "
                                             "'prompt_ends_in_think'; '-' reads stdin.")
    ],
    mode: Annotated[ParserMode, typer.Option(help="How much of the dialect chain is tried.")] = ParserMode.TOLERANT,
    crop_units: Annotated[CropUnits, typer.Option(help="Unit of a crop call's corners.")] = CropUnits.NORM,
    as_json: Annotated[bool, typer.Option("--json", help="Problems on stderr are JSON lines too.")] = False,
) -> None:
    """Read replies of a policy and print what each one says.

    A row that cannot be read is a problem: it is named on stderr, the other rows are still printed, exit code 1.
    """
    problems = 0
    for line in _lines(file):
        try:
            reply = _reply(line)
        except RowError as error:
            problems += 1
            _tell(error, as_json=as_json)
            continue
        parsed = parse(
            reply.text,
            finish_reason=reply.finish_reason,
            prompt_ends_in_think=reply.prompt_ends_in_think,
            crop_units=crop_units,
            mode=mode,
        )
        emit({"id": reply.id} | described(parsed))
    finish(problems=problems > 0)
