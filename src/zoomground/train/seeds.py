"""One recipe with several seeds: a run folder for each, side by side, and one table of all of them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground.data.files import write_bytes
from zoomground.evaluate.itemised import read_item_lines
from zoomground.evaluate.seeds import SeedsSummary
from zoomground.recipe import load_recipe
from zoomground.recipe.keys import variables
from zoomground.train.folder import SEED_PREFIX, RunFolder
from zoomground.train.pipeline import difference
from zoomground.train.preflight import preflight

if TYPE_CHECKING:
    from zoomground.recipe import LoadedRecipe

DOCUMENT, TEXT, PICTURE = "seeds.json", "seeds.md", "seeds.png"


def seed_recipes(loaded: LoadedRecipe, count: int, environ: Mapping[str, str] | None = None) -> dict[int, LoadedRecipe]:
    """The recipe with the seeds run.seed, run.seed + 1 ..., each with a run folder of its own in run.output_dir.

    Seed and folder are said by environment variables, so that every process of a run sees them.

    Args:
        loaded: The recipe.
        count: How many seeds.
        environ: The environment variables that it was read with; default: the process's own.
    """
    environ = os.environ if environ is None else environ
    run, found = loaded.recipe.run, {}
    for seed in range(run.seed, run.seed + count):
        name = f"{SEED_PREFIX}{seed}"
        own = {"run.seed": str(seed), "run.output_dir": str(run.output_dir / name)}
        if run.log_dir is not None:
            own["run.log_dir"] = str(run.log_dir / name)
        found[seed] = load_recipe(loaded.path, {**environ, **{variables()[key]: value for key, value in own.items()}})
    return found


def seeds_preflight(runs: Mapping[int, LoadedRecipe]) -> list[str]:
    """Every reason not to start: those of the first seed, and run folders of the others that hold another run."""
    first, *others = runs.values()
    problems = preflight(first)
    # Without its rows there is nothing to compare a run with.
    return problems or [problem for one in others for problem in difference(RunFolder.of(one), one)]


@dataclass(frozen=True, slots=True)
class SeedsReport:
    """What several seeds came to, and where it was written.

    Attributes:
        summary: Rates and differences; None where nothing was evaluated.
        folders: The run folder of each seed.
        picture: Curves by GRPO step; None where no step was trained.
        root: The folder that holds document, text and picture.
    """

    summary: SeedsSummary | None
    folders: Mapping[int, Path]
    picture: Path | None
    root: Path

    def tables(self) -> list[tuple[str, Any, Any]]:
        """Title, head and rows of each table."""
        return self.summary.tables() if self.summary else []

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; run folders relative to `root`."""
        figures = self.summary.to_dict() if self.summary else {"seeds": list(self.folders)}
        return {**figures, "runs": {str(seed): path.name for seed, path in self.folders.items()}}

    def markdown(self) -> str:
        """The tables as a page."""
        parts = [f"# Seeds {', '.join(map(str, self.folders))}\n"]
        for title, head, rows in self.tables():
            lines = [head, ["---"] * len(head), *rows]
            parts.append(f"{title}:\n\n" + "".join(f"| {' | '.join(cells)} |\n" for cells in lines))
        if self.summary:
            parts.append(
                "Pooled: what a row came to is its mean over the seeds; intervals draw whole pages, because the rows "
                "of a page are alike. Rates of one seed: Wilson intervals.\n"
            )
        if self.picture:
            parts.append(f"![reward, hit rate and zoom rate by GRPO step, one line a seed]({self.picture.name})\n")
        return "\n".join(parts)


def report_seeds(loaded: LoadedRecipe, runs: Mapping[int, LoadedRecipe]) -> SeedsReport:
    """Read what the finished runs of the seeds left, and write the table of all of them; it is the same every time.

    Args:
        loaded: The recipe.
        runs: Its seeds, as `seed_recipes` makes them.

    Raises:
        ZoomgroundError: If the seeds did not ask the same items.
    """
    # Drawing is an optional part, and this module is imported by every verb.
    from zoomground.report.curves import write_seed_curves  # noqa: PLC0415
    from zoomground.report.run import METRICS_FILE, read_steps  # noqa: PLC0415

    root = RunFolder.of(loaded).root
    folders = {seed: RunFolder.of(one) for seed, one in runs.items()}
    summary = None
    # A node that serves rollouts may not see the run folders of those that train.
    if loaded.recipe.data.heldout and any(folder.evaluation_summary.exists() for folder in folders.values()):
        summary = SeedsSummary.of({seed: read_item_lines(one.evaluated_items) for seed, one in folders.items()})
    metrics = {seed: folder.root / METRICS_FILE for seed, folder in folders.items()}
    steps = {f"seed {seed}": read_steps(path) for seed, path in metrics.items() if path.exists()}
    picture = root / PICTURE if any(steps.values()) else None
    if picture:
        write_seed_curves(steps, picture)
    report = SeedsReport(summary, {seed: folder.root for seed, folder in folders.items()}, picture, root)
    document = json.dumps(report.to_dict(), indent=1, allow_nan=False) + "\n"
    write_bytes(root / DOCUMENT, document.encode("utf-8"))
    write_bytes(root / TEXT, report.markdown().encode("utf-8"))
    return report
