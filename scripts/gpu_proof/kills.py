"""What is killed while it works: the trainer, which goes on when started again; the launcher, which leaves nothing."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from gpu_proof.figures import Proof, records_of, trained
from gpu_proof.modes import FEW, devices

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gpu_proof.bench import Bench, Run

STEPS, SAVED_EVERY = 6, 2
GONE_S = 60.0
"""How long a run may take to vanish after its launcher was killed, s."""


def resume(bench: Bench) -> Proof:
    """SIGKILL for the process that trains, at a random moment of a random step; then the same command again."""
    proof = Proof("resume")
    own = FEW | {"grpo.steps": STEPS, "grpo.save_steps": SAVED_EVERY}
    run = bench.run_of("resume", own, devices(bench, (0,)))
    dice = random.SystemRandom()
    after = dice.randint(1, max(1, run.wanted - 2))
    launcher = run.launch()
    reached = run.wait(lambda: len(run.steps()) >= after)
    time.sleep(dice.random() * run.steps()[-1].get("step_time", 1.0) if reached else 0)
    killed = [one.pid for one in run.trainers()]
    for one in run.trainers():
        one.kill()
    proof.add("launcher after SIGKILL for the trainer", launcher.wait(), "1", met=launcher.returncode == 1)
    proof.add("killed after step", f"{after}, {len(killed)} process(es)", "one or more", met=bool(killed))
    left = [one.pid for one in run.processes()]
    proof.none("processes that stayed", len(left))
    saved = len(run.steps()) // SAVED_EVERY * SAVED_EVERY
    kept = {record.uuid for record in records_of(run) if (record.step or 0) <= saved}
    went_on(proof, run, run.finish(), kept)
    return proof


def went_on(proof: Proof, run: Run, code: int, kept: set[str]) -> None:
    """What the second start must show: the counter, the optimizer, the rows and the log go on."""
    steps = run.wanted
    trained(proof, run, code, steps)
    counted = [int(step["step"]) for step in run.steps()]
    proof.add("step counter", counted, f"1 to {steps}, each once", met=counted == list(range(1, steps + 1)))
    took = sorted(set(optimizer_steps(run.folder / "grpo" / f"checkpoint-{steps}")))
    proof.add("steps that the optimizer counted", took, str(steps), met=took == [steps])
    records = records_of(run)
    twice = [uuid for uuid, times in Counter(record.uuid for record in records).items() if times > 1]
    proof.none("trajectories that stand there twice", len(twice))
    places = Counter((record.step, record.prompt_group, record.generation) for record in records)
    sizes = Counter(record.step for record in records)
    whole = set(places.values()) == {1} and len(set(sizes.values())) == 1 and len(sizes) == steps
    proof.add("trajectories a step", sorted(set(sizes.values())), "the same for every step", met=whole)
    proof.add(
        "trajectories of the steps before the checkpoint", f"{len(kept)} kept", "as they were",
        met=kept <= {record.uuid for record in records},
    )  # fmt: skip
    prompts = [record.trajectory.task.id for record in records if record.generation == 0]
    proof.add(
        "prompts, all of one epoch", f"{len(set(prompts))} of {len(prompts)}", "each once: the order went on",
        met=len(set(prompts)) == len(prompts),
    )  # fmt: skip


def optimizer_steps(checkpoint: Path) -> Iterator[int]:
    """What the optimizer's saved state counted, wherever torch or DeepSpeed keep it."""
    import torch  # noqa: PLC0415 -- seconds, for this mode alone

    for file in (*checkpoint.glob("optimizer.pt"), *checkpoint.rglob("*optim_states.pt")):
        yield from _steps_in(torch.load(file, map_location="cpu", weights_only=False))


def _steps_in(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "step" and not isinstance(inner, dict):
                yield int(inner)
            else:
                yield from _steps_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _steps_in(inner)


def launcher_death(bench: Bench) -> Proof:
    """SIGKILL for the launcher alone, beside a server where there are two devices: nothing of the run stays."""
    proof = Proof("launcher-death")
    run = bench.run_of("launcher-death", FEW | {"grpo.steps": 1000}, devices(bench, (0, 1)))
    launcher = run.launch()
    proof.add("first step", "logged" if run.wait(lambda: len(run.steps()) >= 1) else "not logged", "logged", met=True)
    before, held = run.processes(), on_devices()
    launcher.send_signal(signal.SIGKILL)
    launcher.wait()
    begun_s = time.monotonic()
    while run.processes() and time.monotonic() - begun_s < GONE_S:
        time.sleep(0.2)
    proof.count("processes of the run before", len(before), 2)
    proof.none(f"processes that stayed ({time.monotonic() - begun_s:.0f} s later)", len(run.processes()))
    ours = {one.pid for one in before} & held
    proof.none(f"of {len(ours)} that held a device, those that still do", len(ours & on_devices()))
    return proof


def on_devices() -> set[int]:
    """Processes that hold memory of a device; empty without nvidia-smi."""
    query = ["nvidia-smi", "--query-compute-apps=pid", "--format=csv,noheader"]
    try:
        said = subprocess.run(query, capture_output=True, text=True, check=False).stdout  # noqa: S603 -- our own command
    except FileNotFoundError:
        return set()
    return {int(line) for line in said.split() if line.isdecimal()}
