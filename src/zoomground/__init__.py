"""zoomground: GUI grounding policies that look again.

One environment (`GroundingEnv`), several drivers: the trainer's scheduler, the evaluator, the client, the proxy and a
person at the keyboard. The names below are the public face; each is imported when it is first used, so that
``import zoomground`` costs nothing and needs no optional part.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zoomground.environment import GroundingEnv
    from zoomground.errors import ZoomgroundError
    from zoomground.geometry import Box, Point, Polygon, Region, Size
    from zoomground.images import load_screenshot
    from zoomground.policies.endpoint import Endpoint
    from zoomground.policies.oracle import Oracle
    from zoomground.policies.scripted import Scripted
    from zoomground.protocol.parser import parse
    from zoomground.protocol.prompts import build_system_prompt
    from zoomground.protocol.render import render
    from zoomground.protocol.settings import Arm, EpisodeSettings
    from zoomground.protocol.views import execute_crop
    from zoomground.report.draw import draw
    from zoomground.rewards import RewardSettings, Rubric
    from zoomground.rollout import Asked, aask, ask, play
    from zoomground.task import Refusal, Task
    from zoomground.trajectory import StopReason, Trajectory

__version__ = "0.1.0"

_HOMES = {
    "Arm": "zoomground.protocol.settings",
    "Asked": "zoomground.rollout",
    "Box": "zoomground.geometry",
    "Endpoint": "zoomground.policies.endpoint",
    "EpisodeSettings": "zoomground.protocol.settings",
    "GroundingEnv": "zoomground.environment",
    "Oracle": "zoomground.policies.oracle",
    "Point": "zoomground.geometry",
    "Polygon": "zoomground.geometry",
    "Refusal": "zoomground.task",
    "Region": "zoomground.geometry",
    "RewardSettings": "zoomground.rewards",
    "Rubric": "zoomground.rewards",
    "Scripted": "zoomground.policies.scripted",
    "Size": "zoomground.geometry",
    "StopReason": "zoomground.trajectory",
    "Task": "zoomground.task",
    "Trajectory": "zoomground.trajectory",
    "ZoomgroundError": "zoomground.errors",
    "aask": "zoomground.rollout",
    "ask": "zoomground.rollout",
    "build_system_prompt": "zoomground.protocol.prompts",
    "draw": "zoomground.report.draw",
    "execute_crop": "zoomground.protocol.views",
    "load_screenshot": "zoomground.images",
    "parse": "zoomground.protocol.parser",
    "play": "zoomground.rollout",
    "render": "zoomground.protocol.render",
}

__all__ = [
    "Arm",
    "Asked",
    "Box",
    "Endpoint",
    "EpisodeSettings",
    "GroundingEnv",
    "Oracle",
    "Point",
    "Polygon",
    "Refusal",
    "Region",
    "RewardSettings",
    "Rubric",
    "Scripted",
    "Size",
    "StopReason",
    "Task",
    "Trajectory",
    "ZoomgroundError",
    "__version__",
    "aask",
    "ask",
    "build_system_prompt",
    "draw",
    "execute_crop",
    "load_screenshot",
    "parse",
    "play",
    "render",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'zoomground' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
