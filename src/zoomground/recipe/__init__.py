"""Recipes: experiments as validated TOML, with an environment variable for each key."""

from zoomground.recipe.active import ActiveSettings, active_settings
from zoomground.recipe.health import Health
from zoomground.recipe.load import (
    RECIPE_VARIABLE,
    TRAJECTORIES_VARIABLE,
    LoadedRecipe,
    Setting,
    Source,
    load_recipe,
)
from zoomground.recipe.recipe import Recipe
from zoomground.recipe.turns import Credit, FilterKind, TurnFilter

__all__ = [
    "RECIPE_VARIABLE",
    "TRAJECTORIES_VARIABLE",
    "ActiveSettings",
    "Credit",
    "FilterKind",
    "Health",
    "LoadedRecipe",
    "Recipe",
    "Setting",
    "Source",
    "TurnFilter",
    "active_settings",
    "load_recipe",
]
