"""A recipe: one experiment as a value."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Self

from pydantic import model_validator

from zoomground.errors import RecipeError, ZoomgroundError
from zoomground.geometry import PixelLimits
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.recipe.hardware import Cluster, Engine, Rollouts
from zoomground.recipe.health import Health
from zoomground.recipe.judging import Judge
from zoomground.recipe.section import Section
from zoomground.recipe.sections import (
    Curriculum,
    Data,
    Episode,
    Evaluate,
    Grpo,
    Image,
    Model,
    Report,
    Rewards,
    Run,
    Sft,
)
from zoomground.recipe.turns import Credit, TurnFilter
from zoomground.rewards import RewardSettings, Rubric

HASH_LENGTH = 12

_ELSEWHERE: dict[str, Any] = {
    "run": {"output_dir", "log_dir", "report_to"},
    "rollouts": {"hosts", "ports", "port", "group_ports", "start_s", "pictures_gb"},
    "cluster": True,
    "curriculum": {"workers", "save_seconds"},
    "health": True,
    "judge": {"api_base", "api_key", "concurrency", "timeout_s", "deadline_s", "cache"},
}
"""What says where a run runs, what it writes where and how it is watched, not how it comes out."""

_ON_SCREENS = frozenset({"screens", "seconds", "look_share", "least_screens", "save_seconds", "start"})
"""What a curriculum on boards does not know."""


class Recipe(Section):
    """Everything that decides how a run comes out."""

    run: Run = Run()
    model: Model = Model()
    data: Data = Data()
    episode: Episode = Episode()
    image: Image = Image()
    rewards: Rewards = Rewards()
    judge: Judge = Judge()
    curriculum: Curriculum = Curriculum()
    sft: Sft = Sft()
    grpo: Grpo = Grpo()
    credit: Credit = Credit()
    turn_filter: TurnFilter = TurnFilter()
    health: Health = Health()
    evaluate: Evaluate = Evaluate()
    report: Report = Report()
    engine: Engine = Engine()
    rollouts: Rollouts = Rollouts()
    cluster: Cluster = Cluster()

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.image.min_pixels > self.image.max_pixels:
            raise ValueError(f"image.min_pixels {self.image.min_pixels} is above image.max_pixels")
        if self.image.max_pixels < self.image.factor**2:
            raise ValueError(f"image.max_pixels {self.image.max_pixels} holds not one patch of image.factor squared")
        try:
            self.rubric()
        except RecipeError as error:
            raise ValueError(f"rewards: {error}") from error
        if self.credit.coefficient and self.grpo.importance_sampling.startswith("sequence"):
            raise ValueError(
                f"credit.coefficient tells tokens of a sequence apart, grpo.importance_sampling "
                f"'{self.grpo.importance_sampling}' weighs whole sequences; set it to token_truncate or token_mask"
            )
        try:
            self.judge.settings()
        except ZoomgroundError as error:
            raise ValueError(f"judge: {error}") from error
        return self

    @property
    def pixel_limits(self) -> PixelLimits:
        """The image processor's limits, in whole image tokens as the trainer counts them."""
        token_px = self.image.factor**2
        return PixelLimits(
            factor=self.image.factor,
            min_pixels=self.image.min_pixels // token_px * token_px,
            max_pixels=self.image.max_pixels // token_px * token_px,
        )

    def episode_settings(self, arm: Arm = Arm.ON) -> EpisodeSettings:
        """The rules of an episode in one arm."""
        return EpisodeSettings(arm=arm, limits=self.pixel_limits, **dict(self.episode))

    @property
    def reward_settings(self) -> RewardSettings:
        """The numbers that the rewards share."""
        return RewardSettings(**self.rewards.model_dump(exclude={"weights"}))

    def rubric(self) -> Rubric:
        """The weighted rewards."""
        return Rubric(self.rewards.weights, self.reward_settings)

    @property
    def hash(self) -> str:
        """Identifies the effective values: equal for equal experiments, whatever the file's order or form.

        Where results are written is no part of it, nor are nodes, hosts and ports: all nodes of a run agree.
        """
        return digest(self.values())

    def values(self) -> dict[str, Any]:
        """The values that the hash is made of, by section.

        A judge, a curriculum or a choice of rows that is off decides nothing; so the run goes on that knew no such key.
        """
        off: dict[str, Any] = {} if self.evaluate.rows else {"evaluate": {"rows"}}
        off |= {"judge": True} if not self.judge.on else {}
        if not self.curriculum.screens:
            off |= {"curriculum": {"workers", *_ON_SCREENS}}
        off |= {"curriculum": True} if not self.curriculum.steps else {}
        return self.model_dump(mode="json", exclude=_ELSEWHERE | off)


def digest(values: Any) -> str:
    """A short hash of JSON values; the order of keys does not matter."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:HASH_LENGTH]
