"""The curriculum of a checkpoint that was built: reading, pointing, zooming; on boards or on screens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.collect.workers import all_cores
from zoomground.curriculum.loop import Course, study
from zoomground.curriculum.screens import course as screens
from zoomground.curriculum.screens.shelf import Shelf
from zoomground.errors import RecipeError
from zoomground.synth.boards.sheet import Sheet
from zoomground.train.devices import TORCH_DEVICES, devices_of
from zoomground.train.progress import tell
from zoomground.train.stages import carry_out
from zoomground.train.stages.demonstrations import closer_style, lattice_style

if TYPE_CHECKING:
    from zoomground.recipe import LoadedRecipe
    from zoomground.train.folder import RunFolder


def curriculum(loaded: LoadedRecipe, folder: RunFolder) -> None:
    """Teach the checkpoint on the first device that this process sees, or on the CPU."""
    recipe, wanted = loaded.recipe, loaded.recipe.curriculum
    if wanted.screens:
        _on_screens(loaded, folder)
        return
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


def _on_screens(loaded: LoadedRecipe, folder: RunFolder) -> None:
    recipe, wanted = loaded.recipe, loaded.recipe.curriculum
    screens.study(
        folder.checkpoint,
        folder.curriculum,
        course=screens.Course(
            steps=wanted.steps,
            seconds=wanted.seconds,
            look_share=wanted.look_share,
            rate=wanted.learning_rate,
            vision_share=wanted.vision_share,
            save_seconds=wanted.save_seconds,
            workers=min(wanted.workers, all_cores()),
            least_screens=wanted.least_screens,
            seed=recipe.run.seed,
        ),
        shelf=Shelf(tuple(loaded.locate("curriculum.screens", one) for one in wanted.screens)),
        settings=recipe.episode_settings(),
        style=closer_style(recipe),
        device=TORCH_DEVICES[devices_of(recipe).kind],
        on_progress=tell,
        start=None if wanted.start is None else loaded.locate("curriculum.start", wanted.start),
    )


if __name__ == "__main__":
    carry_out(curriculum)
