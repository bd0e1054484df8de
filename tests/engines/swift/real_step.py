"""One step of the real trainer: what the policy says is scripted, what the trainer gets is watched."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tiny_checkpoint import LIMITS, checkpoint, crop

REWARDS = {
    "zoomin_accuracy": 1.0,
    "zoomin_crop_process_gated": 0.3,
    "zoomin_format": 0.5,
    "zoomin_zoom_bonus": 1.0,
    "zoomin_cot_rm": 0.3,
}
HIT, MISS = "[500.00,500.00]", "[1.00,1.00]"
GENERATIONS = 4
BROKEN = "this turn breaks the environment"


def wide(name: str) -> str:
    """A window that holds the target's surroundings whole; `crop` cuts them."""
    return f'<action>crop_image(image_path="{name}", x1=350.00, y1=350.00, x2=650.00, y2=650.00)</action>'


SCRIPTS: list[list[str]] = [
    ["CROP", HIT],
    [MISS],
    ["what?", "CROP", MISS],
    [BROKEN],
]
"""What the generations of each prompt say; the ids stay those that the model sampled."""


THOUGHT = "the red item is small, a closer look"
UNEQUAL: list[list[str]] = [
    [MISS],
    ["THINK CROP", HIT],
    ["THINK CROP", "what?", "CROP", "what?", "CROP", HIT],
    [HIT],
]
"""One turn beside six with three crops; their words are really what was sampled, token by token."""


@dataclass
class Seen:
    """What the trainer had in hand, and what the engine was shown before each turn."""

    samples: list[Any] = field(default_factory=list)
    shown: list[list[int]] = field(default_factory=list)
    expected_tokens: dict[str, int] = field(default_factory=dict)
    batches: list[dict[str, Any]] = field(default_factory=list)


def script_the_policy(
    monkeypatch: pytest.MonkeyPatch, seen: Seen, words: list[list[str]], *, opened: str | None = None
) -> None:
    """Put scripted words in place of the sampled ones, before the scheduler reads them.

    Args:
        monkeypatch: Of the test.
        seen: Gets what the scheduler expects.
        words: What each generation of a prompt says.
        opened: What the template puts in front of a reply; the ids then are those of the words. None: the ids stay
            those that the model sampled.
    """
    from zoomground.engines.swift.scheduler import ZoominGroundingScheduler
    from zoomground.environment import GroundingEnv

    start, turn_end, step = (
        ZoominGroundingScheduler.on_trajectory_start,
        ZoominGroundingScheduler.on_turn_end,
        GroundingEnv.step,
    )
    scripts: dict[str, list[str]] = {}

    async def started(self: Any, requests: list[Any]) -> None:
        await start(self, requests)
        for number, request in enumerate(requests):
            scripts[request.uuid] = list(words[number % GENERATIONS])

    async def ended(self: Any, infer_request: Any, response_choice: Any, current_turn: int) -> dict[str, Any]:
        name = self._sessions[infer_request.uuid].trajectory().image_name
        said = scripts[infer_request.uuid][current_turn - 1].replace("CROP", crop(name)).replace("WIDE", wide(name))
        if opened is not None:
            thought = THOUGHT if "THINK" in said else ""
            said = f"<think>\n{thought}\n</think>\n\n" + said.replace("THINK ", "")
            ids = self.tokenizer.encode(said.removeprefix(opened), add_special_tokens=False)
            response_choice.token_ids = [*ids, self.tokenizer.eos_token_id]
        response_choice.message.content = said
        response_choice.finish_reason = "stop"
        result = await turn_end(self, infer_request, response_choice, current_turn)
        if not result["done"]:
            session = self._sessions[infer_request.uuid]
            seen.expected_tokens[infer_request.uuid] = session.text_tokens + session.image_tokens
        return result

    def stepped(self: GroundingEnv, text: str, **kwargs: Any) -> Any:
        if text == BROKEN:
            raise RuntimeError("scripted")
        return step(self, text, **kwargs)

    monkeypatch.setattr(ZoominGroundingScheduler, "on_trajectory_start", started)
    monkeypatch.setattr(ZoominGroundingScheduler, "on_turn_end", ended)
    monkeypatch.setattr(GroundingEnv, "step", stepped)


def watch_the_trainer(monkeypatch: pytest.MonkeyPatch, seen: Seen) -> None:
    from zoomground.engines.swift.trainer import ZoomgroundGRPOTrainer

    prepare: Callable[..., list[dict[str, Any]]] = ZoomgroundGRPOTrainer._prepare_batch_inputs

    def prepared(self: Any, samples: list[Any]) -> list[dict[str, Any]]:
        batches = prepare(self, samples)
        seen.samples += samples
        seen.batches += batches
        return batches

    monkeypatch.setattr(ZoomgroundGRPOTrainer, "_prepare_batch_inputs", prepared)


def watch_the_engine(monkeypatch: pytest.MonkeyPatch, seen: Seen) -> None:
    from swift.template import Template

    generate = Template.generate

    def generated(self: Any, model: Any, *args: Any, **kwargs: Any) -> Any:
        for ids, mask in zip(kwargs["input_ids"], kwargs["attention_mask"], strict=True):
            seen.shown.append(ids[mask.bool()].tolist())
        return generate(self, model, *args, **kwargs)

    monkeypatch.setattr(Template, "generate", generated)


def arguments(model: Path, arch: str, dataset: Path, out: Path) -> list[str]:
    from zoomground.engines.swift import plugin

    words: dict[str, Any] = {
        "rlhf_type": "grpo",
        "model": model,
        "model_type": arch,
        "template": f"zoomground_{arch}",
        "external_plugins": plugin.__file__,
        "dataset": dataset,
        "check_model": "false",
        "load_from_cache_file": "false",
        "split_dataset_ratio": 0,
        "dataset_num_proc": 1,
        "dataloader_num_workers": 0,
        "tuner_type": "full",
        "freeze_vit": "false",
        "freeze_aligner": "false",
        "torch_dtype": "float32",
        "bf16": "false",
        "fp16": "false",
        "attn_impl": "sdpa",
        "gradient_checkpointing": "false",
        "report_to": "none",
        "eval_strategy": "no",
        "save_strategy": "no",
        "max_length": 2048,
        "use_vllm": "false",
        "multi_turn_scheduler": plugin.SCHEDULER,
        "max_turns": 4,
        "reward_funcs": " ".join(REWARDS),
        "reward_weights": " ".join(str(weight) for weight in REWARDS.values()),
        "num_generations": GENERATIONS,
        "per_device_train_batch_size": GENERATIONS,
        "gradient_accumulation_steps": 2,
        "max_completion_length": 6,
        "beta": 0.0,
        "learning_rate": 1e-3,
        "max_steps": 1,
        "logging_steps": 1,
        "add_version": "false",
        "output_dir": out,
    }
    return [word for name, value in words.items() for word in (f"--{name}", *str(value).split(" "))]


def run_a_step(
    arch: str, prompts_file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, **changes: str | int
) -> tuple[Path, dict[str, Any]]:
    """One step of the real trainer; the output folder and the line of the log."""
    for name, value in {
        "MODELSCOPE_CACHE": str(folder / "cache"),
        "MIN_PIXELS": str(LIMITS.min_pixels),
        "MAX_PIXELS": str(LIMITS.max_pixels),
        "MAX_LENGTH": str(changes.get("max_length", 2048)),
        "ZOOMIN_GRPO_MAX_COMPLETION_LENGTH": "6",
        "HF_HUB_OFFLINE": "1",
    }.items():
        monkeypatch.setenv(name, value)
    from swift.pipelines import rlhf_main

    out = folder / "out"
    words = arguments(checkpoint(folder / "model", arch), arch, prompts_file, out)
    rlhf_main([*words, *(word for name, value in changes.items() for word in (f"--{name}", str(value)))])
    return out, json.loads((out / "logging.jsonl").read_text(encoding="utf-8").splitlines()[0])
