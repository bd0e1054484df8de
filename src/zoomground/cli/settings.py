"""``zoomground settings [RECIPE]``: every setting with its environment variable, value, default and source."""

from __future__ import annotations

from zoomground.cli.output import AsJson, emit, listing, say
from zoomground.cli.recipe_file import RecipeFile
from zoomground.recipe import load_recipe


def settings(
    recipe: RecipeFile = None,
    as_json: AsJson = False,
) -> None:
    """Print every setting; the environment wins over the recipe, the recipe over the defaults."""
    loaded = load_recipe(recipe)
    rows = [setting.row() for setting in loaded.settings()]
    if as_json:
        emit({"recipe": str(recipe or ""), "hash": loaded.recipe.hash, "settings": rows})
        return
    say(f"recipe {recipe or '(none)'}  hash {loaded.recipe.hash}")
    head = ("key", "variable", "value", "default", "source")
    listing(
        head,
        [[row["key"], row["variable"], *map(_cell, (row["value"], row["default"])), row["source"]] for row in rows],
    )


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name}={weight}" for name, weight in value.items()) or "-"
    if isinstance(value, list):
        return " ".join(map(str, value)) or "-"
    return "-" if value in {None, ""} else str(value)
