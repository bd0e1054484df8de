"""How verbs speak: results on stdout, problems and progress on stderr, JSON where it is asked for.

Text of a policy or of a data file may hold anything, also what a terminal would obey; `visible` takes that out.
"""

from __future__ import annotations

import json
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from zoomground.errors import ZoomgroundError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]

GOOD, PROBLEMS, WRONG_USE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes; after Ctrl-C as shells have it."""


_LINE_EVERY_S = 10.0
"""How often a run tells how far it is where no bar is shown."""

_PIPE_WIDTH = 10_000
"""Width of a table that goes into a file or a pipe, in characters: no cell is cut in two."""


def standard_input() -> TextIO:
    """The stream that a person or a pipe writes to.

    Raises:
        ZoomgroundError: If there is none.
    """
    if sys.stdin is None:
        raise ZoomgroundError("stdin is closed; pipe something into it, or use a terminal")
    return sys.stdin


def emit(document: Any) -> None:
    """Print a JSON document in one line, in ASCII: it survives every terminal and pipe."""
    typer.echo(json.dumps(document, allow_nan=False))


def say(text: str = "") -> None:
    """Print a line of the result."""
    typer.echo(visible(text))


def note(text: str) -> None:
    """Print a line that is not part of the result."""
    typer.echo(visible(text), err=True)


def complain(problem: object) -> None:
    """Print a problem, each of its lines marked."""
    for line in str(problem).splitlines():
        note(f"error: {line}")


def keep_clear(image: Path, out: Path, files: Iterable[str]) -> None:
    """Refuse a folder in which one of the files to be written is the screenshot itself.

    Raises:
        typer.BadParameter: If it is.
    """
    for name in files:
        if (out / name).exists() and (out / name).samefile(image):
            raise typer.BadParameter(f"'{out / name}' is the screenshot; name another folder", param_hint="--out")


def finish(*, problems: bool) -> None:
    """Leave with the exit code that says whether problems were found."""
    if problems:
        raise typer.Exit(PROBLEMS)


@contextmanager
def resumable() -> Iterator[None]:
    """Around work that goes on when the same command is given again: says so after Ctrl-C, and leaves.

    Raises:
        typer.Exit: With `INTERRUPTED`, if the work was stopped.
    """
    try:
        yield
    except KeyboardInterrupt:
        note("stopped; the same command goes on from what is done")
        raise typer.Exit(INTERRUPTED) from None


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; the first column is text, the others are numbers to the right. Only a terminal folds cells."""
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for number, title in enumerate(head):
        grid.add_column(title, justify="right" if number else "left", overflow="fold")
    for row in rows:
        grid.add_row(*(Text(visible(_cell(value))) for value in row))
    console = Console()
    if not console.is_terminal:
        console = Console(width=_PIPE_WIDTH)
    console.print(grid)


def listing(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print columns of text: folded to fit on a terminal, with a tab between cells in a file or a pipe."""
    console = Console()
    if not console.is_terminal:
        for row in (head, *rows):
            say("\t".join(" ".join(cell.split()) for cell in row))
        return
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for title in head:
        grid.add_column(title, overflow="fold")
    for row in rows:
        grid.add_row(*(Text(visible(cell)) for cell in row))
    console.print(grid)


@contextmanager
def needs_extra(extra: str) -> Iterator[None]:
    """Imports of an optional part of the package: what is missing is named with the extra that brings it.

    Raises:
        ZoomgroundError: If a module is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ZoomgroundError(
            f"this verb needs '{error.name}', which is not installed; run: pip install 'zoomground[{extra}]'"
        ) from error


def progress() -> Progress:
    """A progress bar on stderr that leaves nothing behind; silent where stderr is no terminal."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


@contextmanager
def paced(noun: str) -> Iterator[Callable[[int, int], None]]:
    """Shows how far a run is, with its rate and the time left: a bar on a terminal, a line now and then elsewhere.

    Args:
        noun: What is counted, in the plural.

    Yields:
        What is called with the number done and of all; what an earlier run did does not count for the rate.
    """
    with progress() as bar:
        pace = _Pace(bar, bar.add_task("starting", total=None), noun)
        yield pace.show


@dataclass(slots=True)
class _Pace:
    bar: Progress
    task: TaskID
    noun: str
    _begun: float = field(default_factory=time.monotonic)
    _first: int | None = None
    _next_line: float = field(default_factory=lambda: time.monotonic() + _LINE_EVERY_S)

    def show(self, done: int, total: int) -> None:
        if self._first is None:
            self._first = done
        now = time.monotonic()
        rate = (done - self._first) / max(now - self._begun, 1e-9)
        text = f"{rate:.1f} {self.noun}/s"
        self.bar.update(self.task, completed=done, total=total, description=text)
        if self.bar.disable and now >= self._next_line:
            self._next_line = now + _LINE_EVERY_S
            left = f"{(total - done) / rate:.0f} s left" if rate else "time left unknown"
            note(f"{done} of {total} {self.noun}, {text}, {left}")


def visible(text: str) -> str:
    r"""Text without control characters, line ends and tabs excepted.

    >>> visible("red: \x1b[31m")
    'red: \ufffd[31m'
    """
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
