"""Whether what is installed is what an extra of the package asks for."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

NOT_ON_A_CPU = frozenset({"deepspeed"})
"""Needs of the extra that one process without a GPU never imports."""


def version_problems(extra: str) -> list[str]:
    """What is missing or has the wrong version, one line each."""
    return [
        problem
        for need in _needs(extra)
        if need.name not in NOT_ON_A_CPU and (problem := _problem_with(need, extra)) is not None
    ]


def deepspeed_problems() -> list[str]:
    """What keeps DeepSpeed from sharing a model among training processes, one line each."""
    return [
        f"{problem}; or let every training process hold the whole model (engine.zero = 0)"
        for need in _needs("train")
        if need.name == "deepspeed" and (problem := _problem_with(need, "train")) is not None
    ]


def _problem_with(need: Requirement, extra: str) -> str | None:
    try:
        installed = version(need.name)
    except PackageNotFoundError:
        return f"{need.name}{need.specifier} is not installed; install zoomground[{extra}]"
    if need.specifier.contains(installed, prereleases=True):
        return None
    return f"{need.name} {installed} is installed, {need.specifier} is needed"


def _needs(extra: str) -> list[Requirement]:
    """What an extra adds to the package's own needs."""
    return [need for text in _requirements() if _belongs_to(need := Requirement(text), extra)]


def _requirements() -> list[str]:
    try:
        return requires("zoomground") or []
    except PackageNotFoundError:
        # Run from a source tree that was never installed: there is nothing to hold the environment against.
        return []


def _belongs_to(need: Requirement, extra: str) -> bool:
    marker = need.marker
    return marker is not None and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""})
