"""What answers a question: the same loop and the same endpoint policy as `zoomground.ask`, a bounded number at once."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from zoomground.errors import ImageError, RegionError
from zoomground.images import load_screenshot
from zoomground.policies.endpoint import EndpointPolicy
from zoomground.protocol.settings import EpisodeSettings
from zoomground.rollout import Asked, ask_policy
from zoomground.serve.errors import ApiError, upstream_error
from zoomground.serve.limits import Limits, Places
from zoomground.serve.question import Question, image_error, read_question

ANY_MODEL = "*"
"""As the model of the upstream: whatever a request names."""


@dataclass(slots=True)
class Service:
    """One upstream and what may be asked of it.

    Attributes:
        policy: Asks the upstream; its endpoint holds what a request does not say. Model `ANY_MODEL`: requests say it.
        settings: The rules where a request names no others.
        limits: What is borne.
    """

    policy: EndpointPolicy
    settings: EpisodeSettings
    limits: Limits
    places: Places = field(init=False)
    _slots: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self.places = Places(self.limits)
        self._slots = asyncio.Semaphore(self.limits.concurrency)

    async def read(self, body: bytes) -> Question:
        """Read a request.

        Raises:
            ApiError: If it is none that can be answered.
        """
        question = await asyncio.to_thread(
            read_question, body, self.settings, max_pixels=self.limits.image_pixels
        )  # base64 of many MB: in a thread, so that the others go on
        served = self.policy.endpoint.model
        if served == ANY_MODEL and not question.model:
            raise ApiError(400, "model: say which model of the upstream to ask", param="model")
        if served != ANY_MODEL and question.model not in {"", served}:
            raise _unknown_model(question.model, served)
        return question

    async def answer(self, question: Question, deadline: float) -> Asked:
        """Play the episode.

        Args:
            question: What is asked.
            deadline: When it must be done, in the time of the event loop.

        Raises:
            ApiError: If there is no answer to be had.
        """
        endpoint = self.policy.endpoint
        model = question.model if endpoint.model == ANY_MODEL else endpoint.model
        body = dict(endpoint.extra_body) | dict(question.passed_on)
        policy = self.policy.varied(model=model, extra_body=body, **question.sampling)
        try:
            async with asyncio.timeout_at(deadline) as limit, self._slots:
                shot = await asyncio.to_thread(
                    load_screenshot, question.image, name="image_url", max_pixels=self.limits.image_pixels
                )
                asked = await ask_policy(shot, question.instruction, policy, settings=question.settings)
        except (ImageError, RegionError) as error:
            raise image_error(error) from error
        except TimeoutError:
            if not limit.expired():
                raise
            raise too_late(self.limits) from None
        if (fault := upstream_error(asked, endpoint)) is not None:
            raise fault
        return asked

    async def models(self) -> tuple[str, ...]:
        """Names that a request may use.

        Raises:
            ApiError: If only the upstream knows them, and does not say.
        """
        if self.policy.endpoint.model != ANY_MODEL:
            return (self.policy.endpoint.model,)
        try:
            async with asyncio.timeout(self.limits.time_s):
                names = await self.policy.models()
        except TimeoutError:
            raise too_late(self.limits) from None
        if not names:
            raise ApiError(502, "the upstream does not list its models", code="upstream_error")
        return names


def too_late(limits: Limits) -> ApiError:
    """The error of a request that took too long."""
    return ApiError(504, f"not done within {limits.time_s:g} s, the proxy's limit of time", code="time_limit")


def _unknown_model(name: str, served: str) -> ApiError:
    return ApiError(404, f"no model '{name[:100]}' here; it serves: {served}", param="model", code="model_not_found")
