"""Worker processes that make screens, each with a browser of its own.

A worker that dies is replaced and its screen made again; a browser that dies is restarted by its worker. When the run
itself is killed its workers find their pipe closed, finish the screen at hand, and go.
"""

from __future__ import annotations

import ctypes
import itertools
import signal
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import TYPE_CHECKING, Protocol

from zoomground.synth.plan import ScreenSpec

if TYPE_CHECKING:
    from collections.abc import Iterator


_TRIES = 3
"""How often a screen is tried whose worker or browser dies."""

_PATIENCE_S = 180.0
"""A worker that says nothing for so long over one screen is taken for dead; a 4K screen takes about a second."""

_GOODBYE_S = 10.0

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of glibc's mallopt
_KEPT_BYTES = 1 << 30

_BENCH_LASTS = 150
"""After so many screens a worker takes a new browser: an old one has grown to a GB."""


@dataclass(frozen=True, slots=True)
class Done:
    """A screen is made.

    Attributes:
        number: Its place in the set.
        seconds: Time by phase, for whoever wants to know what binds.
        restarts: How many browsers it took beyond the first.
    """

    number: int
    seconds: dict[str, float]
    restarts: int = 0


@dataclass(frozen=True, slots=True)
class Failed:
    """A screen could not be made."""

    number: int
    problem: str


Outcome = Done | Failed


class Studio(Protocol):
    """What a worker makes screens with; it travels to the worker, and is opened there."""

    def open(self, stack: ExitStack) -> Bench:
        """Start what is needed; the stack ends it."""
        ...


class Bench(Protocol):
    """An open studio."""

    def make(self, spec: ScreenSpec) -> dict[str, float]:
        """Make a screen; seconds by phase.

        Raises:
            BrokenBenchError: If the browser has gone; another one may do it.
        """
        ...


class BrokenBenchError(Exception):
    """The browser behind a bench has gone, or does not answer."""


@dataclass(slots=True)
class _Worker:
    process: SpawnProcess
    pipe: Connection
    spec: ScreenSpec | None = None
    since: float = 0.0


@dataclass(slots=True)
class Crew:
    """Some workers.

    Attributes:
        studio: What each works with.
        jobs: How many there are.
    """

    studio: Studio
    jobs: int
    _workers: list[_Worker] = field(default_factory=list)
    _tries: dict[int, int] = field(default_factory=dict)

    def work(self, specs: Iterator[ScreenSpec]) -> Iterator[Outcome]:
        """Outcomes in the order in which they come; the next spec is taken when a worker is free.

        Close the iterator to stop early: screens at hand are given up.
        """
        try:
            yield from self._work(specs)
        finally:
            for worker in self._workers:
                _end(worker)
            self._workers.clear()

    def _work(self, specs: Iterator[ScreenSpec]) -> Iterator[Outcome]:
        for _ in range(self.jobs):
            spec = next(specs, None)
            if spec is None:
                break
            self._workers.append(self._hire(spec))
        while busy := [worker for worker in self._workers if worker.spec is not None]:
            ready = connection.wait([worker.pipe for worker in busy], timeout=1.0)
            for worker in busy:
                if worker.pipe in ready:
                    yield from self._hear(worker, specs)
                elif time.monotonic() - worker.since > _PATIENCE_S:
                    worker.process.kill()  # its pipe then ends, which is heard next time

    def _hear(self, worker: _Worker, specs: Iterator[ScreenSpec]) -> Iterator[Outcome]:
        try:
            outcome: Outcome = worker.pipe.recv()
        except (EOFError, OSError):
            yield from self._replace(worker, specs)
            return
        self._hand(worker, next(specs, None))
        yield outcome

    def _replace(self, worker: _Worker, specs: Iterator[ScreenSpec]) -> Iterator[Outcome]:
        spec = worker.spec
        assert spec is not None  # noqa: S101 -- only workers at work are heard
        _end(worker)
        self._workers.remove(worker)
        self._tries[spec.number] = self._tries.get(spec.number, 0) + 1
        if self._tries[spec.number] < _TRIES:
            self._workers.append(self._hire(spec))
            return
        code = worker.process.exitcode
        yield Failed(spec.number, f"its worker died {_TRIES} times (last exit code {code}); is memory short?")
        following = next(specs, None)
        if following is not None:
            self._workers.append(self._hire(following))

    def _hire(self, spec: ScreenSpec) -> _Worker:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self.studio), daemon=True)
        process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._hand(worker, spec)
        return worker

    def _hand(self, worker: _Worker, spec: ScreenSpec | None) -> None:
        worker.spec, worker.since = spec, time.monotonic()
        if spec is not None:
            with suppress(OSError):  # it has died meanwhile: its pipe's end is heard next
                worker.pipe.send(spec)


def _end(worker: _Worker) -> None:
    worker.pipe.close()
    worker.process.join(_GOODBYE_S if worker.spec is None else 0.0)
    if worker.process.is_alive():
        worker.process.terminate()
        worker.process.join(_GOODBYE_S)


def _serve(pipe: Connection, studio: Studio) -> None:
    """A worker's whole life."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run hears it, and ends its workers in order
    _keep_memory()
    with suppress(EOFError, OSError), ExitStack() as outer:
        stack = outer.enter_context(ExitStack())
        bench: Bench | None = None
        for number in itertools.count(1):
            outcome, bench = _attempt(pipe.recv(), studio, stack, bench)
            if number % _BENCH_LASTS == 0:
                bench = None
                _clear(stack)
            pipe.send(outcome)


def _keep_memory() -> None:
    """Keep what pictures leave free for the next ones.

    Given back and taken anew, page by page, it costs a quarter of the time for decoding and encoding them.
    """
    with suppress(OSError, AttributeError):  # other C libraries have no such switch, and need none
        libc = ctypes.CDLL(None)
        libc.mallopt(_MMAP_THRESHOLD, _KEPT_BYTES)
        libc.mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)


def _attempt(spec: ScreenSpec, studio: Studio, stack: ExitStack, bench: Bench | None) -> tuple[Outcome, Bench | None]:
    """Make a screen, with a new bench where there is none or the old one breaks."""
    problem = ""
    for tried in range(_TRIES):
        try:
            bench = bench or studio.open(stack)
            return Done(spec.number, bench.make(spec), restarts=tried), bench
        except BrokenBenchError as error:
            problem, bench = str(error), None
        except Exception as error:  # noqa: BLE001 -- a boundary: one screen's fault is that screen's outcome
            if bench is None:
                _clear(stack)
            return Failed(spec.number, f"{type(error).__name__}: {error}"), bench
        _clear(stack)
    return Failed(spec.number, f"its browser died {_TRIES} times: {problem}"), None


def _clear(stack: ExitStack) -> None:
    """End what is left of a bench; a dead browser may complain."""
    with suppress(Exception):
        stack.close()
