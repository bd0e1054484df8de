"""The sections of a recipe: every key, what it means, its default, and the name of its environment variable.

A recipe says what an experiment is; it is data, not code. Two processes that must agree (trainer and rollouts) read
the same file. Keys that existing users know by an environment variable keep that spelling (`Env`); every other key is
``ZOOMIN_<SECTION>_<KEY>``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from zoomground.protocol.actions import CropUnits, ParserMode
from zoomground.protocol.settings import PROTOCOL_VERSION, Arm
from zoomground.recipe.section import Env, Section
from zoomground.rewards import DEFAULT_WEIGHTS, Quality


class Run(Section):
    """Where the run lives."""

    output_dir: Path = Field(
        default=Path("output/run"), description="Run folder; a relative path is under the working folder"
    )
    log_dir: Annotated[Path | None, Env("LOG_DIR")] = Field(
        default=None, description="Folder of the stages' logs; unset: logs/ of the run folder"
    )
    seed: int = Field(default=0, ge=0, description="Seed of everything that draws at random")
    report_to: Literal["none", "tensorboard"] = Field(
        default="none", description="Where the trainer writes its figures beside its log: runs/ of its output folder"
    )


class Build(Section):
    """A small random checkpoint, built here, for runs that need no download."""

    arch: Literal["", "qwen3_vl", "qwen3_5"] = Field(
        default="", description="Architecture of the tiny checkpoint; empty: model.path names the checkpoint"
    )
    size: Literal["tiny", "boards", "mini", "reader"] = Field(
        default="tiny",
        description="tiny: 1 M parameters, for two CPU cores; boards: 2 M, for the curriculum; mini: 18 M, for one GPU",
    )


class Model(Section):
    """The checkpoint that training starts from."""

    path: Annotated[str, Env("MODEL_PATH")] = Field(
        default="", description="Checkpoint: a folder (./, ../, / or ~ in front: relative to the recipe) or a hub name"
    )
    build: Build = Build()
    model_type: str = Field(default="", description="ms-swift's model type; empty: from the checkpoint")
    template: str = Field(default="", description="ms-swift's template; empty: from the checkpoint")
    freeze_vision: bool = Field(default=True, description="Whether the vision tower and its projector stay as they are")
    max_length: Annotated[int, Env("MAX_LENGTH")] = Field(
        default=24576, ge=256, description="Tokens of a whole conversation, image tokens included"
    )


class Data(Section):
    """Rows files (JSONL); image paths in them are relative to the rows file."""

    train: Annotated[tuple[Path, ...], Env("DATASETS")] = Field(
        default=(), description="Rows to train on; in the environment: a space-separated list, quote a path with spaces"
    )
    heldout: tuple[Path, ...] = Field(default=(), description="Rows to evaluate on; none: no evaluation")
    off_share: float = Field(
        default=0.15, ge=0, le=1, description="Share of prompts and demonstrations played without zoom"
    )


class Episode(Section):
    """Rules of an episode (DESIGN section 2)."""

    max_tool_calls: Annotated[int, Env("ZOOMIN_MAX_TOOL_CALLS")] = Field(default=3, ge=0, description="Crops in all")
    max_calls_per_turn: Annotated[int, Env("ZOOMIN_MAX_CALLS_PER_TURN")] = Field(
        default=2, ge=1, le=2, description="Crops in one turn"
    )
    max_corrections: Annotated[int, Env("ZOOMIN_MAX_CORRECTIONS")] = Field(
        default=2, ge=0, description="Bad turns that are answered with a correction; the next one ends the episode"
    )
    max_turns: Annotated[int, Env("MAX_TURNS")] = Field(default=6, ge=1, description="Assistant turns in all")
    crop_units: CropUnits = Field(default=CropUnits.NORM, description="Unit of a crop call's corners")
    parser_mode: Annotated[ParserMode, Env("ZOOMIN_PARSER_MODE")] = Field(
        default=ParserMode.TOLERANT, description="How much of the dialect chain is tried"
    )
    allow_decline: bool = Field(default=False, description="Whether the prompt offers decline()")
    prompt_ends_in_think: bool = Field(default=False, description="Whether the chat template opens the thinking")
    crop_upscale_factor: Annotated[float, Env("ZOOMIN_CROP_UPSCALE_FACTOR")] = Field(
        default=4.0, ge=1, description="Enlargement of a crop before limits"
    )
    crop_max_pixels: Annotated[int, Env("ZOOMIN_CROP_MAX_PIXELS")] = Field(
        default=4_000_000, ge=1, description="Largest shown area of a crop in px"
    )
    prompt_version: str = Field(default=PROTOCOL_VERSION, description="Version of the prompt texts")


class Image(Section):
    """The model's image processor; equal in SFT, rollout, trainer and serving."""

    factor: int = Field(
        default=32, ge=1, description="Patch times merge size: 28 for Qwen2.5-VL, 32 for Qwen3-VL, Qwen3.5"
    )
    min_pixels: Annotated[int, Env("MIN_PIXELS")] = Field(
        default=4 * 32 * 32, ge=1, description="Smallest image area in px"
    )
    max_pixels: Annotated[int, Env("MAX_PIXELS")] = Field(
        default=16384 * 32 * 32, ge=1, description="Largest image area in px"
    )


class Rewards(Section):
    """What is rewarded (DESIGN section 4)."""

    weights: dict[str, float] = Field(
        default_factory=lambda: dict(DEFAULT_WEIGHTS),
        description="Weight of each registered reward; in the environment: name=weight, space-separated",
    )
    legible_px: float = Field(default=28.0, gt=0, description="Short side in px from which a target counts as legible")
    call_cost: Annotated[float, Env("ZOOMIN_CALL_COST")] = Field(
        default=0.05, ge=0, description="Cost of each crop that ran"
    )
    quality: Annotated[Quality, Env("ZOOMIN_CROP_QUALITY")] = Field(
        default=Quality.GAIN, description="How a crop is judged"
    )
    neutral_score: Annotated[float, Env("ZOOMIN_COT_RM_NEUTRAL_SCORE")] = Field(
        default=0.5, ge=0, le=1, description="Score of the reasoning reward without a judge"
    )


class Curriculum(Section):
    """What a random checkpoint learns first: on boards that are made as it goes, or on screens from folders."""

    steps: int = Field(
        default=0, ge=0, description="Steps of reading icons, pointing at them and zooming; 0: no curriculum"
    )
    look_steps: int = Field(
        default=1000,
        ge=0,
        description="Steps before those, in which the vision tower alone learns to name what it sees",
    )
    boards: int = Field(default=16, ge=1, description="Boards in a step")
    lessons: int = Field(default=12, ge=1, description="Lessons on each board")
    listings: float = Field(
        default=0.35,
        ge=0,
        le=1,
        description="Share of the lessons that list what can be read, the others demonstrate; a third of it in the "
        "last third of the steps",
    )
    learning_rate: float = Field(default=2e-3, gt=0, description="Peak learning rate")
    vision_share: float = Field(
        default=0.3, ge=0, le=1, description="Share of it at which the vision tower learns after look_steps"
    )
    save_steps: int = Field(
        default=500, ge=1, description="Steps between saved states; a stopped run goes on from the last"
    )
    workers: int = Field(
        default=12, ge=0, description="Processes that make batches, at most one a core; 0: the process that trains"
    )
    sheet: Path | None = Field(
        default=None,
        description="Picture of all parts of boards, data_samples/boards/parts.png; relative to the recipe",
    )
    screens: tuple[Path, ...] = Field(
        default=(),
        description="Folders of zoomground synth --elements, finished or growing: learn on screens, not on boards. "
        "Then boards, lessons, listings and look_steps say nothing; relative to the recipe",
    )
    seconds: float | None = Field(
        default=None, gt=0, description="On screens: seconds of learning, at most steps steps; none: all steps"
    )
    look_share: float = Field(
        default=0.4, ge=0, lt=1, description="On screens: share of it in which the vision tower alone learns"
    )
    least_screens: int = Field(default=300, ge=1, description="On screens: how many to wait for before the first step")
    save_seconds: float = Field(default=60.0, gt=0, description="On screens: seconds between saved states")
    start: Path | None = Field(
        default=None,
        description="On screens: curriculum/now of another run, to go on from its weights; relative to the recipe",
    )


class Sft(Section):
    """Cold start on scripted zoom demonstrations."""

    steps: int = Field(default=0, ge=0, description="Optimiser steps; 0: no SFT, GRPO starts from the given checkpoint")
    style: Literal["free", "coarse", "lattice", "closer"] = Field(
        default="free",
        description="How demonstrations look; coarse: round numbers, for checkpoints of a few million; lattice: "
        "windows and answers on a grid, for boards alone; closer: windows on that grid, answers in whole numbers",
    )
    demonstrations: int = Field(default=256, ge=1, description="Scripted episodes to write")
    batch_size: int = Field(default=16, ge=1, description="Conversations in a step")
    micro_batch_size: int = Field(default=4, ge=1, description="Conversations in one forward and backward pass")
    learning_rate: float = Field(default=1e-5, gt=0, description="Peak learning rate")
    warmup_ratio: float = Field(default=0.05, ge=0, lt=1, description="Share of the steps that warm up")
    save_steps: int = Field(
        default=50, ge=1, description="Steps between checkpoints; a stopped run goes on from the last"
    )


class Grpo(Section):
    """Multi-turn GRPO."""

    steps: int = Field(default=0, ge=0, description="Optimiser steps; 0: no GRPO")
    prompts_per_step: int = Field(default=4, ge=1, description="Prompts in a step")
    num_generations: int = Field(default=8, ge=2, description="Rollouts of each prompt")
    micro_batch_size: int = Field(default=8, ge=1, description="Rollouts in one forward and backward pass")
    fit_batch: bool = Field(
        default=False,
        description="Take more prompts, or a smaller micro batch, where the processes share none evenly",
    )
    learning_rate: float = Field(default=1e-6, gt=0, description="Learning rate, constant")
    temperature: float = Field(default=1.0, gt=0, description="Sampling temperature")
    top_p: float = Field(default=1.0, gt=0, le=1, description="Share of the probability that is sampled from")
    max_completion_length: int = Field(default=2560, ge=1, description="Tokens of one assistant turn")
    beta: float = Field(default=0.0, ge=0, description="Weight of the KL term; 0 needs no reference model")
    epsilon: float = Field(default=0.2, gt=0, description="Lower clip range")
    epsilon_high: float = Field(default=0.28, gt=0, description="Upper clip range")
    importance_sampling: Literal["none", "token_truncate", "token_mask", "sequence_truncate", "sequence_mask"] = Field(
        default="token_truncate",
        description="Correction of the difference between vLLM's log-probs and the trainer's",
    )
    importance_threshold: float = Field(default=2.0, gt=1, description="Ratio at which the correction cuts or masks")
    loss_type: Literal["grpo", "bnpo", "dr_grpo", "dapo"] = Field(
        default="dapo", description="Normalisation of the loss"
    )
    scale_rewards: Literal["group", "batch", "none"] = Field(
        default="group", description="What advantages are divided by"
    )
    dynamic_sample: bool = Field(
        default=False, description="Replace groups whose rewards are all alike by groups of further prompts"
    )
    max_resample_times: int = Field(
        default=3, ge=1, description="dynamic_sample: batches that are drawn at most to replace them"
    )
    crop_resample: float = Field(
        default=0.0,
        ge=0,
        le=0.85,
        description="Sides of the window, in shares of the screen's, in which a group that missed as one is asked "
        "again; 0: it is not",
    )
    overlong_filter: bool = Field(
        default=False, description="Leave episodes that were cut, by tokens or turns, out of the loss"
    )
    save_steps: int = Field(
        default=5, ge=1, description="Steps between checkpoints; a stopped run goes on from the last"
    )


class Evaluate(Section):
    """Evaluation on held-out rows, greedy."""

    arms: tuple[Arm, ...] = Field(default=(Arm.ON, Arm.OFF), min_length=1, description="Arms that are measured")
    rows: int = Field(default=0, ge=0, description="Held-out rows that are asked, drawn evenly over pages; 0: all")
    batch_size: int = Field(default=16, ge=1, description="Episodes that are played side by side")


class Report(Section):
    """The page and the curves."""

    trajectories: int = Field(default=24, ge=1, description="Trajectories shown on the page")
