"""A run that is killed loses nothing and repeats nothing, and leaves no process behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from test_dataset import tree

from episodes import screenshot
from zoomground.data.rows import write_rows
from zoomground.geometry import Size

COUNT = 14
SIZE = Size(320, 256)

SCRIPT = """
import os, signal, sys
from pathlib import Path
from zoomground.collect.dataset import write_demonstrations
from zoomground.collect.styles import STYLES
from zoomground.geometry import PixelLimits
from zoomground.protocol.settings import EpisodeSettings

def killed(done, count):
    if done == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    settings = EpisodeSettings(limits=PixelLimits(32, 4 * 1024, 16 * 1024))
    rows, file = Path(sys.argv[1]), Path(sys.argv[2])
    write_demonstrations(
        [rows], file, count=int(sys.argv[4]), seed=3, settings=settings, style=STYLES["free"], jobs=2,
        on_progress=killed,
    )
"""


def test_killed_at_many_points_and_started_again_it_comes_out_as_one_run(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = []
    for name in ("a.png", "b.png", "c.png"):
        screenshot(SIZE, seed=len(rows)).pixels.save(tmp_path / name)
        rows += [
            {"problem": f"<image>Open {i}", "solution": f"[{x}, 40, {x + 20}, 60]", "images": [name]}
            for i, x in enumerate((20, 210))
        ]
    write_rows(tmp_path / "rows.jsonl", rows)
    (tmp_path / "script.py").write_text(SCRIPT)

    def run(folder: str, kill_at: int) -> int:
        file = tmp_path / folder / "sft.jsonl"
        command = [sys.executable, "script.py", "rows.jsonl", str(file), str(kill_at), str(COUNT)]
        environment = {"PYTHONPATH": ":".join(sys.path), "OMP_NUM_THREADS": "1"}
        # The processes of the pool hold this pipe too: the call returns when all of them have ended.
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, timeout=300, check=False
        ).returncode

    assert run("whole", 0) == 0
    for kill_at in (1, 2, 7, 11, COUNT):
        assert run("killed", kill_at) == -signal.SIGKILL
        assert not (tmp_path / "killed" / "sft.jsonl").exists()
    assert run("killed", 0) == 0
    assert tree(tmp_path / "killed") == tree(tmp_path / "whole")
