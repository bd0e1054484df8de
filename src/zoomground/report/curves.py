"""The chart of a run by training step: reward, hits, zooming, canonical turns, and the health that was recorded."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from zoomground.data.files import replacing
from zoomground.data.health_log import alarm_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from zoomground.data.health_log import HealthLine
    from zoomground.report.figures import StepFigures


WINDOW = 5
"""Steps that the line is the mean of."""


HEALTH_PANELS: tuple[tuple[str, dict[str, str], bool], ...] = (
    (
        "groups",
        {"groups_all_wrong": "all wrong", "groups_all_right": "all right", "groups_alike": "without signal"},
        True,
    ),
    ("crops an episode", {f"crops_depth_{depth}": f"depth {depth}" for depth in (1, 2, 3)}, False),
    ("zooming", {"crop_gain": "crop turns that gain", "crop_harm": "zoomed episodes harmed"}, True),
    (
        "turns",
        {"dialect/fallback": "fallback", "dialect/unread": "corrected unread", "free_thinking": "free thinking"},
        True,
    ),
    ("episodes", {"truncated": "cut", "failed": "failed"}, True),
)
"""Title, figures of the health record with their names, and whether they are shares."""

_COLORS = ("#b91c1c", "#15803d", "#6b7280")
_ROW_IN = 3.2


def _reward(figure: StepFigures) -> float:
    return math.nan if figure.reward is None else figure.reward


_SEED_PANELS: tuple[tuple[str, bool, Callable[[StepFigures], float]], ...] = (
    ("mean total reward", False, _reward),
    ("hit rate", True, lambda figure: figure.hit_rate),
    ("zoom rate", True, lambda figure: figure.zoom_rate),
)
"""Title, whether it is a share, and the figure of a step."""


def write_curves(figures: Sequence[StepFigures], out: Path, health: Sequence[HealthLine] = ()) -> None:
    """Draw the curves as a PNG; the file is written beside its place and renamed.

    Args:
        figures: One entry a step.
        out: The PNG.
        health: What was recorded of the run's health; without it there are four curves.
    """
    rows = 2 + (len(HEALTH_PANELS) + 2) // 2 if health else 2
    chart = Figure(figsize=(10, _ROW_IN * rows), dpi=120, layout="constrained")
    chart.suptitle(f"dots: one step, line: mean of the last {WINDOW} steps", x=0.01, ha="left", fontsize=10)
    axes = chart.subplots(rows, 2, sharex=True)
    steps = [figure.step for figure in figures]
    _curve(axes[0][0], steps, [_reward(figure) for figure in figures], "mean total reward", "#111827")
    _curve(axes[0][1], steps, [figure.hit_rate for figure in figures], "hit rate", "#15803d", share=True)
    _curve(axes[1][0], steps, [figure.zoom_rate for figure in figures], "zoom rate", "#2563eb", share=True)
    _curve(axes[1][1], steps, [figure.canonical_share for figure in figures], "canonical turns", "#d97706", share=True)
    if health:
        places = [axis for row in axes[2:] for axis in row]
        for axis, (title, named, share) in zip(places, HEALTH_PANELS, strict=False):
            _several(axis, health, title, named, share=share)
        _alarms(places[len(HEALTH_PANELS)], health)
    for axis in axes[-1]:
        axis.set_xlabel("training step")
    with replacing(out) as partial:
        chart.savefig(partial, format="png")


def write_seed_curves(seeds: Mapping[str, Sequence[StepFigures]], out: Path) -> None:
    """Draw reward, hit rate and zoom rate of several runs, a line each, as a PNG beside its place, then renamed.

    Args:
        seeds: One entry a step, by the run's name.
        out: The PNG.
    """
    chart = Figure(figsize=(10, _ROW_IN), dpi=120, layout="constrained")
    chart.suptitle(f"dots: one step, line: mean of the last {WINDOW} steps", x=0.01, ha="left", fontsize=10)
    for axis, (title, share, of) in zip(chart.subplots(1, 3), _SEED_PANELS, strict=True):
        for number, (name, figures) in enumerate(seeds.items()):
            _plot(axis, [figure.step for figure in figures], [of(figure) for figure in figures], f"C{number}", name)
        _dress(axis, title, share=share)
        axis.set_xlabel("GRPO step")
        axis.legend(fontsize=8, frameon=False)
    with replacing(out) as partial:
        chart.savefig(partial, format="png")


def _curve(
    axis: Axes, steps: Sequence[int], values: Sequence[float], title: str, color: str, *, share: bool = False
) -> None:
    """One curve: the values as dots, their running mean as a line."""
    _plot(axis, steps, values, color)
    _dress(axis, title, share=share)


def _several(axis: Axes, health: Sequence[HealthLine], title: str, named: Mapping[str, str], *, share: bool) -> None:
    """Curves of the health record in one panel; a step without the figure is a gap."""
    steps = [line.step for line in health]
    for color, (figure, label) in zip(_COLORS, named.items(), strict=False):
        values = [line.figures.get(figure, math.nan) for line in health]
        _plot(axis, steps, values, color, label)
    axis.legend(fontsize=8, frameon=False)
    _dress(axis, title, share=share)


def _alarms(axis: Axes, health: Sequence[HealthLine]) -> None:
    """A bar for each stretch of steps in which an alarm was on."""
    spans = alarm_spans(health)
    names = sorted({span.name for span in spans}, reverse=True)
    for span in spans:
        axis.barh(
            names.index(span.name), span.last - span.first + 1, left=span.first - 0.5, color="#b91c1c", height=0.6
        )
    _dress(axis, "alarms" if names else "alarms: none", share=False)
    axis.set_yticks(range(len(names)), names)


def _plot(axis: Axes, steps: Sequence[int], values: Sequence[float], color: str, label: str | None = None) -> None:
    axis.plot(steps, values, "o", color=color, alpha=0.35, markersize=4)
    axis.plot(steps, running_mean(values), "-", color=color, linewidth=2, label=label)


def _dress(axis: Axes, title: str, *, share: bool) -> None:
    axis.set_title(title, loc="left", fontsize=11)
    axis.grid(visible=True, alpha=0.3)
    axis.spines[["top", "right"]].set_visible(False)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    if share:
        axis.set_ylim(-0.03, 1.03)
        axis.yaxis.set_major_formatter("{x:.0%}")


def running_mean(values: Sequence[float], window: int = WINDOW) -> list[float]:
    """Mean of each value and those before it, ``window`` in all at most; values that are not numbers are left out.

    >>> running_mean([1.0, 3.0, 5.0], window=2)
    [1.0, 2.0, 4.0]
    """
    means = []
    for end in range(1, len(values) + 1):
        known = [value for value in values[max(0, end - window) : end] if not math.isnan(value)]
        means.append(fmean(known) if known else math.nan)
    return means
