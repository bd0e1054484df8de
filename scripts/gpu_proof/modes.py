"""The modes that train: each starts the launcher as a person would, lets it end, and reads what it left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_proof.figures import Proof, agreed, played, records_of, time_kept, trained

if TYPE_CHECKING:
    from gpu_proof.bench import Bench, Run

FEW = {
    "grpo.steps": 2,
    "grpo.save_steps": 2,
    "grpo.prompts_per_step": 16,
    "grpo.micro_batch_size": 16,
    # It starts faster without CUDA graphs.
    "rollouts.enforce_eager": True,
    # Devices are shared: vLLM takes a known part, and does not measure what others take and free meanwhile.
    "rollouts.memory_share": 0.1,
    "rollouts.engine_kwargs": '{"kv_cache_memory_bytes": 8000000000}',
}
"""For what only has to work, beside others: a machine's time is dear."""


@dataclass(frozen=True)
class Training:
    """A mode that trains some steps.

    Attributes:
        own: What it sets, by dotted name.
        uses: Devices, by place among those that are given: one place twice is one device shared.
        least: How many of them must be there; further ones are used where they are.
        servers: Rollout servers on them.
        measures: Whether it runs alone on its devices, so that its seconds mean something.
    """

    own: Mapping[str, object]
    uses: tuple[int, ...] = (0,)
    least: int = 1
    servers: int = 0
    measures: bool = False


TRAININGS = {
    "server": Training({"grpo.steps": 10}, uses=(0, 1), least=2, servers=1, measures=True),
    "colocate": Training({"grpo.steps": 10}, measures=True),
    "lora": Training(FEW | {"engine.tuner": "lora", "engine.zero": 0}),
    "zero3": Training(
        FEW
        | {
            "engine.zero": 3,
            "engine.offload_optimizer": True,
            # All devices train and generate.
            "cluster.rollout_nodes": 0,
        },
        uses=(0, 1),
    ),
    # A small model leaves the device idle while its server's one event loop prepares requests: three servers share it.
    "step": Training({"grpo.steps": 10}, uses=(0, 0, 0, 1), least=2, servers=3, measures=True),
    "two-servers": Training(FEW | {"grpo.steps": 3, "grpo.save_steps": 3}, uses=(0, 0, 1), least=2, servers=2),
}

TIED = "lm_head.weight"


def train(bench: Bench, name: str) -> Proof:
    """Run one of `TRAININGS` to its end."""
    mode, proof = TRAININGS[name], Proof(name)
    run = bench.run_of(name, mode.own, devices_for(bench, name), servers=max(1, mode.servers))
    code = run.finish()
    steps = trained(proof, run, code, run.wanted)
    agreed(proof, steps)
    played(proof, records_of(run), many=mode.measures)
    if mode.measures:
        time_kept(proof)
    if mode.servers:
        synced(proof, run, mode.servers)
    if name == "lora":
        merged(proof, run)
    if name == "zero3":
        partitioned(proof, run)
    return proof


def devices_for(bench: Bench, name: str) -> tuple[str, ...]:
    """The devices of one of `TRAININGS`.

    Raises:
        SystemExit: If there are too few.
    """
    try:
        return devices(bench, TRAININGS[name].uses, TRAININGS[name].least)
    except ValueError as error:
        raise SystemExit(f"{name}: {error}") from None


def devices(bench: Bench, uses: tuple[int, ...], least: int = 1) -> tuple[str, ...]:
    """The devices of a mode, as far as they are there; none on a CPU.

    Args:
        bench: Says which there are.
        uses: The mode's devices by place; one place twice is one device shared.
        least: How many must be there.

    Raises:
        ValueError: If there are fewer.
    """
    if bench.devices and least > len(bench.devices):
        raise ValueError(f"this mode needs {least} devices, CUDA_VISIBLE_DEVICES shows {len(bench.devices)}")
    return tuple(bench.devices[place] for place in uses if place < len(bench.devices))


def partitioned(proof: Proof, run: Run) -> None:
    """Every training process saved its own part of the optimizer."""
    parts = {file.name for file in (run.folder / "grpo").glob("checkpoint-*/global_step*/*optim_states.pt")}
    ranks = max(1, len(run.devices))
    proof.add("training processes, by their parts of the optimizer", len(parts), str(ranks), met=len(parts) == ranks)


def synced(proof: Proof, run: Run, servers: int) -> None:
    """Every server generated, and got the new weights at every step."""
    logs = [log.read_text(encoding="utf-8", errors="replace") for log in (run.folder / "logs").glob("rollout-*.log")]
    proof.add("rollout servers", len(logs), str(servers), met=len(logs) == servers)
    for what, request in (("requests for rollouts", "/infer/"), ("weight syncs", "/update_flattened_params/")):
        counts = [log.count(f'"POST {request} HTTP/1.1" 200') for log in logs]
        least = len(run.steps())
        proof.add(f"{what}, by server", counts, f"at least {least} each", met=bool(counts) and min(counts) >= least > 0)


def merged(proof: Proof, run: Run) -> None:
    """The adapters stand in the weights of a whole checkpoint, and in none but those that they train."""
    from safetensors.torch import load_file  # noqa: PLC0415 -- torch, for this mode alone

    last = max((run.folder / "grpo").glob("checkpoint-*-merged/model.safetensors"), default=None)
    if last is None or run.bench.start is None:
        proof.add("merged checkpoint", "missing", "there", met=False)
        return
    before, after = load_file(run.bench.start / "model.safetensors"), load_file(last)
    changed = [name for name in before if name in after and not before[name].equal(after[name])]
    # Where the head is the embedding, some writers save it twice and some once.
    missing, added = set(before) - set(after) - {TIED}, set(after) - set(before)
    proof.add("merged checkpoint", f"{len(after)} tensors", f"{len(before)}", met=not missing and not added)
    proof.count("tensors that the adapters changed", len(changed))
    proof.add("others as they were", len(before) - len(changed), "some", met=len(changed) < len(before))
