"""``zoomground list``: the members of every family: rewards, dialects, prompt versions, stop reasons ..."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zoomground.audit.cheats import CHEATS
from zoomground.cli.output import AsJson, emit, say
from zoomground.errors import RecipeError
from zoomground.evaluate.benchmarks import benchmarks
from zoomground.evaluate.dialects import DIALECTS
from zoomground.evaluate.profiles import profiles
from zoomground.protocol.actions import Dialect, ParserMode, Reason
from zoomground.protocol.settings import PROTOCOL_VERSION, Arm
from zoomground.recipe import load_recipe
from zoomground.rewards import DEFAULT_WEIGHTS, REWARDS, Quality
from zoomground.trajectory import StopReason

if TYPE_CHECKING:
    from enum import StrEnum


def list_families(
    family: Annotated[str | None, typer.Argument(help="Only this family.")] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Print the members of every family with a word about each."""
    families = _families()
    if family is not None:
        if family not in families:
            raise typer.BadParameter(f"'{family}' is none of: {', '.join(families)}", param_hint="FAMILY")
        families = {family: families[family]}
    if as_json:
        emit(families)
        return
    for name, members in families.items():
        say(name)
        for member, about in members.items():
            say(f"  {member:<28}{about}".rstrip())
        say()


def _families() -> dict[str, dict[str, str]]:
    return {
        "rewards": {name: _reward(name) for name in REWARDS},
        "dialects": {dialect.value: _dialect(dialect) for dialect in Dialect},
        "parser-modes": _members(ParserMode),
        "prompts": {version: "current" if version == PROTOCOL_VERSION else "" for version in _prompt_versions()},
        "arms": _members(Arm),
        "stop-reasons": {reason.value: reason.outcome.value for reason in StopReason},
        "bad-turns": _members(Reason),
        "crop-qualities": _members(Quality),
        "cheats": {cheat.name: cheat.about for cheat in CHEATS},
        "benchmarks": {name: one.about for name, one in benchmarks().items()},
        "profiles": {name: one.about for name, one in profiles().items()},
        "answer-dialects": {name: one.ABOUT for name, one in DIALECTS.items()},
        "recipes": {str(path): _recipe(path) for path in sorted(Path("recipes").glob("*.toml"))},
    }


def _recipe(path: Path) -> str:
    """The hash of a recipe of the working folder, or what is wrong with it."""
    try:
        return f"hash {load_recipe(path).recipe.hash}"
    except RecipeError as error:
        return str(error).splitlines()[0]


def _reward(name: str) -> str:
    weight = DEFAULT_WEIGHTS.get(name)
    return "off by default" if weight is None else f"weight {weight:g}"


def _dialect(dialect: Dialect) -> str:
    if dialect is Dialect.CANONICAL:
        return "every mode"
    return "mode fallback" if dialect is Dialect.FALLBACK else "modes tolerant and fallback"


def _members(family: type[StrEnum]) -> dict[str, str]:
    return {member.value: "" for member in family}


def _prompt_versions() -> list[str]:
    folder = files("zoomground.protocol.prompts")
    return sorted(entry.name for entry in folder.iterdir() if entry.joinpath("system_on.txt").is_file())
