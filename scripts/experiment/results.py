"""What finished runs came to: rates of each arm, paired differences from the base, and the end of the trainings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from experiment.arms import ARMS, BASE
from zoomground.data.health_log import health_of
from zoomground.errors import ZoomgroundError
from zoomground.evaluate.figures import LARGE, SMALL
from zoomground.evaluate.itemised import ItemLine, read_item_lines
from zoomground.evaluate.metrics import Difference, Mean, bootstrap_mean, paired_difference
from zoomground.protocol.settings import Arm as Zoom

if TYPE_CHECKING:
    from collections.abc import Callable

    from experiment.runs import Trial

START, TRAINED = "start", "grpo"
"""Names of the checkpoints: the one that all arms share, and what an arm makes of it."""

ALL = "all"
SIZES = (SMALL, LARGE, ALL)

LAST_STEPS = 10
"""Steps at the end of a training that its figures are the mean of."""

FIGURES = {
    "hit_rate": "hit rate",
    "zoom_rate": "zoom rate",
    "groups_alike": "groups that teach nothing",
    "canonical_share": "canonical turns",
    "dialect/fallback": "turns by the fallback",
    "episode_tokens": "tokens an episode",
    "credited_turns": "credited turns",
}
"""Figures of the trainer's log, and how the table calls them."""


@dataclass(frozen=True, slots=True)
class Finished:
    """One finished run.

    Attributes:
        arm: Name of the arm.
        seed: Its seed.
        lines: What each held-out row came to, of both checkpoints, zoom on.
        corrections: Corrected turns an item, by checkpoint.
        fallback: Turns of the evaluation that only the fallback dialect could read, by checkpoint.
        training: Figures of the last steps, by the names of the trainer's log; those that it has.
        steps: Steps that were trained.
    """

    arm: str
    seed: int
    lines: Sequence[ItemLine]
    corrections: Mapping[str, float]
    fallback: Mapping[str, int]
    training: Mapping[str, float]
    steps: int

    @classmethod
    def of(cls, trial: Trial) -> Finished:
        """Read what a finished run left."""
        folder = trial.folder
        summary = json.loads(folder.evaluation_summary.read_text(encoding="utf-8"))
        evaluated = {one["name"]: one for one in summary["results"] if one["arm"] == Zoom.ON}
        health = health_of(folder.root)
        figures = [line.figures for line in health[-LAST_STEPS:]]
        values = {name: [one[name] for one in figures if name in one] for name in FIGURES}
        return cls(
            trial.arm,
            trial.seed,
            [line for line in read_item_lines(folder.evaluated_items) if line.arm == Zoom.ON],
            {name: one["cost"]["corrections"] for name, one in evaluated.items()},
            {name: one["dialects"].get("fallback", 0) for name, one in evaluated.items()},
            {name: fmean(found) for name, found in values.items() if found},
            len(health),
        )

    def of_checkpoint(self, checkpoint: str) -> list[ItemLine]:
        """The lines of one checkpoint."""
        return [line for line in self.lines if line.checkpoint == checkpoint]


@dataclass(frozen=True, slots=True)
class Rates:
    """What one checkpoint came to, pooled over seeds.

    Attributes:
        name: The arm, or the start.
        seeds: The seeds.
        hits: Hit rate by size class of the target, and of all.
        zooms: Share of answered items in which a crop ran, likewise.
        corrections: Corrected turns an item.
        fallback: Turns that only the fallback dialect could read, all seeds together.
    """

    name: str
    seeds: Sequence[int]
    hits: Mapping[str, Mean]
    zooms: Mapping[str, Mean]
    corrections: float
    fallback: int


@dataclass(frozen=True, slots=True)
class Contrast:
    """A paired difference of hit rates.

    Attributes:
        what: "second - first".
        size: Size class of the targets.
        pooled: Of the items' means over the seeds.
        seeds: Of each seed.
    """

    what: str
    size: str
    pooled: Difference
    seeds: Mapping[int, Difference]

    @property
    def verdict(self) -> str:
        """What the interval allows to say."""
        return "higher" if self.pooled.low > 0 else "lower" if self.pooled.high < 0 else "not shown"


@dataclass(frozen=True, slots=True)
class Training:
    """The end of an arm's trainings: figures of each seed by name."""

    arm: str
    seeds: Mapping[int, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Results:
    """What the finished runs came to.

    Attributes:
        rates: Of the start, then of each arm.
        contrasts: The base against the start, then each arm against the base; on the seeds that both have.
        trainings: Of each arm.
        items: Held-out rows.
        pages: Pages that they are on.
        odd_starts: Arms in which the start did not come to the same as in the base.
    """

    rates: Sequence[Rates]
    contrasts: Sequence[Contrast]
    trainings: Sequence[Training]
    items: int
    pages: int
    odd_starts: Sequence[str]

    @classmethod
    def of(cls, runs: Sequence[Finished]) -> Results:
        """Sum up finished runs; at least one must be the base's.

        Raises:
            ZoomgroundError: If runs did not ask the same items.
        """
        _check_same(runs)
        arms = {name: [one for one in runs if one.arm == name] for name in ARMS}
        arms = {name: found for name, found in arms.items() if found}
        base = arms[BASE]
        contrasts = _contrasts(f"{BASE} - {START}", base, START, base)
        for name, found in arms.items():
            if name != BASE:
                contrasts += _contrasts(f"{name} - {BASE}", base, TRAINED, found)
        lines = base[0].of_checkpoint(TRAINED)
        return cls(
            [_rates(START, base[:1], START), *(_rates(name, found, TRAINED) for name, found in arms.items())],
            contrasts,
            [Training(name, {one.seed: one.training for one in found}) for name, found in arms.items()],
            len(lines),
            len({line.page for line in lines}),
            [name for name, found in arms.items() if any(_start(one) != _start(base[0]) for one in found)],
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "rows": self.items,
            "pages": self.pages,
            "starts_that_differ": list(self.odd_starts),
            "rates": [asdict(one) for one in self.rates],
            "differences": [asdict(one) | {"verdict": one.verdict} for one in self.contrasts],
            "training": [asdict(one) for one in self.trainings],
        }


def _check_same(runs: Sequence[Finished]) -> None:
    for one in runs:
        for checkpoint in (START, TRAINED):
            ours, theirs = (
                {(line.item, line.page, line.size) for line in run.of_checkpoint(checkpoint)} for run in (runs[0], one)
            )
            if odd := ours ^ theirs:
                raise ZoomgroundError(
                    f"{one.arm}, seed {one.seed}, did not ask the same items of '{checkpoint}' as {runs[0].arm}, seed "
                    f"{runs[0].seed}, first '{min(odd)[0]}'; take its run folder away and start again"
                )


def _start(run: Finished) -> set[tuple[str, bool, bool | None]]:
    return {(line.item, line.hit, line.zoomed) for line in run.of_checkpoint(START)}


def _rates(name: str, runs: Sequence[Finished], checkpoint: str) -> Rates:
    pages = _pages(runs)
    found: list[dict[str, Mean]] = []
    for of in (_hit, _zoomed):
        means = {size: _item_means([_values(one, checkpoint, size, of) for one in runs]) for size in SIZES}
        found.append({size: bootstrap_mean(values, pages) for size, values in means.items() if values})
    return Rates(
        name,
        [one.seed for one in runs],
        *found,
        fmean(one.corrections[checkpoint] for one in runs),
        sum(one.fallback[checkpoint] for one in runs),
    )


def _contrasts(what: str, base: Sequence[Finished], checkpoint: str, arm: Sequence[Finished]) -> list[Contrast]:
    """What an arm trained, against a checkpoint of the base, on each size that there is."""
    seeds = [one.seed for one in base if one.seed in {its.seed for its in arm}]
    pages, found = _pages(base), []
    for size in SIZES if seeds else ():
        before = {one.seed: _values(one, checkpoint, size, _hit) for one in base if one.seed in seeds}
        after = {one.seed: _values(one, TRAINED, size, _hit) for one in arm if one.seed in seeds}
        if not all(before.values()):
            continue
        pooled = paired_difference(_item_means(list(before.values())), _item_means(list(after.values())), pages)
        each = {seed: paired_difference(before[seed], after[seed], pages) for seed in seeds}
        found.append(Contrast(what, size, pooled, each))
    return found


def _values(run: Finished, checkpoint: str, size: str, of: Callable[[ItemLine], bool | None]) -> dict[str, bool]:
    lines = [line for line in run.of_checkpoint(checkpoint) if size in {ALL, line.size}]
    return {line.item: value for line in lines if (value := of(line)) is not None}


def _hit(line: ItemLine) -> bool:
    return line.hit


def _zoomed(line: ItemLine) -> bool | None:
    return line.zoomed


def _item_means(seeds: Sequence[Mapping[str, bool]]) -> dict[str, float]:
    """The mean over the seeds, of each item that has a value in any."""
    names = dict.fromkeys(name for values in seeds for name in values)
    return {name: fmean(values[name] for values in seeds if name in values) for name in names}


def _pages(runs: Sequence[Finished]) -> dict[str, str]:
    return {line.item: line.page for one in runs for line in one.lines}
