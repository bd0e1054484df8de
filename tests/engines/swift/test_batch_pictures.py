"""The benchmark of a batch's pictures measures both sides on the same samples, and refuses sides that differ."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


@pytest.fixture
def script() -> Iterator[ModuleType]:
    sys.path.insert(0, str(BENCHMARKS))
    yield importlib.import_module("batch_pictures")
    sys.path.remove(str(BENCHMARKS))
    for name in list(sys.modules):
        if name.partition(".")[0] in {"bench", "batch_pictures", "experiment"}:
            del sys.modules[name]


@pytest.mark.engine
def test_a_quick_run_compares_both_clocks(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    monkeypatch.setattr(sys, "argv", ["batch_pictures.py", "--quick", "--prompts", "1", "--json", str(out)])
    script.main()
    found = json.loads(out.read_text(encoding="utf-8"))
    assert [one["what"] for one in found["comparisons"]] == [
        "pictures of a batch, CPU, mini",
        "pictures of a batch, wall, mini",
        "pictures of rollout requests, CPU, mini",
        "pictures of rollout requests, wall, mini",
    ]
    assert all(one["ours"] > 0 and one["straightforward"] > 0 for one in found["comparisons"])
    assert "8 samples of 1 prompts" in capsys.readouterr().out


def test_sides_that_differ_are_refused(script: ModuleType) -> None:
    one = {"input_ids": [1, 2], "pixel_values": torch.zeros(2, 3)}
    script.check_alike([one], [dict(one)])
    with pytest.raises(SystemExit, match="sample 0: pixel_values differs"):
        script.check_alike([one], [one | {"pixel_values": torch.ones(2, 3)}])
    with pytest.raises(SystemExit, match="sample 1: labels differs"):
        script.check_alike([one, one], [one, one | {"labels": [1]}])
