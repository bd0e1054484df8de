"""Scripted zoom episodes for SFT."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from zoomground.collect.dataset import write_demonstrations
from zoomground.collect.script import STYLES, Style
from zoomground.train.progress import tell
from zoomground.train.stages import carry_out

if TYPE_CHECKING:
    from zoomground.recipe import LoadedRecipe, Recipe
    from zoomground.train.folder import RunFolder


def demonstration_style(recipe: Recipe) -> Style:
    """How the recipe's demonstrations look; what counts as legible is what the rewards take for it."""
    return replace(STYLES[recipe.sft.style], legible_px=recipe.rewards.legible_px, off=recipe.data.off_share)


def demonstrations(loaded: LoadedRecipe, folder: RunFolder) -> None:
    """Write the demonstrations of the training rows."""
    recipe = loaded.recipe
    write_demonstrations(
        loaded.train_rows(),
        folder.demonstrations,
        count=recipe.sft.demonstrations,
        seed=recipe.run.seed,
        settings=recipe.episode_settings(),
        style=demonstration_style(recipe),
        on_progress=tell,
    )


if __name__ == "__main__":
    carry_out(demonstrations)
