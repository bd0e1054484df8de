"""The tiny checkpoint of a run that needs no download."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.collect.dataset import corpus
from zoomground.curriculum import words
from zoomground.curriculum.screens import words as screen_words
from zoomground.engines.tiny import build_checkpoint
from zoomground.engines.tiny_shape import SHAPES
from zoomground.errors import RecipeError
from zoomground.train.progress import tell
from zoomground.train.stages import carry_out
from zoomground.train.stages.demonstrations import closer_style, demonstration_style, lattice_style

if TYPE_CHECKING:
    from zoomground.recipe import LoadedRecipe
    from zoomground.train.folder import RunFolder

CORPUS_EPISODES = 400
"""Episodes whose texts the tokenizer is trained on: enough that every sentence of the protocol returns."""


def checkpoint(loaded: LoadedRecipe, folder: RunFolder) -> None:
    """Build the checkpoint that the recipe describes."""
    recipe = loaded.recipe
    if not recipe.model.build.arch:
        raise RecipeError("model.build.arch is empty: there is no checkpoint to build")
    texts, phrases = _words(loaded)
    tell(1, 2, "tokenizer")
    card = build_checkpoint(
        folder.checkpoint,
        arch=recipe.model.build.arch,
        limits=recipe.pixel_limits,
        seed=recipe.run.seed,
        corpus=texts,
        phrases=phrases,
        shape=SHAPES[recipe.model.build.size],
    )
    tell(2, 2, f"{card.parameters / 1e6:.2f} M parameters")


def _words(loaded: LoadedRecipe) -> tuple[list[str], list[str]]:
    """What the tokenizer is trained on, and what becomes single tokens beside."""
    recipe = loaded.recipe
    settings, style = recipe.episode_settings(), demonstration_style(recipe)
    if recipe.curriculum.steps and recipe.curriculum.screens:
        return screen_words.corpus(settings, closer_style(recipe)), screen_words.phrases()
    if recipe.curriculum.steps:
        return words.corpus(settings, lattice_style(recipe)), words.phrases()
    texts = corpus(loaded.train_rows(), count=CORPUS_EPISODES, seed=recipe.run.seed, settings=settings, style=style)
    return texts, style.sentences()


if __name__ == "__main__":
    carry_out(checkpoint)
