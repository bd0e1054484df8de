"""What would go wrong, found before anything starts: every problem at once, each with what to do about it."""

from __future__ import annotations

import json
import logging
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from zoomground.data.rows import check_rows
from zoomground.errors import ZoomgroundError
from zoomground.judge.check import judge_problems
from zoomground.rewards.reasoning import Reasoning
from zoomground.train.checkpoints import start_model
from zoomground.train.context import context_of
from zoomground.train.curriculum_check import curriculum_problems
from zoomground.train.estimate import estimate_of, screenshot_sizes
from zoomground.train.folder import RunFolder
from zoomground.train.hardware import hardware_problems
from zoomground.train.pipeline import difference
from zoomground.train.versions import version_problems

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.recipe import LoadedRecipe, Recipe

SHOWN_ERRORS = 5
"""Errors of one rows file that are shown; `zoomground validate` shows all."""

BYTES_A_WEIGHT = {"float32": 4, "bfloat16": 2}
TINY_CHECKPOINT_BYTES = 20_000_000
_logger = logging.getLogger(__name__)

KEPT_CHECKPOINTS = 3
"""Two that are kept and the one that is being written."""


def preflight(loaded: LoadedRecipe, environ: Mapping[str, str] | None = None) -> list[str]:
    """Every reason not to start this recipe on this machine; an empty list if there is none.

    Args:
        loaded: A validated recipe.
        environ: The launcher's environment variables; default: the process's own.
    """
    folder = RunFolder.of(loaded)
    rows = _rows_problems(loaded)
    context = [] if rows else _context_problems(loaded)
    return [
        *hardware_problems(loaded, os.environ if environ is None else environ),
        *version_problems("train"),
        *version_problems("report"),
        *(version_problems("tensorboard") if loaded.recipe.run.report_to == "tensorboard" else []),
        *_recipe_problems(loaded.recipe),
        # A curriculum takes one kind of checkpoint alone, and says so itself.
        *(curriculum_problems(loaded) if loaded.recipe.curriculum.steps else _model_problems(loaded, folder)),
        *rows,
        *context,
        # Without its rows there is nothing to compare a run with.
        *([] if rows else [*difference(folder, loaded), *_resample_problems(loaded)]),
        *_disk_problems(loaded, folder),
        *_judge_problems(loaded),
        *estimate_of(loaded).problems,
    ]


def _recipe_problems(recipe: Recipe) -> list[str]:
    problems = []
    trains_on_rows = bool(recipe.sft.steps or recipe.grpo.steps)
    if not trains_on_rows and not recipe.curriculum.steps:
        problems.append("sft.steps and grpo.steps are both 0: there is nothing to train")
    if not recipe.data.train and (trains_on_rows or not recipe.curriculum.steps):
        problems.append("data.train names no rows (DATASETS)")
    return problems


def _resample_problems(loaded: LoadedRecipe) -> list[str]:
    """Dynamic sampling looks for a whole batch of prompts, for ever if the data set does not hold one."""
    grpo = loaded.recipe.grpo
    if not grpo.dynamic_sample or not grpo.steps:
        return []
    rows = sum(_lines(file) for file in loaded.train_rows())
    if rows >= grpo.prompts_per_step:
        return []
    return [
        f"grpo.dynamic_sample draws batches of {grpo.prompts_per_step} prompts (grpo.prompts_per_step), data.train has "
        f"{rows} rows; add rows, or set it to false"
    ]


def _lines(file: Path) -> int:
    with file.open("rb") as stream:
        return sum(bool(line.strip()) for line in stream)


def _context_problems(loaded: LoadedRecipe) -> list[str]:
    recipe = loaded.recipe
    needed = context_of(recipe, screenshot_sizes(loaded)).total
    given = recipe.model.max_length
    if needed <= given:
        return []
    return [
        f"context budget: the largest screenshot, {recipe.episode.max_tool_calls} crops of episode.crop_max_pixels, "
        f"the texts and one turn need {needed} tokens, model.max_length is {given}; "
        "lower MAX_PIXELS, ZOOMIN_CROP_MAX_PIXELS or grpo.max_completion_length, or raise MAX_LENGTH"
    ]


def _model_problems(loaded: LoadedRecipe, folder: RunFolder) -> list[str]:
    model = loaded.recipe.model
    if model.build.arch:
        return ["model.path (MODEL_PATH) and model.build.arch are both set: choose one"] if model.path else []
    if not model.path:
        return ["no checkpoint: set model.path (MODEL_PATH) or model.build.arch"]
    path = Path(start_model(loaded, folder))
    if not path.is_absolute():
        return []
    if not (path / "config.json").is_file():
        return [f"model.path (MODEL_PATH) {path}: no checkpoint there (config.json is missing)"]
    factor = _processor_factor(path)
    if factor not in {None, loaded.recipe.image.factor}:
        return [f"image.factor is {loaded.recipe.image.factor}, the processor of {path} has {factor}; set image.factor"]
    return []


def _processor_factor(checkpoint: Path) -> int | None:
    """Patch size times merge size of a checkpoint; None if its files do not say."""
    for name in ("preprocessor_config.json", "processor_config.json"):
        try:
            config = json.loads((checkpoint / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        config = config.get("image_processor", config)
        if "patch_size" in config and "merge_size" in config:
            return int(config["patch_size"]) * int(config["merge_size"])
    return None


def _rows_problems(loaded: LoadedRecipe) -> list[str]:
    return [problem for file in loaded.train_rows() + loaded.heldout_rows() for problem in _file_problems(file)]


def _file_problems(file: Path) -> list[str]:
    try:
        report = check_rows(file)
    except ZoomgroundError as error:
        return [str(error)]
    problems = [str(error) for error in report.errors[:SHOWN_ERRORS]]
    if len(report.errors) > SHOWN_ERRORS:
        problems.append(f"{file}: {len(report.errors)} errors in all; see zoomground validate {file}")
    if not report.rows and not problems:
        problems.append(f"{file}: holds no rows")
    return problems


def _judge_problems(loaded: LoadedRecipe) -> list[str]:
    """A judge is asked once: of one that gives no verdict now, every sample would get the neutral score."""
    recipe, settings = loaded.recipe, loaded.judge()
    only_serves = recipe.cluster.nodes > 1 and recipe.cluster.node_rank < recipe.cluster.rollout_nodes
    if settings is None or only_serves or not recipe.grpo.steps or Reasoning.name not in recipe.rewards.weights:
        return []
    try:
        found = judge_problems(settings)
    except ZoomgroundError as error:
        return [str(error)]
    problems = [f"judge (ZOOMIN_COT_RM_API_BASE) {base_url}: {problem}" for base_url, problem in found.items()]
    if len(problems) == len(settings.endpoints):
        return problems
    for problem in problems:
        _logger.warning("%s; the other endpoints are asked in its place", problem)
    return []


def _disk_problems(loaded: LoadedRecipe, folder: RunFolder) -> list[str]:
    """Weights in the recipe's format, and two float32 moments of the optimiser, for every checkpoint that is kept."""
    weights = _weights_bytes(loaded, folder)
    moments = 2 * 4 * weights // BYTES_A_WEIGHT[loaded.recipe.engine.dtype]
    stages = bool(loaded.recipe.sft.steps) + bool(loaded.recipe.grpo.steps)
    needed = stages * KEPT_CHECKPOINTS * (weights + moments)
    existing = next(path for path in (folder.root, *folder.root.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    if needed <= free:
        return []
    return [f"disk: checkpoints need about {needed / 1e9:.1f} GB, {existing} has {free / 1e9:.1f} GB free"]


def _weights_bytes(loaded: LoadedRecipe, folder: RunFolder) -> int:
    if loaded.recipe.model.build.arch:
        return TINY_CHECKPOINT_BYTES
    return sum(file.stat().st_size for file in Path(start_model(loaded, folder)).glob("*.safetensors"))
