"""``zoomground pack DIR``: rows and screens as archives of bounded size, for machines that get files piecewise."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from zoomground.cli.output import AsJson, emit, say, table
from zoomground.data.pack import INDEX, read_bytes, verify_packs, write_packs


def pack(
    folder: Annotated[
        Path,
        typer.Argument(exists=True, file_okay=False, help="Holds rows files and images; with --verify: packs."),
    ],
    *,
    out: Annotated[Path | None, typer.Option(help="Folder for the archives; new or empty.")] = None,
    limit: Annotated[str, typer.Option(help="Largest archive: 48MiB, 50MB ...")] = "48MiB",
    verify: Annotated[bool, typer.Option("--verify", help="Hold packs against their index instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """Pack rows files and their images into tar archives that are usable one by one."""
    if verify == (out is not None):
        raise typer.BadParameter("give either --out PACKS or --verify", param_hint="--out")
    packs = verify_packs(folder) if out is None else write_packs(folder, out, limit_bytes=read_bytes(limit))
    if as_json:
        emit({"folder": str(out or folder), "verified": verify, "packs": [asdict(one) for one in packs]})
        return
    table(("archive", "bytes", "rows", "images"), ([p.file, p.size_bytes, p.rows, p.images] for p in packs))
    rows = sum(one.rows for one in packs)
    if verify:
        say(f"{len(packs)} archives with {rows} rows are as {folder / INDEX} says")
    else:
        say(f"{len(packs)} archives with {rows} rows; unpack with: tar -xf FILE.tar")
