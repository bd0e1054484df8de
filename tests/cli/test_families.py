"""``list`` and ``audit-rewards``."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from verbs import run

from zoomground.audit import audit_rewards, audit_samples
from zoomground.cli import audit_rewards as verb
from zoomground.protocol.dialects import CHAIN
from zoomground.rewards import REWARDS
from zoomground.trajectory import StopReason


def test_list_holds_every_member_of_every_family() -> None:
    families = json.loads(run("list", "--json").stdout)
    assert list(families["rewards"]) == list(REWARDS)
    assert list(families["dialects"]) == [dialect.NAME.value for dialect in CHAIN]
    assert list(families["stop-reasons"]) == [reason.value for reason in StopReason]
    assert families["prompts"]["v1"] == "current"
    text = run("list").stdout
    assert all(member in text for members in families.values() for member in members)


def test_list_of_one_family() -> None:
    assert list(json.loads(run("list", "arms", "--json").stdout)) == ["arms"]
    assert run("list", "arms").stdout.split() == ["arms", "on", "off", "forced"]


def test_list_of_the_recipes_of_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "recipes").mkdir()
    (tmp_path / "recipes" / "a.toml").write_text("[rewards]\ncall_cost = 0.1\n", "utf-8")
    (tmp_path / "recipes" / "b.toml").write_text("[rewards]\ncall_price = 0.1\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    recipes = json.loads(run("list", "recipes", "--json").stdout)["recipes"]
    assert list(recipes) == ["recipes/a.toml", "recipes/b.toml"]
    assert recipes["recipes/a.toml"].startswith("hash ")
    assert "unknown key 'rewards.call_price'" in recipes["recipes/b.toml"]


@pytest.fixture
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    # Every sample of the audit is tests/audit's to play; here it is about the verb.
    monkeypatch.setattr(verb, "audit_rewards", partial(audit_rewards, samples=audit_samples(0)[::25]))


def audit(*options: str) -> tuple[int, dict[str, Any]]:
    result = run("audit-rewards", *options, "--json")
    return result.exit_code, json.loads(result.stdout)


@pytest.mark.usefixtures("few_samples")
def test_the_audit_passes_for_the_shipped_weights_and_fails_for_iou() -> None:
    code, found = audit()
    assert (code, found["passed"]) == (0, True)
    code, found = audit("--quality", "iou")
    assert (code, found["passed"]) == (1, False)
    winners = {cheat["name"] for cheat in found["cheats"] if cheat["wins"]}
    assert {"vanity", "exact_box"} <= winners
    text = run("audit-rewards", "--quality", "iou")
    assert text.exit_code == 1
    assert "error: vanity earns +" in text.stderr
    assert "cheats earn more" in text.stdout


@pytest.mark.usefixtures("few_samples")
def test_the_audit_takes_weights_in_both_spellings() -> None:
    by_name = "zoomin_accuracy=1 zoomin_crop_process_gated=0.3 zoomin_format=0.5 zoomin_zoom_bonus=1 zoomin_cot_rm=0.3"
    assert audit("--weights", by_name) == audit("--weights", "1.0 0.3 0.5 1.0 0.3") == audit()
    # Where format is worth more than being right, format alone wins.
    assert audit("--weights", "zoomin_accuracy=0 zoomin_zoom_bonus=-1")[0] == 1


@pytest.mark.parametrize(
    "weights",
    [
        "",
        "1 2",
        "1 0.3 0.5 1 x",
        "zoomin_accuracy=nan",
        "inf 0 0 0 0",
        "bogus=1",
        "zoomin_accuracy=1 zoomin_accuracy=2",
        "1 zoomin_format=2",
    ],
)
def test_weights_that_are_none_are_wrong_use(weights: str) -> None:
    assert run("audit-rewards", "--weights", weights).exit_code == 2


@pytest.mark.parametrize("verb", [("settings",), ("train", "--dry-run"), ("audit-rewards", "--recipe")])
def test_a_recipe_that_is_not_there_is_wrong_use(tmp_path: Path, verb: tuple[str, ...]) -> None:
    for recipe in (tmp_path / "absent.toml", tmp_path):
        assert run(*verb, recipe).exit_code == 2


@pytest.mark.parametrize("verb", [("settings",), ("train", "--dry-run")])
def test_an_empty_recipe_variable_is_none(verb: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZOOMIN_RECIPE", "")
    result = run(*verb)
    assert result.exit_code < 2
    assert "(none)" in result.stdout or "(environment and defaults)" in result.stdout
