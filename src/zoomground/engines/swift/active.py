"""The settings that this process runs with: the one seam between the engine and the recipe layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from zoomground.judge import JudgeSettings
from zoomground.protocol.settings import EpisodeSettings
from zoomground.recipe import Credit, Health, TurnFilter, active_settings
from zoomground.rewards import RewardSettings


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """What the engine needs to know beyond ms-swift's own arguments.

    Attributes:
        episode: The rules of an episode.
        rewards: Numbers that the rewards share.
        off_share: Share of the prompts that are trained without zoom.
        context_tokens: Longest conversation, prompt and reply together; None: what the engine says.
        reply_tokens: Tokens that must be left for the next reply.
        deadline_s: Longest life of an episode, s; below the ten minutes of the collectives' watchdog.
        trajectories_dir: Where trajectories are logged; None: in the trainer's output folder.
        recipe_hash: Hash of the recipe, empty without one.
        health: Thresholds of the alarms.
        judge: The judge of reasoning; None: there is none.
        pictures_gb: Memory for opened screenshots, GB; a rollout server keeps as much of processed pictures besides.
        crop_resample: Sides of the window in which a missed task is asked again, in shares of the screen's; 0: never.
        credit: Turn-level credit.
        turn_filter: Which turns leave the loss.
    """

    episode: EpisodeSettings = field(default_factory=EpisodeSettings)
    rewards: RewardSettings = field(default_factory=RewardSettings)
    off_share: float = 0.15
    context_tokens: int | None = None
    reply_tokens: int = 512
    deadline_s: float = 540.0
    trajectories_dir: Path | None = None
    recipe_hash: str = ""
    health: Health = field(default_factory=Health)
    judge: JudgeSettings | None = None
    pictures_gb: float = 4.0
    crop_resample: float = 0.0
    credit: Credit = field(default_factory=Credit)
    turn_filter: TurnFilter = field(default_factory=TurnFilter)


def engine_settings() -> EngineSettings:
    """The settings in force: the recipe that the environment names, its variables, the defaults.

    Raises:
        RecipeError: If the recipe or a variable is wrong.
    """
    active = active_settings()
    recipe = active.recipe
    return EngineSettings(
        episode=active.episode,
        rewards=active.rewards,
        off_share=recipe.data.off_share,
        context_tokens=recipe.model.max_length,
        reply_tokens=recipe.grpo.max_completion_length,
        trajectories_dir=active.trajectories_dir,
        recipe_hash=active.hash,
        health=recipe.health,
        judge=active.judge,
        pictures_gb=recipe.rollouts.pictures_gb,
        crop_resample=recipe.grpo.crop_resample,
        credit=recipe.credit,
        turn_filter=recipe.turn_filter,
    )
