"""The results as tables in Markdown, for a page that says how they came about."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from experiment.arms import ARMS
from experiment.results import ALL, FIGURES, LAST_STEPS, SIZES, Results, Training
from zoomground.evaluate.figures import LARGE, SMALL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from experiment.results import Contrast, Rates
    from zoomground.evaluate.metrics import Mean

_COUNTS = {"episode_tokens", "credited_turns"}
"""Figures that are no shares."""


def page(results: Results, made: Mapping[str, str], seeds: Sequence[int]) -> str:
    """The page.

    Args:
        results: What the runs came to.
        made: What they were made with, by name; one line of the page.
        seeds: Seeds that the table has a column for.
    """
    arms = [one.arm for one in results.trainings]
    trained = [_training(one) for one in results.trainings]
    parts = [
        f"{'; '.join(f'{name}: {value}' for name, value in made.items())}.\n",
        _table(("arm", "what is different"), [[name, ARMS[name].what] for name in arms]),
        f"Held-out rows ({results.items} on {results.pages} pages), greedy decoding, zoom on; percent with 95 % "
        "intervals over pages, pooled over the seeds; corrections an item:\n",
        _table(
            ("", "seeds", *(f"hit {size}" for size in SIZES), "zoom small", "zoom large", "corrections"),
            [_rates(one) for one in results.rates],
        ),
        "Paired differences of hit rates, points. A row counts once: what it came to is its mean over the seeds. "
        '"Higher" or "lower" stands only where the 95 % interval excludes 0:\n',
        _table(
            ("difference", "targets", "points [95 %]", "", *(f"seed {seed}" for seed in seeds), "rows (pages)"),
            [_contrast(one, seeds) for one in results.contrasts],
        ),
        f"Rollouts of the training, mean of the last {LAST_STEPS} steps and of the seeds (lowest to highest seed), "
        "percent, but for the last two:\n",
        _table(("arm", *FIGURES.values()), trained),
        *_remarks(results),
    ]
    return "\n".join(parts)


def _remarks(results: Results) -> list[str]:
    found = []
    if results.odd_starts:
        found.append(
            f"The start did not come to the same in every arm as in the base: {', '.join(results.odd_starts)}. The "
            "rules of these arms read or play the same weights otherwise.\n"
        )
    if read := {one.name: one.fallback for one in results.rates if one.fallback}:
        said = ", ".join(f"{name} {count}" for name, count in read.items())
        found.append(f"Turns of the evaluation that only the fallback dialect could read, all seeds: {said}.\n")
    return found


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, ["---"] * len(head), *rows))


def _rates(one: Rates) -> list[str]:
    hits = [_percent(one.hits.get(size)) for size in (SMALL, LARGE, ALL)]
    zooms = [_percent(one.zooms.get(size)) for size in (SMALL, LARGE)]
    return [one.name, ", ".join(map(str, one.seeds)), *hits, *zooms, f"{one.corrections:.3f}"]


def _contrast(one: Contrast, seeds: Sequence[int]) -> list[str]:
    pooled = one.pooled
    each = [f"{100 * one.seeds[seed].mean:+.1f}" if seed in one.seeds else "-" for seed in seeds]
    interval = f"{100 * pooled.mean:+.1f} [{100 * pooled.low:+.1f}, {100 * pooled.high:+.1f}]"
    return [one.what, one.size, interval, one.verdict, *each, f"{pooled.pairs} ({pooled.clusters})"]


def _training(one: Training) -> list[str]:
    cells = [one.arm]
    for name in FIGURES:
        values = [figures[name] for figures in one.seeds.values() if name in figures]
        factor = 1 if name in _COUNTS else 100
        mean, low, high = (factor * of(values) for of in (fmean, min, max)) if values else (0.0, 0.0, 0.0)
        cells.append(f"{mean:.1f} ({low:.1f} to {high:.1f})" if values else "-")
    return cells


def _percent(mean: Mean | None) -> str:
    return "-" if mean is None else f"{100 * mean.mean:.1f} [{100 * mean.low:.0f}, {100 * mean.high:.0f}]"
