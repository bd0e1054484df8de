"""The figures of one benchmark from its verdicts: every average by its name, cells with intervals, refusals apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zoomground.errors import ZoomgroundError
from zoomground.evaluate.items import Scoring
from zoomground.evaluate.metrics import Share
from zoomground.evaluate.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zoomground.evaluate.items import Benchmark, Item, ItemSet


@dataclass(frozen=True, slots=True)
class Refusals:
    """How declining went, on a set that has refusal items.

    Attributes:
        without: Hit rate on the items that have a target.
        declined: Share of the refusal items that were declined.
        false: Share of the items with a target that were declined.
    """

    without: Share
    declined: Share
    false: Share

    @property
    def shares(self) -> dict[str, Share]:
        """The three by their names."""
        return {"without": self.without, "declined": self.declined, "false": self.false}


@dataclass(frozen=True, slots=True)
class Scores:
    """What a benchmark came to.

    Attributes:
        benchmark: Its name.
        set_name: Name of the set, which is the name of the metric.
        revision: Hash of the annotations.
        scoring: Against which targets.
        total: Items of the set: the denominator of everything.
        counts: How many items got each verdict; they add up to the total.
        overall: Share of correct items.
        parsed_only: The same of the items whose answer could be read; never a headline.
        averages: Every average of the benchmark by its name, the headline first.
        cells: Share of correct items by axis and value.
        refusals: How declining went; None if the set asks for none.
    """

    benchmark: str
    set_name: str
    revision: str
    scoring: Scoring
    total: int
    counts: dict[Verdict, int]
    overall: Share
    parsed_only: Share
    averages: dict[str, float]
    cells: dict[str, dict[str, Share]]
    refusals: Refusals | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        refusals = self.refusals
        return {
            "benchmark": self.benchmark,
            "set": self.set_name,
            "revision": self.revision,
            "scoring": self.scoring.value,
            "total": self.total,
            "verdicts": {verdict.value: count for verdict, count in self.counts.items()},
            "overall": plain(self.overall),
            "parsed_only": plain(self.parsed_only),
            "averages": self.averages,
            "cells": {axis: {key: plain(one) for key, one in cells.items()} for axis, cells in self.cells.items()},
            "refusals": refusals
            and {
                "without": plain(refusals.without),
                "declined": plain(refusals.declined),
                "false": plain(refusals.false),
            },
        }


def score(
    benchmark: Benchmark, items: ItemSet, verdicts: Mapping[str, Verdict], scoring: Scoring = Scoring.TRUE
) -> Scores:
    """Sum up the verdicts of a finished run.

    Args:
        benchmark: Whose axes and averages are taken.
        items: The whole set; all of it is the denominator.
        verdicts: One for every item, by id; others are not looked at.
        scoring: Against which targets they were given.

    Raises:
        ZoomgroundError: If the set is empty, or an item has no verdict.
    """
    if not items.items:
        raise ZoomgroundError(f"{items.name}: has no items, so there is nothing to score")
    missing = [item.id for item in items.items if item.id not in verdicts]
    if missing:
        raise ZoomgroundError(f"{items.name}: {len(missing)} items have no verdict, first '{missing[0]}'")
    hits = {item.id: verdicts[item.id] is Verdict.CORRECT for item in items.items}
    given = [verdicts[item.id] for item in items.items]
    averages = {one.name: one.of(items, hits) for one in benchmark.averages}
    return Scores(
        benchmark=benchmark.name,
        set_name=items.name,
        revision=items.revision,
        scoring=scoring,
        total=len(items),
        counts={verdict: given.count(verdict) for verdict in Verdict},
        overall=_share(items.items, hits),
        parsed_only=Share.of(one is Verdict.CORRECT for one in given if one not in _UNREAD),
        averages={name: value for name, value in averages.items() if value is not None},
        cells={
            axis: {value: _share(cell, hits) for value, cell in items.cells(axis).items()}
            for axis in benchmark.reported(items)
        },
        refusals=_refusals(items, verdicts, hits),
    )


_UNREAD = frozenset({Verdict.WRONG_FORMAT, Verdict.ERROR})


def _refusals(items: ItemSet, verdicts: Mapping[str, Verdict], hits: Mapping[str, bool]) -> Refusals | None:
    asked = [item for item in items.items if item.refusal]
    if not asked:
        return None
    real = [item for item in items.items if not item.refusal]
    return Refusals(
        without=_share(real, hits),
        declined=_share(asked, hits),
        false=Share.of(verdicts[item.id] is Verdict.REFUSED for item in real),
    )


def _share(items: Iterable[Item], hits: Mapping[str, bool]) -> Share:
    return Share.of(hits[item.id] for item in items)


def plain(share: Share) -> dict[str, Any]:
    """A share as plain values, ready for JSON."""
    return {"count": share.count, "total": share.total, "value": share.value, "low": share.low, "high": share.high}
