"""An episode as a chat completion, whole or as a stream of events."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from zoomground.data.trajectories import SavedRecord
from zoomground.policies.base import Trouble
from zoomground.protocol.render import render
from zoomground.trajectory import Outcome, StopReason

if TYPE_CHECKING:
    from zoomground.rollout import Asked
    from zoomground.serve.errors import ApiError
    from zoomground.serve.question import Question

KEEP_ALIVE = ": the episode is running\n\n"
"""A comment; clients skip it, and proxies between see that the connection lives."""

DONE = "data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Envelope:
    """What all parts of one answer have in common.

    Attributes:
        id: Unique; also the uuid of the episode's record.
        created: Seconds since the epoch.
        model: The name that the client used.
    """

    id: str
    created: int
    model: str

    def completion(self, asked: Asked, question: Question) -> dict[str, Any]:
        """The body of an answer in one piece."""
        message = {"role": "assistant", "content": _content(asked), "refusal": _no_answer(asked)}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish_reason(asked)}
        return {
            **self._head("chat.completion"),
            "choices": [choice],
            "usage": _usage(asked),
            "zoomground": self._extension(asked, question),
        }

    def opening(self, question: Question) -> str:
        """The first event: who speaks."""
        return self._event({"role": "assistant", "content": ""}, None, question)

    def rest(self, asked: Asked, question: Question) -> str:
        """The events after it: the point, the end, and what it cost if the client wants to know."""
        delta = {"content": _content(asked)} if asked.trajectory.answer or asked.trajectory.declined else {}
        refusal = _no_answer(asked)
        said = self._event(delta if refusal is None else {**delta, "refusal": refusal}, None, question)
        extension = self._extension(asked, question)
        ended = self._event({}, _finish_reason(asked), question, zoomground=extension)
        if not question.include_usage:
            return said + ended
        return said + ended + _data({**self._head("chat.completion.chunk"), "choices": [], "usage": _usage(asked)})

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}

    def _event(self, delta: dict[str, Any], finish_reason: str | None, question: Question, **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        usage = {"usage": None} if question.include_usage else {}
        return _data({**self._head("chat.completion.chunk"), "choices": [choice], **usage, **more})

    def _extension(self, asked: Asked, question: Question) -> dict[str, Any]:
        extension = asked.figures() | {"ignored": list(question.ignored)}
        if question.wants_trajectory:
            record = SavedRecord.of(asked.trajectory, uuid=self.id, usage=asdict(asked.usage))
            extension["trajectory"] = record.to_dict()
        return extension


def error_event(error: ApiError) -> str:
    """An error in a stream that has begun."""
    return _data(error.body)


def _data(document: dict[str, Any]) -> str:
    return f"data: {json.dumps(document, allow_nan=False)}\n\n"


def _content(asked: Asked) -> str:
    """The final turn in its canonical form, whatever dialect the policy wrote it in; empty without an answer."""
    trajectory = asked.trajectory
    return render(trajectory.turns[-1].actions) if trajectory.answer or trajectory.declined else ""


def _no_answer(asked: Asked) -> str | None:
    """Why there is no answer, for a field that clients look into."""
    trajectory = asked.trajectory
    if trajectory.answer or trajectory.declined:
        return None
    return f"no point: {trajectory.failure or trajectory.stop_reason}"


def _finish_reason(asked: Asked) -> str:
    if asked.trajectory.failed and Trouble.CONTENT_FILTER in asked.troubles:
        return "content_filter"
    stop_reason = asked.trajectory.stop_reason or StopReason.ERROR
    return "length" if stop_reason.outcome is Outcome.TRUNCATED else "stop"


def _usage(asked: Asked) -> dict[str, int]:
    """Tokens of all turns together."""
    usage = asked.usage
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
    }
