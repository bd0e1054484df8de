"""The keys of a recipe as a flat list: dotted name, environment variable, default, meaning."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel, SecretStr, TypeAdapter, ValidationError

from zoomground.errors import RecipeError
from zoomground.recipe.recipe import Recipe
from zoomground.recipe.section import Env

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic.fields import FieldInfo


NO_ITEMS = "[]"
"""A list of nothing, in the environment; an empty variable says nothing."""


@dataclass(frozen=True, slots=True)
class Key:
    """One setting.

    Attributes:
        path: Section and name, ``("grpo", "steps")``.
        variable: Its environment variable.
        description: What it means.
        default: Its value when nobody says anything.
        adapter: Reads a value of its type.
        kind: How its text in the environment is split: one value, a list, or a table of name=value.
        is_secret: Whether nobody may see its value; it then stands in the environment only.
    """

    path: tuple[str, ...]
    variable: str
    description: str
    default: Any
    adapter: TypeAdapter[Any]
    kind: type
    is_secret: bool = False

    @property
    def name(self) -> str:
        """Dotted name, ``grpo.steps``."""
        return ".".join(self.path)

    def read(self, text: str) -> Any:
        """Read the value from its environment variable.

        Raises:
            RecipeError: If the text is no value of this key; the variable is named.
        """
        try:
            return self.adapter.validate_python(self._split(text))
        except (ValidationError, ValueError) as error:
            problem = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
            shown = "***" if self.is_secret else repr(text)
            raise RecipeError(
                f"environment variable {self.variable}={shown} (recipe key {self.name}): {problem}"
            ) from error

    def _split(self, text: str) -> Any:
        if self.is_secret:
            # Whatever stands in it is a part of it; a shell's quotes are not removed twice.
            return text.split()
        if self.kind is tuple:
            return [] if text.strip() == NO_ITEMS else shlex.split(text)
        if self.kind is dict and text.lstrip().startswith("{"):
            return json.loads(text)
        if self.kind is dict:
            pairs = [word.partition("=") for word in shlex.split(text)]
            if bad := [name for name, equals, _ in pairs if not equals]:
                raise ValueError(f"expected name=value, got '{bad[0]}'")
            return {name: value for name, _, value in pairs}
        return text.strip()


@cache
def all_keys() -> tuple[Key, ...]:
    """Every key, in the order of the sections."""
    return tuple(_keys(Recipe, ()))


@cache
def variables() -> Mapping[str, str]:
    """The environment variable of each key, by its dotted name."""
    return MappingProxyType({key.name: key.variable for key in all_keys()})


def _keys(model: type[BaseModel], path: tuple[str, ...]) -> list[Key]:
    found: list[Key] = []
    for name, field in model.model_fields.items():
        here = (*path, name)
        annotation = field.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            found += _keys(annotation, here)
        else:
            found.append(_key(field, here))
    return found


def _key(field: FieldInfo, path: tuple[str, ...]) -> Key:
    named = [mark.name for mark in field.metadata if isinstance(mark, Env)]
    origin = get_origin(field.annotation)
    return Key(
        path=path,
        variable=named[0] if named else "_".join(("zoomin", *path)).upper(),
        description=field.description or "",
        default=field.get_default(call_default_factory=True),
        adapter=TypeAdapter(field.rebuild_annotation()),
        kind=origin if origin in {tuple, dict} else object,
        is_secret=SecretStr in get_args(field.annotation),
    )


def plain(value: Any) -> Any:
    """A value as JSON and a person read it."""
    if isinstance(value, SecretStr):
        return "***"
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value.as_posix() if isinstance(value, Path) else value
