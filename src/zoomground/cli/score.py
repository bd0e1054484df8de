"""``zoomground score LOG``: rewards and advantages of saved trajectories, computed again and compared."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from zoomground.cli.judging import judge_in_force, judged
from zoomground.cli.output import AsJson, complain, emit, finish, say, table
from zoomground.cli.scoring import (
    Difference,
    QualityOption,
    RecipeOption,
    Scored,
    WeightsOption,
    add_advantages,
    means,
    recipe_in_force,
    score_line,
)
from zoomground.data.trajectories import read_records
from zoomground.report.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zoomground.errors import RowError
    from zoomground.rewards.advantages import ScaleRewards

_SHOWN = 20


class Scale(StrEnum):
    """What advantages are divided by."""

    GROUP = "group"
    BATCH = "batch"
    NONE = "none"


def score(
    log: Annotated[Path, typer.Argument(exists=True, help="A JSONL file of saved trajectories, or a run folder.")],
    *,
    recipe: RecipeOption = None,
    weights: WeightsOption = None,
    quality: QualityOption = None,
    scale_rewards: Annotated[Scale | None, typer.Option(help="Default: what each record says.")] = None,
    ask_judge: Annotated[
        bool, typer.Option("--judge", help="Ask the judge of the recipe or the environment about every hit.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compute rewards and advantages of a log again.

    Without options each record is scored by the weights and settings that it was saved with, and every recorded value
    that does not come out again is a problem (exit code 1). With --recipe, --weights, --quality or --judge the log is
    scored by those, and the recorded values are left alone. An episode without a target is counted and not scored.
    """
    other_rules = ask_judge or any(option is not None for option in (recipe, weights, quality, scale_rewards))
    rubric = None
    if any(option is not None for option in (recipe, weights, quality)):
        rubric = recipe_in_force(recipe, weights, quality).recipe.rubric()
    judge = judge_in_force(recipe) if ask_judge else None
    errors: list[RowError] = []
    scored: list[Scored] = []
    without_target = 0
    for line, opinion in judged(read_records(log, on_error=errors.append), judge):
        if line.record.trajectory.task.target is None:
            without_target += 1
        else:
            scored.append(score_line(line, rubric, opinion))
    verdicts = None if judge is None else judge.take().figures()
    left_out = add_advantages(scored, cast("ScaleRewards | None", scale_rewards and scale_rewards.value))
    differences = [] if other_rules else [found for one in scored for found in one.differences()]
    for error in errors:
        complain(error)
    if as_json:
        emit(
            {
                "records": len(scored),
                "without_target": without_target,
                "unreadable": [str(error) for error in errors],
                "in_cut_groups": left_out,
                "compared": not other_rules,
                "differences": [asdict(found) for found in differences],
                "means": means(scored),
                "judge": verdicts,
                "rows": [one.row() for one in scored],
            }
        )
    else:
        _show(scored, differences, left_out, without_target, compared=not other_rules)
        if verdicts is not None:
            table(("judge", "value"), verdicts.items())
    finish(problems=bool(errors or differences or not (scored or without_target)))


def _show(
    scored: list[Scored], differences: list[Difference], left_out: int, without_target: int, *, compared: bool
) -> None:
    if without_target:
        say(f"{counted(without_target, 'record')}: no target, not scored")
    if not scored:
        if not without_target:
            complain("no record could be read")
        return
    table(("reward", "mean"), means(scored).items())
    for words in _summary(scored, differences, left_out, compared=compared):
        say(words)
    for found in differences[:_SHOWN]:
        complain(found)
    if len(differences) > _SHOWN:
        complain(f"and {len(differences) - _SHOWN} more; --json prints all")


def _summary(scored: list[Scored], differences: list[Difference], left_out: int, *, compared: bool) -> Iterator[str]:
    yield f"{len(scored)} records"
    if left_out:
        yield f"{left_out} records stand in groups that are not whole and got no advantage"
    if not compared:
        yield "scored by other rules than the recorded ones; not compared"
    elif differences:
        yield f"{len(differences)} recorded values do not come out again"
    else:
        yield "every recorded value comes out again"
