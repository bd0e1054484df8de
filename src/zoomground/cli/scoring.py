"""Which rewards are in force: the options that several verbs share, and saved records scored again."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from pydantic import TypeAdapter, ValidationError

from zoomground.data.trajectories import SavedRecord
from zoomground.errors import RecipeError
from zoomground.recipe import LoadedRecipe, load_recipe
from zoomground.rewards import DEFAULT_WEIGHTS, REWARDS, Quality, RewardSettings, Rubric, group_advantages, hit
from zoomground.rewards.reasoning import Reasoning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zoomground.data.trajectories import RecordLine
    from zoomground.judge import Opinion
    from zoomground.rewards.advantages import ScaleRewards

RecipeOption = Annotated[
    Path | None, typer.Option("--recipe", exists=True, dir_okay=False, help="Recipe whose rewards are in force.")
]
WeightsOption = Annotated[
    str | None,
    typer.Option("--weights", help="'name=weight ...', or the numbers of the five default rewards in their order."),
]
QualityOption = Annotated[Quality | None, typer.Option("--quality", help="How a crop is judged.")]

REWARD_TOLERANCE = 1e-6
"""Largest difference between a recorded and a recomputed reward."""

ADVANTAGE_TOLERANCE = 2e-3
"""The trainer computes advantages in 32-bit floats and divides by small deviations."""


def recipe_in_force(recipe: Path | None, weights: str | None = None, quality: Quality | None = None) -> LoadedRecipe:
    """The recipe that options, environment, file and defaults make, in this order of precedence.

    Raises:
        RecipeError: If the recipe or a variable is wrong.
    """
    environ = dict(os.environ)
    if weights is not None:
        environ["ZOOMIN_REWARDS_WEIGHTS"] = " ".join(f"{name}={value}" for name, value in _weights(weights).items())
    if quality is not None:
        environ["ZOOMIN_CROP_QUALITY"] = quality.value
    return load_recipe(recipe, environ)


def _weights(text: str) -> dict[str, float]:
    words = text.replace(",", " ").split()
    if not words:
        raise _wrong("no weight is given")
    names = [word.partition("=")[0] if "=" in word else None for word in words]
    if not any(names):
        if len(words) != len(DEFAULT_WEIGHTS):
            raise _wrong(f"{len(words)} numbers, but there are {len(DEFAULT_WEIGHTS)} default rewards")
        return {name: _float(word) for name, word in zip(DEFAULT_WEIGHTS, words, strict=True)}
    for name, word in zip(names, words, strict=True):
        if name not in REWARDS:
            raise _wrong(f"'{word}' is not name=weight with a name of: {', '.join(REWARDS)}")
    if len(set(names)) < len(names):
        raise _wrong("a reward is given twice")
    return {cast("str", name): _float(word.partition("=")[2]) for name, word in zip(names, words, strict=True)}


def _float(text: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise _wrong(f"'{text}' is not a number") from error
    if not math.isfinite(value):
        raise _wrong(f"'{text}' is not a finite number")
    return value


def _wrong(problem: str) -> typer.BadParameter:
    return typer.BadParameter(problem, param_hint="--weights")


_SETTINGS = TypeAdapter(RewardSettings)


@dataclass(frozen=True, slots=True)
class Difference:
    """A recorded value that does not come out again."""

    file: str
    line: int
    uuid: str
    name: str
    recorded: float | None
    recomputed: float | None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.name}: recorded {self.recorded}, recomputed {self.recomputed}"


@dataclass(slots=True)
class Scored:
    """One record scored again.

    Attributes:
        file: Its file.
        line: Its line.
        record: What was saved, without the conversation, so that a log of any length fits into memory.
        rewards: Value of each reward.
        total: Weighted sum.
        advantage: Against its group; None where the group is not whole.
    """

    file: str
    line: int
    record: SavedRecord
    rewards: Mapping[str, float | None]
    total: float
    advantage: float | None = None

    def row(self) -> dict[str, Any]:
        """As JSON shows it."""
        record = self.record
        return {
            "file": self.file,
            "line": self.line,
            "uuid": record.uuid,
            "step": record.step,
            "prompt_group": record.prompt_group,
            "generation": record.generation,
            "rewards": dict(self.rewards),
            "total": self.total,
            "advantage": self.advantage,
        }

    def differences(self) -> Iterator[Difference]:
        """Recorded values that do not come out again; what was not recorded cannot differ."""
        for name, value in self.rewards.items():
            if name in self.record.rewards and not _close(self.record.rewards[name], value, REWARD_TOLERANCE):
                yield self._difference(name, self.record.rewards[name], value)
        if self.record.total is not None and not _close(self.record.total, self.total, REWARD_TOLERANCE):
            yield self._difference("total", self.record.total, self.total)
        recorded = self.record.advantage
        if None not in (recorded, self.advantage) and not _close(recorded, self.advantage, ADVANTAGE_TOLERANCE):
            yield self._difference("advantage", recorded, self.advantage)

    def _difference(self, name: str, recorded: float | None, recomputed: float | None) -> Difference:
        return Difference(self.file, self.line, self.record.uuid, name, recorded, recomputed)


def score_line(line: RecordLine, rubric: Rubric | None, opinion: Opinion | None = None) -> Scored:
    """Score a record by a rubric, or by the weights and settings that it was saved with.

    Args:
        line: The record.
        rubric: None: the record's own.
        opinion: Of a judge that was asked again; without one a recorded verdict is taken as it is where it is a
            possible one.
    """
    record = line.record
    rubric = rubric or recorded_rubric(record)
    breakdown = rubric.score(record.trajectory)
    values = dict(breakdown.values)
    if opinion is not None:
        values[Reasoning.name] = opinion.reward(record.trajectory, rubric.settings)
    elif Reasoning.name in values and _is_verdict(record, rubric.settings):
        values[Reasoning.name] = record.rewards[Reasoning.name]
    # Somebody's own reward is not known here: its recorded value stands.
    values |= {name: value for name, value in record.rewards.items() if name not in REWARDS}
    weights = {**record.weights, **rubric.weights}
    total = sum(weights.get(name, 0.0) * value for name, value in values.items() if value is not None)
    silent = replace(record.trajectory, opening=(), turns=())
    light = replace(record, trajectory=silent, messages=[], turn_credit=[], turns_out=[])
    return Scored(str(line.file), line.line, light, values, total)


def recorded_rubric(record: SavedRecord) -> Rubric:
    """The rubric that a record says was in force; where it says nothing, the shipped one."""
    weights = dict.fromkeys((name for name in record.rewards if name in REWARDS), 0.0)
    weights |= {name: weight for name, weight in (record.weights or DEFAULT_WEIGHTS).items() if name in REWARDS}
    try:
        settings = _SETTINGS.validate_python(record.reward_settings)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise RecipeError(f"record {record.uuid}: reward_settings: {first['loc']}: {first['msg']}") from error
    return Rubric(weights, settings)


def _is_verdict(record: SavedRecord, settings: RewardSettings) -> bool:
    recorded = record.rewards.get(Reasoning.name)
    if recorded is None or recorded == settings.neutral_score:
        return False
    return 0 <= recorded <= 1 if hit(record.trajectory) else recorded == 0


def add_advantages(scored: Sequence[Scored], scale_rewards: ScaleRewards | None = None) -> int:
    """Fill in the advantages, group by group.

    Args:
        scored: All records of a log.
        scale_rewards: What to divide by; None: what each record says, ``group`` where it says nothing.

    Returns:
        Number of records whose group (or batch) is not whole, as after a stop; they get no advantage.
    """
    steps: dict[int | None, dict[int, dict[int, Scored]]] = defaultdict(lambda: defaultdict(dict))
    for one in scored:
        if one.record.prompt_group is not None and one.record.generation is not None:
            # A step that was done again after a stop: the last record counts.
            steps[one.record.step][one.record.prompt_group][one.record.generation] = one
    size = max((len(group) for groups in steps.values() for group in groups.values()), default=0)
    left_out = 0
    for groups in steps.values():
        whole = [[group[number] for number in sorted(group)] for group in groups.values() if len(group) == size]
        cut = sum(len(group) for group in groups.values() if len(group) < size)
        left_out += cut
        _advantages_of_step(whole, scale_rewards, size, whole_step=not cut)
    return left_out


def _advantages_of_step(
    groups: Sequence[Sequence[Scored]], scale_rewards: ScaleRewards | None, size: int, *, whole_step: bool
) -> None:
    episodes = [one for group in groups for one in group]
    if not episodes or size < 2:
        return
    scale = scale_rewards or cast("ScaleRewards", episodes[0].record.scale_rewards or "group")
    if scale == "batch" and not whole_step:
        return
    totals = [total for group in groups for total in _totals(group)]
    for one, advantage in zip(episodes, group_advantages(totals, scale, group_size=size), strict=True):
        one.advantage = advantage


def _totals(group: Sequence[Scored]) -> list[float]:
    """Totals of a group as the trainer compares them: a failed episode stands at the mean of the others."""
    kept = [one.total for one in group if not one.record.trajectory.failed]
    baseline = fmean(kept) if kept else 0.0
    return [baseline if one.record.trajectory.failed else one.total for one in group]


def _close(recorded: float | None, recomputed: float | None, tolerance: float) -> bool:
    if recorded is None or recomputed is None:
        return recorded is recomputed
    return abs(recorded - recomputed) <= tolerance


def means(scored: Iterable[Scored]) -> dict[str, float | None]:
    """Mean of each reward over the records to which it applies, and of the total."""
    values: dict[str, list[float]] = defaultdict(list)
    for one in scored:
        for name, value in one.rewards.items():
            values[name] += [] if value is None else [value]
        values["total"].append(one.total)
    return {name: fmean(found) if found else None for name, found in values.items()}
