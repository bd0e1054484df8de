"""The verbs train and settings, and the classic shell script, up to the point where something would be started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from zoomground.cli.app import app
from zoomground.cli.output import INTERRUPTED
from zoomground.errors import LaunchError
from zoomground.train import preflight, summary

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "recipes" / "demo-scratch.toml"
SCRIPT = ROOT / "train_zoomin_grounding_grpo.sh"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(preflight, "version_problems", lambda extra: [])


def run(*words: str, **environ: str) -> Result:
    return CliRunner().invoke(app, list(words), env=environ)


def test_settings_show_value_default_and_source() -> None:
    result = run("settings", str(DEMO), "--json", MAX_TURNS="4")
    document = json.loads(result.stdout)
    rows = {row["variable"]: row for row in document["settings"]}
    assert result.exit_code == 0
    assert (rows["MAX_TURNS"]["value"], rows["MAX_TURNS"]["source"]) == (4, "environment")
    assert (rows["MAX_PIXELS"]["value"], rows["MAX_PIXELS"]["source"]) == (40960, "recipe")
    assert (rows["ZOOMIN_CALL_COST"]["value"], rows["ZOOMIN_CALL_COST"]["source"]) == (0.05, "default")


def test_settings_as_a_table_hold_every_variable() -> None:
    result = run("settings")
    assert result.exit_code == 0
    for variable in ("MODEL_PATH", "ZOOMIN_GRPO_STEPS", "ZOOMIN_MODEL_BUILD_ARCH", "ZOOMIN_COT_RM_NEUTRAL_SCORE"):
        assert variable in result.stdout


def test_a_bad_variable_is_one_line_and_exit_code_1() -> None:
    result = run("settings", MAX_TURNS="many")
    assert result.exit_code == 1
    assert "error: environment variable MAX_TURNS='many'" in result.output
    assert "Traceback" not in result.output


def test_dry_run_prints_the_plan_and_runs_nothing(tmp_path: Path) -> None:
    result = run("train", str(DEMO), "--dry-run")
    assert result.exit_code == 0
    assert "--multi_turn_scheduler zoomin_grounding_scheduler" in result.stdout
    assert "is built when the run starts" in result.stdout.partition("\nmemory\n")[2]
    assert not list(tmp_path.iterdir())


def test_dry_run_prints_the_plan_first_then_the_problems() -> None:
    result = run("train", str(DEMO), "--dry-run", NNODES="4", MASTER_ADDR="gw0", DATASETS="nowhere.jsonl")
    assert result.exit_code == 1
    assert "swift.cli.main rlhf" in result.stdout
    assert result.output.index("swift.cli.main rlhf") < result.output.index("this machine has no GPU")
    assert "nowhere.jsonl" in result.output


def test_dry_run_as_json() -> None:
    result = run("train", str(DEMO), "--dry-run", "--json", NNODES="4", NODE_RANK="1", MASTER_ADDR="gw0")
    document = json.loads(result.stdout)
    assert result.exit_code == 1
    assert [stage["name"] for stage in document["stages"]][:3] == ["demonstrations", "checkpoint", "sft"]
    assert [node["role"] for node in document["nodes"]] == ["serves rollouts", *["trains"] * 3]
    assert "this machine has no GPU" in document["problems"][0]
    assert document["estimate"]["memory"] is None
    assert document["estimate"]["time"] == []


def test_dry_run_of_what_no_plan_can_be_made_of() -> None:
    result = run("train", str(DEMO), "--dry-run", CUDA_VISIBLE_DEVICES="0,1", VLLM_TP="2")
    assert result.exit_code == 1
    assert "2 x 1 devices (VLLM_TP x VLLM_DP) need 2 and one is left to train on; a node has 2" in result.output


def test_problems_stop_the_run_before_anything_starts(tmp_path: Path) -> None:
    result = run("train", str(DEMO), USE_ASCEND_NPU="1")
    assert result.exit_code == 1
    assert "this machine has no NPU" in result.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), INTERRUPTED, "the same command goes on"),
        (LaunchError("stage 'sft' ended with exit code 1"), 1, "error: stage 'sft' ended"),
    ],
)
def test_a_run_that_was_stopped_or_failed(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, said: str
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr("zoomground.cli.train.run", fails)
    result = run("train", str(DEMO))
    assert result.exit_code == code
    assert said in result.output


def test_the_end_of_a_run_shows_the_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    made = summary.Summary(checks=[summary.Check("canonical turns", "90.0% (9 of 10)", ">= 95%", ok=False)])
    monkeypatch.setattr("zoomground.cli.train.run", lambda *_: None)
    monkeypatch.setattr("zoomground.cli.train.summarise", lambda _: made)
    result = run("train", str(DEMO), "--json")
    assert json.loads(result.stdout)["checks"][0]["value"] == "90.0% (9 of 10)"


def script(tmp_path: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """The classic script with a command `zoomground` of this environment in front of the PATH."""
    door = tmp_path / "bin" / "zoomground"
    door.parent.mkdir(exist_ok=True)
    door.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m zoomground "$@"\n', encoding="utf-8")
    door.chmod(0o755)
    keep = {"PATH": f"{door.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        ["bash", str(SCRIPT)], cwd=tmp_path, env=keep | environ, capture_output=True, text=True, check=False
    )


def test_script_dry_run_with_spaces_in_every_path(tmp_path: Path) -> None:
    work = tmp_path / "a folder"
    model = work / "my model"
    model.mkdir(parents=True)
    (model / "config.json").write_text("{}")
    rows = ROOT / "data_samples" / "grpo_train_prompts" / "train.jsonl"
    link = work / "my rows"
    link.symlink_to(rows.parent)
    result = script(
        work, MODEL_PATH=str(model), DATASETS=f"'{link}/train.jsonl' {rows}", DRY_RUN="1", NNODES="1", VLLM_TP="1"
    )
    assert result.returncode == 0, result.stderr
    assert f"--model '{model}'" in result.stdout
    assert f"{work}/output/zoomin_grounding_grpo" in result.stdout
    assert [path.name for path in work.iterdir() if path.name == "output"] == []


def test_script_without_datasets_takes_the_recipes(tmp_path: Path) -> None:
    """LCH-07: set and empty is no fault of an old bash under `set -u`."""
    (tmp_path / "config.json").write_text("{}")
    result = script(tmp_path, MODEL_PATH=str(tmp_path), DATASETS="", DRY_RUN="1")
    assert result.returncode == 0, result.stderr
    assert "unbound" not in result.stderr


def test_script_defaults_and_errors(tmp_path: Path) -> None:
    missing = script(tmp_path)
    assert missing.returncode != 0
    assert "set MODEL_PATH" in missing.stderr
    several = script(tmp_path, MODEL_PATH="./nowhere", NNODES="4")
    assert several.returncode == 1
    assert "MASTER_ADDR) must name node 0" in several.stderr
    several = script(tmp_path, MODEL_PATH="./nowhere", NNODES="4", MASTER_ADDR="gw0")
    assert several.returncode == 1
    assert "this machine has no GPU" in several.stderr
    assert "config.json is missing" in several.stderr
    assert "grpo_train_prompts" not in several.stderr


def test_script_takes_another_recipe_and_shows_every_node(tmp_path: Path) -> None:
    cluster = {"NNODES": "4", "NODE_RANK": "2", "ROLLOUT_NNODES": "1", "MASTER_ADDR": "gw0", "VLLM_SERVER_HOSTS": "gw0"}
    recipe = ROOT / "recipes" / "qwen3_8_27b.toml"
    result = script(tmp_path, MODEL_PATH="./m", DRY_RUN="1", ZOOMIN_RECIPE=str(recipe), **cluster)
    assert result.returncode == 1
    assert f"recipe      {recipe}" in result.stdout
    assert "this node   2, which trains" in result.stdout
    assert "server 0    node 0, http://gw0:8000" in result.stdout
    assert "this machine has no GPU" in result.stderr


def test_script_is_a_thin_door() -> None:
    assert len(SCRIPT.read_text(encoding="utf-8").splitlines()) < 40
