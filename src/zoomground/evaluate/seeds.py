"""Several runs of one recipe that differ in their seed: rates and paired differences of each, and of all together.

Of all together the unit is the item: what it came to is the mean over the seeds. Items of one page are alike, so pages
are drawn whole for the intervals; the seeds of a recipe are the ones that were run, and are not drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from zoomground.errors import ZoomgroundError
from zoomground.evaluate.figures import LARGE, SMALL
from zoomground.evaluate.metrics import Difference, Mean, Share, bootstrap_mean, paired_difference
from zoomground.evaluate.scores import plain
from zoomground.protocol.settings import Arm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from zoomground.evaluate.itemised import ItemLine

SIZES = (SMALL, LARGE)

POOLED = "pooled"
"""What tables call all seeds together."""

Place = tuple[str, str]
"""A checkpoint and an arm."""


@dataclass(frozen=True, slots=True)
class Rates:
    """What one checkpoint came to in one arm, by size class: of each seed, and of all.

    Attributes:
        checkpoint: Name of the checkpoint.
        arm: Name of the arm.
        hits: Hit rate of each seed by size class, with Wilson intervals.
        zooms: Share of the answered items in which a crop ran, likewise.
        pooled_hits: Hit rate of all seeds by size class.
        pooled_zooms: Zoom rate of all seeds by size class.
    """

    checkpoint: str
    arm: str
    hits: Mapping[int, Mapping[str, Share]]
    zooms: Mapping[int, Mapping[str, Share]]
    pooled_hits: Mapping[str, Mean]
    pooled_zooms: Mapping[str, Mean]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference of hit rates on the items of one size class: of each seed, and of all.

    Attributes:
        what: What is compared, "second - first".
        size: Size class of the items.
        seeds: The difference of each seed.
        pooled: The difference of the items' means over the seeds.
    """

    what: str
    size: str
    seeds: Mapping[int, Difference]
    pooled: Difference


@dataclass(frozen=True, slots=True)
class SeedsSummary:
    """What several seeds came to.

    Attributes:
        seeds: The seeds, in their order.
        rates: Of each checkpoint and arm.
        contrasts: Last checkpoint against first, with zoom, on small and on large targets; with zoom against without,
            of the last checkpoint on small targets. Those of them for which there are two checkpoints and both arms.
    """

    seeds: Sequence[int]
    rates: Sequence[Rates]
    contrasts: Sequence[Contrast]

    @classmethod
    def of(cls, lines: Mapping[int, Sequence[ItemLine]]) -> SeedsSummary:
        """Sum up what the items of each seed came to.

        Raises:
            ZoomgroundError: If the seeds did not ask the same items of the same checkpoints in the same arms.
        """
        _check_same(lines)
        first = next(iter(lines.values()), ())
        places = list(dict.fromkeys((line.checkpoint, line.arm) for line in first))
        return cls(
            seeds=list(lines),
            rates=[_rates(lines, place) for place in places],
            contrasts=[one for contrast in _wanted(places) if (one := _contrast(lines, *contrast)) is not None],
        )

    def tables(self) -> list[tuple[str, Sequence[str], Sequence[Sequence[str]]]]:
        """Title, head and rows of each table."""
        head = ("seed", "checkpoint", "arm", "hit small", "hit large", "zoom small", "zoom large")
        rates = [_rate_cells(one, seed) for seed in (*self.seeds, None) for one in self.rates]
        rows = [
            [one.what, one.size, POOLED if seed is None else str(seed), _points(found), _counts(found)]
            for one in self.contrasts
            for seed, found in (*one.seeds.items(), (None, one.pooled))
        ]
        return [
            ("held-out rows, greedy decoding, by size of the target as seen, percent with 95 % intervals", head, rates),
            (
                "hit rate on the same rows, paired, points with 95 % intervals over pages",
                ("difference", "targets", "seed", "points", "rows (pages)"),
                rows,
            ),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "seeds": list(self.seeds),
            "rates": [
                {
                    "checkpoint": one.checkpoint,
                    "arm": one.arm,
                    "hit_rate": _plain(one.hits, one.pooled_hits),
                    "zoom_rate": _plain(one.zooms, one.pooled_zooms),
                }
                for one in self.rates
            ],
            "differences": [
                {"what": one.what, "size": one.size}
                | {"seeds": {str(seed): asdict(found) for seed, found in one.seeds.items()}}
                | {POOLED: asdict(one.pooled)}
                for one in self.contrasts
            ],
        }


def _check_same(lines: Mapping[int, Sequence[ItemLine]]) -> None:
    asked = {
        seed: {(one.checkpoint, one.arm, one.item, one.page, one.size) for one in its} for seed, its in lines.items()
    }
    first = next(iter(asked), 0)
    for seed, its in asked.items():
        if odd := its ^ asked[first]:
            checkpoint, arm, item, *_ = min(odd)
            raise ZoomgroundError(
                f"seeds {first} and {seed} did not ask the same items in the same way, first '{item}' of {checkpoint}, "
                f"arm {arm}; evaluate both with the same recipe and rows"
            )


def _wanted(places: Sequence[Place]) -> list[tuple[str, Place, Place, str]]:
    """The differences that answer whether training helped, and whether zooming does: name, first, second, size."""
    names = list(dict.fromkeys(checkpoint for checkpoint, _ in places))
    if not names:
        return []
    before, after = names[0], names[-1]
    with_zoom, without = (after, Arm.ON.value), (after, Arm.OFF.value)
    wanted = [(f"{after} - {before}, arm on", (before, Arm.ON.value), with_zoom, size) for size in SIZES]
    wanted.append((f"arm on - off, {after}", without, with_zoom, SMALL))
    return [one for one in wanted if one[1] != one[2] and {one[1], one[2]} <= set(places)]


def _rates(lines: Mapping[int, Sequence[ItemLine]], place: Place) -> Rates:
    hits, pooled_hits = _of_sizes(lines, place, lambda line: line.hit)
    zooms, pooled_zooms = _of_sizes(lines, place, lambda line: line.zoomed)
    return Rates(*place, hits, zooms, pooled_hits, pooled_zooms)


def _of_sizes(
    lines: Mapping[int, Sequence[ItemLine]], place: Place, of: Callable[[ItemLine], bool | None]
) -> tuple[dict[int, dict[str, Share]], dict[str, Mean]]:
    values = {size: {seed: _values(its, place, size, of) for seed, its in lines.items()} for size in SIZES}
    seeds = {seed: {size: Share.of(values[size][seed].values()) for size in SIZES} for seed in lines}
    pages = _pages(lines)
    means = {size: _item_means(values[size].values()) for size in SIZES}
    return seeds, {size: bootstrap_mean(found, pages) for size, found in means.items() if found}


def _contrast(
    lines: Mapping[int, Sequence[ItemLine]], what: str, first: Place, second: Place, size: str
) -> Contrast | None:
    """The difference; None where no item is of that size."""
    before = {seed: _values(its, first, size, lambda line: line.hit) for seed, its in lines.items()}
    after = {seed: _values(its, second, size, lambda line: line.hit) for seed, its in lines.items()}
    if not all(before.values()):
        return None
    pages = _pages(lines)
    return Contrast(
        what=what,
        size=size,
        seeds={seed: paired_difference(before[seed], after[seed], pages) for seed in lines},
        pooled=paired_difference(_item_means(before.values()), _item_means(after.values()), pages),
    )


def _values(
    lines: Sequence[ItemLine], place: Place, size: str, of: Callable[[ItemLine], bool | None]
) -> dict[str, bool]:
    chosen = [line for line in lines if (line.checkpoint, line.arm) == place and line.size == size]
    return {line.item: value for line in chosen if (value := of(line)) is not None}


def _item_means(seeds: Iterable[Mapping[str, bool]]) -> dict[str, float]:
    """The mean over the seeds, of each item that has a value in any."""
    found: dict[str, list[bool]] = {}
    for values in seeds:
        for item, value in values.items():
            found.setdefault(item, []).append(value)
    return {item: fmean(values) for item, values in found.items()}


def _pages(lines: Mapping[int, Sequence[ItemLine]]) -> dict[str, str]:
    return {line.item: line.page for its in lines.values() for line in its}


def _rate_cells(one: Rates, seed: int | None) -> list[str]:
    name = [POOLED if seed is None else str(seed), one.checkpoint, one.arm]
    if seed is None:
        means = [of.get(size) for of in (one.pooled_hits, one.pooled_zooms) for size in SIZES]
        return name + [_percent(mean.mean, mean) if mean else "-" for mean in means]
    shares = [of[seed][size] for of in (one.hits, one.zooms) for size in SIZES]
    return name + [_percent(share.value, share) if share.total else "-" for share in shares]


def _percent(value: float, interval: Share | Mean) -> str:
    return f"{100 * value:.1f} [{100 * interval.low:.0f}, {100 * interval.high:.0f}]"


def _points(found: Difference) -> str:
    return f"{100 * found.mean:+.1f} [{100 * found.low:+.1f}, {100 * found.high:+.1f}]"


def _counts(found: Difference) -> str:
    return f"{found.pairs} ({found.clusters})"


def _plain(seeds: Mapping[int, Mapping[str, Share]], pooled: Mapping[str, Mean]) -> dict[str, Any]:
    found: dict[str, Any] = {
        str(seed): {size: plain(share) for size, share in shares.items()} for seed, shares in seeds.items()
    }
    return found | {POOLED: {size: asdict(mean) for size, mean in pooled.items()}}
