"""The curriculum of a checkpoint that was built: reading icons, pointing at them, zooming."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.collect.workers import all_cores
from zoomground.curriculum.loop import Course, study
from zoomground.errors import RecipeError
from zoomground.synth.boards.sheet import Sheet
from zoomground.train.devices import TORCH_DEVICES, devices_of
from zoomground.train.progress import tell
from zoomground.train.stages import carry_out
from zoomground.train.stages.demonstrations import lattice_style

if TYPE_CHECKING:
    from zoomground.recipe import LoadedRecipe
    from zoomground.train.folder import RunFolder


def curriculum(loaded: LoadedRecipe, folder: RunFolder) -> None:
    """Teach the checkpoint on the first device that this process sees, or on the CPU."""
    recipe, wanted = loaded.recipe, loaded.recipe.curriculum
    if wanted.sheet is None:
        raise RecipeError("curriculum.sheet names no picture of the parts of boards")
    course = Course(
        look_steps=wanted.look_steps,
        steps=wanted.steps,
        boards=wanted.boards,
        lessons=wanted.lessons,
        listings=wanted.listings,
        rate=wanted.learning_rate,
        vision_share=wanted.vision_share,
        save_steps=wanted.save_steps,
        workers=min(wanted.workers, all_cores()),
        seed=recipe.run.seed,
    )
    study(
        folder.checkpoint,
        folder.curriculum,
        course=course,
        settings=recipe.episode_settings(),
        style=lattice_style(recipe),
        sheet=Sheet(loaded.locate("curriculum.sheet", wanted.sheet)),
        device=TORCH_DEVICES[devices_of(recipe).kind],
        on_progress=tell,
    )


if __name__ == "__main__":
    carry_out(curriculum)
