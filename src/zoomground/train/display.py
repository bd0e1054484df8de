"""Shows a person how a run goes: a bar for each stage on a terminal, now and then a line anywhere else."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

if TYPE_CHECKING:
    from zoomground.train.plan import Stage
    from zoomground.train.progress import Progress

LINE_EVERY_S = 15.0
"""Without a terminal: the time between two lines of a running stage, s."""


class Bar:
    """A live bar for the running stage; finished ones stay as a line. Use as a context."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._bars = Bars(
            SpinnerColumn(),
            TextColumn("{task.fields[stage]:<15}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._last_line_s = 0.0
        self._last_done = 0
        self._stage = ""

    def __enter__(self) -> Bar:
        self._bars.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._bars.stop()

    def begin(self, stage: Stage) -> None:
        """A stage starts."""
        self._stage = stage.name
        self._last_line_s, self._last_done = time.monotonic(), 0
        if self._bars.disable:
            self._line(f"{stage.name} ...")
        for task in self._bars.task_ids:
            self._bars.remove_task(task)
        self._bars.add_task(stage.name, total=stage.steps, stage=stage.name, note="starting")

    def watch(self, progress: Progress) -> None:
        """The running stage is that far."""
        for task in self._bars.task_ids:
            self._bars.update(task, completed=progress.done, total=progress.total or None)
            if progress.done or progress.note:
                self._bars.update(task, note=progress.note)
        now_s = time.monotonic()
        if self._bars.disable and progress.done != self._last_done and now_s - self._last_line_s > LINE_EVERY_S:
            self._last_line_s, self._last_done = now_s, progress.done
            self._line(f"{self._stage} {progress.done}/{progress.total}  {progress.note}")

    def end(self, stage: Stage, seconds: float | None) -> None:
        """A stage is done; None seconds: it was done before."""
        for task in self._bars.task_ids:
            self._bars.remove_task(task)
        self._line(f"{stage.name:<15} " + ("was done before" if seconds is None else f"done in {seconds:.0f} s"))

    def _line(self, text: str) -> None:
        self._console.print(text.rstrip(), markup=False, highlight=False)
