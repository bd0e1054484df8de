"""The seam between an episode and whoever plays it.

`BatchPolicy` is the one protocol: it answers many running episodes at once, because a local model is only fast in
batches. A policy that answers one episode at a time implements `Policy` and is wrapped by `one_by_one`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.environment import GroundingEnv


@dataclass(frozen=True, slots=True)
class Reply:
    """What a policy wrote in one turn.

    Attributes:
        text: The words, without the chat template's end-of-turn token.
        finish_reason: ``stop``, ``length``, or None if unknown.
        failure: What broke when no reply could be had; the episode then fails, it is not the policy's miss.
    """

    text: str
    finish_reason: str | None = None
    failure: str = ""


class Policy(Protocol):
    """Answers one episode."""

    def reply(self, env: GroundingEnv) -> Reply:
        """Write the next turn of a running episode; the conversation is ``env.messages``."""
        ...


class BatchPolicy(Protocol):
    """Answers many running episodes at once."""

    def replies(self, envs: Sequence[GroundingEnv]) -> list[Reply]:
        """Write the next turn of each running episode, in order."""
        ...


@dataclass(frozen=True, slots=True)
class one_by_one:  # noqa: N801 -- reads as the adapter that it is: one_by_one(policy)
    """A `Policy` as a `BatchPolicy`."""

    policy: Policy

    def replies(self, envs: Sequence[GroundingEnv]) -> list[Reply]:
        """Ask for each episode in turn."""
        return [self.policy.reply(env) for env in envs]
