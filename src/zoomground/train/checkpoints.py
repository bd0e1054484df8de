"""Which checkpoints a run starts from, makes, and ends with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from zoomground.recipe import LoadedRecipe, Recipe
    from zoomground.train.folder import RunFolder


def start_model(loaded: LoadedRecipe, folder: RunFolder) -> str:
    """The checkpoint that SFT or GRPO starts from: a folder, or a hub's name as it was written."""
    model = loaded.recipe.model
    if loaded.recipe.curriculum.steps:
        return str(folder.taught)
    if model.build.arch:
        return str(folder.checkpoint)
    looks_like_a_path = model.path.startswith((".", "/", "~"))
    located = loaded.locate("model.path", model.path)
    return str(located) if looks_like_a_path or located.is_dir() else model.path


def checkpoints(loaded: LoadedRecipe, folder: RunFolder) -> dict[str, str]:
    """The checkpoints of a run by name: before GRPO and after it; without SFT, the first is the start."""
    recipe = loaded.recipe
    found = {"start": start_model(loaded, folder)}
    if recipe.sft.steps:
        found = {"sft": str(whole_checkpoint(recipe, folder.sft, recipe.sft.steps))}
    if recipe.grpo.steps:
        found["grpo"] = str(whole_checkpoint(recipe, folder.grpo, recipe.grpo.steps))
    return found


def final_checkpoint(output_dir: Path, steps: int) -> Path:
    """The checkpoint that a training stage ends with; of adapters alone where the tuner is LoRA."""
    return output_dir / f"checkpoint-{steps}"


def whole_checkpoint(recipe: Recipe, output_dir: Path, steps: int) -> Path:
    """What a training stage hands on: its last checkpoint, adapters merged into the weights."""
    last = final_checkpoint(output_dir, steps)
    return last if recipe.engine.tuner == "full" else last.with_name(f"{last.name}-merged")
