"""Asking a scripted endpoint, with a pace that waits for nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("openai")

from episodes import env, point_text
from scripted_endpoint import MODEL, ScriptedEndpoint
from zoomground.environment import GroundingEnv
from zoomground.policies.base import Reply
from zoomground.policies.endpoint import Endpoint, EndpointPolicy, Pace
from zoomground.rollout import play_async
from zoomground.trajectory import Trajectory

POINT = point_text(504.5, 507.5)
NOW = 1_700_000_000.0


class Waits:
    """A pace that notes how long it was asked to wait, and does not."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.pace = Pace(sleep=self._sleep, now=lambda: NOW)

    async def _sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)


def ask(
    endpoint: ScriptedEndpoint, episode: GroundingEnv | None = None, *, waits: Waits | None = None, **options: Any
) -> tuple[Trajectory, list[Reply]]:
    replies: list[Reply] = []

    async def run() -> Trajectory:
        settings = Endpoint(**{"base_url": endpoint.base_url, "model": MODEL} | options)
        async with EndpointPolicy(settings, pace=(waits or Waits()).pace) as policy:
            return await play_async(episode or env(), policy, on_reply=replies.append)

    return asyncio.run(run()), replies
