"""Whether what is installed is what an extra of the package asks for."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

NOT_ON_A_CPU = frozenset({"deepspeed"})
"""Needs of the extra that one process without a GPU never imports."""


def version_problems(extra: str) -> list[str]:
    """What is missing or has the wrong version, one line each."""
    problems = []
    for text in _requirements():
        need = Requirement(text)
        if need.marker is None or need.name in NOT_ON_A_CPU or not _belongs_to(need, extra):
            continue
        try:
            installed = version(need.name)
        except PackageNotFoundError:
            problems.append(f"{need.name}{need.specifier} is not installed; install zoomground[{extra}]")
            continue
        if not need.specifier.contains(installed, prereleases=True):
            problems.append(f"{need.name} {installed} is installed, {need.specifier} is needed")
    return problems


def _requirements() -> list[str]:
    try:
        return requires("zoomground") or []
    except PackageNotFoundError:
        # Run from a source tree that was never installed: there is nothing to hold the environment against.
        return []


def _belongs_to(need: Requirement, extra: str) -> bool:
    marker = need.marker
    return marker is not None and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""})
