"""What a run came to: the evaluation as a table, and three checks of the trajectories that training logged."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from zoomground.data.health_log import AlarmSpan, alarm_spans, health_of
from zoomground.data.trajectories import read_records
from zoomground.evaluate.seeds import SIZES
from zoomground.report.figures import EpisodeFigures, mixed_groups

if TYPE_CHECKING:
    from zoomground.errors import RowError
    from zoomground.train.folder import RunFolder

CANONICAL_SHARE = 0.95
"""Share of canonical turns that a policy should speak with before its hits mean anything."""

MIXED_SHARE = 0.5
"""Share of groups in which zooming and answering at once can be compared."""

_HIT_HEAD = ("checkpoint", "arm", "hit rate", "small", "large")
_ZOOM_HEAD = ("checkpoint", "arm", "zoomed", "small", "large", "canonical")
_DIFFERENCE_HEAD = ("difference", "hit rate", "small", "large")
"""Small and large: the target's size as the policy sees it, by rewards.legible_px."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a healthy run shows.

    Attributes:
        name: What is looked at.
        value: What the run shows.
        wanted: What it should show.
        ok: Whether it does.
    """

    name: str
    value: str
    wanted: str
    ok: bool

    def cells(self) -> list[str]:
        """A row of a table."""
        return [self.name, self.value, self.wanted, "yes" if self.ok else "NO"]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run came to.

    Attributes:
        evaluation: What the evaluation stage summed up; empty if there was none.
        checks: What the training's log shows; empty without one.
        alarms: When which alarm of the health record was on.
        steps: Steps of that record; None without one.
    """

    evaluation: Mapping[str, Any] = field(default_factory=dict)
    checks: Sequence[Check] = ()
    alarms: Sequence[AlarmSpan] = ()
    steps: int | None = None

    def tables(self) -> list[tuple[str, Sequence[str], Sequence[Sequence[str]]]]:
        """Title, head and rows of each table."""
        tables: list[tuple[str, Sequence[str], Sequence[Sequence[str]]]] = []
        if self.evaluation:
            results = self.evaluation["results"]
            rates = "held-out rows, greedy decoding, percent with 95 % intervals"
            tables.append((rates, _HIT_HEAD, [_hit_cells(one) for one in results]))
            tables.append(("zoomed and canonical, likewise", _ZOOM_HEAD, [_zoom_cells(one) for one in results]))
            rows = [_difference_cells(one) for one in self.evaluation["differences"]]
            tables.append(("hit rate on the same rows, paired, intervals over pages", _DIFFERENCE_HEAD, rows))
        if self.checks:
            head = ["rollouts of the training", "shown", "wanted", "met"]
            tables.append(("checks", head, [check.cells() for check in self.checks]))
        if self.steps is not None:
            cells = [_alarm_cells(span) for span in self.alarms] or [["none", f"1 to {self.steps}", ""]]
            tables.append(("alarms of the training (docs/training.md)", ["alarm", "steps", "at the last one"], cells))
        return tables

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        checks = [{"name": c.name, "value": c.value, "wanted": c.wanted, "ok": c.ok} for c in self.checks]
        return {"evaluation": dict(self.evaluation), "checks": checks, "alarms": [asdict(span) for span in self.alarms]}


def summarise(folder: RunFolder, *, on_error: Callable[[RowError], None] | None = None) -> Summary:
    """Sum up a run folder, as far as it is done.

    Args:
        folder: The run folder.
        on_error: Gets the error of each bad line of the log, which is left out; without it the first one is raised.
    """
    evaluation: dict[str, Any] = {}
    if folder.evaluation_summary.exists():
        evaluation = json.loads(folder.evaluation_summary.read_text(encoding="utf-8"))
    health = health_of(folder.root, on_error)
    known: dict[str, Any] = {"alarms": alarm_spans(health), "steps": health[-1].step if health else None}
    if not any(folder.trajectories.glob("*.jsonl")):
        return Summary(evaluation, **known)
    lines = read_records(folder.trajectories, on_error=on_error)
    return Summary(evaluation, checks([EpisodeFigures.of(line.record) for line in lines]), **known)


def checks(episodes: Sequence[EpisodeFigures]) -> list[Check]:
    """The three checks over the rollouts of a training."""
    played = [episode for episode in episodes if not episode.failed]
    turns = sum(episode.turns for episode in played)
    canonical = sum(episode.canonical for episode in played)
    mixed, groups = mixed_groups(played)
    failed = len(episodes) - len(played)
    return [
        _share("canonical turns", canonical, turns, CANONICAL_SHARE),
        _share("groups with zoomed and direct rollouts", mixed, groups, MIXED_SHARE),
        Check("failed episodes", f"{failed} of {len(episodes)}", "0", failed == 0),
    ]


def _share(name: str, count: int, total: int, wanted: float) -> Check:
    share = count / total if total else 0.0
    return Check(name, f"{share:.1%} ({count} of {total})", f">= {wanted:.0%}", share >= wanted)


def _alarm_cells(span: AlarmSpan) -> list[str]:
    steps = str(span.first) if span.first == span.last else f"{span.first} to {span.last}"
    return [span.name, f"{steps}, still on" if span.is_open else steps, span.message]


def _hit_cells(results: Mapping[str, Any]) -> list[str]:
    """The row of one evaluation, narrow enough for a terminal of 100 columns, as all of these."""
    by_size = results["sizes"]["legible"]
    return _row(results, [results["overall"], by_size.get("small"), by_size.get("large")])


def _zoom_cells(results: Mapping[str, Any]) -> list[str]:
    by_size = results.get("zoomed_sizes", {})
    return _row(results, [results["zoomed"], by_size.get("small"), by_size.get("large"), results["canonical"]])


def _row(results: Mapping[str, Any], shares: Sequence[Mapping[str, float] | None]) -> list[str]:
    return [results["name"], results["arm"], *(_interval(share) for share in shares)]


def _difference_cells(one: Mapping[str, Any]) -> list[str]:
    by_size = one.get("by_size", {})
    return [one["what"], one["hit_rate"], *(by_size[size]["hit_rate"] if size in by_size else "-" for size in SIZES)]


def _interval(share: Mapping[str, float] | None) -> str:
    if share is None:
        return "-"
    return f"{share['value']:.1%} [{100 * share['low']:.0f}, {100 * share['high']:.0f}]".replace("%", "")
