"""Starts the real launcher on some of this machine's devices, with a recipe and what a mode says on top of it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from zoomground.recipe.keys import variables
from zoomground.train.resume import read_metrics

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
LONGEST_S = 1500.0
"""A run that takes longer is ended, s."""

FIRST_PORT, LAST_PORT = 20_000, 32_000
"""Where the ports of runs are looked for."""

NAMES = variables()
"""Environment variable of each key of a recipe."""


@dataclass(frozen=True)
class Bench:
    """What all modes of a proof share.

    Attributes:
        out: Folder of the results, one run folder a mode in it.
        recipe: The recipe.
        given: What the caller sets on top of everything else, by dotted name.
        devices: Ids of the devices; none: a CPU.
        start: The checkpoint that GRPO starts from; None: the recipe's SFT makes one.
    """

    out: Path
    recipe: Path
    given: Mapping[str, str]
    devices: tuple[str, ...]
    start: Path | None = None

    def run_of(
        self,
        name: str,
        own: Mapping[str, object],
        devices: tuple[str, ...],
        *,
        servers: int = 1,
        plugin: Path | None = None,
    ) -> Run:
        """A run with its own folder, ports and devices."""
        rules = {
            "run.output_dir": self.out / name,
            # The proof is of the engine: what the policy has learnt is not asked.
            "data.heldout": "[]",
            **({"model.path": self.start, "sft.steps": 0} if self.start else {}),
            **own,
            **self.given,
        }
        variables = {NAMES[key]: str(value) for key, value in rules.items()} | _ports(self.out, servers)
        return Run(self, name, variables, devices, plugin)


@dataclass
class Run:
    """One command and its run folder; started as often as it takes."""

    bench: Bench
    name: str
    variables: dict[str, str]
    devices: tuple[str, ...]
    plugin: Path | None = None
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        """The run folder."""
        return Path(self.variables[NAMES["run.output_dir"]])

    @property
    def wanted(self) -> int:
        """Steps of GRPO that it is to train."""
        return int(self.variables[NAMES["grpo.steps"]])

    def launch(self) -> subprocess.Popen[bytes]:
        """Start the launcher."""
        door = [str(HERE / "with_plugin.py"), str(self.plugin)] if self.plugin else ["-m", "zoomground"]
        paths = f"{ROOT / 'src'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
        environ = dict(os.environ) | self.variables | {"PYTHONPATH": paths}
        if self.devices:
            environ["CUDA_VISIBLE_DEVICES"] = ",".join(self.devices)
        with (self.bench.out / f"{self.name}.out").open("ab") as log:
            process = subprocess.Popen(  # noqa: S603 -- our own command
                [sys.executable, *door, "train", str(self.bench.recipe)],
                env=environ, cwd=self.bench.out, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip
        self.started.append(process)
        return process

    def finish(self, launcher: subprocess.Popen[bytes] | None = None) -> int:
        """Wait for the launcher's end, or start it and wait; its exit code."""
        launcher = launcher or self.launch()
        try:
            return launcher.wait(LONGEST_S)
        except subprocess.TimeoutExpired:
            launcher.terminate()
            return launcher.wait()

    def wait(self, until: Callable[[], bool]) -> bool:
        """Wait until something is so; False if the launcher ended first, or nothing came of it."""
        deadline_s = time.monotonic() + LONGEST_S
        while not until():
            if self.started[-1].poll() is not None or time.monotonic() > deadline_s:
                return until()
            time.sleep(0.1)
        return True

    def steps(self) -> list[dict[str, float]]:
        """The logged steps of GRPO."""
        rows = read_metrics(self.folder / "grpo" / "logging.jsonl")
        return [{name: value for name, value in row.items() if isinstance(value, int | float)} for row in rows]

    def processes(self) -> list[psutil.Process]:
        """Everything of the run that is alive, whoever its parent is now."""
        name = NAMES["run.output_dir"]
        found = psutil.process_iter(["environ", "cmdline", "status"])
        return [
            one for one in found
            if (one.info["environ"] or {}).get(name) == str(self.folder) and one.info["status"] != psutil.STATUS_ZOMBIE
        ]  # fmt: skip

    def trainers(self) -> list[psutil.Process]:
        """The processes that train: those of ms-swift's program, without torchrun."""
        return [one for one in self.processes() if _trains(one.info["cmdline"] or [])]


def _trains(cmdline: list[str]) -> bool:
    program = next((n for n, word in enumerate(cmdline) if word.endswith("cli/rlhf.py")), None)
    return program is not None and "torch.distributed.run" not in cmdline[:program]


def _ports(out: Path, servers: int) -> dict[str, str]:
    """Ports of its own for each run, so that several go on side by side: a file in ``out`` holds each for good.

    They lie below those that the system gives to connections: between now and the run's own start, which may be a
    minute, nobody gets one by chance.
    """
    claims = out / "ports"
    claims.mkdir(parents=True, exist_ok=True)
    free = (port for port in range(FIRST_PORT, LAST_PORT) if _is_free(port) and _claim(claims / str(port)))
    ports = [str(port) for port in islice(free, 1 + 2 * servers)]
    lists = (ports[:1], ports[1 : 1 + servers], ports[1 + servers :])
    keys = ("cluster.master_port", "rollouts.ports", "rollouts.group_ports")
    return {NAMES[key]: " ".join(some) for key, some in zip(keys, lists, strict=True)}


def _is_free(port: int) -> bool:
    with socket.socket() as one:
        try:
            one.bind(("", port))
        except OSError:
            return False
    return True


def _claim(file: Path) -> bool:
    try:
        file.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def versions() -> dict[str, str]:
    """What the machine runs."""
    program = (
        "import json, importlib.metadata as m, torch; "
        "names = ('torch', 'vllm', 'ms-swift', 'transformers', 'deepspeed', 'peft', 'trl'); "
        "have = {d.metadata['Name'].replace('_', '-'): d.version for d in m.distributions()}; "
        "cards = [torch.cuda.get_device_name(n) for n in range(torch.cuda.device_count())]; "
        "print(json.dumps({n: have[n] for n in names if n in have} | {'devices': ', '.join(cards) or 'CPU'}))"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)  # noqa: S603
    return dict(json.loads(said.stdout.splitlines()[-1])) if said.returncode == 0 else {}
