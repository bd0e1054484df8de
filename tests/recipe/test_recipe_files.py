"""Recipe files that extend one another."""

from __future__ import annotations

from pathlib import Path

import pytest

from zoomground.errors import RecipeError
from zoomground.recipe import FilterKind, Source, load_recipe

BASE = """
[data]
train = ["rows.jsonl", "more.jsonl"]

[rewards]
call_cost = 0.1
weights = {zoomin_accuracy = 1.0, zoomin_format = 0.5}

[grpo]
steps = 7
learning_rate = 2e-6
"""


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder / f"{next(iter(files))}.toml"


def test_a_variant_says_only_what_is_different(tmp_path: Path) -> None:
    variant = 'extends = "base.toml"\n[grpo]\nsteps = 9\n[credit]\ncoefficient = 0.5\n'
    loaded = load_recipe(write(tmp_path, variant=variant, base=BASE), {})
    same = load_recipe(
        write(tmp_path, whole=BASE.replace("steps = 7", "steps = 9") + "[credit]\ncoefficient = 0.5"), {}
    )
    assert loaded.recipe == same.recipe
    assert loaded.recipe.hash == same.recipe.hash
    assert (loaded.recipe.grpo.steps, loaded.recipe.grpo.learning_rate) == (9, 2e-6)
    assert loaded.sources["grpo.learning_rate"] is Source.RECIPE
    assert loaded.sources["grpo.epsilon"] is Source.DEFAULT
    assert loaded.train_rows() == [tmp_path / "rows.jsonl", tmp_path / "more.jsonl"]


def test_lists_and_weights_are_replaced_whole(tmp_path: Path) -> None:
    variant = 'extends = "base.toml"\ndata.train = ["mine.jsonl"]\n[rewards.weights]\nzoomin_accuracy = 2.0\n'
    recipe = load_recipe(write(tmp_path, variant=variant, base=BASE), {}).recipe
    assert recipe.data.train == (Path("mine.jsonl"),)
    assert recipe.rewards.weights == {"zoomin_accuracy": 2.0}
    assert recipe.rewards.call_cost == 0.1


def test_a_variant_of_a_variant_and_the_environment_on_top(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        last='extends = "middle.toml"\n[grpo]\nsteps = 1\n',
        middle='extends = "base.toml"\n[grpo]\nsteps = 2\nepsilon = 0.1\n',
        base=BASE,
    )
    grpo = load_recipe(path, {"ZOOMIN_GRPO_EPSILON": "0.15"}).recipe.grpo
    assert (grpo.steps, grpo.epsilon, grpo.learning_rate) == (1, 0.15, 2e-6)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('extends = "other/base.toml"', "must name a file of the same folder, got 'other/base.toml'"),
        ('extends = "../base.toml"', "must name a file of the same folder"),
        ('extends = ".."', "must name a file of the same folder"),
        ('extends = ""', "must name a file of the same folder"),
        ('extends = "a\\u0000b.toml"', "must name a file of the same folder"),
        ("extends = 3", "must name a file of the same folder, got 3"),
        ('extends = "missing.toml"', r"missing\.toml cannot be read"),
        ('extends = "variant.toml"', r"variant\.toml is extended in a circle"),
        ('extends = "base.toml"\n[grpo]\nstep = 1\n', r"unknown key 'grpo\.step'"),
        ('[grpo]\nextends = "base.toml"\n', r"unknown key 'grpo\.extends'"),
    ],
)
def test_what_cannot_be_extended_is_refused_by_name(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(RecipeError, match=expected):
        load_recipe(write(tmp_path, variant=text, base=BASE), {})


def test_files_that_extend_each_other(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"a\.toml: a\.toml is extended in a circle"):
        load_recipe(write(tmp_path, a='extends = "b.toml"', b='extends = "a.toml"'), {})


@pytest.mark.parametrize("mode", ["sequence_truncate", "sequence_mask"])
def test_credit_is_refused_beside_a_correction_of_whole_sequences(tmp_path: Path, mode: str) -> None:
    text = f"[grpo]\nimportance_sampling = '{mode}'\n"
    assert load_recipe(write(tmp_path, off=text), {}).recipe.credit.coefficient == 0
    with pytest.raises(RecipeError, match=rf"credit\.coefficient .* '{mode}' weighs whole sequences"):
        load_recipe(write(tmp_path, on=text + "[credit]\ncoefficient = 0.5\n"), {})


@pytest.mark.parametrize(
    "bad", ["credit.coefficient = -1.0", "credit.coefficient = inf", "turn_filter.min_score = 0.0"]
)
def test_numbers_without_a_meaning_are_refused(tmp_path: Path, bad: str) -> None:
    with pytest.raises(RecipeError, match=bad.split(" ", maxsplit=1)[0]):
        load_recipe(write(tmp_path, bad=bad), {})


def test_the_turn_filter_keeps_its_classic_words() -> None:
    assert load_recipe(environ={}).recipe.turn_filter.kind is FilterKind.NONE
    assert load_recipe(environ={"ZOOMIN_TURN_FILTER": "prm"}).recipe.turn_filter.kind is FilterKind.PRM
    with pytest.raises(RecipeError, match="ZOOMIN_TURN_FILTER"):
        load_recipe(environ={"ZOOMIN_TURN_FILTER": "both"})
