"""Installed packages against what an extra asks for."""

from importlib.metadata import PackageNotFoundError

import pytest

from zoomground.train import versions as module
from zoomground.train.versions import deepspeed_problems, version_problems

NEEDS = [
    "pillow>=11",
    'torch>=2.11; extra == "train"',
    'peft<0.21,>=0.20; extra == "train"',
    'deepspeed<0.19; extra == "train"',
    'vllm<0.25; extra == "vllm"',
]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    found: dict[str, str] = {"torch": "2.11.0+cu130", "peft": "0.20.0"}

    def version(name: str) -> str:
        if name not in found:
            raise PackageNotFoundError(name)
        return found[name]

    monkeypatch.setattr(module, "requires", lambda _: NEEDS)
    monkeypatch.setattr(module, "version", version)
    return found


def test_what_fits_is_no_problem_and_a_cpu_needs_no_deepspeed(installed: dict[str, str]) -> None:
    assert version_problems("train") == []


def test_what_shares_a_model_needs_deepspeed(installed: dict[str, str]) -> None:
    [problem] = deepspeed_problems()
    assert problem.startswith("deepspeed<0.19 is not installed; install zoomground[train]; or")
    assert "engine.zero = 0" in problem
    installed["deepspeed"] = "0.18.9"
    assert deepspeed_problems() == []


def test_what_is_missing_or_wrong_is_named_with_what_to_do(installed: dict[str, str]) -> None:
    installed["peft"] = "0.22.0"
    assert version_problems("train") == ["peft 0.22.0 is installed, <0.21,>=0.20 is needed"]
    assert version_problems("vllm") == ["vllm<0.25 is not installed; install zoomground[vllm]"]


def test_a_source_tree_that_was_never_installed_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def requires(name: str) -> list[str]:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(module, "requires", requires)
    assert version_problems("train") == []
