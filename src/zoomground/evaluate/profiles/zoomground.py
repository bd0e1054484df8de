"""Our own protocol: an episode in `zoomground.environment.GroundingEnv`, with its prompt, its parser and its crops."""

from __future__ import annotations

from zoomground.evaluate.dialects import dialect
from zoomground.evaluate.profiles.base import Profile
from zoomground.evaluate.profiles.conventions import CONVENTIONS

PROFILE = Profile(
    "zoomground",
    "our own protocol: crops, then [x.xx,y.yy] in [0,1000] of the screenshot",
    CONVENTIONS["norm1000"],
    dialect("point"),
    episode=True,
)
