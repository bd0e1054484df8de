"""``eval`` against the engine's own OpenAI server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("swift")
pytest.importorskip("openai")

from typer.testing import CliRunner

import served
from zoomground.cli.app import app
from zoomground.data.trajectories import read_records

pytestmark = pytest.mark.engine


def test_eval_in_two_arms_of_endpoint_and_checkpoint_agree(
    base_url: str, checkpoint: Path, shot: Path, tmp_path: Path
) -> None:
    """Greedy: the server's replies are those of the same checkpoint played here, item by item."""
    rows = [
        {"problem": f"<image>{what}", "solution": "[1,1,90,90]", "images": [shot.name]}
        for what in ("Open the File menu", "Save the file")
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    limits = {"MIN_PIXELS": str(served.LIMITS.min_pixels), "MAX_PIXELS": str(served.LIMITS.max_pixels)}
    said = {}
    for by, who in (
        ("endpoint", ["--base-url", base_url, "--model", served.MODEL]),
        ("checkpoint", ["--checkpoint", checkpoint]),
    ):
        out = tmp_path / by
        words = ["eval", "rows", "--data", tmp_path, "--out", out, "--max-tokens", 12, "--json", *who]
        result = CliRunner().invoke(app, [str(word) for word in words], env=limits, catch_exceptions=False)
        assert result.exit_code == 0, result.stderr
        arms = json.loads(result.stdout)["arms"]
        assert [arm["verdicts"]["error"] for arm in arms.values()] == [0, 0]
        episodes = [line.record.trajectory for line in read_records(out / "results.jsonl")]
        said[by] = {(e.task.id, e.settings.arm): [turn.text for turn in e.turns] for e in episodes}
    assert len(said["endpoint"]) == 4
    assert said["endpoint"] == said["checkpoint"]
