"""The dataset file of GRPO."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.engines.swift.dataset import write_dataset
from zoomground.train.progress import tell
from zoomground.train.stages import carry_out

if TYPE_CHECKING:
    from zoomground.recipe import LoadedRecipe
    from zoomground.train.folder import RunFolder


def prompts(loaded: LoadedRecipe, folder: RunFolder) -> None:
    """Write the training rows in ms-swift's form."""
    recipe = loaded.recipe
    written = write_dataset(
        loaded.train_rows(),
        folder.prompts,
        settings=recipe.episode_settings(),
        off_share=recipe.data.off_share,
    )
    tell(written.rows, written.rows, f"{written.off} without zoom")


if __name__ == "__main__":
    carry_out(prompts)
