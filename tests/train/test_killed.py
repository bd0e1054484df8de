"""A trainer that is killed at a random step and started again ends as one that was never killed: to the bit.

The real ms-swift on a CPU, weights of random numbers. Equal is what decides what comes next: the step counter, the
optimizer, the random numbers, the order of the rows.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("swift")

import psutil
from PIL import Image

from tiny_checkpoint import LIMITS, checkpoint
from zoomground.data.trajectories import SavedRecord, read_records
from zoomground.train.resume import read_metrics

pytestmark = [pytest.mark.engine, pytest.mark.filterwarnings("ignore")]

ROOT = Path(__file__).parents[2]
STEPS, PROMPTS, GENERATIONS = 4, 2, 2
DEADLINE_S = 600.0

RECIPE = f"""
[run]
output_dir = "out"
[model]
path = "../model"
model_type = "qwen3_5"
template = "zoomground_qwen3_5"
freeze_vision = false
max_length = 2048
[data]
train = ["../rows.jsonl"]
[image]
min_pixels = {LIMITS.min_pixels}
max_pixels = {LIMITS.max_pixels}
[episode]
crop_max_pixels = 16384
[grpo]
steps = {STEPS}
save_steps = 2
prompts_per_step = {PROMPTS}
num_generations = {GENERATIONS}
micro_batch_size = 4
max_completion_length = 16
learning_rate = 1e-3
[rewards.weights]
zoomin_format = 1.0
dense_distance = 1.0
[engine]
dtype = "float32"
gradient_checkpointing = false
"""

LAUNCH = ROOT / "scripts" / "gpu_proof" / "with_plugin.py"
"""The launcher, with another plugin than the package's."""


@dataclass
class Run:
    """A run folder and the launcher that works in it."""

    folder: Path

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def start(self) -> subprocess.Popen[str]:
        plugin = str(Path(__file__).parent / "standins" / "worded.py")
        self.folder.mkdir(exist_ok=True)
        (self.folder / "r.toml").write_text(RECIPE, encoding="utf-8")
        return subprocess.Popen(
            [sys.executable, str(LAUNCH), plugin, "train", "r.toml"], cwd=self.folder, text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def finish(self) -> None:
        launcher = self.start()
        said = launcher.communicate(timeout=DEADLINE_S)[0]
        assert launcher.returncode == 0, said

    def kill_the_trainer(self, after: int) -> str:
        """SIGKILL for the process that trains, once a step is logged; gives what the launcher said of it."""
        launcher = self.start()
        deadline = time.monotonic() + DEADLINE_S
        while len(self.steps()) < after:
            assert launcher.poll() is None, launcher.communicate()[0]
            assert time.monotonic() < deadline
            time.sleep(0.02)
        for child in psutil.Process(launcher.pid).children(recursive=True):
            if any(word.endswith("cli/rlhf.py") for word in child.cmdline()):
                child.kill()
        said = launcher.communicate(timeout=DEADLINE_S)[0]
        assert launcher.returncode == 1, said
        return said

    def steps(self) -> list[dict[str, object]]:
        """The logged steps without what the clock says."""
        clock = ("time", "speed", "seconds", "memory")
        rows = read_metrics(self.out / "grpo" / "logging.jsonl")
        return [
            {name: value for name, value in row.items() if not any(word in name for word in clock)}
            for row in rows
            if "loss" in row
        ]

    def records(self) -> dict[tuple[int | None, ...], SavedRecord]:
        found = [line.record for line in read_records(self.out / "trajectories")]
        assert len({record.uuid for record in found}) == len(found), "no trajectory stands there twice"
        by_place = {(record.step, record.prompt_group, record.generation): record for record in found}
        assert len(by_place) == len(found)
        return by_place

    def state(self, name: str) -> Any:
        import torch

        return torch.load(self.out / "grpo" / f"checkpoint-{STEPS}" / name, weights_only=False)

    def weights(self) -> dict[str, Any]:
        from safetensors.torch import load_file

        return dict(load_file(self.out / "grpo" / f"checkpoint-{STEPS}" / "model.safetensors"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("killed")
    checkpoint(made / "model", "qwen3_5")
    lines = []
    for number in range(8):
        Image.new("RGB", (256, 160), (30 * number, 80, 120)).save(made / f"s{number}.png")
        row = {"problem": f"<image>Item {number}", "solution": "[120,72,136,88]", "images": [f"s{number}.png"]}
        lines.append(json.dumps(row))
    (made / "rows.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


def test_killed_at_a_random_step_and_started_again(folder: Path) -> None:
    import torch

    after = random.SystemRandom().randint(1, STEPS - 1)
    never, killed = Run(folder / "never"), Run(folder / "killed")
    never.finish()
    said = killed.kill_the_trainer(after)
    assert "stage 'grpo' ended with exit code" in said
    killed.finish()

    where = f"killed after step {after}"
    assert [row["step"] for row in killed.steps()] == list(range(1, STEPS + 1)), where
    assert killed.steps() == never.steps(), where
    assert any(float(str(row["grad_norm"])) > 0 for row in never.steps())
    records, expected = killed.records(), never.records()
    assert len(expected) == STEPS * PROMPTS * GENERATIONS
    assert {place: record.trajectory for place, record in records.items()} == {
        place: record.trajectory for place, record in expected.items()
    }, where
    moments, theirs = (run.state("optimizer.pt")["state"] for run in (killed, never))
    assert all(int(one["step"]) == STEPS for one in moments.values())
    assert all(torch.equal(moments[key]["exp_avg_sq"], theirs[key]["exp_avg_sq"]) for key in theirs)
    weights = killed.weights()
    assert all(torch.equal(weights[name], value) for name, value in never.weights().items()), where
