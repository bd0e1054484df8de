"""The arms of the experiment: what each says on top of one recipe, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from zoomground.recipe.keys import variables

if TYPE_CHECKING:
    from zoomground.recipe import LoadedRecipe, Recipe

NAMES = variables()
"""Environment variable of each key of a recipe."""

BASE = "base"


@dataclass(frozen=True, slots=True)
class Arm:
    """What is different in one arm.

    Attributes:
        what: In words.
        keys: Keys of the recipe by dotted name, as their environment variables say them.
        weights: Weights of rewards; the recipe's other rewards keep theirs.
    """

    what: str
    keys: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)

    def rules(self, recipe: Recipe) -> dict[str, str]:
        """The keys that it sets on top of a recipe."""
        rules = dict(self.keys)
        if any(recipe.rewards.weights.get(name, 0.0) != weight for name, weight in self.weights.items()):
            # A table of weights is replaced whole.
            weights = recipe.rewards.weights | self.weights
            rules["rewards.weights"] = " ".join(f"{name}={weight}" for name, weight in weights.items())
        return rules


ARMS: Mapping[str, Arm] = {
    BASE: Arm("the recipe as it is"),
    "credit": Arm("turn-level credit, coefficient 0.5", {"credit.coefficient": "0.5"}),
    "dense": Arm("`dense_distance` among the rewards, weight 0.2", weights={"dense_distance": 0.2}),
    "no-bonus": Arm("`zoomin_zoom_bonus` has weight 0", weights={"zoomin_zoom_bonus": 0.0}),
    # A recipe has one of the two already: that one changes nothing, and is no arm.
    "fallback": Arm("the parser with the fallback dialect", {"episode.parser_mode": "fallback"}),
    "no-fallback": Arm("the parser without the fallback dialect", {"episode.parser_mode": "tolerant"}),
}


def changed(base: LoadedRecipe, other: LoadedRecipe) -> set[str]:
    """The keys in which two recipes differ, by dotted name."""
    pairs = zip(base.settings(), other.settings(), strict=True)
    return {one.key.name for one, its in pairs if one.value != its.value}
