"""Both checkpoints on the held-out rows, greedy, in every arm of the recipe: what ``zoomground eval rows`` does."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground import __version__
from zoomground.data.checkpoints import checkpoint_hash
from zoomground.data.files import write_bytes
from zoomground.engines.local import LocalPolicy
from zoomground.evaluate.benchmarks import benchmark
from zoomground.evaluate.benchmarks.rows import of_files
from zoomground.evaluate.itemised import item_lines, write_item_lines
from zoomground.evaluate.items import Scoring
from zoomground.evaluate.log import made_with_something_else
from zoomground.evaluate.metrics import paired_difference
from zoomground.evaluate.pages import page_of, spread
from zoomground.evaluate.pairs import pair
from zoomground.evaluate.plan import plan
from zoomground.evaluate.players import BatchPlayer
from zoomground.evaluate.run import card, run
from zoomground.evaluate.seeds import SIZES
from zoomground.evaluate.selfcheck import self_check
from zoomground.evaluate.summary import RESULTS_NAME, Summary
from zoomground.train.checkpoints import checkpoints
from zoomground.train.devices import TORCH_DEVICES, devices_of
from zoomground.train.progress import tell
from zoomground.train.stages import carry_out
from zoomground.train.takeover import take_over

if TYPE_CHECKING:
    from zoomground.evaluate.jobs import Evaluation
    from zoomground.protocol.settings import Arm
    from zoomground.recipe import LoadedRecipe
    from zoomground.train.folder import RunFolder


def evaluate(loaded: LoadedRecipe, folder: RunFolder) -> None:
    """Evaluate the checkpoints of the run; what was played before is not played again."""
    places = {name: Path(path) for name, path in checkpoints(loaded, folder).items()}
    summaries: dict[str, Summary] = {}
    for number, (name, place) in enumerate(places.items()):
        evaluation = _planned(loaded, place)
        show = partial(_tell, number, len(places), name)
        out = folder.evaluated(name)
        take_over(loaded, folder, out, card(evaluation, version=__version__))
        summaries[name] = _evaluated(evaluation, loaded, place, out, show)
    write_item_lines(
        folder.evaluated_items,
        (line for name, one in summaries.items() for line in item_lines(name, one.evaluation.items, one.arms)),
    )
    summary = {
        "results": [
            {"name": name, "arm": arm, **figures.to_dict()}
            for name, one in summaries.items()
            for arm, figures in one.arms.items()
        ],
        "differences": _differences(summaries, loaded.recipe.evaluate.arms),
    }
    write_bytes(folder.evaluation_summary, (json.dumps(summary, indent=1) + "\n").encode("utf-8"))


def _planned(loaded: LoadedRecipe, checkpoint: Path) -> Evaluation:
    recipe, rows = loaded.recipe, benchmark("rows")
    items, selection = spread(of_files(loaded.heldout_rows(), "heldout").checked(images=True), recipe.evaluate.rows)
    tokens = recipe.grpo.max_completion_length
    return plan(
        rows,
        items,
        profile_name="zoomground",
        arms=[arm.value for arm in recipe.evaluate.arms],
        settings=recipe.episode_settings(),
        model={"kind": "checkpoint", "model": checkpoint_hash(checkpoint), "max_tokens": tokens, "temperature": 0.0},
        scoring=Scoring.TRUE,
        rubric=recipe.rubric(),
        recipe_hash=recipe.hash,
        selection=selection,
    )


def _evaluated(evaluation: Evaluation, loaded: LoadedRecipe, checkpoint: Path, out: Path, show: Any) -> Summary:
    recipe, made_with = loaded.recipe, card(evaluation, version=__version__)
    if made_with_something_else(out, made_with):
        # Of a checkpoint that was trained again since; the run folder is ours.
        shutil.rmtree(out)
    self_check(evaluation, play=True)
    policy = LocalPolicy(
        checkpoint,
        batch_size=recipe.evaluate.batch_size,
        max_new_tokens=recipe.grpo.max_completion_length,
        seed=recipe.run.seed,
        device=TORCH_DEVICES[devices_of(recipe).kind],
    )
    player = BatchPlayer(policy, recipe.evaluate.batch_size)
    summary = Summary.of(evaluation, run(evaluation, player, out, version=__version__, on_progress=show))
    summary.write(out / RESULTS_NAME, made_with)
    return summary


def _tell(number: int, count: int, note: str, done: int, total: int) -> None:
    tell(number * total + done, count * total, note)


def _differences(summaries: dict[str, Summary], arms: tuple[Arm, ...]) -> list[dict[str, Any]]:
    """What changed, on the same rows: from the first checkpoint to the last, and from the last arm to the first."""
    names = list(summaries)
    pairs = [(f"{names[-1]} - {names[0]}, arm {arm}", (names[0], arm), (names[-1], arm)) for arm in arms]
    pairs += [(f"arm {arms[0]} - {arms[-1]}, {name}", (name, arms[-1]), (name, arms[0])) for name in names]
    return [_difference(what, summaries, a, b) for what, a, b in pairs if a != b]


def _difference(what: str, summaries: dict[str, Summary], a: tuple[str, Arm], b: tuple[str, Arm]) -> dict[str, Any]:
    """On all rows, and on those of each size class; intervals over pages."""
    first, second = (summaries[name].arms[arm] for name, arm in (a, b))
    pages = {item.id: page_of(item) for item in summaries[a[0]].evaluation.items.items}
    found = pair(", ".join(a), first.hits, ", ".join(b), second.hits, pages)
    sized = {}
    for size in SIZES:
        hits, others = (
            {name: hit for name, hit in one.hits.items() if first.classes.get(name) == size} for one in (first, second)
        )
        if hits:
            difference = paired_difference(hits, others, pages)
            sized[size] = {"hit_rate": str(difference), **asdict(difference)}
    return {"what": what, "hit_rate": str(found.difference), **found.to_dict(), "by_size": sized}


if __name__ == "__main__":
    carry_out(evaluate)
