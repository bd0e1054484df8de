"""The judge's section of a recipe: on by its address, the classic variables, and a key that nobody gets to see."""

from pathlib import Path
from typing import Any

import pytest

from zoomground.errors import RecipeError
from zoomground.judge import Language
from zoomground.policies.completions import Thinking
from zoomground.recipe import Recipe, active_settings, load_recipe
from zoomground.train.planning import make_plan

SECRET = "sk-very'secret\"key"
ON = {"ZOOMIN_COT_RM_API_BASE": "http://one:8000/v1", "ZOOMIN_COT_RM_MODEL": "judge"}
CLASSIC = {
    "ZOOMIN_COT_RM_API_BASE": ("http://one:8000/v1 http://two:8000/v1", "judge.api_base"),
    "ZOOMIN_COT_RM_MODEL": ("judge", "judge.model"),
    "ZOOMIN_COT_RM_API_KEY": (SECRET, "judge.api_key"),
    "ZOOMIN_COT_RM_NEUTRAL_SCORE": ("0.25", "rewards.neutral_score"),
    "ZOOMIN_COT_RM_CONCURRENCY": ("16", "judge.concurrency"),
    "ZOOMIN_COT_RM_TIMEOUT": ("7.5", "judge.timeout_s"),
    "ZOOMIN_COT_RM_DEADLINE": ("120", "judge.deadline_s"),
    "ZOOMIN_COT_RM_CACHE": ("verdicts", "judge.cache"),
    "ZOOMIN_COT_RM_LANGUAGE": ("zh", "judge.language"),
}


def write(folder: Path, text: str) -> Path:
    path = folder / "r.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_off_by_default_whatever_else_is_set() -> None:
    assert active_settings({}).judge is None
    assert active_settings({"ZOOMIN_COT_RM_API_BASE": " ", "ZOOMIN_COT_RM_MODEL": "judge"}).judge is None


def test_every_classic_variable_arrives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    loaded = load_recipe(environ={name: value for name, (value, _) in CLASSIC.items()})
    names = {setting.key.variable: setting.key.name for setting in loaded.settings()}
    assert {variable: names[variable] for variable in CLASSIC} == {name: key for name, (_, key) in CLASSIC.items()}
    judge = loaded.judge()
    assert judge is not None
    assert [one.url for one in judge.endpoints] == [
        "http://one:8000/v1/chat/completions",
        "http://two:8000/v1/chat/completions",
    ]
    for one in judge.endpoints:
        assert (one.model, one.api_key, one.timeout_s, one.temperature) == ("judge", SECRET, 7.5, 0.0)
        assert one.seed == 0
        assert one.thinking is Thinking.DROP
    assert (judge.concurrency, judge.deadline_s, judge.language) == (16, 120.0, Language.ZH)
    assert judge.cache_dir == tmp_path / "verdicts"
    assert loaded.recipe.reward_settings.neutral_score == 0.25


def test_an_empty_key_is_the_placeholder_of_local_servers() -> None:
    judge = load_recipe(environ=ON | {"ZOOMIN_COT_RM_API_KEY": ""}).judge()
    assert judge is not None
    assert judge.endpoints[0].api_key == ""


def test_each_address_may_have_its_key() -> None:
    environ = ON | {"ZOOMIN_COT_RM_API_BASE": "http://one/v1 http://two/v1", "ZOOMIN_COT_RM_API_KEY": "key-one key-two"}
    judge = load_recipe(environ=environ).judge()
    assert judge is not None
    assert [one.api_key for one in judge.endpoints] == ["key-one", "key-two"]


def test_a_recipe_may_hold_everything_but_the_key(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '[judge]\napi_base = ["http://one:8000/v1"]\nmodel = "judge"\nlanguage = "zh"\ncache = "../verdicts"\n'
        "[judge.extra_body.chat_template_kwargs]\nenable_thinking = false\n",
    )
    judge = load_recipe(path, {}).judge()
    assert judge is not None
    assert judge.endpoints[0].parameters()["chat_template_kwargs"] == {"enable_thinking": False}
    assert judge.cache_dir == tmp_path.parent / "verdicts"
    path = write(tmp_path, f"[judge]\napi_key = ['''{SECRET}''']\n")
    with pytest.raises(RecipeError, match="'judge.api_key' stands in no file; set ZOOMIN_COT_RM_API_KEY") as caught:
        load_recipe(path, {})
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"ZOOMIN_COT_RM_MODEL": ""}, "name the judge's model"),
        ({"ZOOMIN_COT_RM_API_BASE": "host:8000"}, "must begin with http"),
        ({"ZOOMIN_COT_RM_API_BASE": "http://h/v1/chat/completions"}, "leave out /chat/completions"),
        ({"ZOOMIN_COT_RM_API_BASE": "http://me:word@h/v1"}, "name or password"),
        ({"ZOOMIN_COT_RM_API_KEY": "kkk1 kkk2 kkk3"}, "3 keys for 1 addresses"),
        ({"ZOOMIN_COT_RM_API_KEY": "k\u00e9y-of-mine"}, "beyond ASCII"),
        ({"ZOOMIN_COT_RM_LANGUAGE": "de"}, "ZOOMIN_COT_RM_LANGUAGE"),
        ({"ZOOMIN_COT_RM_CONCURRENCY": "0"}, "ZOOMIN_COT_RM_CONCURRENCY"),
        ({"ZOOMIN_COT_RM_DEADLINE": "900"}, "ZOOMIN_COT_RM_DEADLINE"),
        ({"ZOOMIN_JUDGE_EXTRA_BODY": '{"model": "x"}'}, "extra_body"),
    ],
)
def test_what_makes_no_judge_is_said_without_the_key(changes: dict[str, str], said: str) -> None:
    environ = ON | {"ZOOMIN_COT_RM_API_KEY": SECRET} | changes
    with pytest.raises(RecipeError, match=said) as caught:
        load_recipe(environ=environ)
    for hidden in (SECRET, "me:word", *changes.get("ZOOMIN_COT_RM_API_KEY", "").split()):
        assert hidden not in str(caught.value)


def test_the_key_is_in_no_plan_no_setting_no_hash_and_no_repr(tmp_path: Path) -> None:
    environ = ON | {"ZOOMIN_COT_RM_API_KEY": SECRET, "ZOOMIN_MODEL_BUILD_ARCH": "qwen3_vl", "ZOOMIN_GRPO_STEPS": "1"}
    loaded = load_recipe(environ=environ)
    plan = make_plan(loaded)
    rows = [setting.row() for setting in loaded.settings()]
    shown: list[Any] = [loaded, loaded.variables, loaded.recipe.values(), plan.text(), plan.to_dict(), rows]
    for text in (*map(str, shown), *map(repr, shown), loaded.recipe.model_dump_json()):
        assert SECRET not in text
        assert "very'secret" not in text
    row = next(row for row in rows if row["variable"] == "ZOOMIN_COT_RM_API_KEY")
    assert (row["value"], row["default"], row["source"]) == (["***"], [], "environment")
    assert "ZOOMIN_COT_RM_API_BASE" in plan.text()


def test_the_hash_knows_the_judge_and_not_where_it_lives() -> None:
    def hashed(**changes: str) -> str:
        return load_recipe(environ=ON | changes).recipe.hash

    here = hashed()
    assert here != Recipe().hash
    assert hashed(ZOOMIN_COT_RM_MODEL="another") != here
    assert hashed(ZOOMIN_COT_RM_LANGUAGE="zh") != here
    for elsewhere in (
        {"ZOOMIN_COT_RM_API_BASE": "http://two/v1 http://three/v1"},
        {"ZOOMIN_COT_RM_API_KEY": SECRET},
        {"ZOOMIN_COT_RM_CONCURRENCY": "3"},
        {"ZOOMIN_COT_RM_CACHE": "elsewhere"},
        {"ZOOMIN_COT_RM_DEADLINE": "30"},
    ):
        assert hashed(**elsewhere) == here
    assert load_recipe(environ={"ZOOMIN_COT_RM_MODEL": "judge"}).recipe.hash == Recipe().hash
