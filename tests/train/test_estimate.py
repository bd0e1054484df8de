"""What a dry run says about memory and time, and where it says nothing."""

import json
import stat
from pathlib import Path

import pytest
from PIL import Image

from checkpoint_files import checkpoint
from zoomground.recipe import LoadedRecipe, load_recipe
from zoomground.train.devices import Devices, Kind
from zoomground.train.estimate import Estimate, device_memory, estimate_of, step_times
from zoomground.train.folder import RunFolder
from zoomground.train.memory import GIB
from zoomground.train.pipeline import claim
from zoomground.train.topology import topology_of


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Image.new("RGB", (640, 400), "white").save(tmp_path / "a.png")
    row = {"problem": "<image>Open the File menu", "solution": "[10,10,30,30]", "images": ["a.png"]}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (tmp_path / "model").mkdir()
    checkpoint(tmp_path / "model")
    return tmp_path


def loaded(**environ: str) -> LoadedRecipe:
    base = {"DATASETS": "rows.jsonl", "ZOOMIN_GRPO_STEPS": "10", "ZOOMIN_RUN_OUTPUT_DIR": "out"}
    return load_recipe(None, base | environ)


def estimate(**environ: str) -> Estimate:
    one = loaded(**environ)
    return estimate_of(one, topology_of(one.recipe, Devices(Kind.GPU, ("0", "1"))))


def line(step: int, mean_s: float, clock: str) -> dict[str, object]:
    return {"global_step/max_steps": f"{step}/10", "train_speed(s/it)": mean_s, "elapsed_time": clock}


def begin(one: LoadedRecipe, *lines: dict[str, object]) -> None:
    run = RunFolder.of(one)
    claim(run, one)
    run.grpo.mkdir(parents=True)
    text = "".join(json.dumps(entry) + "\n" for entry in lines)
    (run.grpo / "logging.jsonl").write_text(text, encoding="utf-8")


def test_the_text_says_what_it_rests_on() -> None:
    found = estimate(MODEL_PATH="./model", ZOOMIN_CLUSTER_DEVICE_MEMORY_GIB="24")
    text = found.text()
    assert f"from {Path.cwd() / 'model'}" in text
    # 640x400 is 20 x 12 tokens of 32 px.
    assert "240 image tokens of the largest screenshot, 3 crops of up to 3906" in text
    assert "of 24.0" in text
    assert "a rollout device" in text
    assert found.problems == []
    assert json.dumps(found.to_dict())


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({}, "no checkpoint is named (MODEL_PATH)"),
        ({"MODEL_PATH": "Some/Hub-Model"}, "Some/Hub-Model is a name of a hub"),
        ({"MODEL_PATH": "./nowhere"}, "no checkpoint at"),
        ({"ZOOMIN_MODEL_BUILD_ARCH": "qwen3_vl"}, "is built when the run starts"),
    ],
)
def test_without_files_nothing_is_guessed(environ: dict[str, str], said: str) -> None:
    found = estimate(**environ)
    assert found.memory is None
    assert said in found.text()
    assert found.to_dict()["memory"] is None


def test_unreadable_weights_are_named(folder: Path) -> None:
    (folder / "model" / "model.safetensors").write_bytes(b"\0" * 9)
    assert "model.safetensors is no safetensors file" in estimate(MODEL_PATH="./model").text()


def test_without_rows_the_states_are_estimated_all_the_same() -> None:
    found = estimate(MODEL_PATH="./model", DATASETS="nowhere.jsonl")
    assert found.memory is not None
    assert found.memory.context is None
    assert "no rows to measure" in found.text()


def test_what_cannot_fit_is_a_problem() -> None:
    found = estimate(MODEL_PATH="./model", ZOOMIN_CLUSTER_DEVICE_MEMORY_GIB="0.000001")
    assert found.problems
    assert all(problem.startswith("memory: ") for problem in found.problems)


def test_the_devices_memory_is_what_nvidia_smi_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "bin" / "nvidia-smi"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$1" > asked\nprintf "81920\\n40960\\n"\n', encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    one = loaded()
    place = topology_of(one.recipe, Devices(Kind.GPU, ("2", "3")))
    monkeypatch.setenv("PATH", "")
    assert device_memory(one.recipe.cluster, place) is None
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    assert device_memory(one.recipe.cluster, place) == 40 * GIB
    assert (folder / "asked").read_text().strip() == "--id=3,2"
    told = loaded(ZOOMIN_CLUSTER_DEVICE_MEMORY_GIB="24")
    assert device_memory(told.recipe.cluster, place) == 24 * GIB
    assert device_memory(one.recipe.cluster, topology_of(one.recipe, Devices(Kind.CPU))) is None


def test_steps_are_differences_and_a_second_start_begins_anew() -> None:
    first = [line(1, 20.0, "20s"), line(2, 15.0, "30s"), line(3, 14.0, "42s")]
    second = [line(4, 30.0, "30s"), line(5, 20.0, "40s")]
    assert step_times([{"step": number, **row} for number, row in enumerate(first + second, 1)]) == [20, 10, 12, 30, 10]


def test_time_rests_on_measured_steps_of_this_run_alone(folder: Path) -> None:
    one = loaded(MODEL_PATH="./model")
    assert "no step of this recipe was measured here" in estimate(MODEL_PATH="./model").text()
    begin(one, line(1, 20.0, "20s"), line(2, 15.0, "30s"), line(3, 14.0, "42s"))
    # No checkpoint yet: a new start does all ten steps.
    assert "grpo: 10 steps left at 12.0 s (median of 3 measured steps of this run): 2 min" in (
        estimate(MODEL_PATH="./model").text()
    )
    kept = folder / "out" / "grpo" / "checkpoint-2"
    kept.mkdir()
    (kept / "trainer_state.json").write_text('{"global_step": 2}', encoding="utf-8")
    times = estimate(MODEL_PATH="./model").to_dict()["time"]
    assert times == [{"stage": "grpo", "steps_left": 8, "step_s": 12.0, "measured_steps": 3}]
    assert estimate(MODEL_PATH="./model", MAX_TURNS="3").times == ()
