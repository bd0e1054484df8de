"""Streams of events, read by the official SDK and as they are on the wire; clients that leave."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("openai")

import httpx
import openai
from starlette.types import ASGIApp, Receive, Scope, Send

from proxies import INSTRUCTION, MOST_S, ZOOM, Proxy, asking, body, image_uri, proxied
from scripted_endpoint import MODEL, Answer, fails, says, scripted
from zoomground.serve.limits import Limits

OFTEN = Limits(keep_alive_s=0.01)


def events(text: str) -> list[Any]:
    """The data of a stream, read as a browser reads it."""
    blocks = [block for block in text.split("\n\n") if block]
    assert all(block.startswith(("data: ", ":")) for block in blocks)
    data = [block.removeprefix("data: ") for block in blocks if block.startswith("data: ")]
    return [item if item == "[DONE]" else json.loads(item) for item in data]


def test_the_sdk_streams_the_point() -> None:
    with scripted([says(text) for text in ZOOM]) as upstream, proxied(upstream.base_url) as proxy:
        with proxy.client().chat.completions.create(model=MODEL, messages=asking(), stream=True) as stream:
            chunks = list(stream)
        access = proxy.log.get()
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "[504.50,507.50]"
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in chunks] == [None, None, "stop"]
    assert len({chunk.id for chunk in chunks}) == 1
    assert {chunk.object for chunk in chunks} == {"chat.completion.chunk"}
    assert chunks[-1].zoomground["crops"] == [{"name": "crop_1.png", "region_px": [576, 360, 717, 448]}]
    assert (access.status, access.note) == (200, "answered, turns 2, crops 1, tokens 200+14")


def test_the_async_sdk_streams_with_usage() -> None:
    async def ask(proxy: Proxy) -> list[Any]:
        async with openai.AsyncOpenAI(base_url=f"{proxy.root}/v1", api_key="any", max_retries=0) as client:
            stream = await client.chat.completions.create(
                model=MODEL, messages=asking(), stream=True, stream_options={"include_usage": True}
            )
            return [chunk async for chunk in stream]

    with scripted([says(text) for text in ZOOM]) as upstream, proxied(upstream.base_url) as proxy:
        *chunks, last = asyncio.run(ask(proxy))
    assert all(chunk.usage is None for chunk in chunks)
    assert last.choices == []
    assert (last.usage.prompt_tokens, last.usage.completion_tokens, last.usage.total_tokens) == (200, 14, 214)


def test_the_sdk_s_own_accumulation_gives_the_whole_message() -> None:
    with (
        scripted([says("nothing")]) as upstream,
        proxied(upstream.base_url) as proxy,
        proxy.client().chat.completions.stream(model=MODEL, messages=asking()) as stream,
    ):
        message = stream.get_final_completion().choices[0].message
    assert (message.content, message.refusal) == ("", "no point: corrections_spent")


def test_what_is_on_the_wire() -> None:
    with scripted([says(ZOOM[1])]) as upstream, proxied(upstream.base_url) as proxy:
        answer = proxy.post(body(stream=True))
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-cache"
    *chunks, done = events(answer.text)
    assert done == "[DONE]"
    assert all("usage" not in chunk for chunk in chunks)


def test_comments_keep_the_connection_alive_while_the_episode_runs() -> None:
    go_on = threading.Event()
    slow = Answer(body=says(ZOOM[1]).body, after=go_on)
    text = ""
    with (
        scripted([slow]) as upstream,
        proxied(upstream.base_url, limits=OFTEN) as proxy,
        httpx.stream("POST", f"{proxy.root}/v1/chat/completions", json=body(stream=True), timeout=MOST_S) as answer,
    ):
        for line in answer.iter_lines():
            text += line + "\n"
            if line.startswith(":"):
                go_on.set()
    assert go_on.is_set()
    assert events(text)[-1] == "[DONE]"
    assert events(text)[1]["choices"][0]["delta"] == {"content": "[504.50,507.50]"}


def test_an_error_in_a_stream_that_has_begun() -> None:
    with scripted([says(ZOOM[0]), fails(401)]) as upstream, proxied(upstream.base_url) as proxy:
        answer = proxy.post(body(stream=True))
        access = proxy.log.get()
        with pytest.raises(openai.APIError, match="the upstream refuses the proxy's key"):
            list(proxy.client().chat.completions.create(model=MODEL, messages=asking(), stream=True))
    opening, error, done = events(answer.text)
    assert opening["choices"][0]["delta"]["role"] == "assistant"
    assert error["error"]["code"] == "upstream_unauthorized"
    assert done == "[DONE]"
    assert "unauthorized: " in access.note


def test_a_screenshot_that_breaks_off_is_an_error_in_the_stream() -> None:
    head, _, data = image_uri().partition(",")
    cut = f"{head},{data[: len(data) // 8 * 4]}"
    with scripted([says("x")]) as upstream, proxied(upstream.base_url) as proxy:
        answer = proxy.post(body(stream=True, messages=asking(cut)))
        assert events(answer.text)[1]["error"]["code"] == "invalid_image"
        assert proxy.post(body(messages=asking(cut))).status_code == 400
    assert not upstream.bodies


class Upstream:
    """An upstream that never answers, and sees when its client hangs up."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.asked, self.left = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1"

    def _run(self) -> None:
        connection, _ = self.listener.accept()
        with connection, self.listener:
            while connection.recv(65536):
                self.asked.set()
        self.left.set()


def as_newer_servers(app: ASGIApp) -> ASGIApp:
    """Servers of a later ASGI leave it to the application to see that its client has left."""

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope["asgi"]["spec_version"] = "2.4"
        await app(scope, receive, send)

    return wrapped


@pytest.mark.parametrize("wrap", [lambda app: app, as_newer_servers], ids=["asgi 2.3", "asgi 2.4"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_leaves_ends_the_work_at_the_upstream(stream: bool, wrap: Callable[[Any], Any]) -> None:
    upstream = Upstream()
    with proxied(upstream.base_url, limits=Limits(concurrency=1, queue=0), wrap=wrap) as proxy:
        text = json.dumps(body(stream=stream)).encode()
        head = (
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(text)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", int(proxy.root.rpartition(":")[2]))) as client:
            client.sendall(head.encode() + text)
            assert upstream.asked.wait(MOST_S)
        assert upstream.left.wait(MOST_S), "the request to the upstream is broken off"
        access = proxy.log.get(timeout=MOST_S)
        assert (access.status, access.note) == (200 if stream else 499, "the client left")
        refused = proxy.post(body(n=2))
    upstream.thread.join()
    assert refused.status_code == 400, "its place is free again"


def test_instructions_in_any_script_survive() -> None:
    text = f"{INSTRUCTION} / 打开“文件”菜单 🗂"
    with scripted([says(ZOOM[1])]) as upstream, proxied(upstream.base_url) as proxy:
        proxy.post(body(messages=asking(text=text), stream=True))
    assert text in upstream.requests()[0]["messages"][0]["content"]
