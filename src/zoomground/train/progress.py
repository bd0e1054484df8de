"""How far a running stage is, read from what it writes anyway.

A training stage is followed by ms-swift's ``logging.jsonl``; our own stages print lines of `PROGRESS_MARK` into their
log (`tell`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PROGRESS_MARK = "@progress "
ALARM = "zoomin/alarm/"
"""What the trainer's alarms are called by; their figure is 1 while they are on."""

_TAIL_BYTES = 65_536

SHOWN_METRICS = {"loss": "loss", "token_acc": "token accuracy", "reward": "reward", "grad_norm": "grad norm"}
"""ms-swift's names of what is worth a glance, and how they are called on the screen."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is.

    Attributes:
        done: Finished units.
        total: All units; 0 if not known yet.
        note: What is worth a glance.
        metrics: Figures of the last step.
    """

    done: int = 0
    total: int = 0
    note: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict)


def tell(done: int, total: int, note: str = "") -> None:
    """Tell the launcher how far this stage is."""
    sys.stdout.write(f"{PROGRESS_MARK}{json.dumps({'done': done, 'total': total, 'note': note})}\n")
    sys.stdout.flush()


def of_log(log: Path) -> Progress | None:
    """The last thing that one of our stages told; None if it told nothing yet."""
    for line in reversed(_tail(log)):
        if line.startswith(PROGRESS_MARK):
            try:
                told = json.loads(line.removeprefix(PROGRESS_MARK))
            except ValueError:
                continue
            return Progress(told["done"], told["total"], told["note"])
    return None


def of_metrics(path: Path) -> Progress | None:
    """The last step that ms-swift logged; None before the first."""
    for line in reversed(_tail(path)):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        step, slash, total = str(row.get("global_step/max_steps", "")).partition("/")
        if not slash or "train_runtime" in row:
            continue
        metrics = {label: float(row[name]) for name, label in SHOWN_METRICS.items() if name in row}
        alarms = [name.removeprefix(ALARM) for name, value in row.items() if name.startswith(ALARM) and float(value)]
        note = "  ".join([*(f"{label} {value:.3g}" for label, value in metrics.items()), *_said(alarms)])
        return Progress(int(step), int(total), note, metrics)
    return None


def _said(alarms: list[str]) -> list[str]:
    return [f"alarms: {', '.join(sorted(alarms))}"] if alarms else []


def last_lines(log: Path, count: int = 25) -> list[str]:
    """The end of a log as a terminal would show it: of a line that was redrawn, only the last state."""
    lines = [line.rstrip().rsplit("\r", 1)[-1] for line in _tail(log)]
    return [line for line in lines if line and not line.startswith((PROGRESS_MARK, "$ "))][-count:]


def _tail(path: Path) -> list[str]:
    """The last whole lines of a file, and its unfinished one."""
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(0, size - _TAIL_BYTES))
            return stream.read().decode("utf-8", errors="replace").split("\n")
    except FileNotFoundError:
        return []
