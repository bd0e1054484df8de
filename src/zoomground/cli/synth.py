"""``zoomground synth``: labelled screens and training rows, drawn by a real browser from a seed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from zoomground import __version__
from zoomground.cli.output import AsJson, complain, emit, finish, needs_extra, note, resumable, say, table
from zoomground.collect.workers import all_cores

if TYPE_CHECKING:
    from zoomground.synth.order import Order
    from zoomground.synth.run import MadeSet, Numbered, Pace

_LINE_EVERY_S = 10.0
_SHOWN_FAILURES = 5


def synth(
    *,
    out: Annotated[Path, typer.Option(help="Folder of the set; new, or one that was begun with the same arguments.")],
    screens: Annotated[int | None, typer.Option(min=1, help="Number of screens.")] = None,
    rows: Annotated[int | None, typer.Option(min=1, help="Instead of --screens: number of rows.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same files.")] = 0,
    rows_per_screen: Annotated[int, typer.Option(min=0, help="Most rows of a screen; 0, with --elements: none.")] = 8,
    jobs: Annotated[int | None, typer.Option(min=1, help="Worker processes; default: one a core.")] = None,
    sizes: Annotated[
        str, typer.Option(help="Only these sizes: 1920x1080,3840x2160@2 (scale),1280x800:3 (weight).")
    ] = "",
    kinds: Annotated[str, typer.Option(help="Only these kinds of program, with commas between.")] = "",
    languages: Annotated[str, typer.Option(help="Only these languages: en,de,fr,es,zh.")] = "",
    refusals: Annotated[
        float, typer.Option(min=0, max=0.9, help="Share of rows that ask for something that is not there.")
    ] = 0.05,
    heldout_share: Annotated[
        float, typer.Option(min=0, max=1, help="Share of screens of held-out kinds, skins, icons and templates.")
    ] = 0.1,
    browser: Annotated[str | None, typer.Option(help="Path of a Chromium; default: look for one.")] = None,
    assets: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, envvar="ZOOMGROUND_ASSETS", help="npm packages of skins and icons."),
    ] = None,
    elements: Annotated[
        bool, typer.Option("--elements", help="List every element of every screen too: elements.jsonl.")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Pictures as the browser writes them (PNG); nothing is drawn twice.")
    ] = False,
    from_html: Annotated[
        Path | None, typer.Option(exists=True, file_okay=False, help="Your own pages (*.html) instead of programs.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make screens with labelled targets: train.jsonl, heldout.jsonl, images, a manifest and a card.

    A killed run goes on where it was when the same command is given again.
    """
    _check(screens, rows, asks=rows_per_screen > 0 or (elements and rows is None))
    if from_html is not None and (kinds or languages):
        raise typer.BadParameter("--kinds and --languages choose programs; pages are as they are")
    with needs_extra("synth"):
        import faker  # noqa: F401, PLC0415 -- an optional part
        import playwright  # noqa: F401, PLC0415

        from zoomground.synth import order  # noqa: PLC0415
    wish = order.Wish(
        seed, rows_per_screen, refusals, heldout_share, _listed(sizes), browser, __version__, elements, quick
    )
    if from_html is None:
        placed = order.of_programs(out, wish, kinds=_listed(kinds), languages=_listed(languages), assets=assets)
    else:
        placed = order.of_pages(out, wish, from_html)
    for text in placed.notes:
        note(text)
    made = _make(out, placed, screens, rows, jobs or all_cores())
    _tell(out, made, _barren(made.figures, placed.plan) if from_html else [], as_json=as_json)


def _check(screens: int | None, rows: int | None, *, asks: bool) -> None:
    if (screens is None) == (rows is None):
        raise typer.BadParameter("give either --screens or --rows", param_hint="--screens")
    if not asks:
        raise typer.BadParameter("0 needs --elements and --screens", param_hint="--rows-per-screen")


def _make(out: Path, placed: Order, screens: int | None, rows: int | None, jobs: int) -> MadeSet:
    from zoomground.synth.card.text import short_card  # noqa: PLC0415 -- an optional part
    from zoomground.synth.run import Goal, make_set  # noqa: PLC0415

    with resumable(), _display() as show:
        return make_set(
            placed.plan, placed.studio, placed.workshop, Goal(screens, rows), jobs=jobs,
            terms=placed.terms, describe=lambda: short_card(out), on_pace=show.pace,
        )  # fmt: skip


def _barren(figures: Mapping[str, Any], plan: Numbered) -> list[dict[str, Any]]:
    """Pages of which no screen gave a row, with what was found on them and what each gate turned away."""
    pages: dict[str, dict[str, Any]] = {}
    for number, found in figures["empty_screens"].items():
        page = plan.screen(int(number)).kind
        if page in figures["by"].get("kind", {}):
            continue
        one = pages.setdefault(page, {"page": page, "screens": 0, "elements": 0, "visible": 0, "rejected": Counter()})
        one["screens"] += 1
        one["elements"] += found["elements"]
        one["visible"] += found["visible"]
        one["rejected"].update(found["rejected"])
    return list(pages.values())


def _why(page: Mapping[str, Any]) -> str:
    if not page["elements"]:
        return "nothing on it has a role that can be pointed at (button, link, field, tab ...)"
    rejected = ", ".join(f"{count} by {gate}" for gate, count in sorted(page["rejected"].items()))
    return f"{page['elements']} elements, {page['visible']} visible; turned away: {rejected or 'none'}"


def _tell(out: Path, made: MadeSet, barren: list[dict[str, Any]], *, as_json: bool) -> None:
    figures = made.figures
    if as_json:
        failures = [{"screen": one.number, "problem": one.problem} for one in made.failures]
        emit({"out": str(out), "figures": dict(figures), "resumed": made.resumed, "restarts": made.restarts,
              "failures": failures, "pages_without_rows": barren, "seconds": dict(made.seconds)})  # fmt: skip
    else:
        table(("split", "rows", "screens"), _splits(figures))
        if made.resumed:
            say(f"{made.resumed} screens were there from an earlier run")
        rejected = ", ".join(f"{count} by {gate}" for gate, count in figures["rejected"].items())
        say(f"{figures['elements']} elements, {figures['visible']} visible; turned away: {rejected or 'none'}")
        say(f"the set: {out}; its card: {out / 'CARD.md'}; with pictures: zoomground data-card {out}")
    for page in barren:
        note(f"page {page['page']} gave no row ({page['screens']} screens): {_why(page)}")
    for one in made.failures[:_SHOWN_FAILURES]:
        complain(f"screen {one.number} could not be made: {one.problem}")
    if len(made.failures) > _SHOWN_FAILURES:
        complain(f"{len(made.failures)} screens could not be made in all; the same command tries them again")
    finish(problems=bool(made.failures))


def _splits(figures: Any) -> Iterator[tuple[str, int, int]]:
    counts = figures["by"]
    for split, rows in counts.get("split", {}).items():
        yield split, rows, counts["screens"][split]


def _listed(text: str) -> list[str]:
    listed = [one.strip() for one in text.split(",") if one.strip()]
    if text and not listed:
        raise typer.BadParameter(f"'{text}' names nothing; leave the option out to allow everything")
    return listed


@dataclass(slots=True)
class _Display:
    """How far the run is: a bar on a terminal, a line now and then elsewhere."""

    bar: Progress
    task: TaskID
    terminal: bool
    _next: float = field(default_factory=lambda: time.monotonic() + _LINE_EVERY_S)

    def pace(self, pace: Pace) -> None:
        """Show it."""
        text = f"{pace.screens} screens, {pace.rows} rows, {pace.rate:.1f} screens/s"
        if pace.seconds_left is not None:
            text += f", {_clock(pace.seconds_left)} left"
        self.bar.update(self.task, completed=pace.share, description=text)
        if not self.terminal and time.monotonic() >= self._next:
            self._next = time.monotonic() + _LINE_EVERY_S
            note(f"{100 * pace.share:.0f} %: {text}")


@contextmanager
def _display() -> Iterator[_Display]:
    console = Console(stderr=True)
    bar = Progress(
        BarColumn(), TextColumn("{task.description}"), console=console, transient=True, disable=not console.is_terminal
    )
    with bar:
        yield _Display(bar, bar.add_task("starting", total=1.0), console.is_terminal)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
