"""The health of a training run: one JSON line a step, its figures and the alarms that were on.

One process writes it. A run that goes on from a checkpoint does some steps again: their lines are taken out first, so
that no step stands in the file twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from zoomground.data import jsonl
from zoomground.data.files import append
from zoomground.errors import RowError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HEALTH_FILE = "health.jsonl"
"""Name of the file in the trainer's output folder."""

TRAINER_FOLDER = "grpo"
"""The trainer's output folder in a run folder."""


@dataclass(frozen=True, slots=True)
class HealthLine:
    """One training step.

    Attributes:
        step: Counted from 1.
        figures: By the names of the trainer's log, without their prefix.
        alarms: What each alarm that was on said, by its name.
    """

    step: int
    figures: Mapping[str, float] = field(default_factory=dict)
    alarms: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AlarmSpan:
    """A stretch of steps in which an alarm was on.

    Attributes:
        name: The alarm.
        first: The step that it went on.
        last: The last step at which it was on.
        message: What it said at that one.
        is_open: Whether it was on to the end of the record.
    """

    name: str
    first: int
    last: int
    message: str
    is_open: bool


def find_health(run_dir: Path) -> Path | None:
    """The record of a run folder, or of ms-swift's output folder; None without one."""
    places = (run_dir / HEALTH_FILE, run_dir / TRAINER_FOLDER / HEALTH_FILE)
    return next((place for place in places if place.is_file()), None)


def read_health(path: Path) -> list[HealthLine]:
    """The steps of a record, in order; a cut last line is left out.

    Raises:
        RowError: If a line is no step of a health record.
    """
    return [_line(path, line) for line in jsonl.read(path, drop_cut_last=True)]


def health_of(run_dir: Path, on_error: Callable[[RowError], None] | None = None) -> list[HealthLine]:
    """What was recorded of a run's health; nothing without a record.

    Args:
        run_dir: The run folder, or ms-swift's output folder.
        on_error: Gets the error of a record that cannot be read; without it the error is raised.
    """
    path = find_health(run_dir)
    if path is None:
        return []
    try:
        return read_health(path)
    except RowError as error:
        if on_error is None:
            raise
        on_error(error)
        return []


def resume_health(path: Path, step: int) -> list[HealthLine]:
    """Take out what is done again from ``step`` on, and what was cut; the steps before it are returned.

    A record that cannot be read is set aside by its first bad line: what stands before that one is kept.
    """
    if not path.is_file():
        return []
    kept: list[HealthLine] = []
    for line in jsonl.scan(path):
        try:
            if not isinstance(line, jsonl.JsonLine) or (known := _line(path, line)).step >= step:
                break
        except RowError:
            break
        kept.append(known)
    jsonl.write(path, [asdict(known) for known in kept])
    return kept


def append_health(path: Path, line: HealthLine) -> None:
    """Append a step; it is in the file when this returns.

    Raises:
        OSError: If the file cannot be opened.
        ZoomgroundError: If the disk is full.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab", buffering=0) as stream:
        append(stream, json.dumps(asdict(line), ensure_ascii=False).encode("utf-8") + b"\n", path)


def alarm_spans(lines: Sequence[HealthLine]) -> list[AlarmSpan]:
    """The stretches of steps in which each alarm was on, by their beginning."""
    spans: list[AlarmSpan] = []
    running: dict[str, AlarmSpan] = {}
    for line in lines:
        gone = [name for name in running if name not in line.alarms]
        spans += [running.pop(name) for name in gone]
        for name, message in line.alarms.items():
            first = running[name].first if name in running else line.step
            running[name] = AlarmSpan(name, first, line.step, message, is_open=False)
    spans += [AlarmSpan(one.name, one.first, one.last, one.message, is_open=True) for one in running.values()]
    return sorted(spans, key=lambda span: (span.first, span.name))


def _line(path: Path, line: jsonl.JsonLine) -> HealthLine:
    value = line.value
    step, figures, alarms = value.get("step"), value.get("figures"), value.get("alarms")
    if not (isinstance(step, int) and isinstance(figures, dict) and isinstance(alarms, dict)):
        raise RowError(str(path), line.line, "step", "is no step of a health record (step, figures, alarms)")
    return HealthLine(step, figures, alarms)
