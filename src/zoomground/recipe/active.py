"""The settings in force inside a process that has no command line for them: the trainer's and the rollout server's."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from zoomground.recipe.load import RECIPE_VARIABLE, TRAJECTORIES_VARIABLE, LoadedRecipe, load_recipe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.judge.settings import JudgeSettings
    from zoomground.protocol.settings import EpisodeSettings
    from zoomground.recipe.recipe import Recipe
    from zoomground.rewards import RewardSettings


@dataclass(frozen=True, slots=True)
class ActiveSettings:
    """What the engine plays and scores by.

    Attributes:
        loaded: The recipe and the source of each value.
        trajectories_dir: Where trajectories are logged, one file a rank; None: in the trainer's output folder.
    """

    loaded: LoadedRecipe
    trajectories_dir: Path | None = None

    @property
    def recipe(self) -> Recipe:
        """The recipe in force."""
        return self.loaded.recipe

    @property
    def episode(self) -> EpisodeSettings:
        """The rules of an episode, arm on."""
        return self.recipe.episode_settings()

    @property
    def rewards(self) -> RewardSettings:
        """The numbers that the rewards share."""
        return self.recipe.reward_settings

    @property
    def weights(self) -> Mapping[str, float]:
        """Weight of each registered reward."""
        return self.recipe.rewards.weights

    @property
    def judge(self) -> JudgeSettings | None:
        """The judge of reasoning; None if there is none."""
        return self.loaded.judge()

    @property
    def hash(self) -> str:
        """Hash of the recipe in force; trainer and rollouts log it."""
        return self.recipe.hash


def active_settings(environ: Mapping[str, str] | None = None) -> ActiveSettings:
    """The settings in force: the recipe that ZOOMIN_RECIPE names, the environment's variables, the defaults.

    Read once, where a process sets itself up, so that what is wrong is said before the first rollout.

    Args:
        environ: The environment variables; default: the process's own.

    Raises:
        RecipeError: If the recipe or a variable is wrong.
    """
    environ = os.environ if environ is None else environ
    recipe = environ.get(RECIPE_VARIABLE, "").strip()
    trajectories = environ.get(TRAJECTORIES_VARIABLE, "").strip()
    return ActiveSettings(
        load_recipe(Path(recipe) if recipe else None, environ), Path(trajectories) if trajectories else None
    )
