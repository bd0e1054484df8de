"""The proxy on loopback, in a thread of the test: a real server with a real socket."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import openai

from episodes import crop_text, point_text, screenshot
from saved import SIZE
from scripted_endpoint import MODEL
from zoomground.geometry import Size
from zoomground.images import DEFAULT_NAME, encode
from zoomground.policies.endpoint import Endpoint, EndpointPolicy, Pace
from zoomground.protocol.settings import EpisodeSettings
from zoomground.serve.access import Access
from zoomground.serve.app import create_app
from zoomground.serve.limits import Limits
from zoomground.serve.server import listen, server

INSTRUCTION = "Open the File menu"
ZOOM = (crop_text(450, 450, 560, 560, DEFAULT_NAME, think="small"), point_text(504.5, 507.5))
NESTED = (crop_text(400, 400, 700, 700, DEFAULT_NAME), crop_text(200, 200, 700, 700, "crop_1.png"), ZOOM[1])
UPSTREAM_KEY = "sk-upstream-secret"
MOST_S = 60


@dataclass(frozen=True)
class Proxy:
    """The running proxy.

    Attributes:
        root: Its address without ``/v1``.
        log: Gets each request that is over.
        clients: Closes the clients at the end: a connection left to the collector is a warning in some later test.
    """

    root: str
    log: queue.Queue[Access]
    clients: ExitStack

    def client(self, **options: Any) -> openai.OpenAI:
        """The official SDK; what fails is not tried again, so that each request is one."""
        settings = {"api_key": "any", "max_retries": 0, "timeout": MOST_S} | options
        return self.clients.enter_context(openai.OpenAI(base_url=f"{self.root}/v1", **settings))

    def post(self, body: Any = None, **options: Any) -> httpx.Response:
        """A plain request."""
        given = options if body is None else {"json": body} | options
        return httpx.post(f"{self.root}/v1/chat/completions", timeout=MOST_S, **given)


@contextmanager
def proxied(
    base_url: str,
    *,
    model: str = MODEL,
    settings: EpisodeSettings | None = None,
    limits: Limits | None = None,
    wrap: Callable[[Any], Any] = lambda app: app,
    endpoint: dict[str, Any] | None = None,
    **options: Any,
) -> Iterator[Proxy]:
    """Serve a proxy of an endpoint; waits between tries take no time."""

    async def at_once(_: float) -> None:
        pass

    fields = {"api_key": UPSTREAM_KEY, "retries": 1} | (endpoint or {})
    policy = EndpointPolicy(Endpoint(base_url, model, **fields), pace=Pace(sleep=at_once))
    log: queue.Queue[Access] = queue.Queue()
    app = create_app(policy, settings or EpisodeSettings(), limits=limits, on_access=log.put, **options)
    listener = listen("127.0.0.1", 0)
    running = server(wrap(app), grace_s=5)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        with ExitStack() as clients:
            yield Proxy(f"http://127.0.0.1:{listener.getsockname()[1]}", log, clients)
    finally:
        running.should_exit = True
        thread.join()
        listener.close()


def image_uri(size: Size = SIZE) -> str:
    return encode(screenshot(size).pixels).data_uri()


def asking(uri: str | None = None, text: str = INSTRUCTION) -> list[dict[str, Any]]:
    """The messages of a question."""
    image = {"type": "image_url", "image_url": {"url": uri or image_uri()}}
    return [{"role": "user", "content": [{"type": "text", "text": text}, image]}]


def body(**fields: Any) -> dict[str, Any]:
    """A whole request."""
    return {"model": MODEL, "messages": asking()} | fields
