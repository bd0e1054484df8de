"""The proxy over HTTP: ``/v1/chat/completions``, ``/v1/models`` and ``/health``."""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
import uuid
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from zoomground.serve.access import Access, AccessLog
from zoomground.serve.answer import DONE, KEEP_ALIVE, Envelope, error_event
from zoomground.serve.errors import CLIENT_GONE, ApiError
from zoomground.serve.limits import Limits, read_body
from zoomground.serve.service import Service, too_late

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from zoomground.policies.endpoint import EndpointPolicy
    from zoomground.protocol.settings import EpisodeSettings
    from zoomground.rollout import Asked
    from zoomground.serve.question import Question

COMPLETIONS, MODELS, HEALTH = "/v1/chat/completions", "/v1/models", "/health"

_LEFT = "the client left"

_LOG = logging.getLogger(__name__)

_LOCAL_NAMES = {"localhost", "127.0.0.1", "[::1]"}


def create_app(
    policy: EndpointPolicy,
    settings: EpisodeSettings,
    *,
    limits: Limits | None = None,
    api_key: str = "",
    local_names_only: bool = False,
    on_access: Callable[[Access], None] | None = None,
) -> FastAPI:
    """The proxy as an ASGI application.

    Args:
        policy: Asks the upstream; closed when the application ends. See `Service`.
        settings: The rules where a request names no others.
        limits: What is borne.
        api_key: Bearer key that clients must send; empty: none.
        local_names_only: Whether a request must be addressed to this machine by a loopback name. A web page that
            rebinds its own name to 127.0.0.1 is then turned away.
        on_access: Gets each request when it is over.
    """
    service = Service(policy, settings, limits or Limits())
    doors = _Doors(service, api_key, local_names_only)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with policy:
            yield

    app = FastAPI(title="zoomground", openapi_url=None, lifespan=lifespan)
    app.add_route(COMPLETIONS, doors.completions, methods=["POST"])
    app.add_route(MODELS, doors.models, methods=["GET"])
    app.add_route(MODELS + "/{name:path}", doors.model, methods=["GET"])
    app.add_route(HEALTH, _health, methods=["GET"])
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(ClientDisconnect, _client_gone)
    app.add_exception_handler(Exception, _our_fault)
    if on_access is not None:
        app.add_middleware(AccessLog, on_access=on_access)
    return app


@dataclass(frozen=True, slots=True)
class _Doors:
    """The routes that ask the service."""

    service: Service
    api_key: str
    local_names_only: bool

    async def completions(self, request: Request) -> Response:
        self._admit(request)
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            # also what keeps web pages out: a browser asks before it sends JSON elsewhere, and gets no leave
            raise ApiError(415, "send the request as application/json")
        limits, places = self.service.limits, self.service.places
        deadline = asyncio.get_running_loop().time() + limits.time_s
        places.enter()
        try:
            question = await self._question(request, deadline)
            work = asyncio.create_task(self.service.answer(question, deadline))
        except BaseException:
            places.leave()
            raise

        # not in the task itself: one that is cancelled before its first step runs none of its own lines
        work.add_done_callback(lambda _: places.leave())
        work.add_done_callback(lambda task: _take_note(request, task))
        envelope = Envelope(f"chatcmpl-{uuid.uuid4().hex}", int(time.time()), question.model or self._default_model)
        if question.stream:
            events = _events(request, work, envelope, question, limits.keep_alive_s)
            headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
            return StreamingResponse(events, media_type="text/event-stream", headers=headers)
        asked = await _while_there(request, work)
        return JSONResponse(envelope.completion(asked, question))

    async def _question(self, request: Request, deadline: float) -> Question:
        try:
            async with asyncio.timeout_at(deadline):
                body = await read_body(request, self.service.limits.body_bytes)
                return await self.service.read(body)
        except TimeoutError:
            raise too_late(self.service.limits) from None

    async def models(self, request: Request) -> Response:
        self._admit(request)
        data = [_model(name) for name in await self.service.models()]
        return JSONResponse({"object": "list", "data": data})

    async def model(self, request: Request) -> Response:
        self._admit(request)
        name = request.path_params["name"]
        if name not in await self.service.models():
            raise ApiError(404, f"no model '{name[:100]}' here", param="model", code="model_not_found")
        return JSONResponse(_model(name))

    @property
    def _default_model(self) -> str:
        return self.service.policy.endpoint.model

    def _admit(self, request: Request) -> None:
        host = request.headers.get("host", "").rpartition(":")
        name = host[0] if host[0] and host[2].isdecimal() else "".join(host)
        if self.local_names_only and name.lower() not in _LOCAL_NAMES:
            raise ApiError(403, f"this proxy answers to {', '.join(sorted(_LOCAL_NAMES))} only", code="foreign_host")
        if not self.api_key:
            return
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        right = hmac.compare_digest(given.strip().encode("latin-1"), self.api_key.encode())  # as it came, byte for byte
        if scheme.lower() != "bearer" or not right:
            raise ApiError(401, "the key is missing or wrong; send it as 'Authorization: Bearer KEY'", code="wrong_key")


async def _gone(request: Request) -> None:
    """Come back when the client has left; the body has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _while_there(request: Request, work: asyncio.Task[Asked]) -> Asked:
    """The result of the work, which ends when the client leaves.

    Raises:
        ClientDisconnect: If it has left.
    """
    gone = asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise ClientDisconnect
        return work.result()
    finally:
        gone.cancel()
        work.cancel()


async def _events(
    request: Request, work: asyncio.Task[Asked], envelope: Envelope, question: Question, keep_alive_s: float
) -> AsyncIterator[str]:
    gone = asyncio.create_task(_gone(request))
    try:
        yield envelope.opening(question)
        while not work.done():
            await asyncio.wait({work, gone}, timeout=keep_alive_s, return_when=asyncio.FIRST_COMPLETED)
            if gone.done():
                return
            if not work.done():
                yield KEEP_ALIVE
        error = work.exception()
        if error is None:
            yield envelope.rest(work.result(), question)
        else:
            yield error_event(error if isinstance(error, ApiError) else _logged(error))
        yield DONE
    finally:
        if not work.done():
            request.state.note = _LEFT
        gone.cancel()
        work.cancel()


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "zoomground"}


def _take_note(request: Request, work: asyncio.Task[Asked]) -> None:
    """For the log: how the episode ended."""
    error = None if work.cancelled() else work.exception()
    if work.cancelled():
        request.state.note = _LEFT
    elif error is not None:
        request.state.note = error.note if isinstance(error, ApiError) else type(error).__name__
    else:
        asked = work.result()
        turns, crops = len(asked.trajectory.turns), len(asked.trajectory.crops)
        tokens = f"{asked.usage.prompt_tokens}+{asked.usage.completion_tokens}"
        request.state.note = f"{asked.trajectory.stop_reason}, turns {turns}, crops {crops}, tokens {tokens}"


def _fault() -> ApiError:
    return ApiError(500, "the proxy failed; its log says how", code="internal_error")


def _logged(error: BaseException) -> ApiError:
    """What a client reads of a fault of ours, whose cause goes into the log."""
    _LOG.error("an episode failed by a fault of the proxy", exc_info=error)
    return _fault()


async def _health(_: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def _api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)  # noqa: S101 -- registered for these; tells the type checker
    request.state.note = error.note
    return JSONResponse(error.body, error.status, error.headers)


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 -- registered for these; tells the type checker
    here = f"{COMPLETIONS}, {MODELS} and {HEALTH}"
    answer = ApiError(error.status_code, f"{error.detail}; the proxy answers at {here}")
    return JSONResponse(answer.body, error.status_code, error.headers)


async def _client_gone(request: Request, _: Exception) -> Response:
    request.state.note = _LEFT
    return Response(status_code=CLIENT_GONE)


async def _our_fault(*_: object) -> Response:
    error = _fault()
    return JSONResponse(error.body, error.status, error.headers)
