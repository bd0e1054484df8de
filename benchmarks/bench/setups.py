"""The set-ups that are measured, by their recipes: they differ in how large a picture the model's processor keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.machine import ROOT
from zoomground.recipe import load_recipe

if TYPE_CHECKING:
    from zoomground.protocol.settings import EpisodeSettings

RECIPES = {"demo": "demo-cpu", "mini": "mini-gpu", "reported": "qwen3_8_27b"}
"""Recipe of each set-up: crops of at most 40,960 px, of 262,144 px, of 4 MP."""


def settings_of(setup: str) -> EpisodeSettings:
    """The rules of an episode in a set-up."""
    return load_recipe(ROOT / "recipes" / f"{RECIPES[setup]}.toml").recipe.episode_settings()
