"""``zoomground verify-data BENCH --data DIR``: is the benchmark on the disk the one that was published?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from zoomground.cli.output import AsJson, complain, emit, finish, note, progress, say
from zoomground.evaluate.benchmarks import benchmark, benchmarks
from zoomground.evaluate.items import Benchmark, Fate, Fault, ItemSet
from zoomground.evaluate.verify import counted, screenshot_faults, target_sizes

_SHOWN_CELLS = 12
_SHOWN_FAULTS = 5
"""How many cells of an axis, and faults of a kind, the text shows; JSON holds them all."""

_MISSING = "missing image"


def verify_data(
    bench: Annotated[str, typer.Argument(metavar="BENCH", help=f"One of: {', '.join(benchmarks())}.")],
    data: Annotated[Path, typer.Option("--data", help="Where it was downloaded to.", exists=True)],
    *,
    no_images: Annotated[
        bool, typer.Option("--no-images", help="Check the annotations alone: enough to score recorded answers.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Show every fault, not the first of each kind.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check a benchmark's files: counts, groups, known faults and what became of them; exit 1 if a problem is left."""
    one = benchmark(bench)
    items = one.read(data)
    faults = [fault for fault in items.faults if not (no_images and fault.kind == _MISSING)]
    if not no_images:
        with progress() as bar:
            task = bar.add_task(
                "screenshots", total=len({item.image for item in items.items if item.image is not None})
            )
            faults += screenshot_faults(items, lambda: bar.advance(task))
    problems = [fault for fault in faults if fault.fate is Fate.PROBLEM]
    if as_json:
        emit(_document(one, items, faults))
    else:
        _describe(one, items)
        _tell(faults, limit=None if every else _SHOWN_FAULTS)
        say("good" if not problems else f"{len(problems)} problems")
    finish(problems=bool(problems))


def _describe(one: Benchmark, items: ItemSet) -> None:
    of = "" if items.expected is None else f" of {items.expected}"
    files = f"{len(items.files)} file{'s' if len(items.files) != 1 else ''}"
    say(f"{one.title}: {len(items)}{of} items, {items.layout} layout, {files}, revision {items.revision}")
    for axis in one.reported(items):
        cells = items.cells(axis)
        shown = ", ".join(f"{name} {len(cell)}" for name, cell in list(cells.items())[:_SHOWN_CELLS])
        more = f", and {len(cells) - _SHOWN_CELLS} more" if len(cells) > _SHOWN_CELLS else ""
        say(f"  {axis}: {shown}{more}")
    if (sizes := target_sizes(items.items)) is not None:
        short = "/".join(f"{value:.0f}" for value in sizes.short_px)
        thin = "/".join(f"{value:.0f}" for value in sizes.thin_percent)
        words = "/".join(f"{value:.0f}" for value in sizes.words)
        say(f"  targets: short side {short} px (p10/50/90), median {sizes.area_percent:.2g} % of the screen")
        say(f"  under 14 px when shrunk to 1/2/4 Mpx: {thin} %; instructions: {words} words (p10/50/90)")


def _tell(faults: list[Fault], limit: int | None) -> None:
    for fate, kinds in counted(faults).items():
        for kind, count in kinds.items():
            say(f"  {fate}: {kind} {count}")
            same = [fault for fault in faults if (fault.fate, fault.kind) == (fate, kind)]
            lines = [str(fault) for fault in same[:limit]]
            if limit is not None and count > limit:
                lines.append(f"... and {count - limit} more of these; --all shows them")
            for line in lines:
                if fate is Fate.PROBLEM:
                    complain(line)
                else:
                    note(f"{fate}: {line}")


def _document(one: Benchmark, items: ItemSet, faults: list[Fault]) -> dict[str, Any]:
    sizes = target_sizes(items.items)
    return {
        "ok": all(fault.fate is not Fate.PROBLEM for fault in faults),
        "benchmark": one.name,
        "set": items.name,
        "layout": items.layout,
        "revision": items.revision,
        "items": len(items),
        "expected": items.expected,
        "files": [str(path) for path in items.files],
        "groups": {axis: {name: len(cell) for name, cell in items.cells(axis).items()} for axis in one.reported(items)},
        "targets": None
        if sizes is None
        else {
            "short_px": list(sizes.short_px),
            "area_percent": sizes.area_percent,
            "thin_percent": list(sizes.thin_percent),
            "words": list(sizes.words),
        },
        "counts": {fate.value: kinds for fate, kinds in counted(faults).items()},
        "faults": [_plain(fault) for fault in faults],
    }


def _plain(fault: Fault) -> dict[str, Any]:
    return {
        "kind": fault.kind,
        "fate": fault.fate.value,
        "item": fault.item or None,
        "file": None if fault.file is None else str(fault.file),
        "number": fault.number or None,
        "field": fault.field or None,
        "text": fault.text,
    }
