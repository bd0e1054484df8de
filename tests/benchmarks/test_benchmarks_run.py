"""One command runs the benchmarks and writes figures and a page; what a figure means is computed right."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

RUN = Path(__file__).parents[2] / "benchmarks" / "run.py"
FACTS = {"benchmark", "method", "quick", "machine", "cpu", "load", "versions", "commit"}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("benchmarks") / "out"
    words = [sys.executable, str(RUN), "--quick", "--out", str(folder), "--only", "episodes_memory", "core_speed"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_a_quick_run_writes_figures_and_one_page(out: Path) -> None:
    assert {file.name for file in out.iterdir()} == {"episodes_memory.json", "core_speed.json", "benchmarks.md"}
    for name in ("episodes_memory", "core_speed"):
        found = json.loads((out / f"{name}.json").read_text("utf-8"))
        assert found.keys() >= FACTS
        assert found["benchmark"] == name
        assert found["quick"] is True
        assert {"Python", "pillow"} <= found["versions"].keys()
        assert all(math.isfinite(one["times"]) and one["times"] > 0 for one in found["comparisons"])
    page = (out / "benchmarks.md").read_text("utf-8")
    for text in ("# Benchmarks", "| commit |", "| pillow |", "## Goals", "## episodes_memory", "## core_speed"):
        assert text in page, text
    assert "512 open episodes on 64 4K screenshots, mini" in page.partition("## Goals")[2].partition("## ")[0]


def test_open_episodes_share_what_the_straightforward_way_holds_for_each(out: Path) -> None:
    found = json.loads((out / "episodes_memory.json").read_text("utf-8"))
    for one in found["comparisons"]:
        assert one["ours"] < one["straightforward"], "the guard: a ratio, with room for noise"
        assert one["goal"] == 5.0
        assert "scaled from 8" in one["note"]
    held = {
        row[0]: dict(zip(found["tables"][0]["columns"][1:], row[1:], strict=True)) for row in found["tables"][0]["rows"]
    }
    screen_mb = 3840 * 2160 * 4 / 1e6
    assert held["mini"]["held: pixels MB"] == pytest.approx(screen_mb), "one screenshot for its group"
    assert held["straightforward"]["held: pixels MB"] > 8 * screen_mb
    for one in held.values():
        assert one["peak MB"] - one["before MB"] > 0.9 * one["held: pixels MB"]


def test_what_breaks_is_told_and_what_is_not_installed_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import run

    (tmp_path / "broken.py").write_text("raise SystemExit('no luck')", "utf-8")
    (tmp_path / "lacking.py").write_text("raise SystemExit('skipped: needs a wheel')", "utf-8")
    monkeypatch.setattr(run, "HERE", tmp_path)
    broken, lacking = (run.carry_out(run.Benchmark(name), tmp_path, quick=True) for name in ("broken", "lacking"))
    assert (broken.broken, lacking.broken) == (True, False)
    page = run.page([broken, lacking], quick=True)
    assert "## broken\n\n```text\nno luck" in page
    assert "skipped: needs a wheel" in page


@pytest.mark.parametrize(
    ("name", "figures", "values"),
    [
        (
            "eval_speed",
            {
                "items": 8, "width": 4, "latency_s": 0.1, "screen": [96, 60], "wall_ratio": 1.2, "cpu_ratio": 1.6,
                "goals": {"wall_ratio": 1.3, "cpu_ratio": 1.5},
            },
            [(1.2, True), (1.6, False)],
        ),
        (
            "judge_speed",
            {"episodes": 8, "concurrency": 4, "latency_s": 0.1, "ratio": 1.1, "goal": 1.3, "cpu_ms_a_request": 3.0},
            [(1.1, True), (3.0, None)],
        ),
    ],
)  # fmt: skip
def test_benchmarks_with_a_form_of_their_own_are_read(
    name: str, figures: dict[str, Any], values: list[tuple[float, bool | None]]
) -> None:
    import run

    one = next(one for one in run.BENCHMARKS if one.name == name)
    assert one.read is not None
    assert [(limit.value, limit.met) for limit in one.read(figures, False).limits] == values
    assert all(limit.met is None for limit in one.read(figures, True).limits), "a quick run is held to nothing"


def test_times_better_and_goals() -> None:
    from bench.result import Better, Comparison, Limit

    faster = Comparison("crops", "1/s", 10.0, 2.0, Better.MORE, goal=5.0)
    smaller = Comparison("bytes", "kB", 10.0, 29.0, Better.LESS, goal=3.0)
    assert (faster.times, faster.met) == (5.0, True)
    assert (smaller.times, smaller.met) == (2.9, False)
    assert Comparison("x", "", 1.0, 1.0, Better.MORE).met is None
    assert [Limit("ms", "ms", 2.0, most).met for most in (None, 2.0, 1.9)] == [None, True, False]


def test_sides_take_turns_and_the_best_round_counts() -> None:
    from bench.timing import in_turns

    calls: list[str] = []

    def side(name: str) -> int:
        calls.append(name)
        return len(calls)

    best = in_turns(3, {"a": lambda: side("a"), "b": lambda: side("b")})
    assert calls == ["a", "b", "b", "a", "a", "b"]
    assert best["a"].result in {1, 4, 5}
    assert best["a"].cpu_s >= 0


def test_psnr_and_codecs() -> None:
    import encoders

    picture = Image.linear_gradient("L").convert("RGB")
    assert math.isinf(encoders.psnr_db(picture, picture))
    assert encoders.psnr_db(picture, picture.point(lambda value: min(255, value + 1))) == pytest.approx(48.15, abs=0.05)
    by_name = {codec.name: encoders.measure(codec, picture, 1) for codec in encoders.CODECS}
    for name, one in by_name.items():
        is_lossless = name.startswith(("PNG", "WebP lossless"))
        assert math.isinf(one.psnr_db) is is_lossless or one.psnr_db > 45, name
        assert one.chars > 0
    assert by_name["PNG 0"].chars > by_name["PNG 6"].chars


def test_rates_count_pieces_of_the_best_round_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    from bench import timing

    clock, calls = [0.0], []
    monkeypatch.setattr(timing.time, "process_time", lambda: clock[0])

    def work(name: str, costs: list[float]) -> None:
        calls.append(name)
        clock[0] += costs.pop(0)

    works = [lambda: work("a", a), lambda: work("b", b)]
    a, b = [1.0, 0.5, 0.5], [2.0, 4.0]
    assert timing.rates(works, 10, rounds=2, least_s=1.0) == [20.0, 5.0]
    assert calls == ["a", "b", "a", "a", "b"]
