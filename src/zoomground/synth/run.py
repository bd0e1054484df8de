"""A whole set of screens: made in parallel, resumed where a killed run was, and written in the order of the numbers."""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from zoomground.data.elements import ELEMENTS_FILES
from zoomground.data.files import replacing
from zoomground.data.rows import write_rows
from zoomground.errors import ZoomgroundError
from zoomground.synth.crew import Crew, Done, Failed, Outcome
from zoomground.synth.parts import Workshop
from zoomground.synth.plan import ScreenSpec, Split
from zoomground.synth.tally import Tally

if TYPE_CHECKING:
    from pathlib import Path

    from zoomground.synth.crew import Studio
    from zoomground.synth.parts import Part

MANIFEST = "manifest.json"
ROWS_FILES = {Split.TRAIN: "train.jsonl", Split.HELDOUT: "heldout.jsonl"}

_HOPELESS = 40
"""So many screens in a row without a single row or success are a fault of the set-up, not of the screens."""


@dataclass(frozen=True, slots=True)
class Goal:
    """How large the set is to be: so many screens, or as many as give so many rows."""

    screens: int | None = None
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Pace:
    """How far a run is.

    Attributes:
        screens: Finished screens, those of earlier runs included.
        rows: Their rows.
        share: How much of the goal is reached, 0 to 1.
        rate: Screens a second in this run.
        seconds_left: Estimate; None as long as there is none.
    """

    screens: int
    rows: int
    share: float
    rate: float
    seconds_left: float | None


@dataclass(frozen=True, slots=True)
class MadeSet:
    """A finished set.

    Attributes:
        figures: All counts.
        resumed: Screens that an earlier run had finished.
        failures: What went wrong with screens that could not be made.
        restarts: How many browsers died and were replaced.
        seconds: Time by phase, over all workers, of this run's screens.
    """

    figures: Mapping[str, Any]
    resumed: int
    failures: tuple[Failed, ...]
    restarts: int
    seconds: Mapping[str, float]


class Numbered(Protocol):
    """What the screens of a set are, by number."""

    def screen(self, number: int) -> ScreenSpec:
        """The screen of a number; the same each time."""
        ...


OnPace = Callable[[Pace], None]


def make_set(
    plan: Numbered, studio: Studio, workshop: Workshop, goal: Goal, *, jobs: int, terms: Mapping[str, Any],
    describe: Callable[[], str], on_pace: OnPace = lambda _: None,
) -> MadeSet:  # fmt: skip
    """Make a set, or go on with it.

    Args:
        plan: What the screens are.
        studio: What workers make them with.
        workshop: Where the files go.
        goal: How large the set is to be.
        jobs: Number of worker processes.
        terms: Everything that decides the files, for the manifest and against mixing two sets in a folder.
        describe: The text of ``CARD.md``, once everything else is written.
        on_pace: Told after each screen.

    Raises:
        ZoomgroundError: If the folder holds something else, or nothing at all can be made.
    """
    workshop.out.mkdir(parents=True, exist_ok=True)
    with workshop.locked():
        workshop.begin(terms)
        _refuse_to_shrink(workshop.out / MANIFEST, goal)
        run = _Run(plan, workshop, goal, on_pace)
        run.make(Crew(studio, jobs))
        workshop.sweep()
        _write(workshop, run.tally, terms, describe)
        return MadeSet(run.tally.figures(), run.resumed, tuple(run.failures.values()), run.restarts, run.seconds)


@dataclass(slots=True)
class _Run:
    """One pass over the numbers: those that are there are taken, the others made; the tally goes on in order."""

    plan: Numbered
    workshop: Workshop
    goal: Goal
    on_pace: OnPace
    tally: Tally = field(init=False)
    finished: set[int] = field(default_factory=set)
    failures: dict[int, Failed] = field(default_factory=dict)
    resumed: int = 0
    restarts: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    _begun: float = field(default_factory=time.monotonic)
    _made: int = 0

    def __post_init__(self) -> None:
        self.tally = Tally(self.goal.rows)
        self.finished = {number for number in self.workshop.numbers() if self.workshop.read(number) is not None}
        self.resumed = len(self.finished)

    def make(self, crew: Crew) -> None:
        """Make all screens that are missing."""
        self._advance()
        outcomes = crew.work(self._missing())
        for outcome in outcomes:
            self._take(outcome)
            self._advance()
            self.on_pace(self._pace())
            if self._ended:
                break
        outcomes.close()  # type: ignore[attr-defined]  # a generator: its workers end here
        self._drop_surplus()

    @property
    def _ended(self) -> bool:
        return self.tally.full if self.goal.rows is not None else self.tally.screens == self.goal.screens

    def _missing(self) -> Iterator[ScreenSpec]:
        numbers = itertools.count() if self.goal.screens is None else range(self.goal.screens)
        for number in numbers:
            if self._ended:
                return
            if number not in self.finished:
                yield self.plan.screen(number)

    def _take(self, outcome: Outcome) -> None:
        match outcome:
            case Done(number=number):
                self.finished.add(number)
                self._made += 1
                self.restarts += outcome.restarts
                for phase, seconds in outcome.seconds.items():
                    self.seconds[phase] = self.seconds.get(phase, 0.0) + seconds
            case Failed(number=number):
                self.failures[number] = outcome
                if not self._made and len(self.failures) >= _HOPELESS:
                    raise ZoomgroundError(f"no screen can be made: {outcome.problem}")

    def _advance(self) -> None:
        """Let the tally take all screens up to the first that is missing."""
        while not self._ended:
            number = self.tally.screens
            if number in self.failures:
                self.tally.fail(number)
            elif number in self.finished and (part := self.workshop.read(number)) is not None:
                self.tally.add(part)
            else:
                return
            if self.goal.rows is not None and not self.tally.rows and self.tally.screens >= _HOPELESS:
                raise ZoomgroundError(f"the first {_HOPELESS} screens gave no row; see {self.workshop.out}")

    def _drop_surplus(self) -> None:
        """Remove screens beyond the last one that counts: which of them were begun depends on the workers."""
        for number in self.workshop.numbers():
            if number >= self.tally.screens:
                self.workshop.drop(number)
        self.workshop.keep_pictures(self.tally.kept)

    def _pace(self) -> Pace:
        passed = time.monotonic() - self._begun
        rate = self._made / passed if passed > 0 else 0.0
        done = len(self.finished) + len(self.failures)
        if self.goal.rows is not None:
            share = min(1.0, self.tally.rows / self.goal.rows)
        else:
            share = done / (self.goal.screens or 1)
        begun_share = self.resumed / done * share if done else 0.0
        gained = share - begun_share
        left = passed * (1 - share) / gained if gained > 0 else None
        return Pace(done, self.tally.rows, share, rate, left)


def _refuse_to_shrink(manifest: Path, goal: Goal) -> None:
    """A finished set may grow; a smaller one would delete what somebody waited for."""
    if not manifest.is_file():
        return
    figures = json.loads(manifest.read_text(encoding="utf-8"))["figures"]
    for name, asked in (("screens", goal.screens), ("rows", goal.rows)):
        if asked is not None and figures[name] > asked:
            raise ZoomgroundError(
                f"{manifest.parent} holds {figures[name]} {name} already, and {asked} are asked for: a set may grow, "
                "not shrink; name a new folder"
            )


def _write(workshop: Workshop, tally: Tally, terms: Mapping[str, Any], describe: Callable[[], str]) -> None:
    """The rows files that have rows, the dense labels, the manifest and the card."""
    files: dict[str, dict[str, Any]] = {}
    for split, name in ROWS_FILES.items():
        if "split" in tally.counts and tally.counts["split"][split.value]:
            write_rows(workshop.out / name, _rows(workshop, tally, split))
            files[name] = _file(workshop.out / name)
    for name in ELEMENTS_FILES:
        files |= _write_elements(workshop, tally, name)
    for part in _parts(workshop, tally):
        files[part.image] = {"sha256": part.sha256, "bytes": part.size_bytes}
    manifest = {"made_with": dict(terms), "figures": tally.figures(), "files": files}
    _write_text(workshop.out / MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    _write_text(workshop.out / "CARD.md", describe())


def _write_elements(workshop: Workshop, tally: Tally, split: str) -> dict[str, dict[str, Any]]:
    """The dense labels of a split, if there are any; what the manifest says of their file."""
    numbers = [part.number for part in _parts(workshop, tally) if part.dense and part.split == split]
    if not numbers:
        return {}
    name = ELEMENTS_FILES[split]
    with replacing(workshop.out / name) as partial, partial.open("w", encoding="utf-8") as stream:
        stream.writelines(workshop.elements(number) + "\n" for number in numbers)
    return {name: _file(workshop.out / name)}


def _parts(workshop: Workshop, tally: Tally) -> Iterator[Part]:
    for number in tally.kept:
        part = workshop.read(number)
        if part is None:
            raise ZoomgroundError(f"{workshop.out}: screen {number} has gone while the set was made; run it again")
        yield part


def _rows(workshop: Workshop, tally: Tally, split: Split) -> Iterator[Mapping[str, Any]]:
    for part in _parts(workshop, tally):
        if part.split == split.value:
            yield from part.rows[: tally.kept[part.number]]


def _file(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


def _write_text(path: Path, text: str) -> None:
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8")
