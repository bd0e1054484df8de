"""Two evaluations of the same items, item by item: the difference, its interval, and who gained and who lost."""

from __future__ import annotations

import itertools
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from zoomground.errors import ZoomgroundError
from zoomground.evaluate.metrics import Difference, McNemar, mcnemar, paired_difference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Pair:
    """How much better the second was than the first.

    Attributes:
        first: Name of the one.
        second: Name of the other.
        difference: Of the hit rates, second minus first, with a bootstrap interval.
        mcnemar: The 2x2 of hits: gained, lost, both, neither; and the exact test.
    """

    first: str
    second: str
    difference: Difference
    mcnemar: McNemar

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "difference": asdict(self.difference),
            "mcnemar": asdict(self.mcnemar),
        }


def pair(
    first: str,
    hits: Mapping[str, bool],
    second: str,
    others: Mapping[str, bool],
    clusters: Mapping[str, str] | None = None,
) -> Pair:
    """Compare two evaluations.

    Args:
        first: Name of the one.
        hits: Whether it got each item right, by id; an error is no hit.
        second: Name of the other.
        others: The same of it.
        clusters: The group of each item (the page it is on), drawn whole; None: each item by itself.

    Raises:
        ZoomgroundError: If they did not ask the same items.
    """
    if hits.keys() != others.keys():
        raise ZoomgroundError(f"{first} and {second} did not ask the same items, so there are no pairs")
    return Pair(first, second, paired_difference(hits, others, clusters), mcnemar(hits, others))


def pairs(hits: Mapping[str, Mapping[str, bool]]) -> list[Pair]:
    """Every later one against every earlier one, but with ``off`` always first: the question is what zooming adds."""
    names = sorted(hits, key=lambda name: name != "off")
    return [pair(a, hits[a], b, hits[b]) for a, b in itertools.combinations(names, 2)]


PAIR_COLUMNS = ("pair", "difference", "95 %", "gained", "lost", "both", "neither", "McNemar p")


def pair_rows(found: Sequence[Pair]) -> list[list[str]]:
    """Cells in the order of `PAIR_COLUMNS`."""
    return [
        [
            f"{one.second} - {one.first}",
            f"{100 * one.difference.mean:+.2f}",
            f"[{100 * one.difference.low:+.2f}, {100 * one.difference.high:+.2f}]",
            *(str(count) for count in (one.mcnemar.gained, one.mcnemar.lost, one.mcnemar.both, one.mcnemar.neither)),
            f"{one.mcnemar.p_value:.4f}",
        ]
        for one in found
    ]
