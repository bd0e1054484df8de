"""Reads a recipe: file, then environment on top, then validation that names file and key."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from zoomground.errors import RecipeError, UnknownVariableError
from zoomground.recipe.files import read_recipe_file
from zoomground.recipe.keys import Key, all_keys, plain
from zoomground.recipe.recipe import Recipe

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from zoomground.judge.settings import JudgeSettings

RECIPE_VARIABLE = "ZOOMIN_RECIPE"
"""Names the recipe file where there is no command line for it: inside the trainer's and the server's processes."""

TRAJECTORIES_VARIABLE = "ZOOMIN_TRAJECTORIES"
"""Folder in which the trainer writes its trajectories, one file a rank; the launcher sets it.

Unset: the folder ``trajectories`` of the trainer's output folder.
"""

_PREFIX = "ZOOMIN_"

_CHECKPOINTS = ("model.path", "model.build.arch")
"""Two ways to say where the checkpoint comes from: the environment's takes the place of the file's other one."""


class Source(StrEnum):
    """Where a value comes from; the first that says something wins."""

    ENVIRONMENT = "environment"
    RECIPE = "recipe"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """One key with its value in force."""

    key: Key
    value: Any
    source: Source

    def row(self) -> dict[str, Any]:
        """As JSON and tables show it."""
        return {
            "key": self.key.name,
            "variable": self.key.variable,
            "value": plain(self.value),
            "default": plain(self.key.default),
            "source": self.source.value,
            "description": self.key.description,
        }


@dataclass(frozen=True, slots=True)
class LoadedRecipe:
    """A validated recipe and where its values come from.

    Attributes:
        recipe: The values in force, paths as they were written.
        path: The file; None if there is only the environment.
        sources: Source of each key, by dotted name.
        variables: The environment variables that are in force: what a process must be given to see the same values.
            Secrets are no part of it; processes get them by inheriting the environment.
    """

    recipe: Recipe
    path: Path | None
    sources: Mapping[str, Source]
    variables: Mapping[str, str]

    def settings(self) -> list[Setting]:
        """Every key with its value and source."""
        return [Setting(key, _value(self.recipe, key), self.sources[key.name]) for key in all_keys()]

    def locate(self, name: str, path: Path | str) -> Path:
        """A path of the recipe as this process can open it.

        What a recipe file says is relative to that file, what a person says in the environment to the working folder.

        Args:
            name: Dotted name of the key that holds the path.
            path: The path as written.
        """
        path = Path(path).expanduser()
        in_file = self.path is not None and self.sources[name] is Source.RECIPE
        base = self.path.resolve().parent if in_file and self.path else Path.cwd()
        return Path(os.path.normpath(base / path))

    def judge(self) -> JudgeSettings | None:
        """The judge; None if there is none."""
        cache = self.recipe.judge.cache
        return self.recipe.judge.settings(None if cache is None else self.locate("judge.cache", cache))

    def train_rows(self) -> list[Path]:
        """The rows files to train on, as this process can open them."""
        return [self.locate("data.train", path) for path in self.recipe.data.train]

    def heldout_rows(self) -> list[Path]:
        """The rows files to evaluate on, as this process can open them."""
        return [self.locate("data.heldout", path) for path in self.recipe.data.heldout]


def load_recipe(path: Path | None = None, environ: Mapping[str, str] | None = None) -> LoadedRecipe:
    """Read and validate a recipe; the environment wins over the file, the file over the defaults.

    Args:
        path: TOML file; None: environment and defaults alone.
        environ: The environment variables; default: the process's own. An empty variable says nothing.

    Raises:
        RecipeError: If the file, a key, a value or a variable is wrong; the message names it.
        UnknownVariableError: If a variable with our prefix is none of ours.
    """
    environ = os.environ if environ is None else environ
    _refuse_unknown_variables(environ)
    raw = {} if path is None else read_recipe_file(path)
    _refuse_secrets(raw, path)
    sources = {key.name: Source.RECIPE if _holds(raw, key.path) else Source.DEFAULT for key in all_keys()}
    variables = {key.variable: environ[key.variable] for key in all_keys() if environ.get(key.variable, "").strip()}
    for key in all_keys():
        if key.variable in variables:
            _put(raw, key.path, key.read(variables[key.variable]), path)
            sources[key.name] = Source.ENVIRONMENT
    for name, other in (_CHECKPOINTS, _CHECKPOINTS[::-1]):
        if sources[name] is Source.ENVIRONMENT and sources[other] is Source.RECIPE:
            _drop(raw, tuple(other.split(".")))
            sources[other] = Source.DEFAULT
    try:
        recipe = Recipe.model_validate(raw)
    except ValidationError as error:
        raise RecipeError("\n".join(_problem(details, path) for details in error.errors())) from error
    shown = {
        key.variable: variables[key.variable] for key in all_keys() if key.variable in variables and not key.is_secret
    }
    return LoadedRecipe(recipe, path, sources, shown)


def _refuse_secrets(raw: dict[str, Any], path: Path | None) -> None:
    """A recipe is shown, shared and copied into run folders."""
    for key in all_keys():
        if key.is_secret and _holds(raw, key.path):
            raise RecipeError(
                f"recipe {path}: key '{key.name}' stands in no file; set {key.variable} in the environment"
            )


def _refuse_unknown_variables(environ: Mapping[str, str]) -> None:
    """A mistyped variable is as wrong as a mistyped key: it would be left out in silence."""
    known = [RECIPE_VARIABLE, TRAJECTORIES_VARIABLE, *(key.variable for key in all_keys())]
    set_ones = sorted(name for name in environ if name.startswith(_PREFIX) and environ[name].strip())
    if unknown := [name for name in set_ones if name not in known]:
        raise UnknownVariableError("\n".join(_unknown_variable(name, known) for name in unknown))


def _unknown_variable(name: str, known: list[str]) -> str:
    nearest = difflib.get_close_matches(name, known, n=1)
    advice = f"did you mean '{nearest[0]}'?" if nearest else "'zoomground settings' names all"
    return f"environment variable '{name}' is none of zoomground's; {advice}"


def _holds(raw: dict[str, Any], path: tuple[str, ...]) -> bool:
    value: Any = raw
    for name in path:
        if not isinstance(value, dict) or name not in value:
            return False
        value = value[name]
    return True


def _put(raw: dict[str, Any], path: tuple[str, ...], value: Any, file: Path | None) -> None:
    table = raw
    for name in path[:-1]:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            raise RecipeError(f"recipe {file}: [{name}] must be a table")
    table[path[-1]] = value


def _drop(raw: dict[str, Any], path: tuple[str, ...]) -> None:
    table = raw
    for name in path[:-1]:
        table = table[name]
    del table[path[-1]]


def _value(recipe: Recipe, key: Key) -> Any:
    value: Any = recipe
    for name in key.path:
        value = getattr(value, name)
    return value


def _problem(details: ErrorDetails, path: Path | None) -> str:
    location = [str(part) for part in details["loc"]]
    where = f"recipe {path}" if path else "settings"
    if not location:
        return f"{where}: {details['msg'].removeprefix('Value error, ')}"
    name = ".".join(location)
    if details["type"] == "extra_forbidden":
        return f"{where}: unknown key '{name}'{_suggestion(location)}"
    return f"{where}: key '{name}': {details['msg'].removeprefix('Value error, ')}, got {details['input']!r}"


def _suggestion(location: list[str]) -> str:
    """A key of that very name in another table, or the nearest one of the same table."""
    model: type[BaseModel] = Recipe
    for name in location[:-1]:
        annotation = model.model_fields[name].annotation
        if not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
            return ""
        model = annotation
    elsewhere = [key.name for key in all_keys() if key.path[-1] == location[-1]]
    near = difflib.get_close_matches(location[-1], list(model.model_fields), n=1)
    nearest = elsewhere or [".".join([*location[:-1], name]) for name in near]
    return f"; did you mean '{nearest[0]}'?" if nearest else ""
