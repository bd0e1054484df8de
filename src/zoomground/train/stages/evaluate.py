"""Both checkpoints on the held-out rows, greedy, in every arm of the recipe."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from zoomground.data.files import write_bytes
from zoomground.data.rows import read_data_set
from zoomground.engines.local import LocalPolicy
from zoomground.evaluate import evaluate_rows, paired_difference
from zoomground.evaluate.runner import hits_of
from zoomground.train.plan import checkpoints
from zoomground.train.progress import tell
from zoomground.train.stages import carry_out

if TYPE_CHECKING:
    from zoomground.evaluate import Results
    from zoomground.protocol.settings import Arm
    from zoomground.recipe import LoadedRecipe
    from zoomground.train.folder import RunFolder


def evaluate(loaded: LoadedRecipe, folder: RunFolder) -> None:
    """Evaluate the checkpoints of the run; what was played before is not played again."""
    recipe = loaded.recipe
    rows = list(read_data_set(loaded.heldout_rows()))
    names = checkpoints(loaded, folder)
    total = len(names) * len(recipe.evaluate.arms) * len(rows)
    results: list[Results] = []
    for name, path in names.items():
        policy = LocalPolicy(
            Path(path),
            batch_size=recipe.evaluate.batch_size,
            max_new_tokens=recipe.grpo.max_completion_length,
            seed=recipe.run.seed,
        )
        for arm in recipe.evaluate.arms:
            before = len(results) * len(rows)
            results.append(
                evaluate_rows(
                    rows,
                    policy,
                    name=name,
                    settings=recipe.episode_settings(arm),
                    rubric=recipe.rubric(),
                    out=folder.evaluated(name, arm.value),
                    batch_size=recipe.evaluate.batch_size,
                    recipe_hash=recipe.hash,
                    on_progress=partial(_tell, before, total, f"{name}, arm {arm}"),
                )
            )
    summary = {
        "results": [one.to_dict() for one in results],
        "differences": _differences(folder, list(names), recipe.evaluate.arms),
    }
    write_bytes(folder.evaluation_summary, (json.dumps(summary, indent=1) + "\n").encode("utf-8"))


def _tell(before: int, total: int, note: str, done: int, _: int) -> None:
    tell(before + done, total, note)


def _differences(folder: RunFolder, names: list[str], arms: tuple[Arm, ...]) -> list[dict[str, str]]:
    """What changed, on the same rows: from the first checkpoint to the last, and from the last arm to the first."""
    pairs = [(f"{names[-1]} - {names[0]}, arm {arm}", (names[0], arm), (names[-1], arm)) for arm in arms]
    pairs += [(f"arm {arms[0]} - {arms[-1]}, {name}", (name, arms[-1]), (name, arms[0])) for name in names]
    return [
        {
            "what": what,
            "hit_rate": str(paired_difference(hits_of(folder.evaluated(*a)), hits_of(folder.evaluated(*b)))),
        }
        for what, a, b in pairs
        if a != b
    ]


if __name__ == "__main__":
    carry_out(evaluate)
