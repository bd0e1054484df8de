"""``zoomground train RECIPE``: the plan, what is wrong with it, and the run itself."""

from __future__ import annotations

from typing import Annotated

import typer

from zoomground.cli.output import AsJson, complain, emit, finish, resumable, say, table
from zoomground.cli.recipe_file import RecipeFile
from zoomground.errors import LaunchError
from zoomground.recipe import LoadedRecipe, load_recipe
from zoomground.train.display import Bar
from zoomground.train.estimate import estimate_of
from zoomground.train.pipeline import run
from zoomground.train.planning import make_plan
from zoomground.train.preflight import preflight
from zoomground.train.summary import summarise


def train(
    recipe: RecipeFile = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the commands, then the problems; run nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Train, evaluate and report what a recipe says. Stopped and started again, it goes on from what is done."""
    loaded = load_recipe(recipe)
    problems = preflight(loaded)
    if dry_run:
        _show(loaded, problems, as_json=as_json)
    if dry_run or problems:
        for problem in problems if not (dry_run and as_json) else ():
            complain(problem)
        finish(problems=bool(problems))
        return
    with resumable(), Bar() as display:
        folder = run(loaded, display)
    summary = summarise(folder)
    if as_json:
        emit(summary.to_dict())
    else:
        for title, head, rows in summary.tables():
            say(f"\n{title}")
            table(head, rows)
        say(f"\nrun folder: {folder.root}")


def _show(loaded: LoadedRecipe, problems: list[str], *, as_json: bool) -> None:
    """The plan; where none can be made, the problems say why."""
    try:
        plan = make_plan(loaded)
    except LaunchError:
        plan = None
    estimate = estimate_of(loaded, plan.topology if plan else None)
    if as_json:
        emit((plan.to_dict() | {"estimate": estimate.to_dict()} if plan else {}) | {"problems": problems})
    elif plan:
        say(f"{plan.text()}\n\n{estimate.text()}")
