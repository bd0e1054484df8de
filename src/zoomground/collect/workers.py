"""Plays parts of a series, in this process or in several, and gives the rows of the data set in their order."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground.collect.pictures import Pictures
from zoomground.collect.rows import sft_row
from zoomground.collect.series import Numbered, Series
from zoomground.collect.tally import record_of
from zoomground.errors import ZoomgroundError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from zoomground.collect.demonstrations import Demonstration


@dataclass(frozen=True, slots=True)
class Player:
    """Turns parts of a series into rows in ms-swift's form.

    Attributes:
        series: What is played.
        pictures: Where pictures are kept.
        root: Folder that the paths of pictures are relative to; None for absolute paths.
    """

    series: Series
    pictures: Pictures
    root: Path | None

    def rows(self, part: list[Numbered]) -> list[str]:
        """The lines of the data set for one part."""
        played = zip(part, self.series.play(part), strict=True)
        return [json.dumps(self._row(one, shown), ensure_ascii=False) for one, shown in played]

    def _row(self, one: Numbered, shown: Demonstration) -> dict[str, Any]:
        note = {"number": one.number, "task": one.row.task.id, **record_of(shown)}
        return sft_row(shown.env.trajectory(), self.pictures.of(shown.env), shown.right, note, self.root)


def play_parts(player: Player, parts: Iterable[list[Numbered]], *, jobs: int) -> Generator[str, None, None]:
    """The lines of all parts, in order.

    Args:
        player: Who plays.
        parts: What is played.
        jobs: Processes; with 1, this one.

    Raises:
        RowError: If a row cannot be demonstrated.
        ZoomgroundError: If a process was killed.
    """
    if jobs == 1:
        for part in parts:
            yield from player.rows(part)
        return
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _begin, (player,))
    try:
        for lines in pool.map(_rows, parts):
            yield from lines
    except BrokenProcessPool as error:
        raise ZoomgroundError(
            "a process that played demonstrations was killed, most likely for want of memory; what was written is "
            "kept: start again with fewer jobs"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def all_cores() -> int:
    """Processes that this machine runs at once."""
    return os.cpu_count() or 1


_rows_of_player: Callable[[list[Numbered]], list[str]]
"""Set in each process of a pool, so that the series travels once and not with every part."""


def _begin(player: Player) -> None:
    global _rows_of_player  # noqa: PLW0603 -- see there
    _rows_of_player = player.rows
    # Ctrl-C reaches every process of the terminal; the first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A pool's processes wait for work for ever if the one that gives it is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _rows(part: list[Numbered]) -> list[str]:
    return _rows_of_player(part)
