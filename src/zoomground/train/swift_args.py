"""A recipe as arguments of ms-swift 4.6.0. What is written here and why was learnt from that version's source.

Every argument that two stages share is made in one place, so that SFT and GRPO cannot differ in template, length or
pixel limits.
"""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from zoomground.errors import LaunchError
from zoomground.train.batches import Step, step_of
from zoomground.train.deepspeed import UNSHARDED, Sharding, deepspeed_config
from zoomground.train.topology import Mode

if TYPE_CHECKING:
    from zoomground.recipe import Recipe
    from zoomground.train.topology import Server, Topology

SCHEDULER = "zoomin_grounding_scheduler"

SERVER_MEMORY_SHARE = 0.85
"""Share of a device's memory that a rollout server takes, unless the recipe says another."""

COLOCATED_MEMORY_SHARE = 0.35
"""The same where the trainer lives on the device, too."""


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


@dataclass(frozen=True, slots=True)
class Training:
    """What a training stage works on.

    Attributes:
        model: Checkpoint that it starts from.
        dataset: Its rows.
        output_dir: ms-swift's output folder.
        resume: Checkpoint of an earlier start that it goes on from.
        world_size: Training processes on all nodes.
        sharding: What DeepSpeed spreads over them.
    """

    model: str
    dataset: Path
    output_dir: Path
    resume: Path | None = None
    world_size: int = 1
    sharding: Sharding = UNSHARDED


def sft_arguments(recipe: Recipe, training: Training) -> list[str]:
    """Arguments of `swift sft`."""
    sft = recipe.sft
    own = {
        "learning_rate": sft.learning_rate,
        "lr_scheduler_type": "cosine",
        "warmup_ratio": sft.warmup_ratio,
        "max_steps": sft.steps,
        "dataloader_num_workers": recipe.engine.data_workers,
        "per_device_train_batch_size": sft.micro_batch_size,
        "gradient_accumulation_steps": max(1, sft.batch_size // (sft.micro_batch_size * training.world_size)),
        "save_steps": sft.save_steps,
    }
    return _words(_common(recipe, training) | own)


def grpo_arguments(recipe: Recipe, training: Training, topology: Topology) -> list[str]:
    """Arguments of `swift rlhf`."""
    grpo = recipe.grpo
    # A step that does not spread is a problem of the preflight; the plan shows the recipe's own numbers.
    step = step_of(grpo, training.world_size) or Step(grpo.prompts_per_step, grpo.micro_batch_size, 1)
    own = {
        "rlhf_type": "grpo",
        # Its batches are rows of text: images are prepared with the rollouts. Twelve idle workers take a minute to end.
        "dataloader_num_workers": 0,
        **_generation(recipe, topology),
        **_played(recipe),
        "reward_funcs": list(recipe.rewards.weights),
        "reward_weights": list(recipe.rewards.weights.values()),
        "num_generations": grpo.num_generations,
        "per_device_train_batch_size": step.micro_batch_size,
        "gradient_accumulation_steps": step.passes,
        "max_completion_length": grpo.max_completion_length,
        "temperature": grpo.temperature,
        "top_p": grpo.top_p,
        "top_k": 0,
        "beta": grpo.beta,
        "epsilon": grpo.epsilon,
        "epsilon_high": grpo.epsilon_high,
        "loss_type": grpo.loss_type,
        "scale_rewards": grpo.scale_rewards,
        **_remedies(recipe),
        "learning_rate": grpo.learning_rate,
        "lr_scheduler_type": "constant",
        "max_steps": grpo.steps,
        "save_steps": grpo.save_steps,
    }
    return _words(_common(recipe, training) | own)


def _remedies(recipe: Recipe) -> dict[str, object]:
    """What is done about rollouts that teach nothing, where ms-swift must know it."""
    grpo = recipe.grpo
    told: dict[str, object] = {"overlong_filter": True} if grpo.overlong_filter else {}
    if grpo.dynamic_sample:
        told |= {"dynamic_sample": True, "max_resample_times": grpo.max_resample_times}
    return told


def rollout_arguments(recipe: Recipe, model: str, server: Server, bind: str) -> list[str]:
    """Arguments of `swift rollout`, which refuses some that the trainer takes (`check_model`).

    Args:
        recipe: A validated recipe.
        model: Checkpoint that the server starts from.
        server: Which server.
        bind: Address that it listens on.
    """
    arguments = {
        "model": model,
        "external_plugins": plugin_file(),
        "torch_dtype": recipe.engine.dtype,
        "max_length": recipe.model.max_length,
        "seed": recipe.run.seed,
        "host": bind,
        "port": server.port,
        "vllm_use_async_engine": True,
        "vllm_data_parallel_size": recipe.rollouts.data_parallel,
        **_played(recipe),
        **_vllm(recipe, SERVER_MEMORY_SHARE),
    }
    return _words(arguments | _family(recipe, model))


def merge_arguments(adapters: Path, whole: Path) -> list[str]:
    """Arguments of `swift export` that write adapters and base weights as one checkpoint."""
    return _words({"adapters": adapters, "merge_lora": True, "output_dir": whole})


def _played(recipe: Recipe) -> dict[str, object]:
    """What trainer and server must both be told."""
    return {"multi_turn_scheduler": SCHEDULER, "max_turns": recipe.episode.max_turns}


def _generation(recipe: Recipe, topology: Topology) -> dict[str, object]:
    """What generates the rollouts, as the trainer is told."""
    if topology.mode is Mode.TRANSFORMERS:
        return {"use_vllm": False}
    grpo = recipe.grpo
    told: dict[str, object] = {"use_vllm": True, "vllm_mode": topology.mode}
    if grpo.importance_sampling != "none":
        told |= {
            "rollout_importance_sampling_mode": grpo.importance_sampling,
            "rollout_importance_sampling_threshold": grpo.importance_threshold,
        }
    # The difference of both sides' log-probs is logged with the correction and without it.
    told["log_rollout_offpolicy_metrics"] = True
    if recipe.engine.move_model_batches:
        told["move_model_batches"] = recipe.engine.move_model_batches
    if topology.mode is Mode.COLOCATE:
        sleeping = {"sleep_level": 1} if recipe.rollouts.sleep else {}
        return told | _vllm(recipe, COLOCATED_MEMORY_SHARE) | sleeping
    servers = topology.servers
    return told | {
        "vllm_server_host": [server.host for server in servers],
        "vllm_server_port": [server.port for server in servers],
        "vllm_server_group_port": [server.group_port for server in servers],
        # The scheduler on the server reads the task from the row's columns.
        "vllm_server_pass_dataset": True,
    }


def _vllm(recipe: Recipe, share: float) -> dict[str, object]:
    """VLLM's engine, the same in a server and in the trainer."""
    rollouts = recipe.rollouts
    kwargs = dict(rollouts.engine_kwargs)
    if rollouts.max_num_batched_tokens:
        kwargs["max_num_batched_tokens"] = rollouts.max_num_batched_tokens
    # One image for each prompt is vLLM's default: the first crop would be refused.
    images = 1 + recipe.episode.max_tool_calls
    return {
        "vllm_tensor_parallel_size": rollouts.tensor_parallel,
        "vllm_gpu_memory_utilization": rollouts.memory_share or share,
        "vllm_max_model_len": recipe.model.max_length,
        "vllm_max_num_seqs": rollouts.max_sequences,
        "vllm_limit_mm_per_prompt": json.dumps({"image": images, "video": 0}),
        # A cache of processed images hands out the wrong one (vLLM, ms-swift #5858, #7307, #9863).
        "vllm_mm_processor_cache_gb": 0,
        "vllm_enforce_eager": rollouts.enforce_eager,
        **({"vllm_engine_kwargs": json.dumps(kwargs, sort_keys=True)} if kwargs else {}),
    }


def trained_as(checkpoint: Path) -> dict[str, str]:
    """Model type and template that a checkpoint of ms-swift was trained with; empty for any other checkpoint.

    ms-swift's trainer does not look there, and two model types match some architectures, so it must be told.
    """
    try:
        known = json.loads((checkpoint / "args.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: known[name] for name in ("model_type", "template") if isinstance(known.get(name), str)}


def _family(recipe: Recipe, model: str) -> dict[str, object]:
    """Model type and template, where somebody knows them."""
    known = trained_as(Path(model))
    told = {
        "model_type": recipe.model.model_type or known.get("model_type"),
        "template": recipe.model.template or known.get("template"),
    }
    return {name: value for name, value in told.items() if value}


def _tuner(recipe: Recipe) -> dict[str, object]:
    engine = recipe.engine
    if engine.tuner == "full":
        return {"tuner_type": "full"}
    return {
        "tuner_type": "lora",
        "lora_rank": engine.lora_rank,
        "lora_alpha": engine.lora_alpha,
        "target_modules": "all-linear",
    }


def _common(recipe: Recipe, training: Training) -> dict[str, object]:
    deepspeed = deepspeed_config(training.sharding)
    arguments: dict[str, object] = {
        "model": training.model,
        # A check of the model asks a hub and waits for it.
        "check_model": False,
        "external_plugins": plugin_file(),
        "dataset": training.dataset,
        "load_from_cache_file": False,
        "split_dataset_ratio": 0,
        "dataset_num_proc": 1,
        "max_length": recipe.model.max_length,
        **_tuner(recipe),
        "freeze_vit": recipe.model.freeze_vision,
        "freeze_aligner": recipe.model.freeze_vision,
        "torch_dtype": recipe.engine.dtype,
        "bf16": recipe.engine.dtype == "bfloat16",
        "fp16": False,
        "attn_impl": recipe.engine.attention,
        "gradient_checkpointing": recipe.engine.gradient_checkpointing,
        "report_to": recipe.run.report_to,
        "eval_strategy": "no",
        "logging_steps": 1,
        "save_strategy": "steps",
        "save_total_limit": 2,
        "seed": recipe.run.seed,
        "data_seed": recipe.run.seed,
        "output_dir": training.output_dir,
        # One folder, so that a stopped run is found again.
        "add_version": False,
    }
    optional = {
        "deepspeed": json.dumps(deepspeed, sort_keys=True) if deepspeed else None,
        "resume_from_checkpoint": training.resume,
    }
    return arguments | _family(recipe, training.model) | {name: value for name, value in optional.items() if value}


def _words(arguments: dict[str, object]) -> list[str]:
    words: list[str] = []
    for name, value in arguments.items():
        values = value if isinstance(value, list) else [value]
        words += [f"--{name}", *(str(item).lower() if isinstance(item, bool) else str(item) for item in values)]
    return words
