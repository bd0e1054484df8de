"""The hash of a recipe, and the shipped recipes."""

from pathlib import Path

import pytest

from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.recipe import Recipe, load_recipe


def test_hash_ignores_order_form_and_where_results_go(tmp_path: Path) -> None:
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text("[grpo]\nsteps = 3\nlearning_rate = 1e-4\n[sft]\nsteps = 2\n", encoding="utf-8")
    two.write_text(
        "# a remark\n[sft]\nsteps=2\n[run]\noutput_dir='x'\n[grpo]\nlearning_rate=0.0001\nsteps=3\nnum_generations=8\n",
        encoding="utf-8",
    )
    assert load_recipe(one, {}).recipe.hash == load_recipe(two, {"LOG_DIR": "logs"}).recipe.hash


@pytest.mark.parametrize("variable", ["MAX_TURNS", "ZOOMIN_GRPO_STEPS", "ZOOMIN_RUN_SEED", "ZOOMIN_REWARDS_WEIGHTS"])
def test_hash_follows_every_value(variable: str) -> None:
    value = "zoomin_accuracy=2" if variable.endswith("WEIGHTS") else "3"
    assert load_recipe(environ={variable: value}).recipe.hash != Recipe().hash


def test_hash_follows_a_curriculum_that_is_on_and_not_how_many_processes_serve_it() -> None:
    def hashed(**keys: str) -> str:
        return load_recipe(environ={f"ZOOMIN_CURRICULUM_{name}": value for name, value in keys.items()}).recipe.hash

    assert hashed(BOARDS="3") == Recipe().hash
    assert hashed(STEPS="2") != Recipe().hash
    assert hashed(STEPS="2", BOARDS="3") != hashed(STEPS="2")
    assert hashed(STEPS="2", WORKERS="3") == hashed(STEPS="2")


def test_hash_is_stable_over_processes_and_versions() -> None:
    assert len(Recipe().hash) == 12
    assert Recipe().hash == Recipe.model_validate(Recipe().values()).hash


def test_episode_settings_hold_every_key_of_the_section() -> None:
    settings = Recipe().episode_settings(Arm.OFF)
    assert settings.arm is Arm.OFF
    assert settings == EpisodeSettings(arm=Arm.OFF)
