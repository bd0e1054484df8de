"""What a run asks: every item in every arm, each with the exact words and the image that it is asked with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground.environment import GroundingEnv
from zoomground.evaluate.items import Benchmark, Item, ItemSet, Scoring
from zoomground.evaluate.profiles.base import Profile
from zoomground.evaluate.question import Question, question
from zoomground.images import display_name, load_screenshot
from zoomground.protocol import prompts
from zoomground.protocol.settings import EpisodeSettings
from zoomground.rewards.rubric import Rubric
from zoomground.trajectory import StopReason, Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zoomground.geometry import Size
    from zoomground.protocol.messages import Message

_KEY_LENGTH = 32


@dataclass(frozen=True, slots=True)
class Job:
    """One item in one arm."""

    item: Item
    arm: str
    settings: EpisodeSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All that decides what a run comes to, but for the model's own dice.

    Attributes:
        benchmark: Axes and averages.
        items: The whole set that is asked: the denominator of everything.
        profile: Words, dialect and convention.
        settings: Rules of an episode in each arm, in the order of the tables.
        model: Who answers and how: kind, name, sampling, arguments of the chat template; plain values.
        scoring: Against which targets.
        rubric: The rewards in force; its settings say what is legible.
        recipe_hash: Hash of the recipe in force.
        selection: How the items were chosen of the set; empty: all of it.
    """

    benchmark: Benchmark
    items: ItemSet
    profile: Profile
    settings: Mapping[str, EpisodeSettings]
    model: Mapping[str, Any]
    scoring: Scoring
    rubric: Rubric
    recipe_hash: str = ""
    selection: Mapping[str, Any] | None = None

    @property
    def jobs(self) -> list[Job]:
        """Every item in every arm, arm after arm."""
        return [Job(item, arm, settings) for arm, settings in self.settings.items() for item in self.items.items]

    @property
    def parameters(self) -> str:
        """Hash of everything that stands beside the messages in a request."""
        return digest(dict(self.model))

    def open(self, job: Job) -> GroundingEnv:
        """A fresh episode of the item: ours, or one question in another model's words.

        Raises:
            ZoomgroundError: If the screenshot cannot be opened or shown.
        """
        assert job.item.image is not None  # noqa: S101 -- sets are loaded with their images
        screenshot = load_screenshot(job.item.image, name=job.item.task.image)
        task = job.item.task_on(screenshot.size)
        if self.profile.episode:
            return GroundingEnv(task, screenshot, job.settings)
        return Question(task, screenshot, job.settings, self.profile)

    def opening(self, job: Job, file_size: Size) -> tuple[Message, ...]:
        """The messages that an episode of the item begins with, on a screenshot of this size."""
        task = job.item.task_on(file_size)
        if not self.profile.episode:
            return question(task, job.settings, self.profile)
        return prompts.opening(
            instruction=task.instruction, image_name=display_name(task.image), size=file_size, settings=job.settings
        )

    def key(self, job: Job, trajectory: Trajectory) -> str:
        """Name of a result: equal for equal items, images, arms, prompts and parameters, and for no others."""
        parts = [job.item.id, trajectory.image_sha256, job.arm, prompt_hash(trajectory.opening), self.parameters]
        return digest(parts)[:_KEY_LENGTH]


def unasked(job: Job, failure: str) -> Trajectory:
    """The record of an item that could not even be asked."""
    task = job.item.task
    return Trajectory(
        task=task,
        settings=job.settings,
        image_name=Path(task.image).name,
        image_sha256="",
        view=task.size,
        stop_reason=StopReason.ERROR,
        failure=failure,
    )


def prompt_hash(messages: Iterable[Message]) -> str:
    """Hash of the words that an episode opens with; each image stands as its name."""
    return digest([[one.role, one.text, list(one.image_names)] for one in messages])


def digest(values: Any) -> str:
    """SHA-256 of JSON values; the order of keys does not matter."""
    text = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def with_declining(settings: EpisodeSettings, items: ItemSet) -> EpisodeSettings:
    """The rules with declining offered where an item of the set asks for it: no one can know that it is allowed."""
    return replace(settings, allow_decline=settings.allow_decline or any(item.refusal for item in items.items))
