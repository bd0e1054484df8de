"""A chat-completions request, read as one question: a screenshot and an instruction.

An image comes as a ``data:`` URI and in no other way. An address or a path in a request is never opened, so no request
makes the proxy read a file or reach into a network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from zoomground.errors import ImageError
from zoomground.images import read_size
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.serve.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Iterator

PASSED_ON = (
    "chat_template_kwargs",
    "frequency_penalty",
    "min_p",
    "presence_penalty",
    "reasoning_effort",
    "repetition_penalty",
    "top_k",
)
"""Fields of sampling that go to the upstream as they are. Others could break the loop, or reach past it."""

_DATA = "data:"
_SHORT = 300


class _Url(BaseModel):
    url: str


class _Image(BaseModel):
    type: Literal["image_url"]
    image_url: _Url | str

    @property
    def url(self) -> str:
        return self.image_url if isinstance(self.image_url, str) else self.image_url.url


class _Text(BaseModel):
    type: Literal["text"]
    text: str


_Part = Annotated[_Text | _Image, Field(discriminator="type")]


class _Message(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: list[_Part] | None = None

    @field_validator("content", mode="before")
    @classmethod
    def _words_alone(cls, content: object) -> object:
        return [{"type": "text", "text": content}] if isinstance(content, str) else content


class _StreamOptions(BaseModel):
    include_usage: bool = False


class _Wishes(BaseModel):
    """The field ``zoomground`` of a request."""

    model_config = ConfigDict(extra="forbid")

    arm: Arm | None = None
    allow_decline: bool | None = None
    max_crops: int | None = Field(default=None, ge=0)
    trajectory: bool = False


class _Request(BaseModel):
    model_config = ConfigDict(extra="allow")

    model: str = ""
    messages: list[_Message] = Field(min_length=1)
    stream: bool | None = None
    stream_options: _StreamOptions | None = None
    temperature: float | None = Field(default=None, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    seed: int | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    n: int | None = None
    tools: list[Any] | None = None
    functions: list[Any] | None = None
    response_format: dict[str, Any] | None = None
    logprobs: bool | None = None
    zoomground: _Wishes = _Wishes()

    @property
    def more(self) -> dict[str, Any]:
        """Fields that are none of the above, those with nothing in them left out."""
        return {name: value for name, value in (self.model_extra or {}).items() if value is not None}


@dataclass(frozen=True, slots=True)
class Question:
    """What one request asks for.

    Attributes:
        model: The model's name, empty if none was given.
        image: The screenshot as a ``data:`` URI.
        instruction: What is to be found.
        settings: The rules of this episode.
        sampling: Fields of `zoomground.policies.endpoint.Endpoint` that the request sets.
        passed_on: Further keys for the upstream.
        ignored: What of the request has no meaning here, for the answer to say so.
        stream: Whether the answer is a stream of events.
        include_usage: Whether the stream ends with what it cost.
        wants_trajectory: Whether the answer holds the whole episode.
    """

    model: str
    image: str
    instruction: str
    settings: EpisodeSettings
    sampling: Mapping[str, Any]
    passed_on: Mapping[str, Any]
    ignored: tuple[str, ...]
    stream: bool
    include_usage: bool
    wants_trajectory: bool


def read_question(body: bytes, settings: EpisodeSettings, *, max_pixels: int) -> Question:
    """Read the body of a request.

    Args:
        body: As it came.
        settings: The proxy's own rules, where the request names no others.
        max_pixels: Largest screenshot in px; its pixels are not decoded here.

    Raises:
        ApiError: If it asks for what the proxy does not do, or holds no question.
    """
    try:
        request = _Request.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ApiError(400, f"{where or 'body'}: {first['msg'][:_SHORT]}", param=where or None) from error
    _refuse_what_is_not_done(request)
    image, instruction = _asked(request.messages)
    _check_image(image, max_pixels)
    more = request.more
    sampling = {
        "temperature": request.temperature,
        "top_p": request.top_p,
        "seed": request.seed,
        "max_tokens": request.max_completion_tokens or request.max_tokens,
    }
    return Question(
        model=request.model,
        image=image,
        instruction=instruction,
        settings=_settings(request.zoomground, settings),
        sampling={name: value for name, value in sampling.items() if value is not None},
        passed_on={name: more[name] for name in PASSED_ON if name in more},
        ignored=(*_own_prompts(request.messages), *sorted(set(more) - set(PASSED_ON))),
        stream=bool(request.stream),
        include_usage=request.stream_options is not None and request.stream_options.include_usage,
        wants_trajectory=request.zoomground.trajectory,
    )


def _refuse_what_is_not_done(request: _Request) -> None:
    form = (request.response_format or {}).get("type", "text")
    for param, asked_for, instead in (
        ("n", request.n not in {None, 1}, "one point is given for a request; send it again for another"),
        ("tools", request.tools, "the answer is a point, no tool is called; leave tools out"),
        ("functions", request.functions, "the answer is a point, no function is called; leave functions out"),
        ("response_format", form != "text", "the answer is [x,y] as text; the field 'zoomground' of it is JSON"),
        ("logprobs", request.logprobs, "an answer of several turns has no log-probabilities"),
    ):
        if asked_for:
            raise ApiError(400, f"{param}: {instead}", param=param, code="unsupported_value")


def _own_prompts(messages: list[_Message]) -> Iterator[str]:
    """Prompts that stand aside for the protocol's, which the policy was trained with."""
    for number, message in enumerate(messages):
        if message.role in {"system", "developer"}:
            yield f"messages.{number} ({message.role})"


def _asked(messages: list[_Message]) -> tuple[str, str]:
    """The image's URI and the instruction; they may stand in several user messages."""
    texts: list[str] = []
    images: list[str] = []
    for number, message in enumerate(messages):
        if message.role in {"system", "developer"}:
            continue
        if message.role != "user":
            raise ApiError(
                400,
                f"messages.{number}: a message of role '{message.role}'; each request is one question, so send the "
                "screenshot and the instruction as user messages, without what was said before",
                param=f"messages.{number}.role",
            )
        for part in message.content or ():
            if isinstance(part, _Text):
                texts.append(part.text)
            else:
                images.append(part.url)
    instruction = "\n".join(text.strip() for text in texts if text.strip())
    if not instruction:
        raise ApiError(400, "messages: no text; say what is to be found on the screenshot", param="messages")
    if len(images) != 1:
        found = "no image" if not images else f"{len(images)} images"
        raise ApiError(400, f"messages: {found}; send exactly one screenshot, as an image_url part", param="messages")
    return images[0], instruction


def _check_image(uri: str, max_pixels: int) -> None:
    if not uri.lower().startswith(_DATA):
        raise ApiError(
            400,
            f"image_url: {uri[:40]!r} is not opened; send the image itself: data:image/png;base64,...",
            param="messages",
            code="invalid_image_url",
        )
    try:
        read_size(uri, name="image_url", max_pixels=max_pixels)
    except ImageError as error:
        raise image_error(error) from error


def image_error(error: Exception) -> ApiError:
    """A screenshot that does not open, as a client reads of it."""
    return ApiError(400, str(error), param="messages", code="invalid_image")


def _settings(wishes: _Wishes, settings: EpisodeSettings) -> EpisodeSettings:
    most = settings.max_tool_calls
    if wishes.max_crops is not None and wishes.max_crops > most:
        raise ApiError(
            400,
            f"zoomground.max_crops: {wishes.max_crops}; this proxy allows {most}",
            param="zoomground.max_crops",
        )
    return replace(
        settings,
        arm=settings.arm if wishes.arm is None else wishes.arm,
        allow_decline=settings.allow_decline if wishes.allow_decline is None else wishes.allow_decline,
        max_tool_calls=most if wishes.max_crops is None else wishes.max_crops,
    )
