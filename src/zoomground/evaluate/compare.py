"""Finished runs against each other, item by item, from what they wrote down: no model, no data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from zoomground.errors import ZoomgroundError
from zoomground.evaluate.pairs import Pair, pair
from zoomground.evaluate.summary import RESULTS_NAME
from zoomground.evaluate.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_NAMED = 3


class _Item(BaseModel):
    id: str
    asks: str
    verdicts: dict[str, Verdict]


class _Document(BaseModel):
    metric: str
    run: dict[str, Any]
    items: list[_Item]


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run.

    Attributes:
        name: Its folder's name, for tables.
        metric: Name of the set.
        asks: What each item asks, by id.
        verdicts: By arm and item.
        card: What it was made with.
    """

    name: str
    metric: str
    asks: dict[str, str]
    verdicts: dict[str, dict[str, Verdict]]
    card: dict[str, Any]

    def hits(self, arm: str) -> dict[str, bool]:
        """Whether each item was right in an arm; an error is no hit."""
        return {name: verdict is Verdict.CORRECT for name, verdict in self.verdicts[arm].items()}

    @property
    def errors(self) -> int:
        """Number of errors, all arms together."""
        return sum(one is Verdict.ERROR for verdicts in self.verdicts.values() for one in verdicts.values())


def read_run(folder: Path) -> Run:
    """A finished run from its folder.

    Raises:
        ZoomgroundError: If it holds none.
    """
    path = folder / RESULTS_NAME
    if not path.is_file():
        raise ZoomgroundError(f"{folder}: holds no {RESULTS_NAME}; name the folder of a run of zoomground eval")
    try:
        found = _Document.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise ZoomgroundError(f"{path}: is no result of zoomground eval ({where}: {first['msg']})") from error
    arms = dict.fromkeys(arm for item in found.items for arm in item.verdicts)
    if gaps := [item.id for item in found.items if item.verdicts.keys() != arms.keys()]:
        raise ZoomgroundError(f"{path}: {len(gaps)} items have no verdict in some arm, first '{gaps[0]}'; run it again")
    return Run(
        name=folder.resolve().name,
        metric=found.metric,
        asks={item.id: item.asks for item in found.items},
        verdicts={arm: {item.id: item.verdicts[arm] for item in found.items} for arm in arms},
        card=found.run,
    )


def item_differences(first: Run, second: Run) -> list[str]:
    """How the items of two runs differ, in words; nothing if they do not."""
    missing = [name for name in first.asks if name not in second.asks]
    more = [name for name in second.asks if name not in first.asks]
    changed = [name for name, asks in first.asks.items() if second.asks.get(name, asks) != asks]
    return [
        f"{len(names)} items {what}: {_named(names)}"
        for names, what in (
            (missing, f"are in {first.name} alone"),
            (more, f"are in {second.name} alone"),
            (changed, "ask something else, or for another target"),
        )
        if names
    ]


def compare(runs: Sequence[Run]) -> list[Pair]:
    """Every run against the first: in each arm that both have, or the one arm of each.

    Raises:
        ZoomgroundError: If two runs have no arm in common and more than one each.
    """
    first, found = runs[0], list[Pair]()
    for number, other in enumerate(runs[1:], start=2):
        names = (first.name, other.name if other.name != first.name else f"{other.name} ({number})")
        arms = [(arm, arm) for arm in first.verdicts if arm in other.verdicts]
        if not arms and len(first.verdicts) == len(other.verdicts) == 1:
            arms = [(next(iter(first.verdicts)), next(iter(other.verdicts)))]
        if not arms:
            told = f"{json.dumps(list(first.verdicts))} and {json.dumps(list(other.verdicts))}"
            raise ZoomgroundError(f"{names[0]} and {names[1]} have no arm in common: {told}")
        found += [
            pair(f"{names[0]} {mine}", first.hits(mine), f"{names[1]} {theirs}", other.hits(theirs))
            for mine, theirs in arms
        ]
    return found


def _named(names: list[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
