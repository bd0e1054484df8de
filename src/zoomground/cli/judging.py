"""``score --judge``: the judge's opinion of saved episodes, batch after batch."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING

from zoomground.cli.scoring import recipe_in_force
from zoomground.errors import ZoomgroundError
from zoomground.judge import Judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from zoomground.data.trajectories import RecordLine
    from zoomground.judge import Opinion

_BATCH = 256
"""Episodes in memory at a time; the deadline is one for each batch."""


def judge_in_force(recipe: Path | None) -> Judge:
    """The judge that recipe and environment name.

    Raises:
        ZoomgroundError: If they name none, or the SDK is not installed.
    """
    settings = recipe_in_force(recipe).judge()
    if settings is None:
        raise ZoomgroundError("no judge: set ZOOMIN_COT_RM_API_BASE and ZOOMIN_COT_RM_MODEL, or [judge] of a recipe")
    return Judge(settings)


def judged(lines: Iterable[RecordLine], judge: Judge | None) -> Iterator[tuple[RecordLine, Opinion | None]]:
    """Each record with what the judge thinks of it; None where there is no judge."""
    if judge is None:
        yield from ((line, None) for line in lines)
        return
    lines = iter(lines)
    while batch := list(itertools.islice(lines, _BATCH)):
        opinions = asyncio.run(judge.opinions([line.record.trajectory for line in batch]))
        yield from zip(batch, opinions, strict=True)
