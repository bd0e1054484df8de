"""Episodes to be judged, and judges on loopback that say what they are told to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai")

from episodes import crop_text, point_text, screenshot, task
from scripted_endpoint import MODEL, Answer, Script, ScriptedEndpoint, says, scripted
from zoomground.environment import GroundingEnv
from zoomground.geometry import Size
from zoomground.images import Screenshot
from zoomground.judge import Judge, JudgeSettings, Opinion
from zoomground.policies.completions import Thinking
from zoomground.policies.endpoint import Endpoint, Pace
from zoomground.policies.scripted import Scripted
from zoomground.protocol.settings import EpisodeSettings
from zoomground.rollout import play
from zoomground.trajectory import Trajectory

POINT = (508.0, 508.0)
SOUND = "The File menu is the first word of the bar at the top, so I look at the left end of that bar."


def hit_with(thinking: str, *, instruction: str = "Open the File menu") -> Trajectory:
    """An episode of one turn that ends right."""
    return played(f"<think>{thinking}</think>\n{point_text(*POINT)}", instruction=instruction)


def miss_with(thinking: str) -> Trajectory:
    return played(f"<think>{thinking}</think>\n{point_text(1.0, 1.0)}")


def zoomed() -> Trajectory:
    """An episode of a bad turn, a crop and an answer read from it."""
    return played(
        "I would click on it.",
        crop_text(450, 450, 560, 560, think="It is too small, so I look at the middle."),
        f"<think>In the crop it stands in the middle.</think>\n{point_text(*POINT)}",
    )


def played(*texts: str, instruction: str = "Open the File menu", settings: EpisodeSettings | None = None) -> Trajectory:
    episode = task(instruction=instruction)
    return play(GroundingEnv(episode, _picture(episode.size), settings or EpisodeSettings()), Scripted(texts))


@cache
def _picture(size: Size) -> Screenshot:
    return screenshot(size)


def scores(score: float | str) -> Answer:
    return says(json.dumps({"score": score}))


def endpoint(server: ScriptedEndpoint | str, **options: Any) -> Endpoint:
    base_url = server if isinstance(server, str) else server.base_url
    fields = {"seed": 0, "max_tokens": 256, "timeout_s": 30.0, "thinking": Thinking.DROP} | options
    return Endpoint(base_url, MODEL, **fields)


def settings_for(*servers: ScriptedEndpoint | str | Endpoint, **options: Any) -> JudgeSettings:
    endpoints = tuple(one if isinstance(one, Endpoint) else endpoint(one) for one in servers)
    return JudgeSettings(endpoints, **options)


def many(number: int) -> list[Trajectory]:
    """Hits that differ in their thinking."""
    return [hit_with(f"{SOUND} That is word {word}.") for word in range(number)]


class Clock:
    """Time that passes when somebody waits, or is told to."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waits: list[float] = []
        self.pace = Pace(sleep=self._sleep, clock=lambda: self.now, now=lambda: self.now)

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


def judge_of(*servers: ScriptedEndpoint | str | Endpoint, clock: Clock | None = None, **options: Any) -> Judge:
    return Judge(settings_for(*servers, **options), pace=(clock or Clock()).pace)


def opinions(judge: Judge, trajectories: Sequence[Trajectory]) -> list[Opinion]:
    return asyncio.run(judge.opinions(trajectories))


def ask_once(
    script: Script | list[Answer], thinking: str = SOUND, *, cache_dir: Path | None = None
) -> tuple[Opinion, ScriptedEndpoint, Judge]:
    """One judged hit."""
    with scripted(script) as server:
        judge = judge_of(server, cache_dir=cache_dir)
        (opinion,) = opinions(judge, [hit_with(thinking)])
    return opinion, server, judge


DEAD = "http://127.0.0.1:9/v1"
"""Nobody listens there."""
