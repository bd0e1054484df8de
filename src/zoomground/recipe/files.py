"""Recipe files: TOML, one of which may extend another, so that a variant says only what is different about it.

``extends = "demo-cpu.toml"`` in front of the first table names a file of the same folder; paths in both then are
relative to one place. A key of the variant takes the place of the other file's, whole: of lists and tables of weights,
too, nothing is mixed.
"""

from __future__ import annotations

import tomllib
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from zoomground.errors import RecipeError
from zoomground.recipe.keys import all_keys

if TYPE_CHECKING:
    from pathlib import Path

EXTENDS = "extends"
"""The key that names the file a recipe is a variant of; a word about files, so no key of the recipe itself."""


def read_recipe_file(path: Path) -> dict[str, Any]:
    """The tables of a recipe file, those of the files that it extends included.

    Raises:
        RecipeError: If a file cannot be read, is no TOML, or the files extend each other in a circle.
    """
    tables = _read_toml(path)
    seen = [path]
    while EXTENDS in tables:
        base = _base(tables.pop(EXTENDS), seen)
        seen.append(base)
        tables = _over(_read_toml(base), tables, ())
    return tables


def _base(name: object, seen: list[Path]) -> Path:
    path = seen[-1]
    if not isinstance(name, str) or name in {"", ".."} or PurePath(name).name != name or not name.isprintable():
        raise RecipeError(f"recipe {path}: key '{EXTENDS}' must name a file of the same folder, got {name!r}")
    base = path.with_name(name)
    if base in seen:
        raise RecipeError(f"recipe {seen[0]}: {base.name} is extended in a circle")
    return base


def _over(base: dict[str, Any], variant: dict[str, Any], place: tuple[str, ...]) -> dict[str, Any]:
    """The tables of a base with those of its variant over them."""
    merged = dict(base)
    for name, value in variant.items():
        below, here = merged.get(name), (*place, name)
        if isinstance(value, dict) and isinstance(below, dict) and not _is_key(here):
            merged[name] = _over(below, value, here)
        else:
            merged[name] = value
    return merged


def _is_key(path: tuple[str, ...]) -> bool:
    return any(key.path == path for key in all_keys())


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecipeError(f"recipe {path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RecipeError(f"recipe {path} is no TOML in UTF-8: {error}") from error
