"""A recipe as arguments of ms-swift 4.6.0. What is written here and why was learnt from that version's source.

Every argument that two stages share is made in one place, so that SFT and GRPO cannot differ in template, length or
pixel limits.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING

from zoomground.errors import LaunchError

if TYPE_CHECKING:
    from zoomground.recipe import Recipe

SCHEDULER = "zoomin_grounding_scheduler"


def plugin_file() -> Path:
    """The file for ``--external_plugins``.

    Raises:
        LaunchError: If the package is installed without it.
    """
    spec = importlib.util.find_spec("zoomground.engines.swift")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if not folders:
        raise LaunchError("the package zoomground.engines.swift is missing; install zoomground again")
    return Path(folders[0]) / "plugin.py"


def sft_arguments(recipe: Recipe, *, model: str, dataset: Path, output_dir: Path, resume: Path | None) -> list[str]:
    """Arguments of `swift sft`."""
    sft = recipe.sft
    own = {
        "learning_rate": sft.learning_rate,
        "lr_scheduler_type": "cosine",
        "warmup_ratio": sft.warmup_ratio,
        "max_steps": sft.steps,
        "per_device_train_batch_size": sft.micro_batch_size,
        "gradient_accumulation_steps": sft.batch_size // sft.micro_batch_size,
        "save_steps": sft.save_steps,
    }
    return _words(_common(recipe, model, dataset, output_dir, resume) | own)


def grpo_arguments(recipe: Recipe, *, model: str, dataset: Path, output_dir: Path, resume: Path | None) -> list[str]:
    """Arguments of `swift rlhf`."""
    grpo = recipe.grpo
    own = {
        "rlhf_type": "grpo",
        "use_vllm": False,
        "multi_turn_scheduler": SCHEDULER,
        "max_turns": recipe.episode.max_turns,
        "reward_funcs": list(recipe.rewards.weights),
        "reward_weights": list(recipe.rewards.weights.values()),
        "num_generations": grpo.num_generations,
        "per_device_train_batch_size": grpo.micro_batch_size,
        "gradient_accumulation_steps": grpo.prompts_per_step * grpo.num_generations // grpo.micro_batch_size,
        "max_completion_length": grpo.max_completion_length,
        "temperature": grpo.temperature,
        "top_p": 1.0,
        "top_k": 0,
        "beta": grpo.beta,
        "epsilon": grpo.epsilon,
        "epsilon_high": grpo.epsilon_high,
        "loss_type": grpo.loss_type,
        "scale_rewards": grpo.scale_rewards,
        "learning_rate": grpo.learning_rate,
        "lr_scheduler_type": "constant",
        "max_steps": grpo.steps,
        "save_steps": grpo.save_steps,
    }
    return _words(_common(recipe, model, dataset, output_dir, resume) | own)


def trained_as(checkpoint: Path) -> dict[str, str]:
    """Model type and template that a checkpoint of ms-swift was trained with; empty for any other checkpoint.

    ms-swift's trainer does not look there, and two model types match some architectures, so it must be told.
    """
    try:
        known = json.loads((checkpoint / "args.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: known[name] for name in ("model_type", "template") if isinstance(known.get(name), str)}


def _common(recipe: Recipe, model: str, dataset: Path, output_dir: Path, resume: Path | None) -> dict[str, object]:
    arguments: dict[str, object] = {
        "model": model,
        # A check of the model asks a hub and waits for it.
        "check_model": False,
        "external_plugins": plugin_file(),
        "dataset": dataset,
        "load_from_cache_file": False,
        "split_dataset_ratio": 0,
        "dataset_num_proc": 1,
        "dataloader_num_workers": 0,
        "max_length": recipe.model.max_length,
        "tuner_type": "full",
        "freeze_vit": recipe.model.freeze_vision,
        "freeze_aligner": recipe.model.freeze_vision,
        "torch_dtype": recipe.engine.dtype,
        "bf16": recipe.engine.dtype == "bfloat16",
        "fp16": False,
        "attn_impl": "sdpa",
        "gradient_checkpointing": recipe.engine.gradient_checkpointing,
        "report_to": "none",
        "eval_strategy": "no",
        "logging_steps": 1,
        "save_strategy": "steps",
        "save_total_limit": 2,
        "seed": recipe.run.seed,
        "data_seed": recipe.run.seed,
        "output_dir": output_dir,
        # One folder, so that a stopped run is found again.
        "add_version": False,
    }
    known = trained_as(Path(model))
    optional = {
        "model_type": recipe.model.model_type or known.get("model_type"),
        "template": recipe.model.template or known.get("template"),
        "resume_from_checkpoint": resume,
    }
    return arguments | {name: value for name, value in optional.items() if value}


def _words(arguments: dict[str, object]) -> list[str]:
    words: list[str] = []
    for name, value in arguments.items():
        values = value if isinstance(value, list) else [value]
        words += [f"--{name}", *(str(item).lower() if isinstance(item, bool) else str(item) for item in values)]
    return words
