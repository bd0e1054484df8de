"""``zoomground train RECIPE``: the plan, what is wrong with it, and the run itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from zoomground.cli.output import AsJson, complain, emit, finish, note, resumable, say, table
from zoomground.cli.recipe_file import RecipeFile
from zoomground.errors import LaunchError
from zoomground.recipe import LoadedRecipe, load_recipe
from zoomground.train.display import Bar
from zoomground.train.estimate import estimate_of
from zoomground.train.pipeline import run
from zoomground.train.planning import make_plan
from zoomground.train.preflight import preflight
from zoomground.train.seeds import DOCUMENT, PICTURE, TEXT, report_seeds, seed_recipes, seeds_preflight
from zoomground.train.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def train(
    recipe: RecipeFile = None,
    *,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1, help="Run it with so many seeds, from run.seed on, each in a folder of its own; then one table."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the commands, then the problems; run nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Train, evaluate and report what a recipe says. Stopped and started again, it goes on from what is done."""
    loaded = load_recipe(recipe)
    runs = None if seeds is None else seed_recipes(loaded, seeds)
    problems = preflight(loaded) if runs is None else seeds_preflight(runs)
    if dry_run:
        _show(loaded, runs, problems, as_json=as_json)
    if dry_run or problems:
        for problem in problems if not (dry_run and as_json) else ():
            complain(problem)
        finish(problems=bool(problems))
        return
    if runs is None:
        _run_one(loaded, as_json=as_json)
    else:
        _run_seeds(loaded, runs, as_json=as_json)


def _run_one(loaded: LoadedRecipe, *, as_json: bool) -> None:
    with resumable(), Bar() as display:
        folder = run(loaded, display)
    summary = summarise(folder)
    if as_json:
        emit(summary.to_dict())
    else:
        _say_tables(summary.tables())
        say(f"\nrun folder: {folder.root}")


def _run_seeds(loaded: LoadedRecipe, runs: Mapping[int, LoadedRecipe], *, as_json: bool) -> None:
    with resumable():
        for seed, one in runs.items():
            note(f"seed {seed}: {one.recipe.run.output_dir}")
            with Bar() as display:
                run(one, display)
    report = report_seeds(loaded, runs)
    if as_json:
        emit(report.to_dict())
    else:
        _say_tables(report.tables())
        say(f"\nrun folders, {DOCUMENT}, {TEXT} and {PICTURE}: {report.root}")


def _say_tables(tables: Iterable[tuple[str, Sequence[str], Iterable[Sequence[object]]]]) -> None:
    for title, head, rows in tables:
        say(f"\n{title}")
        table(head, rows)


def _show(loaded: LoadedRecipe, runs: Mapping[int, LoadedRecipe] | None, problems: list[str], *, as_json: bool) -> None:
    """The plan, or that of each seed; where none can be made, the problems say why."""
    if runs is None:
        document, text = _planned(loaded)
    else:
        found = {seed: _planned(one) for seed, one in runs.items()}
        document = {"seeds": [{"seed": seed} | plan for seed, (plan, _) in found.items()]}
        text = "\n\n".join(f"seed {seed}\n\n{text}" for seed, (_, text) in found.items() if text)
    if as_json:
        emit(document | {"problems": problems})
    elif text:
        say(text)


def _planned(loaded: LoadedRecipe) -> tuple[dict[str, Any], str]:
    try:
        plan = make_plan(loaded)
    except LaunchError:
        return {}, ""
    estimate = estimate_of(loaded, plan.topology)
    return plan.to_dict() | {"estimate": estimate.to_dict()}, f"{plan.text()}\n\n{estimate.text()}"
