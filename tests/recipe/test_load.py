"""Recipes: precedence, errors that name what is wrong, paths."""

from pathlib import Path

import pytest

from zoomground.errors import RecipeError, UnknownVariableError
from zoomground.protocol.actions import ParserMode
from zoomground.protocol.settings import Arm
from zoomground.recipe import Source, active_settings, load_recipe
from zoomground.recipe.keys import all_keys
from zoomground.rewards import DEFAULT_WEIGHTS, Quality, RewardSettings

CLASSIC = {
    "MODEL_PATH": "model.path",
    "DATASETS": "data.train",
    "MAX_TURNS": "episode.max_turns",
    "MAX_LENGTH": "model.max_length",
    "MAX_PIXELS": "image.max_pixels",
    "LOG_DIR": "run.log_dir",
    "ZOOMIN_CROP_UPSCALE_FACTOR": "episode.crop_upscale_factor",
    "ZOOMIN_CROP_MAX_PIXELS": "episode.crop_max_pixels",
    "ZOOMIN_CALL_COST": "rewards.call_cost",
    "ZOOMIN_MAX_TOOL_CALLS": "episode.max_tool_calls",
    "ZOOMIN_MAX_CALLS_PER_TURN": "episode.max_calls_per_turn",
    "ZOOMIN_MAX_CORRECTIONS": "episode.max_corrections",
    "ZOOMIN_PARSER_MODE": "episode.parser_mode",
    "ZOOMIN_CROP_QUALITY": "rewards.quality",
    "ZOOMIN_COT_RM_NEUTRAL_SCORE": "rewards.neutral_score",
}


def write(folder: Path, text: str) -> Path:
    path = folder / "r.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_classic_variables_keep_their_spelling() -> None:
    spelling = {key.variable: key.name for key in all_keys()}
    assert {variable: spelling.get(variable) for variable in CLASSIC} == CLASSIC


def test_variables_are_unique_and_others_are_systematic() -> None:
    variables = [key.variable for key in all_keys()]
    assert len(set(variables)) == len(variables)
    assert "ZOOMIN_GRPO_STEPS" in variables
    assert "ZOOMIN_MODEL_BUILD_ARCH" in variables
    assert all(key.description for key in all_keys())


def test_environment_wins_over_recipe_over_default(tmp_path: Path) -> None:
    path = write(tmp_path, "[episode]\nmax_turns = 4\nmax_tool_calls = 2\n")
    loaded = load_recipe(path, {"MAX_TURNS": "5"})
    assert loaded.recipe.episode.max_turns == 5
    assert loaded.recipe.episode.max_tool_calls == 2
    assert loaded.recipe.episode.max_corrections == 2
    sources = {setting.key.name: setting.source for setting in loaded.settings()}
    assert sources["episode.max_turns"] is Source.ENVIRONMENT
    assert sources["episode.max_tool_calls"] is Source.RECIPE
    assert sources["episode.max_corrections"] is Source.DEFAULT
    assert loaded.variables == {"MAX_TURNS": "5"}


def test_empty_variable_says_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, "[episode]\nmax_turns = 4\n")
    assert load_recipe(path, {"MAX_TURNS": " "}).recipe.episode.max_turns == 4


def test_a_list_of_nothing_in_the_environment(tmp_path: Path) -> None:
    path = write(tmp_path, '[data]\ntrain = ["a.jsonl"]\nheldout = ["b.jsonl"]\n')
    data = load_recipe(path, {"ZOOMIN_DATA_HELDOUT": " [] ", "DATASETS": ""}).recipe.data
    assert (data.train, data.heldout) == ((Path("a.jsonl"),), ())


@pytest.mark.parametrize(
    ("file", "environ"),
    [
        ("build.arch = 'qwen3_5'\nbuild.size = 'mini'", {"MODEL_PATH": "/m"}),
        ("path = '/m'", {"ZOOMIN_MODEL_BUILD_ARCH": "qwen3_vl"}),
    ],
)
def test_a_checkpoint_in_the_environment_takes_the_place_of_the_files(
    tmp_path: Path, file: str, environ: dict[str, str]
) -> None:
    loaded = load_recipe(write(tmp_path, f"[model]\n{file}\n"), environ)
    model = loaded.recipe.model
    assert (model.path, model.build.arch) == (environ.get("MODEL_PATH", ""), environ.get("ZOOMIN_MODEL_BUILD_ARCH", ""))
    dropped = "model.build.arch" if model.path else "model.path"
    assert loaded.sources[dropped] is Source.DEFAULT


def test_two_checkpoints_in_one_place_are_left_for_the_preflight_to_refuse(tmp_path: Path) -> None:
    model = load_recipe(write(tmp_path, "[model]\npath = '/m'\nbuild.arch = 'qwen3_vl'\n"), {}).recipe.model
    assert (model.path, model.build.arch) == ("/m", "qwen3_vl")


def test_lists_and_tables_in_the_environment() -> None:
    loaded = load_recipe(
        environ={
            "DATASETS": "a.jsonl 'b c.jsonl'",
            "ZOOMIN_REWARDS_WEIGHTS": "zoomin_accuracy=1 zoomin_format=0.25",
            "ZOOMIN_EVALUATE_ARMS": "off",
            "ZOOMIN_PARSER_MODE": "strict",
            "ZOOMIN_EPISODE_ALLOW_DECLINE": "1",
        }
    )
    assert loaded.recipe.data.train == (Path("a.jsonl"), Path("b c.jsonl"))
    assert loaded.recipe.rewards.weights == {"zoomin_accuracy": 1.0, "zoomin_format": 0.25}
    assert loaded.recipe.evaluate.arms == (Arm.OFF,)
    assert loaded.recipe.episode.parser_mode is ParserMode.STRICT
    assert loaded.recipe.episode.allow_decline is True


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("MAX_TURNS", "many"),
        ("MAX_TURNS", "0"),
        ("ZOOMIN_PARSER_MODE", "loose"),
        ("ZOOMIN_REWARDS_WEIGHTS", "zoomin_accuracy"),
        ("DATASETS", "'unclosed"),
        ("VLLM_SERVER_PORTS", "8000 80000"),
        ("ZOOMIN_ROLLOUTS_GROUP_PORTS", "0"),
        ("MASTER_PORT", "65535"),
        ("VLLM_ENGINE_KWARGS", "{cut"),
    ],
)
def test_bad_variable_is_named(variable: str, value: str) -> None:
    with pytest.raises(RecipeError, match=variable):
        load_recipe(environ={variable: value})


@pytest.mark.parametrize(
    ("variable", "advice"),
    [
        ("ZOOMIN_GRPO_STEP", "did you mean 'ZOOMIN_GRPO_STEPS'?"),
        ("ZOOMIN_CALL_COSTS", "did you mean 'ZOOMIN_CALL_COST'?"),
        ("ZOOMIN_COT_RM_API_BASES", "did you mean 'ZOOMIN_COT_RM_API_BASE'?"),
        ("ZOOMIN_QQQQ", "'zoomground settings' names all"),
    ],
)
def test_a_variable_that_nobody_reads_is_refused_with_advice(variable: str, advice: str) -> None:
    with pytest.raises(UnknownVariableError) as caught:
        load_recipe(environ={variable: "1", "ZOOMIN_ALSO_WRONG": "2", "ZOOMIN_CALL_COST": "0.1"})
    assert f"'{variable}' is none of zoomground's; {advice}" in str(caught.value)
    assert "ZOOMIN_ALSO_WRONG" in str(caught.value)
    assert "'ZOOMIN_CALL_COST' is" not in str(caught.value)


def test_variables_that_are_no_key_are_known_too(tmp_path: Path) -> None:
    """Those of the launcher, empty ones, and everybody else's."""
    environ = {"ZOOMIN_TRAJECTORIES": str(tmp_path), "ZOOMIN_NOTHING": " ", "NNODES": "1"}
    assert active_settings(environ).trajectories_dir == tmp_path


def test_the_settings_inside_a_trainer_are_as_strict() -> None:
    with pytest.raises(UnknownVariableError, match="ZOOMIN_GRPO_STEP'"):
        active_settings({"ZOOMIN_GRPO_STEP": "3"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[grpo]\nstep = 3\n", r"unknown key 'grpo\.step'; did you mean 'grpo\.steps'\?"),
        ("[sft]\nnum_generations = 3\n", r"unknown key 'sft\.num_generations'; did you mean 'grpo\.num_generations'\?"),
        ("[gpro]\n", r"unknown key 'gpro'; did you mean 'grpo'\?"),
        ("[model.build]\narc = 'x'\n", r"did you mean 'model\.build\.arch'\?"),
        ("[zzzzzz]\n", r"unknown key 'zzzzzz'$"),
        ("[grpo]\nsteps = -1\n", r"key 'grpo\.steps'"),
        ("[grpo]\nsteps = 'x'\n", r"key 'grpo\.steps'.*got 'x'"),
        ("[image]\nmin_pixels = 99999\nmax_pixels = 4096\n", "min_pixels"),
        ("grpo = 3\n", "key 'grpo'"),
        ("[grpo\n", "no TOML"),
        ("[rewards.weights]\nzoomin_acuracy = 1.0\n", "did you mean 'zoomin_accuracy'"),
        ("[rewards]\nquality = 'area'\n", r"key 'rewards\.quality'"),
    ],
)
def test_bad_recipe_names_file_and_key(tmp_path: Path, text: str, expected: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(RecipeError, match=expected) as caught:
        load_recipe(path, {})
    assert str(path) in str(caught.value)


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(RecipeError) as caught:
        load_recipe(write(tmp_path, "[grpo]\nsteps = -1\nbeta = -1\n"), {})
    assert "grpo.steps" in str(caught.value)
    assert "grpo.beta" in str(caught.value)


def test_variable_for_a_key_of_a_section_that_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="must be a table"):
        load_recipe(write(tmp_path, "episode = 3\n"), {"MAX_TURNS": "3"})


def test_missing_file_and_wrong_encoding(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"nowhere\.toml"):
        load_recipe(tmp_path / "nowhere.toml", {})
    path = tmp_path / "latin.toml"
    path.write_bytes("# é\n".encode("latin-1"))
    with pytest.raises(RecipeError, match=r"latin\.toml"):
        load_recipe(path, {})


def test_paths_of_the_file_are_relative_to_it_and_of_the_environment_to_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "recipes").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    path = write(tmp_path / "recipes", "[data]\ntrain = ['../rows.jsonl']\nheldout = ['h.jsonl']\n")
    loaded = load_recipe(path, {"ZOOMIN_DATA_HELDOUT": "h.jsonl"})
    assert loaded.locate("data.train", loaded.recipe.data.train[0]) == tmp_path / "rows.jsonl"
    assert loaded.locate("data.heldout", loaded.recipe.data.heldout[0]) == tmp_path / "work" / "h.jsonl"


def test_active_settings_without_a_recipe_are_the_defaults() -> None:
    active = active_settings({})
    assert active.episode.max_turns == 6
    assert active.episode.arm is Arm.ON
    assert active.weights == DEFAULT_WEIGHTS
    assert active.rewards == RewardSettings()
    assert active.trajectories_dir is None


def test_active_settings_read_the_named_recipe(tmp_path: Path) -> None:
    path = write(tmp_path, "[image]\nfactor = 28\nmax_pixels = 100000\n[episode]\nmax_turns = 4\n")
    active = active_settings({"ZOOMIN_RECIPE": str(path), "MAX_TURNS": "3", "ZOOMIN_TRAJECTORIES": str(tmp_path)})
    assert active.episode.max_turns == 3
    assert active.trajectories_dir == tmp_path
    # Whole image tokens: the trainer's processor counts tokens, not pixels.
    assert active.episode.limits.max_pixels == 100000 // 784 * 784


def test_reward_settings_hold_every_key_of_the_section() -> None:
    active = active_settings(
        {"ZOOMIN_CALL_COST": "0.1", "ZOOMIN_CROP_QUALITY": "iou", "ZOOMIN_COT_RM_NEUTRAL_SCORE": "0.25"}
    )
    assert active.rewards == RewardSettings(call_cost=0.1, quality=Quality.IOU, neutral_score=0.25)
