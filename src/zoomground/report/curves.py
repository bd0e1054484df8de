"""The chart of a run: reward, hit rate, zoom rate and canonical share by training step."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from zoomground.data.files import replacing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from zoomground.report.figures import StepFigures


WINDOW = 5
"""Steps that the line is the mean of."""


def write_curves(figures: Sequence[StepFigures], out: Path) -> None:
    """Draw the four curves as a PNG; the file is written beside its place and renamed.

    Args:
        figures: One entry a step.
        out: The PNG.
    """
    chart = Figure(figsize=(10, 6.4), dpi=120, layout="constrained")
    chart.suptitle(f"dots: one step, line: mean of the last {WINDOW} steps", x=0.01, ha="left", fontsize=10)
    axes = chart.subplots(2, 2, sharex=True)
    steps = [figure.step for figure in figures]
    rewards = [math.nan if figure.reward is None else figure.reward for figure in figures]
    _curve(axes[0][0], steps, rewards, "mean total reward", "#111827")
    _curve(axes[0][1], steps, [figure.hit_rate for figure in figures], "hit rate", "#15803d", share=True)
    _curve(axes[1][0], steps, [figure.zoom_rate for figure in figures], "zoom rate", "#2563eb", share=True)
    _curve(axes[1][1], steps, [figure.canonical_share for figure in figures], "canonical turns", "#d97706", share=True)
    for axis in axes[1]:
        axis.set_xlabel("training step")
    with replacing(out) as partial:
        chart.savefig(partial, format="png")


def _curve(
    axis: Axes, steps: Sequence[int], values: Sequence[float], title: str, color: str, *, share: bool = False
) -> None:
    """One curve: the values as dots, their running mean as a line."""
    axis.plot(steps, values, "o", color=color, alpha=0.35, markersize=4)
    axis.plot(steps, running_mean(values), "-", color=color, linewidth=2)
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
