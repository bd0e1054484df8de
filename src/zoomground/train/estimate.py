"""What the plan says about memory and time: the facts gathered, the estimate made, the text for a person."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from zoomground.data.rows import read_rows
from zoomground.errors import LaunchError, ZoomgroundError
from zoomground.train.checkpoints import start_model
from zoomground.train.context import context_of
from zoomground.train.devices import Kind, devices_of
from zoomground.train.folder import RunFolder
from zoomground.train.launch import ask
from zoomground.train.memory import GIB, Memory, gib, memory_of, memory_problems
from zoomground.train.pipeline import difference
from zoomground.train.resume import checkpoint_step, last_checkpoint, read_metrics
from zoomground.train.topology import topology_of
from zoomground.train.weights import model_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.geometry import Size
    from zoomground.recipe import LoadedRecipe
    from zoomground.train.context import Context
    from zoomground.train.topology import Topology

_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}


@dataclass(frozen=True, slots=True)
class Time:
    """How long a training stage will take, from steps of this very run.

    Attributes:
        stage: Name of the stage.
        left: Steps that are still to be done.
        step_s: Median time of a step, s.
        measured: Steps that this rests on.
    """

    stage: str
    left: int
    step_s: float
    measured: int

    def text(self) -> str:
        """For a person."""
        return (
            f"{self.stage}: {self.left} steps left at {self.step_s:.1f} s (median of {self.measured} measured steps of "
            f"this run): {self.left * self.step_s / 60:.0f} min"
        )


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the plan says about memory and time.

    Attributes:
        source: Checkpoint that memory was estimated from, or why it was not.
        memory: The estimate; None if there is none.
        times: Stages of which steps were measured.
        problems: Why the run cannot fit.
    """

    source: str
    memory: Memory | None = None
    times: tuple[Time, ...] = ()
    problems: list[str] = field(default_factory=list)

    def text(self) -> str:
        """For a person."""
        memory = [f"   not estimated: {self.source}"] if self.memory is None else _lines(self.memory, self.source)
        times = [f"   {time.text()}" for time in self.times]
        return "\n".join(
            ["memory", *memory, "time", *(times or ["   not estimated: no step of this recipe was measured here"])]
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        times = [
            {"stage": one.stage, "steps_left": one.left, "step_s": one.step_s, "measured_steps": one.measured}
            for one in self.times
        ]
        memory = None if self.memory is None else self.memory.to_dict()
        return {"memory": memory, "memory_source": self.source, "time": times}


def estimate_of(loaded: LoadedRecipe, topology: Topology | None = None) -> Estimate:
    """Estimate a run's memory and time.

    Args:
        loaded: A validated recipe.
        topology: Who does what; default: by the recipe and what this machine has.
    """
    folder = RunFolder.of(loaded)
    times = _times(loaded, folder)
    try:
        made = topology or topology_of(loaded.recipe, devices_of(loaded.recipe))
    except LaunchError as error:
        return Estimate(str(error), times=times)
    checkpoint = Path(start_model(loaded, folder))
    if not (checkpoint / "config.json").is_file():
        return Estimate(_why_not(loaded, checkpoint), times=times)
    try:
        shape = model_shape(checkpoint)
    except LaunchError as error:
        return Estimate(str(error), times=times)
    memory = memory_of(
        loaded.recipe, made, shape, context=_context(loaded), device=device_memory(loaded.recipe.cluster, made)
    )
    return Estimate(str(checkpoint), memory, times, memory_problems(memory, loaded.recipe, made.mode))


def _why_not(loaded: LoadedRecipe, checkpoint: Path) -> str:
    model = loaded.recipe.model
    if model.build.arch:
        return f"the checkpoint {checkpoint} is built when the run starts"
    if not model.path:
        return "no checkpoint is named (MODEL_PATH)"
    if checkpoint.is_absolute():
        return f"no checkpoint at {checkpoint}"
    return f"{model.path} is a name of a hub, and its files are not at hand"


def device_memory(cluster: Any, topology: Topology) -> float | None:
    """Bytes of the smallest device of this node, as the recipe or nvidia-smi says; None if nobody knows."""
    if cluster.device_memory_gib:
        return float(cluster.device_memory_gib * GIB)
    ids = [
        device
        for node in topology.nodes[:1]
        for device in (*node.trains_on, *(one for server in node.servers for one in server.devices))
    ]
    if topology.kind is not Kind.GPU or not ids:
        return None
    query = ["nvidia-smi", f"--id={','.join(ids)}", "--query-gpu=memory.total", "--format=csv,noheader,nounits"]
    sizes = [int(line) for line in (ask(query) or "").split() if line.isdecimal()]
    return min(sizes) * 2.0**20 if sizes else None


def screenshot_sizes(loaded: LoadedRecipe) -> list[Size]:
    """Sizes of all screenshots of a recipe's rows, px.

    Raises:
        ZoomgroundError: If rows cannot be read.
    """
    return [row.task.size for file in loaded.train_rows() + loaded.heldout_rows() for row in read_rows(file)]


def _context(loaded: LoadedRecipe) -> Context | None:
    try:
        sizes = screenshot_sizes(loaded)
    except (ZoomgroundError, OSError):
        return None
    return context_of(loaded.recipe, sizes) if sizes else None


def _lines(memory: Memory, source: str) -> list[str]:
    known = f" of {gib(memory.device)}" if memory.device else ""
    lines = [
        f"   lower bounds, GiB; {memory.parameters / 1e6:.1f} M weights, {memory.trained / 1e6:.1f} M of them trained, "
        f"from {source}",
        f"   a conversation: {memory.context.text()}" if memory.context else "   a conversation: no rows to measure",
    ]
    lines += [
        f"   {one.stage}, each of {one.devices} training process(es): weights {gib(one.weights)}, gradients "
        f"{gib(one.gradients)}, optimizer {gib(one.optimizer)}; one micro batch: logits and their gradients "
        f"{gib(one.logits)}, layer inputs {gib(one.layer_inputs)}; at least {gib(one.total)}{known}"
        for one in memory.training
    ]
    if memory.training:
        lines.append(f"   {memory.sharding.text()}")
    if memory.rollout:
        rollout = memory.rollout
        room = "" if rollout.tokens is None else f", room for at most {rollout.tokens} tokens"
        lines.append(
            f"   a rollout device: weights {gib(rollout.weights)}, cache {rollout.kv_token / 1024:.1f} KiB a token; "
            f"vLLM takes {rollout.share:.0%}{known}{room}"
        )
    if memory.host:
        lines.append(f"   host memory of a training node: {gib(memory.host)} for what is offloaded")
    return lines


def _times(loaded: LoadedRecipe, folder: RunFolder) -> tuple[Time, ...]:
    """Times of the training stages that were begun here, by the same recipe on the same rows."""
    try:
        if not folder.identity.exists() or difference(folder, loaded):
            return ()
    except (OSError, ValueError):
        return ()
    steps = {"sft": (folder.sft, loaded.recipe.sft.steps), "grpo": (folder.grpo, loaded.recipe.grpo.steps)}
    found = []
    for stage, (output, total) in steps.items():
        took = step_times(read_metrics(output / "logging.jsonl"))
        last = last_checkpoint(output)
        left = total - ((checkpoint_step(last) if last else None) or 0)
        if took and left > 0:
            found.append(Time(stage, left, median(took), len(took)))
    return tuple(found)


def step_times(rows: Sequence[dict[str, Any]]) -> list[float]:
    """Times of the steps in ms-swift's log, s.

    It logs the mean time of a step since its start, so a step's own time is a difference; where the time since the
    start falls, it was started again.
    """
    found: list[float] = []
    first = before_s = whole_s = 0.0
    for row in rows:
        step, clock_s = int(row["step"]), _seconds(str(row.get("elapsed_time", "")))
        mean_s = row.get("train_speed(s/it)")
        if not isinstance(mean_s, int | float) or clock_s is None:
            continue
        if not found or clock_s < whole_s:
            first, before_s = step - 1, 0.0
        since_s = mean_s * (step - first)
        found.append(since_s - before_s)
        before_s, whole_s = since_s, clock_s
    return [took for took in found if took > 0]


def _seconds(text: str) -> int | None:
    parts = re.findall(r"([0-9]+)([dhms])", text)
    return sum(int(number) * _UNITS[unit] for number, unit in parts) if parts else None
