"""One short line for each request: what came, how it ended, how long it took. Never a body, a header or a key."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.types import ASGIApp

from zoomground.serve.errors import CLIENT_GONE

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

_SHORT = 80


@dataclass(frozen=True, slots=True)
class Access:
    """A request that is over.

    Attributes:
        method: GET, POST ...
        path: Cut to a sane length, without the query.
        status: Of the answer; 499 if the client left before it.
        seconds: From its first byte to the last one of the answer.
        note: How the episode ended, or what was wrong.
    """

    method: str
    path: str
    status: int
    seconds: float
    note: str

    def line(self) -> str:
        """As text, on one line whatever a client put into its path."""
        return " ".join(f"{self.method} {self.path} {self.status} {self.seconds:.2f} s {self.note}".split())


@dataclass(frozen=True, slots=True)
class AccessLog:
    """Tells of each request when it is over; what stands around the application.

    Attributes:
        app: The application.
        on_access: Gets each request.
    """

    app: ASGIApp
    on_access: Callable[[Access], None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = time.monotonic()
        status = CLIENT_GONE

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        failed = True
        try:
            await self.app(scope, receive, watch)
            failed = False
        finally:
            state = scope.get("state", {})
            seconds = time.monotonic() - begun
            ended = 500 if failed and status == CLIENT_GONE else status
            self.on_access(Access(scope["method"], scope["path"][:_SHORT], ended, seconds, state.get("note", "")))
