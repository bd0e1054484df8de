"""``zoomground demonstrate``: training rows become multi-turn zoom demonstrations for cold-start SFT."""

from __future__ import annotations

import time
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zoomground.cli.output import AsJson, emit, paced, resumable, say, table
from zoomground.cli.scoring import RecipeOption, recipe_in_force
from zoomground.collect.dataset import Written, write_demonstrations
from zoomground.collect.styles import STYLES
from zoomground.collect.workers import all_cores

if TYPE_CHECKING:
    from zoomground.collect.style import Style
    from zoomground.collect.tally import PlanTally
    from zoomground.recipe import Recipe


class StyleName(StrEnum):
    """The names of `STYLES`."""

    FREE = "free"
    COARSE = "coarse"
    LATTICE = "lattice"
    CLOSER = "closer"


def demonstrate(
    rows: Annotated[
        list[Path], typer.Argument(exists=True, help="Rows files, or folders that hold a rows file for each split.")
    ],
    *,
    out: Annotated[Path, typer.Option(dir_okay=False, help="The data set, NAME.jsonl; pictures go to NAME.images.")],
    count: Annotated[int | None, typer.Option(min=1, help="Demonstrations; default: one for each row.")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same files; default: the recipe's.")] = None,
    style: Annotated[
        StyleName | None,
        typer.Option(help="How they look; coarse: for checkpoints of a few million weights; lattice: for boards."),
    ] = None,
    split: Annotated[str, typer.Option(help="Of a folder, SPLIT.jsonl is read.")] = "train",
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; default: one a core.")] = None,
    absolute: Annotated[
        bool, typer.Option("--absolute", help="Write absolute paths of pictures, not ones relative to the data set.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace demonstrations that were made with other arguments.")
    ] = False,
    recipe: RecipeOption = None,
    as_json: AsJson = False,
) -> None:
    """Play scripted zoom episodes through the environment and write them in ms-swift's form.

    A stopped run goes on where it was when the same command is given again.
    """
    loaded = recipe_in_force(recipe).recipe
    begun = time.monotonic()
    with resumable(), paced("demonstrations") as pace:
        written = write_demonstrations(
            [file / f"{split}.jsonl" if file.is_dir() else file for file in rows],
            out,
            count=count,
            seed=loaded.run.seed if seed is None else seed,
            settings=loaded.episode_settings(),
            style=_style(loaded, style),
            jobs=jobs or all_cores(),
            absolute=absolute,
            overwrite=overwrite,
            on_progress=pace,
        )
    _tell(written, time.monotonic() - begun, as_json=as_json)


def _style(recipe: Recipe, name: StyleName | None) -> Style:
    """The style of that name, or of the recipe; what is legible and how often zoom is off are the recipe's."""
    style = STYLES[name.value if name is not None else recipe.sft.style]
    return replace(style, legible_px=recipe.rewards.legible_px, off=recipe.data.off_share)


def _tell(written: Written, seconds: float, *, as_json: bool) -> None:
    tally = written.tally
    if as_json:
        emit(
            {
                "file": str(written.file),
                "manifest": str(written.manifest),
                "sha256": written.sha256,
                "played": written.played,
                "seconds": round(seconds, 2),
                "pictures": written.pictures,
                "picture_bytes": written.picture_bytes,
                **tally.to_dict(),
            }
        )
        return
    head = ("plan", "episodes", "share", "crops each", "untrained turns", "legible before", "legible after")
    plans = [(plan.value, found) for plan, found in tally.plans.items()]
    table(head, (_line(name, found, tally.all.count) for name, found in [*plans, ("all", tally.all)]))
    say()
    table(("arm", "episodes"), ((arm.value, count) for arm, count in tally.arms.items()))
    say()
    say(f"declining offered in {tally.decline_offered}; refused turns: {_listed(tally.refused)}")
    if written.played:
        say(f"{written.played} played in {seconds:.1f} s, {written.played / seconds:.1f} a second")
    else:
        say("was complete; nothing was played")
    say(f"{written.file}, {written.pictures} pictures of {written.picture_bytes / 1e6:.1f} MB, {written.manifest}")


def _line(name: str, found: PlanTally, episodes: int) -> tuple[object, ...]:
    figures = found.to_dict()
    return (
        name,
        found.count,
        _percent(found.count / episodes),
        f"{figures['crops_per_episode']:.2f}",
        found.untrained,
        _percent(figures["legible_before"]),
        _percent(figures["legible_after"]),
    )


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f} %"


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"
