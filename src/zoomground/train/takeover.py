"""What seeds of one recipe share is played once: a start checkpoint's evaluation is taken over from another seed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from zoomground.data.files import write_bytes
from zoomground.evaluate.log import CARD_NAME, LOG_NAME, made_with_something_else
from zoomground.evaluate.summary import RESULTS_NAME
from zoomground.train.pipeline import identity_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from zoomground.recipe import LoadedRecipe
    from zoomground.train.folder import RunFolder

_RECIPE = "recipe"
"""In a card: the recipe's hash, which the seed is part of."""


def take_over(loaded: LoadedRecipe, folder: RunFolder, out: Path, card: Mapping[str, Any]) -> Path | None:
    """Copy the finished results of another seed's evaluation that was made with the same things; none is no fault.

    The same are recipe and rows but for the seed (decoding is greedy), the checkpoint's hash, rules and arms. Each line
    keeps the hash of the recipe that played it.

    Args:
        loaded: The recipe.
        folder: Its run folder.
        out: Folder of the evaluation; what was begun there stays.
        card: What the evaluation is made with.

    Returns:
        The folder that they come from.
    """
    if (out / LOG_NAME).exists():
        return None
    mine = _without_seed(identity_of(loaded))
    for other in folder.siblings:
        if not other.identity.exists() or _without_seed(json.loads(other.identity.read_bytes())) != mine:
            continue
        for source in sorted(path.parent for path in other.evaluation.glob(f"*/{RESULTS_NAME}")):
            if _is_same(source, card):
                # Results without a card are refused later on, a card without results is not.
                write_bytes(out / CARD_NAME, (json.dumps(card, indent=2, ensure_ascii=False) + "\n").encode("utf-8"))
                write_bytes(out / LOG_NAME, (source / LOG_NAME).read_bytes())
                return source
    return None


def _is_same(source: Path, card: Mapping[str, Any]) -> bool:
    theirs = json.loads((source / CARD_NAME).read_bytes())
    return not made_with_something_else(source, {**card, _RECIPE: theirs.get(_RECIPE)})


def _without_seed(identity: dict[str, Any]) -> dict[str, Any]:
    recipe = identity["recipe"]
    run = {name: value for name, value in recipe["run"].items() if name != "seed"}
    return {**identity, "recipe": {**recipe, "run": run}}
