"""Plans are values: golden texts of the shipped recipes, and what decides a command.

To make golden files anew after a wanted change: ``python tests/train/test_plan.py``.
"""

import sys
from pathlib import Path

import pytest

from zoomground.recipe import load_recipe
from zoomground.train.plan import LaunchPlan
from zoomground.train.planning import make_plan

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "plans"
RECIPES = sorted((ROOT / "recipes").glob("*.toml"))


def plan(recipe: str = "demo-cpu", **environ: str) -> LaunchPlan:
    return make_plan(load_recipe(ROOT / "recipes" / f"{recipe}.toml", environ))


def options(plan: LaunchPlan, name: str) -> dict[str, list[str]]:
    """The options of a stage with their words."""
    found: dict[str, list[str]] = {}
    for word in next(stage for stage in plan.stages if stage.name == name).argv:
        if word.startswith("--"):
            found[word] = []
        elif found:
            found[list(found)[-1]].append(word)
    return found


def normalised(plan: LaunchPlan) -> str:
    """The plan's text without what differs between machines."""
    text = plan.text().replace(str(Path(sys.executable).parent) + "/", "$BIN/").replace(str(ROOT), "$REPO")
    text = text.replace(str(Path.cwd()), "$CWD").replace(f"$BIN/{Path(sys.executable).name} ", "$BIN/python ")
    return text + "\n"


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_plan_is_the_golden_one(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = normalised(plan(path.stem, MODEL_PATH="" if path.stem.startswith("demo") else "/models/my-sft"))
    assert text == (GOLDEN / f"{path.stem}.txt").read_text(encoding="utf-8")


def test_no_golden_file_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == {path.stem for path in RECIPES}


def test_planning_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan()
    assert not list(tmp_path.iterdir())


def test_rewards_and_weights_are_those_of_the_recipe_in_order() -> None:
    made = plan(ZOOMIN_REWARDS_WEIGHTS="zoomin_format=0.5 zoomin_accuracy=2")
    assert options(made, "grpo")["--reward_funcs"] == ["zoomin_format", "zoomin_accuracy"]
    assert options(made, "grpo")["--reward_weights"] == ["0.5", "2.0"]


def test_a_step_holds_all_rollouts_whatever_the_micro_batch() -> None:
    for micro in (4, 8, 16, 32):
        found = options(plan(ZOOMIN_GRPO_MICRO_BATCH_SIZE=str(micro)), "grpo")
        batch = int(found["--per_device_train_batch_size"][0]) * int(found["--gradient_accumulation_steps"][0])
        assert batch == 32


def test_training_stages_agree_on_what_the_model_sees() -> None:
    made = plan()
    sft, grpo = options(made, "sft"), options(made, "grpo")
    for shared in ("--template", "--model_type", "--max_length", "--torch_dtype", "--external_plugins", "--seed"):
        assert sft[shared] == grpo[shared]
    environments = [{k: v for k, v in stage.env.items() if k != "ZOOMIN_TRAJECTORIES"} for stage in made.stages]
    assert all(environment == environments[0] for environment in environments)
    assert environments[0]["IMAGE_MAX_TOKEN_NUM"] == "40"


def test_grpo_starts_from_the_last_checkpoint_of_sft_or_from_the_given_one(tmp_path: Path) -> None:
    assert options(plan(), "grpo")["--model"][0].endswith("output/demo/sft/checkpoint-600")
    given = plan("classic", MODEL_PATH=str(tmp_path))
    assert [stage.name for stage in given.stages] == ["prompts", "grpo", "report"]
    assert options(given, "grpo")["--model"] == [str(tmp_path)]
    hub = plan("classic", MODEL_PATH="Qwen/Qwen3-VL-4B-Instruct")
    assert options(hub, "grpo")["--model"] == ["Qwen/Qwen3-VL-4B-Instruct"]
    assert "HF_HUB_OFFLINE" not in hub.stages[0].env
    assert given.stages[0].env["HF_HUB_OFFLINE"] == "1"


def test_a_checkpoint_of_ms_swift_says_what_it_was_trained_as(tmp_path: Path) -> None:
    (tmp_path / "args.json").write_text('{"model_type": "qwen3_5", "template": "qwen3_8", "lr": 1}', encoding="utf-8")
    found = options(plan("classic", MODEL_PATH=str(tmp_path)), "grpo")
    assert (found["--model_type"], found["--template"]) == (["qwen3_5"], ["qwen3_8"])
    told = options(plan("classic", MODEL_PATH=str(tmp_path), ZOOMIN_MODEL_TEMPLATE="mine"), "grpo")
    assert (told["--model_type"], told["--template"]) == (["qwen3_5"], ["mine"])
    (tmp_path / "args.json").write_text("cut", encoding="utf-8")
    assert "--template" not in options(plan("classic", MODEL_PATH=str(tmp_path)), "grpo")


def test_a_stopped_stage_goes_on_from_its_last_whole_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "--resume_from_checkpoint" not in options(plan(), "sft")
    for step in (50, 100):
        folder = tmp_path / "output" / "demo" / "sft" / f"checkpoint-{step}"
        folder.mkdir(parents=True)
        (folder / "trainer_state.json").write_text('{"global_step": 50}')
    assert options(plan(), "sft")["--resume_from_checkpoint"][0].endswith("sft/checkpoint-50")


def test_variables_in_force_reach_every_stage_and_launcher_variables_none() -> None:
    made = plan(MAX_TURNS="4", NNODES="1")
    assert all(stage.env["MAX_TURNS"] == "4" for stage in made.stages)
    assert all("NNODES" in stage.unset and "NNODES" not in stage.env for stage in made.stages)
    assert options(made, "grpo")["--max_turns"] == ["4"]


def test_the_text_is_one_that_a_shell_reads_back() -> None:
    import shlex

    made = plan()
    text = made.text().replace("\\\n", " ")
    for stage in made.stages:
        assert any(shlex.split(line) == list(stage.argv) for line in text.splitlines() if stage.argv[0] in line)


if __name__ == "__main__":
    for recipe in RECIPES:
        model = "" if recipe.stem.startswith("demo") else "/models/my-sft"
        (GOLDEN / f"{recipe.stem}.txt").write_text(normalised(plan(recipe.stem, MODEL_PATH=model)), encoding="utf-8")
