"""Small evaluations on real files, and endpoints that say what they are told to, without a network."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from layouts import IMAGES, downloaded
from zoomground.environment import GroundingEnv
from zoomground.evaluate.benchmarks import benchmark
from zoomground.evaluate.items import Scoring
from zoomground.evaluate.jobs import Evaluation
from zoomground.evaluate.plan import choose, plan
from zoomground.geometry import PixelLimits
from zoomground.policies.base import Reply, Trouble, Usage
from zoomground.protocol.settings import EpisodeSettings
from zoomground.rewards import Rubric

SETTINGS = EpisodeSettings(limits=PixelLimits(32, 4 * 1024, 64 * 1024))


def evaluation(
    name: str, folder: Path, *, arms: tuple[str, ...] = (), limit: int | None = None, **given: Any
) -> Evaluation:
    """An evaluation of a fixture; ``given`` replaces arguments of `plan`."""
    if not folder.exists():
        downloaded(name, folder, IMAGES[name])
    items, selection = choose(benchmark(name).load(folder), limit=limit)
    arguments: dict[str, Any] = {
        "profile_name": "zoomground",
        "settings": SETTINGS,
        "model": {"kind": "test", "model": "m"},
        "scoring": Scoring.TRUE,
        "rubric": Rubric(),
    }
    return plan(benchmark(name), items, arms=arms, selection=selection, **(arguments | given))


@dataclass
class Fake:
    """An `AsyncPolicy` that gives what a function makes of the episode, and counts what it was asked.

    Attributes:
        say: Text of a reply, or a whole reply.
        asked: Number of requests by item and arm.
        most: Largest number of requests at the same time.
    """

    say: Callable[[GroundingEnv], str | Reply]
    asked: dict[tuple[str, str], int] = field(default_factory=dict)

    async def reply(self, env: GroundingEnv) -> Reply:
        key = (env.settings.arm.value, env.task.id)
        self.asked[key] = self.asked.get(key, 0) + 1
        said = self.say(env)
        if isinstance(said, Reply):
            return said
        return Reply(said, "stop", usage=Usage(prompt_tokens=100, completion_tokens=7, seconds=0.5, requests=1))

    @asynccontextmanager
    async def connect(self) -> Any:
        yield self


def broken(trouble: Trouble = Trouble.SERVER_ERROR) -> Reply:
    """A reply that was not had."""
    return Reply("", failure=f"{trouble}: it broke", trouble=trouble)
