"""Limits of size, place and time; who may come in."""

from __future__ import annotations

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("openai")

import httpx
import openai

from proxies import MOST_S, ZOOM, Proxy, asking, body, proxied
from scripted_endpoint import MODEL, Answer, says, scripted
from zoomground.serve.app import MODELS
from zoomground.serve.limits import Limits

JSON = {"Content-Type": "application/json"}


def raw(proxy: Proxy, head: str, sent: bytes = b"") -> bytes:
    """All that the proxy answers to a head that may promise more than is sent."""
    with socket.create_connection(("127.0.0.1", int(proxy.root.rpartition(":")[2]))) as client:
        client.settimeout(MOST_S)
        client.sendall(f"{head}\nConnection: close\n\n".replace("\n", "\r\n").encode() + sent)
        answer = b""
        while part := client.recv(65536):
            answer += part
        return answer


def test_a_body_that_is_too_large_is_refused_while_it_comes() -> None:
    limits = Limits(body_bytes=1000)
    post = "POST /v1/chat/completions HTTP/1.1\nHost: 127.0.0.1\nContent-Type: application/json\n"
    with scripted([says("x")]) as upstream, proxied(upstream.base_url, limits=limits) as proxy:
        over = proxy.post(content=b" " * 1001, headers=JSON)
        exact = proxy.post(content=b" " * 1000, headers=JSON)
        in_parts = proxy.post(content=iter([b" " * 400] * 4), headers=JSON)
        promised = raw(proxy, post + "Content-Length: 99999999999")
        endless = raw(proxy, post + "Transfer-Encoding: chunked", b"1000\r\n" + b" " * 4096 + b"\r\n")
        with pytest.raises(openai.APIStatusError, match="larger than 1,000 bytes") as caught:
            proxy.client().chat.completions.create(model=MODEL, messages=asking(text="x" * 100))
    assert caught.value.status_code == 413
    assert (over.status_code, exact.status_code, in_parts.status_code) == (413, 400, 413)
    assert over.json()["error"]["code"] == "body_too_large"
    for answer in (promised, endless):
        assert answer.startswith(b"HTTP/1.1 413 "), "without waiting for the rest"


def test_no_more_at_once_than_allowed_and_no_longer_a_queue_than_allowed() -> None:
    turned_away, third = threading.Event(), threading.Event()

    def script(number: int, _: dict[str, Any]) -> Answer:
        if number == 2:
            third.set()
        assert turned_away.wait(MOST_S), "three are inside, so the fourth is turned away"
        third.wait(0.3)  # time for a third that may not come while two are open
        return says(ZOOM[1])

    def ask(_: int) -> httpx.Response:
        answer = proxy.post(body())
        if answer.status_code == 429:
            turned_away.set()
        return answer

    limits = Limits(concurrency=2, queue=1)
    with scripted(script) as upstream, proxied(upstream.base_url, limits=limits) as proxy:
        with ThreadPoolExecutor(4) as pool:
            answers = sorted(pool.map(ask, range(4)), key=lambda answer: answer.status_code)
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert upstream.most_at_once <= 2
        assert answers[3].headers["retry-after"] == "5"
        assert answers[3].json()["error"]["type"] == "rate_limit_error"
        assert proxy.post(body()).status_code == 200, "places are given back"


def test_a_request_that_is_sent_too_slowly() -> None:
    post = "POST /v1/chat/completions HTTP/1.1\nHost: 127.0.0.1\nContent-Type: application/json\nContent-Length: 10"
    with scripted([says("x")]) as upstream, proxied(upstream.base_url, limits=Limits(time_s=0.05)) as proxy:
        assert raw(proxy, post, b"{").startswith(b"HTTP/1.1 504 ")
        assert "time_limit" in proxy.log.get().note


def test_the_key() -> None:
    with scripted([says(ZOOM[1])]) as upstream, proxied(upstream.base_url, api_key="schlüssel") as proxy:
        right = {"Authorization": "bearer schlüssel".encode()}
        url = proxy.root + MODELS
        for wrong in ({}, {"Authorization": "Bearer schl"}, {"Authorization": b"Basic schl\xc3\xbcssel"}):
            refused = httpx.get(url, headers=wrong)
            assert refused.status_code == 401
            assert refused.json()["error"]["type"] == "authentication_error"
            assert refused.headers["www-authenticate"] == "Bearer"
            assert proxy.post(body(), headers=wrong).status_code == 401
        assert httpx.get(url, headers=right).status_code == 200
        assert proxy.post(body(), headers=right).status_code == 200
        assert httpx.get(proxy.root + "/health").json() == {"status": "ok"}
        with pytest.raises(openai.AuthenticationError, match="the key is missing or wrong"):
            proxy.client(api_key="other").models.list()
        lines = [proxy.log.get().line() for _ in range(10)]
    assert not any("schl" in line for line in lines)
    assert len(upstream.bodies) == 1


def test_a_name_that_was_rebound_to_this_machine() -> None:
    with scripted([says(ZOOM[1])]) as upstream, proxied(upstream.base_url, local_names_only=True) as proxy:
        for name in ("localhost", "LOCALHOST:8100", "[::1]", "[::1]:80", "127.0.0.1:1"):
            assert httpx.get(proxy.root + MODELS, headers={"Host": name}).status_code == 200, name
        for name in ("evil.example", "evil.example:8100", "localhost.evil.example", "127.0.0.1.nip.io"):
            refused = proxy.post(body(), headers={"Host": name})
            assert (refused.status_code, refused.json()["error"]["code"]) == (403, "foreign_host"), name
    assert not upstream.bodies


def test_no_request_writes_a_second_line_into_the_log() -> None:
    with scripted([says("x")]) as upstream, proxied(upstream.base_url) as proxy:
        assert httpx.get(f"{proxy.root}/a%0AGET%20/health%20200?key=secret").status_code == 404
        line = proxy.log.get().line()
    assert line.startswith("GET /a GET /health 200 404 ")
    assert "secret" not in line


def test_a_fault_of_the_proxy_itself_is_an_error_in_the_same_form(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("zoomground.serve.service.load_screenshot", broken)
    with scripted([says("x")]) as upstream, proxied(upstream.base_url) as proxy:
        whole = proxy.post(body())
        stream = proxy.post(body(stream=True))
        noted = [proxy.log.get() for _ in range(2)]
    assert (whole.status_code, whole.json()["error"]["code"]) == (500, "internal_error")
    assert json.loads(stream.text.split("\n\n")[1].removeprefix("data: ")) == whole.json()
    assert [access.status for access in noted] == [500, 200]
    assert caplog.text.count("RuntimeError: boom") == 2, "the log says how"
    assert "boom" not in whole.text + stream.text
