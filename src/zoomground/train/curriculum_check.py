"""What a recipe with a curriculum must say for it to work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.collect.lattice import WINDOWS
from zoomground.geometry import NORM_FRAME, Region
from zoomground.synth.boards.board import SIZE

if TYPE_CHECKING:
    from zoomground.recipe import LoadedRecipe, Recipe

ARCH = "qwen3_vl"


def curriculum_problems(loaded: LoadedRecipe) -> list[str]:
    """Why the curriculum of a recipe that has one cannot run; an empty list if it can."""
    recipe, problems = loaded.recipe, []
    if recipe.model.path or recipe.model.build.arch != ARCH:
        problems.append(
            f"a curriculum teaches a checkpoint that is built, of the architecture {ARCH}: set model.build.arch to "
            f"'{ARCH}' and leave model.path (MODEL_PATH) out, or set curriculum.steps to 0"
        )
    if recipe.curriculum.screens:
        return [*problems, *_screens_problems(loaded)]
    if recipe.sft.style != "lattice":
        problems.append(f"a curriculum demonstrates on a grid, sft.style is '{recipe.sft.style}'; set it to 'lattice'")
    return [*problems, *_size_problems(recipe), *_sheet_problems(loaded)]


def _screens_problems(loaded: LoadedRecipe) -> list[str]:
    recipe, problems = loaded.recipe, []
    if recipe.sft.style != "closer":
        problems.append(
            f"a curriculum on screens demonstrates in whole numbers, sft.style is '{recipe.sft.style}'; set it to "
            "'closer'"
        )
    for one in recipe.curriculum.screens:
        path = loaded.locate("curriculum.screens", one)
        if not path.parent.is_dir():
            problems.append(f"curriculum.screens {path}: {path.parent} is no folder, so that no screens can come there")
    start = recipe.curriculum.start
    if start is not None and not (path := loaded.locate("curriculum.start", start) / "heads.pt").is_file():
        problems.append(f"curriculum.start: {path} is missing; name the folder curriculum/now of a run on screens")
    return problems


def _size_problems(recipe: Recipe) -> list[str]:
    """A batch holds whole boards and windows side by side: they must be shown at one size."""
    settings = recipe.episode_settings()
    window = Region.whole(SIZE).subregion(WINDOWS[0], NORM_FRAME).size
    whole = settings.limits.view_size(SIZE)
    crop = settings.limits.shown_size(window, settings.crop_upscale_factor, settings.crop_max_pixels)
    if whole == crop:
        return []
    return [
        f"a curriculum needs crops that are shown as large as a board, {whole.width}x{whole.height} px; with these "
        f"settings they are {crop.width}x{crop.height}: set episode.crop_max_pixels to image.max_pixels "
        f"({recipe.image.max_pixels}), and episode.crop_upscale_factor to 4"
    ]


def _sheet_problems(loaded: LoadedRecipe) -> list[str]:
    sheet = loaded.recipe.curriculum.sheet
    if sheet is None:
        return ["curriculum.sheet names no picture: set it to the parts.png of data_samples/boards"]
    path = loaded.locate("curriculum.sheet", sheet)
    return [] if path.is_file() else [f"curriculum.sheet {path}: no such file; scripts/render_boards.py renders it"]
