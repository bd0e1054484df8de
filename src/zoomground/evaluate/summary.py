"""A finished run as a document and as tables: the arms side by side on the same items."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from zoomground.data.files import write_bytes
from zoomground.evaluate.figures import LARGE, SMALL, Figures, figures
from zoomground.evaluate.jobs import Evaluation, digest
from zoomground.evaluate.pairs import PAIR_COLUMNS, Pair, pair_rows, pairs
from zoomground.evaluate.run import words
from zoomground.evaluate.verdicts import Verdict
from zoomground.protocol.settings import PROTOCOL_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from zoomground.evaluate.items import Item
    from zoomground.evaluate.log import Result
    from zoomground.evaluate.metrics import Share

RESULTS_NAME = "results.json"

_REFUSALS = {
    "without": "hits without the refusals",
    "declined": "refusals declined",
    "false": "targets declined (false refusals)",
}
"""What tables call the figures of `Refusals`."""


@dataclass(frozen=True, slots=True)
class Table:
    """A title, a head and rows of cells."""

    title: str
    head: tuple[str, ...]
    rows: list[list[str]]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run came to.

    Attributes:
        evaluation: The run.
        arms: Figures of each arm.
        pairs: The arms against each other.
        sized: The same by size of the target: does zooming help where the target is small, and harm elsewhere?
        prompts: The exact words of one item of each arm.
    """

    evaluation: Evaluation
    arms: Mapping[str, Figures]
    pairs: list[Pair]
    sized: Mapping[str, list[Pair]]
    prompts: Mapping[str, Any]

    @classmethod
    def of(cls, evaluation: Evaluation, results: Mapping[tuple[str, str], Result]) -> Summary:
        """Sum up the results of a run."""
        arms = {arm: figures(evaluation, arm, results) for arm in evaluation.settings}
        return cls(
            evaluation,
            arms,
            pairs({arm: one.hits for arm, one in arms.items()}),
            by_size(arms),
            {arm: words(evaluation, results, arm) for arm in arms},
        )

    @property
    def errors(self) -> int:
        """Number of results that are errors, all arms together."""
        return sum(one.scores.counts[Verdict.ERROR] for one in self.arms.values())

    @property
    def error_share(self) -> float:
        """Share of errors in the arm that has most."""
        return max(one.scores.counts[Verdict.ERROR] / one.scores.total for one in self.arms.values())

    def to_dict(self, card: Mapping[str, Any]) -> dict[str, Any]:
        """The document ``results.json``: the card, the figures, and a verdict for every item."""
        return {
            "run": dict(card),
            "metric": self.evaluation.items.name,
            "prompts": dict(self.prompts),
            "arms": {arm: one.to_dict() for arm, one in self.arms.items()},
            "pairs": [one.to_dict() for one in self.pairs],
            "pairs_by_size": {size: [one.to_dict() for one in found] for size, found in self.sized.items()},
            "items": [
                {"id": item.id, "asks": fingerprint(item)}
                | {"verdicts": {arm: one.verdicts[item.id].value for arm, one in self.arms.items()}}
                for item in self.evaluation.items.items
            ],
        }

    def write(self, file: Path, card: Mapping[str, Any], **further: Any) -> dict[str, Any]:
        """Write the document ``results.json``; ``further`` are sections beside the figures. Gives what was written."""
        document = self.to_dict(card) | further
        text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        write_bytes(file, text.encode("utf-8"))
        return document

    def tables(self) -> Iterator[Table]:
        """All tables, the headline first."""
        yield self._scores()
        if self.pairs:
            yield Table("on the same items, paired", PAIR_COLUMNS, pair_rows(self.pairs))
            rows = [[size, *row] for size, found in self.sized.items() for row in pair_rows(found)]
            yield Table("paired, by size of the target as seen", ("size", *PAIR_COLUMNS), rows)
        yield self._counts("verdicts", "verdict", lambda one: {v.value: n for v, n in one.scores.counts.items()})
        if any(one.scores.refusals for one in self.arms.values()):
            yield self._shares("refusals", "of", _refusals)
        for axis in next(iter(self.arms.values())).scores.cells:
            yield self._shares(f"by {axis}", axis, partial(_cells, axis))
        yield self._shares("by size of the target as seen", "size", lambda one: one.sizes["legible"])
        yield self._shares("by the target's share of the screen", "share", lambda one: one.sizes["area"])
        yield self._cost()
        yield self._counts("turns by how they were written", "dialect", lambda one: one.dialects)
        yield self._counts("bad turns by reason", "reason", lambda one: one.malformed)
        yield self._counts("ends", "stop reason", lambda one: one.stop_reasons)
        yield self._counts("troubles", "trouble", lambda one: one.troubles)
        yield self._made_with()

    def _made_with(self) -> Table:
        """What must stand beside a figure that is quoted: which data, asked in which words, read by what."""
        evaluation = self.evaluation
        items, modes = evaluation.items, {one.parser_mode.value for one in evaluation.settings.values()}
        rows = [
            ["data", f"{items.name}, revision {items.revision}, {items.layout} layout"],
            ["profile", f"{evaluation.profile.name}, convention {evaluation.profile.convention.name}"],
            ["parser", f"protocol {PROTOCOL_VERSION}, {', '.join(sorted(modes))}"],
            ["targets", evaluation.scoring.value],
            ["recipe", evaluation.recipe_hash or "-"],
            ["model", str(evaluation.model.get("model", "-"))],
        ]
        rows += [[f"prompt, arm {arm}", one["sha256"]] for arm, one in self.prompts.items() if one]
        return Table("made with", ("", ""), rows)

    def _scores(self) -> Table:
        name = self.evaluation.items.name
        first = next(iter(self.arms.values())).scores
        rows = [
            [f"{name} {average}", *(f"{100 * one.scores.averages[average]:.2f}" for one in self.arms.values())]
            for average in first.averages
        ]
        rows.append([f"{name} hits", *(_percent(one.scores.overall) for one in self.arms.values())])
        rows.append(["of what could be read", *(_percent(one.scores.parsed_only) for one in self.arms.values())])
        return Table(f"{name}, {first.total} items, percent", ("", *self.arms), rows)

    def _cost(self) -> Table:
        names = {
            "crops": "crops",
            "turns": "turns",
            "corrections": "corrections",
            "image_tokens": "image tokens",
            "prompt_tokens": "tokens read",
            "completion_tokens": "tokens written",
            "seconds": "seconds",
        }
        costs = {arm: one.cost for arm, one in self.arms.items()}
        rows = [[label, *(_number(getattr(cost, name)) for cost in costs.values())] for name, label in names.items()]
        rows.append(["reward", *(_number(one.reward) for one in self.arms.values())])
        rows.append(["zoomed, %", *(_percent(one.zoomed) for one in self.arms.values())])
        rows.append(["turns in canonical form, %", *(_percent(one.canonical) for one in self.arms.values())])
        rows.append(["would hit in crop coordinates", *(str(one.crop_frame) for one in self.arms.values())])
        return Table("an item, in the mean", ("", *self.arms), rows)

    def _shares(self, title: str, axis: str, of: Callable[[Figures], Mapping[str, Share]]) -> Table:
        found = {arm: of(one) for arm, one in self.arms.items()}
        names = dict.fromkeys(name for cells in found.values() for name in cells)
        rows = [
            [name, str(_total(found, name)), *(_percent(cells.get(name)) for cells in found.values())] for name in names
        ]
        return Table(title, (axis, "items", *self.arms), rows)

    def _counts(self, title: str, axis: str, of: Callable[[Figures], Mapping[str, int]]) -> Table:
        found = {arm: of(one) for arm, one in self.arms.items()}
        names = dict.fromkeys(name for counts in found.values() for name in counts)
        rows = [[name, *(str(counts.get(name, 0)) for counts in found.values())] for name in names]
        return Table(title, (axis, *self.arms), rows)


def fingerprint(item: Item) -> str:
    """Hash of what an item asks and of what is right: equal for equal items."""
    task = item.task
    return digest([task.instruction, task.image, repr(task.size), repr(task.target)])[:16]


def by_size(arms: Mapping[str, Figures]) -> dict[str, list[Pair]]:
    """The pairs of each class of size; an item is of the class in which an arm that asked it saw it."""
    classes: dict[str, str] = {}
    for one in arms.values():
        classes = {**one.classes, **classes}
    members = {size: {name for name, its in classes.items() if its == size} for size in (SMALL, LARGE)}
    return {
        size: pairs({arm: {name: hit for name, hit in one.hits.items() if name in ids} for arm, one in arms.items()})
        for size, ids in members.items()
        if ids
    }


def _refusals(one: Figures) -> Mapping[str, Share]:
    found = one.scores.refusals
    return {} if found is None else {_REFUSALS[name]: share for name, share in found.shares.items()}


def _cells(axis: str, one: Figures) -> Mapping[str, Share]:
    return one.scores.cells[axis]


def _total(found: Mapping[str, Mapping[str, Share]], name: str) -> int:
    return max(cells[name].total for cells in found.values() if name in cells)


def _percent(share: Share | None) -> str:
    if share is None or not share.total:
        return "-"
    return f"{100 * share.value:.2f} [{100 * share.low:.1f}, {100 * share.high:.1f}]"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
