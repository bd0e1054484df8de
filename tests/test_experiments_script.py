"""The experiment without training: what arms change, the table of hand-made runs, and that nothing is done twice."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from zoomground.data.files import write_bytes
from zoomground.data.health_log import HealthLine, append_health
from zoomground.errors import ZoomgroundError
from zoomground.evaluate import metrics
from zoomground.evaluate.itemised import ItemLine, write_item_lines
from zoomground.recipe.recipe import digest
from zoomground.rewards import DEFAULT_WEIGHTS
from zoomground.train.launch import StoppedError
from zoomground.train.pipeline import claim, identity_of
from zoomground.train.planning import make_plan

ROOT = Path(__file__).parents[1]
RECIPE = ROOT / "recipes" / "demo-cpu.toml"

HITS = {
    "base": ("1100", "0101"),
    "credit": ("1111", "0111"),
    "dense": ("1111", "1111"),
    "no-bonus": ("0000", "0000"),
    "fallback": ("1100", "0101"),
}
"""Whether each of four rows is hit after training, of seed 0 and seed 1."""


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    module = importlib.import_module("experiments")
    # Of two pages a few draws find the ends of every interval.
    for name in ("bootstrap_mean", "paired_difference"):
        monkeypatch.setattr(f"experiment.results.{name}", partial(getattr(metrics, name), resamples=60))
    yield module
    for name in [name for name in sys.modules if name.partition(".")[0] in {"experiments", "experiment", "gpu_proof"}]:
        del sys.modules[name]


def planned(script: ModuleType, out: Path, *, arms: tuple[str, ...] = (), count: int = 2, **given: str) -> Any:
    return script.planned(out, RECIPE, {name.replace("__", "."): value for name, value in given.items()}, arms, count)


@pytest.mark.parametrize(
    ("arm", "keys"),
    [
        ("base", {}),
        ("credit", {"credit.coefficient": 0.5}),
        ("dense", {"rewards.weights": dict(DEFAULT_WEIGHTS) | {"dense_distance": 0.2}}),
        ("no-bonus", {"rewards.weights": dict(DEFAULT_WEIGHTS) | {"zoomin_zoom_bonus": 0.0}}),
        ("fallback", {"episode.parser_mode": "fallback"}),
    ],
)
def test_an_arm_changes_what_it_names_and_its_folder(
    script: ModuleType, tmp_path: Path, arm: str, keys: Mapping[str, object]
) -> None:
    experiment = planned(script, tmp_path)
    base, other = (experiment.trial(name, 1).loaded for name in ("base", arm))
    before, after = ({one.key.name: one.value for one in loaded.settings()} for loaded in (base, other))
    odd = {name: value for name, value in after.items() if value != before[name]}
    folder = tmp_path / arm / "seed-1"
    places = {} if arm == "base" else {"run.output_dir": folder, "run.log_dir": folder / "logs"}
    assert odd == dict(keys) | places
    assert after["run.seed"] == 1
    assert after["evaluate.arms"] == ("on",)


def test_arms_are_those_that_change_something_and_every_run_has_its_turn(script: ModuleType, tmp_path: Path) -> None:
    experiment = planned(script, tmp_path, run__seed="5")
    assert list(experiment.arms) == list(HITS)
    assert list(experiment.seeds) == [5, 6]
    assert [(one.arm, one.seed) for one in experiment.trials()[:6]] == [*((arm, 5) for arm in HITS), ("base", 6)]
    other = planned(script, tmp_path, episode__parser_mode="fallback", rewards__weights="zoomin_accuracy=1")
    assert list(other.arms) == ["base", "credit", "dense", "no-fallback"]
    dense = other.trial("dense", 0).loaded.recipe
    assert dense.rewards.weights == {"zoomin_accuracy": 1.0, "dense_distance": 0.2}
    assert dense.episode.parser_mode == "fallback"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--arms", "no-fallback"], "arm 'no-fallback' changes nothing"),
        (["--set", "sft.steps=5"], "makes its start anew in every run"),
        (["--set", "data.heldout=[]"], "nothing to compare arms on"),
        (["--set", "evaluate.arms=off"], "lacks 'on'"),
        (["--set", "grpo.steps=0"], "grpo.steps is 0"),
        (["--set", "run.output_dir=x"], "every run has its own: run.output_dir"),
        (["--set", "grpo.step=3"], "no key of a recipe: grpo.step"),
        (["--set", "grpo.steps=many"], "ZOOMIN_GRPO_STEPS='many'"),
        (["--seeds", "0"], "--seeds: at least 1"),
        (["--at-once", "0"], "--at-once: at least 1"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        script.main(["--out", str(tmp_path / "out"), *words])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def finish(trial: Any, hits: str, *, start: str = "0001", fallback: int = 0) -> None:
    """What the launcher leaves of a run: four rows on two pages, three of them small; twelve steps."""
    folder = trial.folder
    claim(folder, trial.loaded)
    for stage in make_plan(trial.loaded).stages:
        write_bytes(folder.done / f"{stage.name}.json", json.dumps({"run": digest(identity_of(trial.loaded))}).encode())
        for path in stage.outputs:
            write_bytes(path, b"{}")
    lines = [
        ItemLine(
            name, arm, str(n), "ppqq"[n], "large" if n == 3 else "small", letter == "1", n < 2 if arm == "on" else None
        )
        for name, letters in (("start", start), ("grpo", hits))
        for arm in ("on", "off")
        for n, letter in enumerate(letters if arm == "on" else "0000")
    ]
    write_item_lines(folder.evaluated_items, lines)
    results = [
        {"name": name, "arm": arm, "cost": {"corrections": corrections}, "dialects": {"canonical": 4, "fallback": read}}
        for name, corrections, read in (("start", 0.5, 0), ("grpo", 0.25 + trial.seed, fallback))
        for arm, corrections, read in (("on", corrections, read), ("off", 9.0, 9))
    ]
    write_bytes(folder.evaluation_summary, json.dumps({"results": results}).encode())
    (folder.grpo / "health.jsonl").unlink(missing_ok=True)
    for step in range(1, 13):
        figures = {"hit_rate": 0.0 if step < 3 else 0.5 + 0.25 * trial.seed, "zoom_rate": 0.5, "episode_tokens": 40.0}
        append_health(folder.grpo / "health.jsonl", HealthLine(step, figures))


class Process:
    """Stands in for a launcher's process: it ends when it is asked for the ``ends``-th time whether it has."""

    def __init__(self, code: int, *, ends: int = 1) -> None:
        self.code, self.ends, self.told = code, ends, False

    def poll(self) -> int | None:
        self.ends -= 1
        return None if self.ends > 0 else self.code

    def wait(self, timeout: float | None = None) -> int:
        return self.code

    def terminate(self) -> None:
        self.told = True

    def kill(self) -> None:
        """It has ended by then."""


class Launcher:
    """Stands in for the launcher: notes what it is asked, and finishes each run but those that break."""

    def __init__(self, *broken: tuple[str, int]) -> None:
        self.asked: list[tuple[str, int]] = []
        self.broken = broken

    def __call__(self, trial: Any) -> Process:
        self.asked.append((trial.arm, trial.seed))
        if (trial.arm, trial.seed) in self.broken:
            return Process(1)
        finish(trial, HITS[trial.arm][trial.seed])
        return Process(0)


@pytest.fixture
def start(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    monkeypatch.setattr("experiment.runs.versions", lambda: {"torch": "9", "devices": "CPU"})
    monkeypatch.setattr("experiment.runs.commit", lambda: "abc1234")
    monkeypatch.setattr("experiment.runs.POLL_S", 0.0)

    def call(launcher: Launcher, *words: str) -> int:
        monkeypatch.setattr(script, "start_launcher", launcher)
        return script.main(["--out", str(tmp_path), "--seeds", "2", *words])

    return call


def test_nothing_is_run_again_and_what_failed_is(start: Callable[..., int], tmp_path: Path) -> None:
    first = Launcher(("dense", 1))
    assert start(first) == 1
    assert first.asked == [(arm, seed) for seed in (0, 1) for arm in HITS]
    partial = json.loads((tmp_path / "experiments.json").read_text(encoding="utf-8"))
    assert {one["name"]: one["seeds"] for one in partial["rates"]}["dense"] == [0]
    (of_dense,) = [one for one in partial["differences"] if (one["what"], one["size"]) == ("dense - base", "all")]
    # Seed 0 alone: the base's runs of other seeds are no pair of it.
    assert of_dense["pooled"]["mean"] == 0.5
    second = Launcher()
    assert start(second) == 0
    assert second.asked == [("dense", 1)]
    written = {name: (tmp_path / name).read_bytes() for name in ("experiments.json", "experiments.md")}
    third = Launcher()
    assert start(third) == 0
    assert third.asked == []
    assert {name: (tmp_path / name).read_bytes() for name in written} == written
    assert len((tmp_path / "starts.jsonl").read_text(encoding="utf-8").splitlines()) == 11


def test_a_folder_of_another_experiment_is_refused(
    start: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert start(Launcher(), "--arms", "credit") == 0
    with pytest.raises(SystemExit):
        start(Launcher(), "--arms", "credit", "--set", "grpo.steps=3")
    assert "credit/seed-1 holds another run; changed since: grpo.steps" in capsys.readouterr().err


def test_as_many_runs_as_are_wanted_are_under_way(start: Callable[..., int], tmp_path: Path) -> None:
    first, second = Process(0, ends=5), Process(0, ends=2)
    begun: list[tuple[str, int, int, int]] = []

    class Two(Launcher):
        def __call__(self, trial: Any) -> Process:
            begun.append((trial.arm, trial.seed, first.ends, second.ends))
            process = super().__call__(trial)
            return {1: first, 2: second}.get(len(begun), process)

    assert start(Two(), "--at-once", "2", "--arms", "credit") == 0
    # The second ends first; the third begins when it has, while the first goes on.
    assert [run[:2] for run in begun] == [("base", 0), ("credit", 0), ("base", 1), ("credit", 1)]
    assert [run[2] > 0 for run in begun[:3]] == [True] * 3
    assert [run[3] for run in begun[:3]] == [2, 2, 0]
    noted = [json.loads(line) for line in (tmp_path / "starts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(one["arm"], one["seed"]) for one in noted[:1]] == [("credit", 0)]
    assert len(noted) == 4


@pytest.mark.parametrize("told", [True, False])
def test_a_stopped_experiment_stops_its_runs_and_says_how_to_go_on(
    start: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str], told: bool
) -> None:
    processes: list[Stubborn] = []

    class Stubborn(Process):
        def wait(self, timeout: float | None = None) -> int:
            raise subprocess.TimeoutExpired("launcher", timeout or 0.0)

        def kill(self) -> None:
            self.killed = True

        def poll(self) -> None:
            raise KeyboardInterrupt if told else StoppedError

    class Endless(Launcher):
        def __call__(self, trial: Any) -> Process:
            processes.append(Stubborn(-15))
            return processes[-1]

    assert start(Endless(), "--at-once", "2") == 130
    assert "the same command goes on" in capsys.readouterr().err
    assert [(process.told, process.killed) for process in processes] == [(True, True)] * 2
    noted = [json.loads(line) for line in (tmp_path / "starts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [one | {"seconds": 0, "machine": ""} for one in noted] == [
        {
            "arm": arm, "seed": 0, "commit": "abc1234", "machine": "", "versions": {"torch": "9", "devices": "CPU"},
            "seconds": 0, "code": 130,
        }
        for arm in ("base", "credit")
    ]  # fmt: skip


def test_a_fault_of_ours_stops_the_runs_under_way(
    start: Callable[..., int], script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes = [Process(0), Process(0, ends=9)]
    begun = iter(processes)
    monkeypatch.setattr(script, "write", fails)
    assert start(lambda trial: next(begun), "--at-once", "2") == 1
    assert [process.told for process in processes] == [False, True]


def fails(experiment: Any) -> None:
    raise ZoomgroundError("the disk is full")


def test_the_table_of_finished_runs(start: Callable[..., int], tmp_path: Path) -> None:
    assert start(Launcher(), "--set", "evaluate.rows=4") == 0
    document = json.loads((tmp_path / "experiments.json").read_text(encoding="utf-8"))
    found = {(one["what"], one["size"]): one for one in document["differences"]}
    # Rows 0 to 3 over the seeds: base 1/2, 1, 0, 1/2; credit 1/2, 1, 1, 1. Pages: 0 and 3/4.
    credit = found["credit - base", "all"]
    assert credit["pooled"] == pytest.approx({"mean": 0.375, "low": 0.0, "high": 0.75, "pairs": 4, "clusters": 2})
    assert {seed: one["mean"] for seed, one in credit["seeds"].items()} == {"0": 0.5, "1": 0.25}
    assert [found[f"{arm} - base", "all"]["verdict"] for arm in ("credit", "dense", "no-bonus", "fallback")] == [
        "not shown", "higher", "lower", "not shown",
    ]  # fmt: skip
    assert found["base - start", "small"]["pooled"]["mean"] == pytest.approx(0.5)
    assert found["base - start", "large"]["pooled"]["mean"] == -0.5
    text = (tmp_path / "experiments.md").read_text(encoding="utf-8")
    assert "| dense - base | all | +50.0 [+25.0, +75.0] | higher | +50.0 | +50.0 | 4 (2) |" in text
    assert "| no-bonus - base | all | -50.0 [-75.0, -25.0] | lower | -50.0 | -50.0 | 4 (2) |" in text
    assert "| credit - base | small | +33.3 [+0.0, +100.0] | not shown | +33.3 | +33.3 | 3 (2) |" in text
    assert "| base | 0, 1 | 50.0 [0, 75] | 50.0 [50, 50] | 50.0 [25, 75] | 66.7 [0, 100] | 0.0 [0, 0] | 0.750 |" in text
    assert "| start | 0 | 0.0 [0, 0] | 100.0 [100, 100] | 25.0 [0, 50] | 66.7 [0, 100] | 0.0 [0, 0] | 0.500 |" in text
    # The first two of twelve steps are not among the last ten.
    assert "| base | 62.5 (50.0 to 75.0) | 50.0 (50.0 to 50.0) | - | - | - | 40.0 (40.0 to 40.0) | - |" in text
    assert "Held-out rows (4 on 2 pages)" in text
    assert "recipes/demo-cpu.toml with evaluate.arms=on evaluate.rows=4; " in text
    assert "versions: torch 9, devices CPU; commit: abc1234; " in text
    assert "reward" not in text.replace("among the rewards", "")
    assert document["arms"]["credit"] == {"credit.coefficient": "0.5"}


def test_a_start_that_came_to_something_else_and_turns_of_the_fallback_are_told(
    script: ModuleType, tmp_path: Path
) -> None:
    experiment = planned(script, tmp_path, arms=("fallback",), count=1)
    base, fallback = experiment.trials()
    finish(base, "1100")
    finish(fallback, "1100")
    script.write(experiment)
    text = (tmp_path / "experiments.md").read_text(encoding="utf-8")
    assert "The start did not come to the same" not in text
    assert "only the fallback dialect could read" not in text
    finish(fallback, "1100", start="0011", fallback=3)
    script.write(experiment)
    text = (tmp_path / "experiments.md").read_text(encoding="utf-8")
    assert "The start did not come to the same in every arm as in the base: fallback." in text
    assert "only the fallback dialect could read, all seeds: fallback 3." in text


def test_runs_that_asked_other_rows_are_no_pairs(script: ModuleType, tmp_path: Path) -> None:
    experiment = planned(script, tmp_path, arms=("credit",), count=1)
    base, credit = experiment.trials()
    finish(base, "1100")
    finish(credit, "110")
    with pytest.raises(ZoomgroundError, match="credit, seed 0, did not ask the same items of 'grpo' as base, seed 0"):
        script.write(experiment)


def test_without_a_run_of_the_base_nothing_is_written(script: ModuleType, tmp_path: Path) -> None:
    experiment = planned(script, tmp_path, arms=("credit",), count=1)
    finish(experiment.trial("credit", 0), "1111")
    script.write(experiment)
    assert not (tmp_path / "experiments.json").exists()


def test_the_launcher_gets_the_trials_variables(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = importlib.import_module("experiment.runs")
    trial = planned(script, tmp_path).trial("credit", 1)
    seen: dict[str, Any] = {}

    class Started:
        def __init__(self, command: list[str], *, env: dict[str, str], **_: Any) -> None:
            seen.update(command=command, env=env)

    monkeypatch.setattr(runs.subprocess, "Popen", Started)
    runs.start_launcher(trial)
    assert seen["command"][1:] == ["-m", "zoomground", "train", str(RECIPE)]
    assert {name: seen["env"][name] for name in ("ZOOMIN_CREDIT_COEFFICIENT", "ZOOMIN_RUN_SEED")} == {
        "ZOOMIN_CREDIT_COEFFICIENT": "0.5",
        "ZOOMIN_RUN_SEED": "1",
    }
