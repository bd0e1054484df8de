"""Which checkpoint a run starts from, and what each stage hands on."""

from pathlib import Path

import pytest

from zoomground.recipe import LoadedRecipe, load_recipe
from zoomground.train.checkpoints import checkpoints, start_model
from zoomground.train.folder import RunFolder


def loaded(**environ: str) -> LoadedRecipe:
    return load_recipe(None, environ)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def start(**environ: str) -> str:
    one = loaded(**environ)
    return start_model(one, RunFolder.of(one))


def test_the_start_is_built_a_folder_or_a_hubs_name(folder: Path) -> None:
    assert start(ZOOMIN_MODEL_BUILD_ARCH="qwen3_vl") == str(folder / "output" / "run" / "checkpoint")
    assert start(MODEL_PATH="./mine") == str(folder / "mine")
    assert start(MODEL_PATH="Some/Model") == "Some/Model"
    (folder / "Some" / "Model").mkdir(parents=True)
    assert start(MODEL_PATH="Some/Model") == str(folder / "Some" / "Model")


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"ZOOMIN_GRPO_STEPS": "4"}, {"start": "m", "grpo": "grpo/checkpoint-4"}),
        (
            {"ZOOMIN_SFT_STEPS": "3", "ZOOMIN_GRPO_STEPS": "4"},
            {"sft": "sft/checkpoint-3", "grpo": "grpo/checkpoint-4"},
        ),
        (
            {"ZOOMIN_GRPO_STEPS": "4", "ZOOMIN_ENGINE_TUNER": "lora"},
            {"start": "m", "grpo": "grpo/checkpoint-4-merged"},
        ),
    ],
)
def test_what_is_evaluated(folder: Path, environ: dict[str, str], expected: dict[str, str]) -> None:
    one = loaded(MODEL_PATH="./m", **environ)
    places = {
        name: str((folder if name == "start" else folder / "output" / "run") / at) for name, at in expected.items()
    }
    assert checkpoints(one, RunFolder.of(one)) == places


def test_a_curriculum_is_where_everything_else_starts(folder: Path) -> None:
    environ = {"ZOOMIN_MODEL_BUILD_ARCH": "qwen3_vl", "ZOOMIN_CURRICULUM_STEPS": "2"}
    taught = str(folder / "output" / "run" / "curriculum" / "checkpoint")
    assert start(**environ) == taught
    one = loaded(**environ)
    assert checkpoints(one, RunFolder.of(one)) == {"start": taught}
    one = loaded(**environ, ZOOMIN_GRPO_STEPS="3")
    assert list(checkpoints(one, RunFolder.of(one))) == ["start", "grpo"]
