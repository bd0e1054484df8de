"""What a benchmark gives: comparisons, limits, tables; as JSON, and as Markdown."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.machine import facts
from zoomground.data.files import write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Better(StrEnum):
    """Which of two numbers is the better one."""

    MORE = "more"
    LESS = "less"


@dataclass(frozen=True)
class Comparison:
    """One figure of ours beside the straightforward way's, on the same inputs in the same run.

    Attributes:
        what: What is counted.
        unit: Its unit.
        ours: Our figure.
        straightforward: The other one.
        better: Whether more or less of it is good.
        goal: How many times better ours should be; None: there is no goal.
        floor: What the hardware and the codec alone allow; None: not measured.
        note: How a figure came about, where it was not simply measured.
    """

    what: str
    unit: str
    ours: float
    straightforward: float
    better: Better
    goal: float | None = None
    floor: float | None = None
    note: str = ""

    @property
    def times(self) -> float:
        """How many times better ours is."""
        pair = (self.ours, self.straightforward)
        above, below = pair if self.better is Better.MORE else reversed(pair)
        return above / below

    @property
    def met(self) -> bool | None:
        """Whether the goal is met, None without a goal."""
        return None if self.goal is None else self.times >= self.goal

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {**asdict(self), "times": self.times, "met": self.met}


@dataclass(frozen=True)
class Limit:
    """One figure that should stay below a limit.

    Attributes:
        what: What is counted.
        unit: Its unit.
        value: The figure.
        at_most: Its limit; None: there is none, the figure is for information.
        note: How it came about.
    """

    what: str
    unit: str
    value: float
    at_most: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the limit is held, None without one."""
        return None if self.at_most is None else self.value <= self.at_most

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {**asdict(self), "met": self.met}


@dataclass(frozen=True)
class Table:
    """Figures with neither a goal nor another side."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str | float | int, ...]]

    def to_markdown(self) -> str:
        """A Markdown table under its title."""
        return f"{self.title}\n\n{markdown_table(self.columns, self.rows)}"


@dataclass(frozen=True)
class Result:
    """What one benchmark found.

    Attributes:
        benchmark: Name of the script.
        method: How it was measured, in sentences.
        quick: Whether it was the short form, with fewer inputs and rounds.
        comparisons: Ours against the straightforward way.
        limits: Figures with a limit.
        tables: Everything else.
        facts: Machine, versions, commit.
    """

    benchmark: str
    method: str
    quick: bool
    comparisons: list[Comparison] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=facts)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "benchmark": self.benchmark,
            "method": self.method,
            "quick": self.quick,
            **self.facts,
            "comparisons": [one.to_dict() for one in self.comparisons],
            "limits": [one.to_dict() for one in self.limits],
            "tables": [asdict(one) for one in self.tables],
        }


def number(value: object) -> str:
    """A figure with as many digits as it is worth."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, float):
        return f"{value:,}" if isinstance(value, int) else str(value)
    digits = next((digits for least, digits in ((100, 0), (10, 1), (1, 2)) if abs(value) >= least), 3)
    return f"{value:,.{digits}f}"


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Text left, numbers right."""
    lines = [[number(cell) for cell in row] for row in rows]
    rule = ["---", *("---:" for _ in columns[1:])]
    return "\n".join("| " + " | ".join(line) + " |" for line in [list(columns), rule, *lines])


def to_markdown(result: dict[str, Any]) -> str:
    """A section of the page, made from what `Result.to_dict` gave."""
    parts = [f"## {result['benchmark']}", result["method"]]
    if some := result["comparisons"]:
        columns = ("", "unit", "ours", "straightforward", "times better", "goal", "met", "floor", "note")
        keys = ("what", "unit", "ours", "straightforward", "times", "goal", "met", "floor", "note")
        parts.append(markdown_table(columns, [[one[key] for key in keys] for one in some]))
    if some := result["limits"]:
        keys = ("what", "unit", "value", "at_most", "met", "note")
        parts.append(
            markdown_table(
                ("", "unit", "value", "at most", "met", "note"), [[one[key] for key in keys] for one in some]
            )
        )
    parts += [Table(one["title"], tuple(one["columns"]), one["rows"]).to_markdown() for one in result["tables"]]
    return "\n\n".join(parts)


def arguments(doc: str | None) -> argparse.ArgumentParser:
    """The options that all benchmarks have."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer inputs, fewer rounds")
    parser.add_argument("--json", type=Path, help="write the figures here as well")
    return parser


def finish(result: Result, file: Path | None) -> None:
    """Tell the result, and write it down if asked to."""
    told = result.to_dict()
    print(to_markdown(told))
    if file is not None:
        write_bytes(file, (json.dumps(told, indent=1) + "\n").encode("utf-8"))
