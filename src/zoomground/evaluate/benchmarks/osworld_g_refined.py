"""OSWorld-G with refined instructions: the same 564 targets, asked for by what they look like.

Scores of the two sets differ by several points for one model, so they are two benchmarks with two names. One refined
instruction is null (``9bQOfLzvdu-0``); it is taken from the original set where that lies beside this one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from zoomground.evaluate.benchmarks import osworld_g
from zoomground.evaluate.benchmarks.base import entries_of
from zoomground.evaluate.items import Benchmark, Fate

if TYPE_CHECKING:
    from pathlib import Path

    from zoomground.evaluate.items import Fault, Item, ItemSet

LAYOUT = (
    "OSWorld-G_refined.json (fields as in OSWorld-G.json, which should lie beside it), images/ and, for the table by "
    "capability, classification_result.json; or the converted OSWorld-G_refined_sspro_format.json"
)
_ORIGINALS = ("OSWorld-G.json", "OSWorld-G_sspro_format.json", "../OS_G_data/OSWorld-G_sspro_format.json")


def _read(folder: Path) -> ItemSet:
    found = osworld_g.read_set(
        folder,
        name="osworld_g_refined",
        official="OSWorld-G_refined.json",
        converted="OSWorld-G_refined_sspro_format.json",
        copies="OS_G_Refine_data",
        title="OSWorld-G refined",
        layout=LAYOUT,
    )
    empty = {item.id for item in found.items if not item.task.instruction.strip()}
    if not empty:
        return found
    originals = _originals(found.files[0].parent)
    return replace(
        found,
        items=tuple(_filled(item, originals) for item in found.items),
        faults=tuple(_told(fault, originals) for fault in found.faults),
    )


def _originals(folder: Path) -> dict[str, str]:
    """Instructions of the original set by id, if it lies beside."""
    path = next((path for name in _ORIGINALS if (path := folder / name).is_file()), None)
    return {} if path is None else {entry.text("id"): entry.text("instruction") for entry in entries_of(path)}


def _filled(item: Item, originals: dict[str, str]) -> Item:
    if item.task.instruction.strip():
        return item
    return replace(item, task=replace(item.task, instruction=originals.get(item.id, "")))


def _told(fault: Fault, originals: dict[str, str]) -> Fault:
    if fault.kind != "empty instruction":
        return fault
    if text := originals.get(fault.item):
        return replace(fault, fate=Fate.REPAIRED, text=f"has no instruction; taken from the original set: {text!r}")
    return replace(fault, text="has no instruction; put OSWorld-G.json beside the refined file, which has one")


BENCHMARK = Benchmark(
    name="osworld_g_refined",
    title="OSWorld-G refined",
    about="the 564 targets of OSWorld-G, asked for by what they look like",
    read=_read,
    layout=LAYOUT,
    axes=osworld_g.AXES,
    averages=osworld_g.AVERAGES,
    expected=osworld_g.EXPECTED,
)
