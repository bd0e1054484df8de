"""What every item came to, as lines of a file: rates and differences over any number of runs are computed from them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from zoomground.data.files import write_bytes
from zoomground.errors import RowError, ZoomgroundError
from zoomground.evaluate.figures import NO_TARGET
from zoomground.evaluate.pages import page_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from zoomground.evaluate.figures import Figures
    from zoomground.evaluate.items import ItemSet


@dataclass(frozen=True, slots=True)
class ItemLine:
    """One item in one arm of one checkpoint.

    Attributes:
        checkpoint: Name of the checkpoint.
        arm: Name of the arm.
        item: Id of the item.
        page: The page it is on.
        size: Size class of its target, as the policy sees it.
        hit: Whether it was answered right.
        zoomed: Whether a crop ran; None where the episode broke.
    """

    checkpoint: str
    arm: str
    item: str
    page: str
    size: str
    hit: bool
    zoomed: bool | None


_LINE = TypeAdapter(ItemLine)


def item_lines(checkpoint: str, items: ItemSet, arms: Mapping[str, Figures]) -> Iterator[ItemLine]:
    """The lines of one checkpoint."""
    for arm, one in arms.items():
        for item in items.items:
            yield ItemLine(
                checkpoint=checkpoint,
                arm=arm,
                item=item.id,
                page=page_of(item),
                size=one.classes.get(item.id, NO_TARGET),
                hit=one.hits[item.id],
                zoomed=one.zooms.get(item.id),
            )


def write_item_lines(path: Path, lines: Iterable[ItemLine]) -> None:
    """Write the file, whole."""
    write_bytes(path, "".join(json.dumps(asdict(line)) + "\n" for line in lines).encode("utf-8"))


def read_item_lines(path: Path) -> list[ItemLine]:
    """Read the file.

    Raises:
        RowError: If a line is none of ours.
        ZoomgroundError: If there is no such file.
    """
    if not path.is_file():
        raise ZoomgroundError(f"{path} is missing; the evaluation stage writes it: start the run again")
    return [_read(path, number, text) for number, text in enumerate(path.read_bytes().splitlines(), start=1)]


def _read(path: Path, number: int, text: bytes) -> ItemLine:
    try:
        return _LINE.validate_json(text)
    except ValidationError as error:
        first: Any = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "line"
        raise RowError(str(path), number, where, first["msg"]) from error
