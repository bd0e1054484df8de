"""Scripted zoom episodes for SFT."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from zoomground.collect.closer import Closer
from zoomground.collect.dataset import write_demonstrations
from zoomground.collect.lattice import Lattice
from zoomground.collect.styles import STYLES
from zoomground.collect.workers import all_cores
from zoomground.errors import RecipeError
from zoomground.train.progress import tell
from zoomground.train.stages import carry_out

if TYPE_CHECKING:
    from zoomground.collect.style import Style
    from zoomground.recipe import LoadedRecipe, Recipe
    from zoomground.train.folder import RunFolder


def demonstration_style(recipe: Recipe) -> Style:
    """How the recipe's demonstrations look: legible is what the rewards take for it, offers are the recipe's."""
    style = STYLES[recipe.sft.style]
    offer = style.offer_decline if recipe.episode.allow_decline else None
    return replace(style, legible_px=recipe.rewards.legible_px, off=recipe.data.off_share, offer_decline=offer)


def lattice_style(recipe: Recipe) -> Lattice:
    """How the recipe's curriculum demonstrates.

    Raises:
        RecipeError: If its demonstrations are of another style; the preflight says so earlier.
    """
    style = demonstration_style(recipe)
    if not isinstance(style, Lattice):
        raise RecipeError(f"a curriculum demonstrates on a grid, sft.style is '{recipe.sft.style}'; set it to lattice")
    return style


def closer_style(recipe: Recipe) -> Closer:
    """How the recipe's curriculum on screens demonstrates.

    Raises:
        RecipeError: If its demonstrations are of another style; the preflight says so earlier.
    """
    style = demonstration_style(recipe)
    if not isinstance(style, Closer):
        raise RecipeError(
            f"a curriculum on screens demonstrates in the style closer, sft.style is '{recipe.sft.style}'"
        )
    return style


def demonstrations(loaded: LoadedRecipe, folder: RunFolder) -> None:
    """Write the demonstrations of the training rows."""
    recipe = loaded.recipe
    write_demonstrations(
        loaded.train_rows(),
        folder.sft_rows,
        count=recipe.sft.demonstrations,
        seed=recipe.run.seed,
        settings=recipe.episode_settings(),
        style=demonstration_style(recipe),
        jobs=all_cores(),
        # ms-swift reads relative paths from its own working folder.
        absolute=True,
        overwrite=True,
        on_progress=tell,
    )


if __name__ == "__main__":
    carry_out(demonstrations)
