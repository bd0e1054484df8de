"""The seam between an episode and whoever plays it.

`BatchPolicy` is the one protocol: it answers many running episodes at once, because a local model is only fast in
batches. A policy that answers one episode at a time implements `Policy` and is wrapped by `one_by_one`. Beside them
stands `AsyncPolicy`, for whoever waits on a network.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from zoomground.trajectory import StopReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.environment import GroundingEnv


class Trouble(StrEnum):
    """What was the matter with a reply. The first group is the policy's doing, the others are not.

    - cut: the reply reached the token limit.
    - empty: no words and no thinking.
    - refused: the model declined in the endpoint's own field; what it said there is the turn's text.
    - content_filter: the endpoint withheld or cut the reply.
    - context_overflow: the conversation is longer than the model's context.
    - rate_limit, server_error, connection, timeout, malformed_body: still there after all retries.
    - bad_request: the endpoint refuses this request.
    - wrong_url, unknown_model, unauthorized, quota: the set-up is wrong; no other request would fare better.
    """

    CUT = "cut"
    EMPTY = "empty"
    REFUSED = "refused"

    CONTENT_FILTER = "content_filter"
    CONTEXT_OVERFLOW = "context_overflow"
    RATE_LIMIT = "rate_limit"
    SERVER_ERROR = "server_error"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    MALFORMED_BODY = "malformed_body"
    BAD_REQUEST = "bad_request"

    WRONG_URL = "wrong_url"
    UNKNOWN_MODEL = "unknown_model"
    UNAUTHORIZED = "unauthorized"
    QUOTA = "quota"

    @property
    def is_setup(self) -> bool:
        """Whether every further request would fail as well, so that a run of many had better stop."""
        return self in {Trouble.WRONG_URL, Trouble.UNKNOWN_MODEL, Trouble.UNAUTHORIZED, Trouble.QUOTA}


@dataclass(frozen=True, slots=True)
class Usage:
    """What replies cost.

    Attributes:
        prompt_tokens: Tokens that were read, image tokens included, as the endpoint counts them.
        completion_tokens: Tokens that were written.
        seconds: From the first request of a turn to its reply, waiting and retries included.
        requests: Requests that were sent, retries included.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    requests: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
            self.requests + other.requests,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """What a policy wrote in one turn.

    Attributes:
        text: The words, without the chat template's end-of-turn token.
        finish_reason: ``stop``, ``length``, or None if unknown.
        failure: What broke when no reply could be had; the episode then fails, it is not the policy's miss.
        trouble: The name of what was the matter, if it has one.
        usage: What the reply cost, as far as it is known.
    """

    text: str
    finish_reason: str | None = None
    failure: str = ""
    trouble: Trouble | None = None
    usage: Usage = field(default_factory=Usage)

    @property
    def stop_reason(self) -> StopReason:
        """How an episode ends that fails by this reply."""
        return StopReason.CONTEXT_BUDGET if self.trouble is Trouble.CONTEXT_OVERFLOW else StopReason.ERROR


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


class AsyncPolicy(Protocol):
    """Answers one episode while others wait for theirs."""

    async def reply(self, env: GroundingEnv) -> Reply:
        """Write the next turn of a running episode; the conversation is ``env.messages``."""
        ...


@dataclass(frozen=True, slots=True)
class one_by_one:  # noqa: N801 -- reads as the adapter that it is: one_by_one(policy)
    """A `Policy` as a `BatchPolicy`."""

    policy: Policy

    def replies(self, envs: Sequence[GroundingEnv]) -> list[Reply]:
        """Ask for each episode in turn."""
        return [self.policy.reply(env) for env in envs]
