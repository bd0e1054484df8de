"""The benchmark of the scheduler plays real episodes, and its figures add up."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from unittest import mock

import pytest
from swift_loops import trajectory

from zoomground.engines.swift.active import EngineSettings
from zoomground.engines.swift.scheduler import ZoominGroundingScheduler
from zoomground.trajectory import StopReason

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module("scheduler_overhead")
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in {"bench", "scheduler_overhead", "experiment"}:
            del sys.modules[name]


def test_every_trajectory_is_played_to_its_answer(benchmark: ModuleType, tmp_path: Path) -> None:
    settings = EngineSettings(episode=benchmark.settings_of("mini"), off_share=0.0)
    requests, scripts = benchmark.prepared(tmp_path, 10)
    with mock.patch("zoomground.environment.Views", benchmark.NoPictures):
        run = benchmark.play(
            lambda engine: ZoominGroundingScheduler(engine, None, settings=settings), requests, scripts, 0.0
        )
    played = [trajectory(output) for output in run.outputs]
    assert len(played) == 10
    assert {one.stop_reason for one in played} == {StopReason.ANSWERED}
    assert {len(one.crops) for one in played} == {3}
    assert {one.task.image for one in played} == {str(tmp_path / "0.png"), str(tmp_path / "1.png")}
    for part in (run.opening, run.turns):
        assert 0 < part.loop_s <= part.all_s
    assert run.stall.cpu_s > 0


def test_what_the_loop_itself_costs_is_taken_off(benchmark: ModuleType) -> None:
    limits, table = benchmark.measure(8, 1, {"burst": 0.0})
    rows = {row[0]: dict(zip(table.columns[1:], row[1:], strict=True)) for row in table.rows}
    ours, nothing = rows["ours, burst"], rows["nothing, burst"]
    spent = [one["turn: loop"] + one["turn: threads"] for one in (ours, nothing)]
    assert limits[0].value == pytest.approx(spent[0] - spent[1])
    assert limits[0].at_most == 2.0
    assert limits[1].value == pytest.approx(ours["turn: loop"] - nothing["turn: loop"])
