"""The whole path with real processes, as small as can be: Qwen3.5 architecture, then the classic script on its result.

The Qwen3-VL architecture is the demo job's own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from zoomground.data.trajectories import read_records

pytest.importorskip("swift")
pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]

RECIPE = """
[run]
output_dir = "out"
[model]
build.arch = "qwen3_5"
model_type = "qwen3_5"
template = "zoomground_qwen3_5"
freeze_vision = false
max_length = 2048
[data]
train = ["{screens}/train.jsonl"]
heldout = ["heldout.jsonl"]
[image]
max_pixels = 16384
[episode]
crop_max_pixels = 16384
[sft]
steps = 2
save_steps = 1
demonstrations = 8
batch_size = 2
micro_batch_size = 2
[grpo]
steps = 2
save_steps = 1
prompts_per_step = 2
num_generations = 2
micro_batch_size = 4
max_completion_length = 16
[engine]
dtype = "float32"
gradient_checkpointing = false
"""

SMALL = {
    "MAX_PIXELS": "16384",
    "MAX_LENGTH": "2048",
    "ZOOMIN_CROP_MAX_PIXELS": "16384",
    "ZOOMIN_GRPO_STEPS": "1",
    "ZOOMIN_GRPO_PROMPTS_PER_STEP": "1",
    "ZOOMIN_GRPO_NUM_GENERATIONS": "2",
    "ZOOMIN_GRPO_MICRO_BATCH_SIZE": "2",
    "ZOOMIN_GRPO_MAX_COMPLETION_LENGTH": "16",
    "ZOOMIN_ENGINE_DTYPE": "float32",
    "NNODES": "1",
    "VLLM_TP": "1",
}


def command(folder: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    door = folder / "bin" / "zoomground"
    door.parent.mkdir(exist_ok=True)
    door.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m zoomground "$@"\n', encoding="utf-8")
    door.chmod(0o755)
    paths = {"PATH": f"{door.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        words, cwd=folder, env=os.environ | paths | environ, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, done."""
    folder = tmp_path_factory.mktemp("run with a space")
    screens = ROOT / "data_samples" / "screens"
    (folder / "images").symlink_to(screens / "images")
    rows = (screens / "heldout.jsonl").read_text(encoding="utf-8").splitlines()[:2]
    (folder / "heldout.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "r.toml").write_text(RECIPE.format(screens=screens), encoding="utf-8")
    result = command(folder, "zoomground", "train", "r.toml")
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


def test_every_stage_left_its_result(finished: Path) -> None:
    out = finished / "out"
    records = [line.record for line in read_records(out)]
    assert sorted(record.step for record in records if record.step) == [1] * 4 + [2] * 4
    assert not any(record.trajectory.failed for record in records)
    assert (out / "curves.png").stat().st_size > 10_000
    assert "data:image" in (out / "report.html").read_text(encoding="utf-8")
    summary = json.loads((out / "evaluation" / "summary.json").read_text(encoding="utf-8"))
    assert [(one["name"], one["arm"]) for one in summary["results"]] == [
        ("sft", "on"),
        ("sft", "off"),
        ("grpo", "on"),
        ("grpo", "off"),
    ]


def test_a_finished_run_does_nothing_again(finished: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (finished / "out").rglob("*") if path.is_file()}
    result = command(finished, "zoomground", "train", "r.toml", "--json")
    assert result.returncode == 0, result.stderr
    assert len(json.loads(result.stdout)["checks"]) == 3
    after = {path: path.stat().st_mtime_ns for path in before}
    changed = {path.name for path in before if before[path] != after[path]}
    assert changed <= {".lock"}


def test_the_classic_script_trains_from_that_checkpoint(finished: Path) -> None:
    model = finished / "out" / "sft" / "checkpoint-2"
    script = str(ROOT / "train_zoomin_grounding_grpo.sh")
    result = command(finished, "bash", script, MODEL_PATH=str(model), **SMALL)
    assert result.returncode == 0, result.stdout + result.stderr
    records = [line.record for line in read_records(finished / "output" / "zoomin_grounding_grpo")]
    assert len(records) == 2
    assert {record.trajectory.settings.parser_mode.value for record in records} == {"fallback"}
