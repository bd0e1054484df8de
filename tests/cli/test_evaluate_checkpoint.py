"""``eval`` of a checkpoint on this machine: batched, and resumed wherever the folder of the checkpoint lies."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from verbs import run

from layouts import downloaded
from zoomground.data.checkpoints import checkpoint_hash
from zoomground.geometry import PixelLimits

pytestmark = pytest.mark.engine

LIMITS = PixelLimits(factor=32, min_pixels=4 * 32**2, max_pixels=16 * 32**2)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    from zoomground.engines.tiny import build_checkpoint

    build_checkpoint(tmp_path / "model", arch="qwen3_vl", limits=LIMITS, seed=1, corpus=["Open the File menu"])
    return tmp_path / "model"


def test_a_checkpoint_in_two_arms(checkpoint: Path, tmp_path: Path) -> None:
    data = downloaded("rows", tmp_path / "data", {"shots/a.png": (200, 100)})
    start = ("eval", "rows", "--data", data, "--out", tmp_path / "out", "--max-tokens", 8, "--concurrency", 2, "--json")
    result = run(*start, "--checkpoint", checkpoint)
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert [arm["verdicts"]["error"] for arm in found["arms"].values()] == [0, 0]
    assert found["arms"]["on"]["cost"]["seconds"] > 0
    assert found["run"]["model"] == {
        "kind": "checkpoint",
        "model": checkpoint_hash(checkpoint),
        "max_tokens": 8,
        "temperature": 0.0,
        "top_p": None,
        "seed": None,
        "chat_template_kwargs": {},
    }
    log = (tmp_path / "out" / "results.jsonl").read_bytes()
    shutil.move(checkpoint, tmp_path / "moved")
    again = run(*start, "--checkpoint", tmp_path / "moved")
    assert again.exit_code == 0, again.stderr
    assert (tmp_path / "out" / "results.jsonl").read_bytes() == log  # nothing was asked again
    weights = next((tmp_path / "moved").glob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x00")
    assert checkpoint_hash(tmp_path / "moved") != found["run"]["model"]["model"]
    wrong = run(*start, "--checkpoint", tmp_path / "moved", "--extra-body", '{"top_k": 1}')
    assert wrong.exit_code == 2
    assert "takes chat_template_kwargs alone, got top_k" in " ".join(wrong.stderr.replace("│", " ").split())
