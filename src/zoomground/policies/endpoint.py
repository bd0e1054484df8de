"""Any OpenAI-compatible endpoint as a policy, through the official SDK: plain chat messages go out, words come in.

A request is the episode's messages and nothing else: text parts, and images as data URIs. So a saved trajectory can be
sent again as it is, and another client can play the same episode. Whatever an endpoint does wrong ends one episode as
data, with a name (`zoomground.policies.base.Trouble`).
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from pydantic_core import to_json

from zoomground.data.shown import sent
from zoomground.errors import ZoomgroundError
from zoomground.policies.base import Reply, Trouble, Usage
from zoomground.policies.completions import Fault, Thinking, read_completion, status_fault
from zoomground.protocol.messages import to_openai

if TYPE_CHECKING:
    from types import TracebackType

    from zoomground.environment import GroundingEnv

COMPLETIONS_PATH = "/chat/completions"

_JSON = {"Content-Type": "application/json"}

_PLACEHOLDER_KEY = "EMPTY"
"""What local servers take for a key."""

_OWN_KEYS = frozenset({"messages", "model", "n", "stream", "stream_options"})
"""Of a request: the episode's, or such that the answer could not be read."""

_LEAST_SECRET = 6
"""Shorter keys are placeholders, and may be words of a message by chance."""

_MASK = "***"

_CONNECT_S = 20.0
"""Longest wait for a connection: machines that are gone often do not even refuse."""

_FIRST_WAIT_S = 0.5
_LONGEST_BACKOFF_S = 20.0
_LONGEST_WAIT_S = 120.0
"""An endpoint that asks to wait for longer than this is not waited for."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and how to ask.

    Attributes:
        base_url: What stands before ``/chat/completions``; for most servers it ends in ``/v1``.
        model: The model's name there.
        api_key: Bearer key; empty stands for the placeholder EMPTY, which local servers accept.
        temperature: 0 decodes greedily; None leaves it to the endpoint.
        top_p: Nucleus of sampling; None leaves it to the endpoint.
        max_tokens: Longest reply in tokens; None leaves it to the endpoint.
        seed: Seed of sampling, where the endpoint has one.
        timeout_s: Longest wait for one answer, in s.
        retries: Further tries after a fault that may pass (429, 5xx, connection, time-out, a body that is no answer).
        extra_body: Further keys of the request, such as ``{"chat_template_kwargs": {"enable_thinking": true}}``.
        thinking: What becomes of thinking in a field of its own.

    Raises:
        ZoomgroundError: If the URL or a number cannot be meant.
    """

    base_url: str
    model: str
    api_key: str = field(default=_PLACEHOLDER_KEY, repr=False)
    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int | None = 2560
    seed: int | None = None
    timeout_s: float = 300.0
    retries: int = 4
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    thinking: Thinking = Thinking.KEEP

    def __post_init__(self) -> None:
        if not self.base_url.startswith(("http://", "https://")):
            raise ZoomgroundError(f"base URL '{self.base_url}': must begin with http:// or https://")
        if self.base_url.rstrip("/").endswith(COMPLETIONS_PATH):
            raise ZoomgroundError(f"base URL '{self.base_url}': leave out {COMPLETIONS_PATH}, it is added")
        if "@" in self.base_url.partition("://")[2].partition("/")[0]:
            # The address stands in logs and messages.
            raise ZoomgroundError("the base URL holds a name or password before '@'; give a key instead")
        if self.base_url.rstrip("/") != self.base_url.partition("?")[0].partition("#")[0].rstrip("/"):
            raise ZoomgroundError(f"base URL '{self.base_url}': must end before '?' and '#'; a path is appended to it")
        if not (self.api_key.isascii() and self.api_key.isprintable()) or self.api_key != self.api_key.strip():
            # HTTP libraries would refuse it later, with the key in their message.
            raise ZoomgroundError(
                f"the key ({len(self.api_key)} characters) holds a line break, a space at its end or a character "
                "beyond ASCII, which no header can carry; copy it again"
            )
        if taken := sorted(_OWN_KEYS & self.extra_body.keys()):
            raise ZoomgroundError(f"extra_body: {', '.join(taken)} of a request cannot be replaced; leave it out")
        if not self.model:
            raise ZoomgroundError("the model's name is empty; say which model the endpoint shall use")
        if self.timeout_s <= 0 or self.retries < 0:
            raise ZoomgroundError("timeout_s must be above 0 and retries at least 0")

    @property
    def url(self) -> str:
        """Where requests go."""
        return self.base_url.rstrip("/") + COMPLETIONS_PATH

    def parameters(self) -> dict[str, Any]:
        """Everything of a request but its messages."""
        known = {
            "model": self.model,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
        }
        return {name: value for name, value in known.items() if value is not None} | dict(self.extra_body)


AHEAD = 24
"""Further episodes that are worth having open: their requests are written while as many as may be are out."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Time as the policy sees it; tests put their own in its place.

    Attributes:
        sleep: Waits for some s.
        clock: Seconds that only go forward.
        now: Seconds since the epoch.
    """

    sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time


class Connection:
    """Sends written requests to an endpoint and names what goes wrong; each request is one try.

    Args:
        endpoint: Whose address, key and time-out are used.
        pace: Time.
        extra: The part of the package that brings the SDK, for the message where it is missing.
        key_variable: Where people set the key, for the message where it is refused.
        lean: Whether requests are many and small: they then go over aiohttp where it is installed, which takes half of
            the CPU time.

    Raises:
        ZoomgroundError: If the SDK is not installed.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        pace: Pace | None = None,
        extra: str = "client",
        key_variable: str = "OPENAI_API_KEY",
        lean: bool = False,
    ) -> None:
        try:
            import openai  # noqa: PLC0415 -- an optional part
        except ModuleNotFoundError as error:
            raise ZoomgroundError(
                f"asking an endpoint needs '{error.name}', which is not installed; "
                f"run: pip install 'zoomground[{extra}]'"
            ) from error
        self._key, self._key_variable = endpoint.api_key, key_variable
        self._pace = pace or Pace()
        self._sdk = openai
        # Our own retries: the SDK's wait by a clock that no test can hold, and do not see a body that is no answer.
        self._client = openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.api_key or _PLACEHOLDER_KEY,
            timeout=openai.Timeout(endpoint.timeout_s, connect=min(endpoint.timeout_s, _CONNECT_S)),
            max_retries=0,
            http_client=_lean_client(openai, endpoint) if lean else None,
        )

    async def ask(self, content: bytes, endpoint: Endpoint, *, prompt_ends_in_think: bool = False) -> Reply | Fault:
        """Send one request.

        Args:
            content: Its body.
            endpoint: What it was written for; address and key are those of the connection.
            prompt_ends_in_think: Whether the chat template opens the thinking.
        """
        outcome = await self._try(content, endpoint, prompt_ends_in_think=prompt_ends_in_think)
        if isinstance(outcome, Fault):
            return replace(outcome, message=self._without_key(outcome.message))
        # Once more: what was escaped in the body is plain by now.
        return replace(outcome, text=self._without_key(outcome.text), failure=self._without_key(outcome.failure))

    def _without_key(self, text: str) -> str:
        """Some endpoints repeat the key that they are given; what they say goes into logs and results."""
        return text.replace(self._key, _MASK) if len(self._key) >= _LEAST_SECRET else text

    def _masked(self, body: bytes) -> bytes:
        """A body without the key, before anything is cut out of it: half a key is one, too."""
        text = self._without_key(body.decode("utf-8", "surrogateescape"))
        if "/" in self._key and len(self._key) >= _LEAST_SECRET:
            text = text.replace(self._key.replace("/", "\\/"), _MASK)
        return text.encode("utf-8", "surrogateescape")

    async def _try(self, content: bytes, endpoint: Endpoint, *, prompt_ends_in_think: bool) -> Reply | Fault:
        sdk = self._sdk
        try:
            answered = await self._client.post(
                COMPLETIONS_PATH, cast_to=bytes, content=content, options={"headers": _JSON}
            )
        except sdk.APITimeoutError as error:
            if type(error.__cause__).__name__ == "ConnectTimeout":
                return _no_connection(endpoint, error.__cause__)
            message = f"no answer from {endpoint.url} within {endpoint.timeout_s:g} s"
            return Fault(Trouble.TIMEOUT, message, may_pass=True)
        except sdk.APIConnectionError as error:
            return _no_connection(endpoint, error.__cause__ or error)
        except sdk.APIStatusError as error:
            answer = error.response
            return status_fault(
                answer.status_code, answer.headers, self._masked(answer.content),
                url=endpoint.url, model=endpoint.model, now=self._pace.now(), key_variable=self._key_variable,
            )  # fmt: skip
        return read_completion(
            self._masked(answered), thinking=endpoint.thinking, prompt_ends_in_think=prompt_ends_in_think, usage=Usage()
        )

    async def models(self) -> tuple[str, ...]:
        """Names of the models that the endpoint serves; none if it does not say."""
        try:
            page = await self._client.models.list()
            return tuple(model.id for model in page.data)
        except (self._sdk.OpenAIError, AttributeError, TypeError, ValueError):
            return ()

    async def close(self) -> None:
        """Close every connection."""
        await self._client.close()


def _lean_client(sdk: Any, endpoint: Endpoint) -> Any | None:
    """The SDK's client over aiohttp; None where that is not installed.

    A request is no page: it is not sent on to another address. So where the address is one without TLS, no
    certificates are read, which takes longer than a request.
    """
    try:
        return sdk.DefaultAioHttpClient(verify=not endpoint.base_url.startswith("http://"), follow_redirects=False)
    except RuntimeError:
        return None


def _no_connection(endpoint: Endpoint, cause: BaseException) -> Fault:
    # Over aiohttp a server that hangs up is a time-out of the connection, too.
    message = f"the connection to {endpoint.url} failed ({type(cause).__name__}: {cause}); is the server up?"
    return Fault(Trouble.CONNECTION, message, may_pass=True)


class EndpointPolicy:
    """Asks an endpoint; an `zoomground.policies.base.AsyncPolicy`. Use it as an async context manager.

    Args:
        endpoint: Where and how to ask.
        on_request: Gets the body of each request before it is sent.
        pace: Time.
        in_flight: Requests that may be out at the same time; further ones wait, written and ready, and are not sent
            after one that told of a wrong set-up. None: any number, each for itself.

    Raises:
        ZoomgroundError: If the SDK is not installed.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        on_request: Callable[[Mapping[str, Any]], None] | None = None,
        pace: Pace | None = None,
        in_flight: int | None = None,
    ) -> None:
        self.endpoint = endpoint
        self._on_request = on_request
        self._pace = pace or Pace()
        self._connection = Connection(endpoint, pace=self._pace)
        self._wrong_set_up: Fault | None = None
        self._remembers = in_flight is not None
        self._slots = nullcontext() if in_flight is None else asyncio.Semaphore(in_flight)
        self._urls: WeakKeyDictionary[GroundingEnv, dict[str, str]] = WeakKeyDictionary()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._connection.close()

    def varied(self, **changes: Any) -> _Varied:
        """The same policy over the same connections, with other fields of its `Endpoint`: model, seed ..."""
        return _Varied(self, replace(self.endpoint, **changes))

    def body(self, env: GroundingEnv, endpoint: Endpoint | None = None) -> dict[str, Any]:
        """The request for the next turn of an episode, exactly as it is sent."""
        urls = self._urls.setdefault(env, {})

        def image_url(name: str) -> str:
            if name not in urls:
                is_original = name == env.image_name
                image = sent(env.screenshot, env.settings.limits) if is_original else env.views.encoded(name)
                urls[name] = image.data_uri()
            return urls[name]

        return {"messages": to_openai(env.messages, image_url), **(endpoint or self.endpoint).parameters()}

    async def reply(self, env: GroundingEnv) -> Reply:
        """Ask for the next turn, again after faults that may pass; never raises for what the endpoint does."""
        return await self.reply_as(env, self.endpoint)

    async def reply_as(self, env: GroundingEnv, endpoint: Endpoint) -> Reply:
        """`reply` with other fields of the endpoint than its address and key."""
        body, content = await asyncio.to_thread(self._written, env, endpoint)
        if self._on_request is not None:
            self._on_request(body)
        seconds = 0.0
        for attempt in range(endpoint.retries + 1):
            async with self._slots:
                # The wait for a slot is this machine's, not the endpoint's.
                started = self._pace.clock()
                outcome = self._wrong_set_up or await self._connection.ask(
                    content, endpoint, prompt_ends_in_think=env.settings.prompt_ends_in_think
                )
                if self._remembers and isinstance(outcome, Fault) and outcome.trouble.is_setup:
                    self._wrong_set_up = outcome
            seconds += self._pace.clock() - started
            spent = Usage(seconds=seconds, requests=attempt + 1)
            if isinstance(outcome, Reply):
                return replace(outcome, usage=outcome.usage + spent)
            wait = _wait(outcome, attempt)
            if not outcome.may_pass or attempt == endpoint.retries or wait > _LONGEST_WAIT_S:
                return await self._give_up(outcome, spent)
            await self._pace.sleep(wait)
            seconds += wait
        raise AssertionError("the last try returns")

    def _written(self, env: GroundingEnv, endpoint: Endpoint) -> tuple[dict[str, Any], bytes]:
        """A request and its bytes: some MB with the pictures, of which the SDK would make JSON in the event loop."""
        body = self.body(env, endpoint)
        return body, to_json(body)

    async def _give_up(self, fault: Fault, spent: Usage) -> Reply:
        if fault.trouble is Trouble.UNKNOWN_MODEL:
            served = await self.models()
            fault = replace(fault, message=fault.message + (f"; it serves: {', '.join(served)}" if served else ""))
        elif fault.may_pass and spent.requests > 1:
            fault = replace(fault, message=f"{fault.message} (asked {spent.requests} times)")
        return fault.reply(spent)

    async def models(self) -> tuple[str, ...]:
        """Names of the models that the endpoint serves; none if it does not say."""
        return await self._connection.models()


@dataclass(frozen=True, slots=True)
class _Varied:
    policy: EndpointPolicy
    endpoint: Endpoint

    async def reply(self, env: GroundingEnv) -> Reply:
        """As the policy, asked for by the own fields."""
        return await self.policy.reply_as(env, self.endpoint)


def _wait(fault: Fault, attempt: int) -> float:
    """Seconds before the next try: what the endpoint asks for, else twice as long each time, spread a little."""
    if fault.retry_after_s is not None:
        return fault.retry_after_s
    return float(min(_LONGEST_BACKOFF_S, _FIRST_WAIT_S * 2**attempt)) * random.uniform(0.75, 1.25)
