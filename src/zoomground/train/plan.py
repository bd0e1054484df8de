"""A launch plan: the exact commands that a recipe stands for, as a value. Making one runs and writes nothing."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground.recipe import RECIPE_VARIABLE, TRAJECTORIES_VARIABLE
from zoomground.train.folder import RunFolder
from zoomground.train.resume import last_checkpoint
from zoomground.train.swift_args import grpo_arguments, sft_arguments

if TYPE_CHECKING:
    from zoomground.recipe import LoadedRecipe

DISTRIBUTED_VARIABLES = ("NPROC_PER_NODE", "NNODES", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE")
"""With one of these set ms-swift starts torchrun; one process needs none."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One process of the plan.

    Attributes:
        name: Unique in the plan.
        argv: The command.
        log: Where its output goes.
        env: Variables that it gets on top of the launcher's.
        unset: Variables that it must not see.
        metrics: ms-swift's ``logging.jsonl``, for the stages that train.
        steps: Steps in all, for the stages that train.
        outputs: Files and folders that stand when it is done.
        rewinds: Trajectories to rewind with the training stage, where it logs any.
    """

    name: str
    argv: tuple[str, ...]
    log: Path
    env: Mapping[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    metrics: Path | None = None
    steps: int | None = None
    outputs: tuple[Path, ...] = ()
    rewinds: Path | None = None

    def shell(self) -> str:
        """The command as a person would type it."""
        head = ["env", *(f"-u {name}" for name in self.unset), *(f"{k}={shlex.quote(v)}" for k, v in self.env.items())]
        return " ".join([*head, shlex.join(self.argv)])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "name": self.name,
            "argv": list(self.argv),
            "env": dict(self.env),
            "unset": list(self.unset),
            "log": str(self.log),
            "outputs": [str(path) for path in self.outputs],
        }


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """All stages of a run on this node.

    Attributes:
        recipe: Where the recipe stands; empty without a file.
        recipe_hash: Hash of the values in force.
        folder: Where the run keeps what.
        cwd: Working folder of every process.
        stages: In order.
    """

    recipe: str
    recipe_hash: str
    folder: RunFolder
    cwd: Path
    stages: tuple[Stage, ...]

    def text(self) -> str:
        """The plan for a person: what all stages share once, then each command, one option a line."""
        lines = [
            f"recipe      {self.recipe or '(environment and defaults)'}  hash {self.recipe_hash}",
            f"run folder  {self.folder.root}",
            f"working in  {self.cwd}",
            "",
        ]
        if not self.stages:
            return "\n".join([*lines, "no stages"])
        shared = {k: v for k, v in self.stages[0].env.items() if all(stage.env.get(k) == v for stage in self.stages)}
        lines += [
            "environment of every stage",
            f"   without {' '.join(self.stages[0].unset)}",
            *(f"   {name}={shlex.quote(value)}" for name, value in shared.items()),
        ]
        for number, stage in enumerate(self.stages, start=1):
            own = [f"   {name}={shlex.quote(value)}" for name, value in stage.env.items() if name not in shared]
            lines += ["", f"{number}. {stage.name}  (log {stage.log})", *own, *_command_lines(stage.argv)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "recipe": self.recipe,
            "recipe_hash": self.recipe_hash,
            "run_folder": str(self.folder.root),
            "cwd": str(self.cwd),
            "stages": [stage.to_dict() for stage in self.stages],
        }


def _command_lines(argv: tuple[str, ...]) -> list[str]:
    """A command with each option on its own line, ready to be pasted into a shell."""
    lines = ["  "]
    for word in argv:
        if word.startswith("--"):
            lines[-1] += " \\"
            lines.append("     ")
        lines[-1] += f" {shlex.quote(word)}"
    return lines


def make_plan(loaded: LoadedRecipe) -> LaunchPlan:
    """The plan of a recipe for this node. What an earlier, stopped run left decides from where training goes on.

    Args:
        loaded: A validated recipe.
    """
    folder = RunFolder.of(loaded)
    recipe = loaded.recipe
    stages: list[Stage] = []
    if recipe.sft.steps:
        stages.append(_own(loaded, folder, "demonstrations", outputs=(folder.sft_rows,)))
    if recipe.model.build.arch:
        stages.append(_own(loaded, folder, "checkpoint", outputs=(folder.checkpoint / "config.json",)))
    if recipe.sft.steps:
        stages.append(_sft(loaded, folder))
    if recipe.grpo.steps:
        stages.append(_own(loaded, folder, "prompts", outputs=(folder.prompts,)))
        stages.append(_grpo(loaded, folder))
    if recipe.data.heldout:
        stages.append(_own(loaded, folder, "evaluate", outputs=(folder.evaluation_summary,)))
    if recipe.grpo.steps:
        stages.append(_own(loaded, folder, "report"))
    return LaunchPlan(
        recipe=str(loaded.path or ""),
        recipe_hash=recipe.hash,
        folder=folder,
        cwd=Path.cwd(),
        stages=tuple(stages),
    )


def start_model(loaded: LoadedRecipe, folder: RunFolder) -> str:
    """The checkpoint that the first training stage starts from: a folder, or a hub's name as it was written."""
    model = loaded.recipe.model
    if model.build.arch:
        return str(folder.checkpoint)
    looks_like_a_path = model.path.startswith((".", "/", "~"))
    located = loaded.locate("model.path", model.path)
    return str(located) if looks_like_a_path or located.is_dir() else model.path


def checkpoints(loaded: LoadedRecipe, folder: RunFolder) -> dict[str, str]:
    """The checkpoints of a run by name: before GRPO and after it."""
    recipe = loaded.recipe
    found = {"start": start_model(loaded, folder)}
    if recipe.sft.steps:
        found = {"sft": str(final_checkpoint(folder.sft, recipe.sft.steps))}
    if recipe.grpo.steps:
        found["grpo"] = str(final_checkpoint(folder.grpo, recipe.grpo.steps))
    return found


def final_checkpoint(output_dir: Path, steps: int) -> Path:
    """The checkpoint that a training stage ends with."""
    return output_dir / f"checkpoint-{steps}"


def _sft(loaded: LoadedRecipe, folder: RunFolder) -> Stage:
    steps = loaded.recipe.sft.steps
    arguments = sft_arguments(
        loaded.recipe,
        model=start_model(loaded, folder),
        dataset=folder.sft_rows,
        output_dir=folder.sft,
        resume=last_checkpoint(folder.sft),
    )
    return Stage(
        name="sft",
        argv=(_swift(), "sft", *arguments),
        log=folder.log("sft"),
        env=_environment(loaded, folder),
        unset=DISTRIBUTED_VARIABLES,
        metrics=folder.sft / "logging.jsonl",
        steps=steps,
        outputs=(final_checkpoint(folder.sft, steps) / "config.json",),
    )


def _grpo(loaded: LoadedRecipe, folder: RunFolder) -> Stage:
    recipe = loaded.recipe
    before = next(iter(checkpoints(loaded, folder).values()))
    arguments = grpo_arguments(
        recipe,
        model=before,
        dataset=folder.prompts,
        output_dir=folder.grpo,
        resume=last_checkpoint(folder.grpo),
    )
    return Stage(
        name="grpo",
        argv=(_swift(), "rlhf", *arguments),
        log=folder.log("grpo"),
        env=_environment(loaded, folder) | {TRAJECTORIES_VARIABLE: str(folder.trajectories)},
        unset=DISTRIBUTED_VARIABLES,
        metrics=folder.grpo / "logging.jsonl",
        steps=recipe.grpo.steps,
        outputs=(final_checkpoint(folder.grpo, recipe.grpo.steps) / "config.json",),
        rewinds=folder.trajectories,
    )


def _own(loaded: LoadedRecipe, folder: RunFolder, name: str, *, outputs: tuple[Path, ...] = ()) -> Stage:
    return Stage(
        name=name,
        argv=(sys.executable, "-m", f"zoomground.train.stages.{name}"),
        log=folder.log(name),
        env=_environment(loaded, folder),
        unset=DISTRIBUTED_VARIABLES,
        outputs=outputs,
    )


def _swift() -> str:
    return str(Path(sys.executable).with_name("swift"))


def _environment(loaded: LoadedRecipe, folder: RunFolder) -> dict[str, str]:
    """What every process of the run must see, so that all of them read the same recipe and see images alike."""
    limits = loaded.recipe.pixel_limits
    token_px = limits.factor**2
    variables = dict(loaded.variables)
    if loaded.path is not None:
        variables[RECIPE_VARIABLE] = str(loaded.path.resolve())
    variables |= {
        "IMAGE_MAX_TOKEN_NUM": str(limits.max_pixels // token_px),
        "IMAGE_MIN_TOKEN_NUM": str(limits.min_pixels // token_px),
        "PYTHONUNBUFFERED": "1",
        "TOKENIZERS_PARALLELISM": "false",
        # Threads that spin while they wait take the cores from each other.
        "OMP_WAIT_POLICY": "PASSIVE",
    }
    if Path(start_model(loaded, folder)).is_absolute():
        variables["HF_HUB_OFFLINE"] = "1"
    return variables
