"""What an OpenAI-compatible endpoint answered, read into a `Reply`, and what went wrong, given a name.

Endpoints differ in how they say the same thing; all of that stands here and nowhere else. A body is checked before it
is believed: gateways answer with pages, with errors under status 200, and with half a body.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field, ValidationError

from zoomground.policies.base import Reply, Trouble, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping


class Thinking(StrEnum):
    """What becomes of thinking that the endpoint gives in a field of its own.

    - keep: it is put back in front of the words, in its tags, as the model wrote it.
    - drop: the words alone are the turn.
    """

    KEEP = "keep"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Fault:
    """A request that gave no reply.

    Attributes:
        trouble: Its name.
        message: What happened and what to do.
        retry_after_s: How long the endpoint asks to wait, if it says so.
        may_pass: Whether the same request may fare better later.
    """

    trouble: Trouble
    message: str
    retry_after_s: float | None = None
    may_pass: bool = False

    def reply(self, usage: Usage) -> Reply:
        """The reply that fails the episode."""
        return Reply("", failure=f"{self.trouble}: {self.message}", trouble=self.trouble, usage=usage)


class _Message(BaseModel):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Completion(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


_EXCERPT = 300
"""How much of a body a message quotes, in characters."""

_THINK_TAG = re.compile(r"</?think>")

_TOO_LONG = re.compile(
    r"context[ _]?(length|window)|max(imum)?[ _]model[ _]len|larger than the max_length|(prompt|input) is too long",
    re.IGNORECASE,
)
"""How endpoints say that a conversation outgrew the context."""

_NO_SUCH_MODEL = re.compile(
    r"model\b.{0,200}(does not exist|not found|not in the model_list|is not available)"
    r"|not in the model_list|(unknown|invalid|no such) model|model_not_found",
    re.IGNORECASE | re.DOTALL,
)


def read_completion(body: bytes, *, thinking: Thinking, prompt_ends_in_think: bool, usage: Usage) -> Reply | Fault:
    """Read the body of an answer of status 200.

    Args:
        body: As it came.
        thinking: What becomes of separate thinking.
        prompt_ends_in_think: Whether the chat template opens the thinking, so that a turn holds only its end.
        usage: What the request cost so far; the endpoint's count of tokens is added.
    """
    try:
        completion = _Completion.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        message = f"the answer is no chat completion ({where}: {first['msg']}): {excerpt(body)}"
        return Fault(Trouble.MALFORMED_BODY, message, may_pass=True)
    choice = completion.choices[0]
    if completion.usage is not None:
        usage += Usage(completion.usage.prompt_tokens, completion.usage.completion_tokens)
    if choice.finish_reason == "content_filter":
        fault = Fault(Trouble.CONTENT_FILTER, "the endpoint's content filter withheld or cut the reply")
        return fault.reply(usage)
    text = _text(choice.message, thinking, prompt_ends_in_think)
    return Reply(text, choice.finish_reason, trouble=_trouble(choice, text), usage=usage)


def _text(message: _Message, thinking: Thinking, prompt_ends_in_think: bool) -> str:
    words = message.content or message.refusal or ""
    thought = message.reasoning_content or message.reasoning or ""
    # Some endpoints give the thinking twice: in its field, and with its tags in the words.
    if not thought or thinking is Thinking.DROP or _THINK_TAG.search(words):
        return words
    opened = "" if prompt_ends_in_think else "<think>"
    return f"{opened}{thought}</think>{words}"


def _trouble(choice: _Choice, text: str) -> Trouble | None:
    if choice.finish_reason == "length":
        return Trouble.CUT
    if choice.message.refusal and not choice.message.content:
        return Trouble.REFUSED
    return None if text.strip() else Trouble.EMPTY


def status_fault(
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    *,
    url: str,
    model: str,
    now: float,
    key_variable: str = "OPENAI_API_KEY",
) -> Fault:
    """Name an answer with a status of 400 and above.

    Args:
        status: The status.
        headers: Of the answer, looked up in lower case.
        body: Of the answer.
        url: What was asked.
        model: The model that was asked for.
        now: Time in s since the epoch, to read a date in Retry-After.
        key_variable: Where people set the key.
    """
    trouble = _name(status, body.decode("utf-8", "replace"))
    message = _SAID[trouble].format(url=url, model=model, status=status, key=key_variable) + f": {excerpt(body)}"
    if trouble not in _MAY_PASS:
        return Fault(trouble, message)
    return Fault(trouble, message, _retry_after(headers.get("retry-after"), now), may_pass=True)


_MAY_PASS = {Trouble.RATE_LIMIT, Trouble.SERVER_ERROR}

_SAID = {
    Trouble.UNAUTHORIZED: "{url} refuses the key, set {key} ({status})",
    Trouble.UNKNOWN_MODEL: "{url} serves no model '{model}' ({status})",
    Trouble.WRONG_URL: (
        "there is nothing at {url} ({status}); the base URL is what stands before /chat/completions, "
        "for most servers it ends in /v1"
    ),
    Trouble.CONTEXT_OVERFLOW: "the conversation is longer than the model's context ({status})",
    Trouble.QUOTA: "the account's quota at {url} is spent ({status})",
    Trouble.RATE_LIMIT: "{url} asks for fewer requests ({status})",
    Trouble.SERVER_ERROR: "{url} is in trouble ({status})",
    Trouble.BAD_REQUEST: "{url} refuses the request ({status})",
}


def _name(status: int, text: str) -> Trouble:
    """The first of these that fits."""
    names = (
        (Trouble.UNAUTHORIZED, status in {401, 403}),
        (Trouble.UNKNOWN_MODEL, status in {400, 404, 422} and _NO_SUCH_MODEL.search(text)),
        (Trouble.WRONG_URL, status in {404, 405}),
        (Trouble.CONTEXT_OVERFLOW, status in {400, 413, 422} and _TOO_LONG.search(text)),
        (Trouble.QUOTA, status == 429 and "insufficient_quota" in text),
        (Trouble.RATE_LIMIT, status == 429),
        (Trouble.SERVER_ERROR, status >= 500 or status == 408),
    )
    return next((trouble for trouble, fits in names if fits), Trouble.BAD_REQUEST)


def _retry_after(value: str | None, now: float) -> float | None:
    """Seconds to wait; None if the header is absent or unreadable."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except ValueError:
        return None


def excerpt(body: bytes) -> str:
    """The begin of a body for a message, on one line."""
    text = " ".join(body[: 4 * _EXCERPT].decode("utf-8", "replace").split())
    return (text[:_EXCERPT] + "...") if len(text) > _EXCERPT else text or "(no body)"
