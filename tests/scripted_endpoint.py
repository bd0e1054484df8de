"""A real HTTP server on loopback that says what it was told to say, with every fault that endpoints have.

It keeps the raw body of every request. Slow answers wait for an event, so that no test sleeps.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "scripted"


@dataclass(frozen=True)
class Answer:
    """One answer of the endpoint: a status, headers, a body; or none of these."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    after: threading.Event | None = None
    hang_up: bool = False


def says(text: str | None, finish_reason: str = "stop", **message: Any) -> Answer:
    """A chat completion; ``message`` are further fields of its message (reasoning_content, refusal ...)."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish_reason}
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
    body = {"id": "c1", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice], "usage": usage}
    return Answer(body=json.dumps(body).encode())


def fails(status: int, message: str = "it broke", **headers: str) -> Answer:
    body = {"error": {"message": message, "type": "error", "code": None}}
    return Answer(status, json.dumps(body).encode(), {name.replace("_", "-"): value for name, value in headers.items()})


HANGS_UP = Answer(hang_up=True)

Script = Callable[[int, dict[str, Any]], Answer]
"""Gives the answer to a request: its number, counted from 0, and its body."""


@dataclass
class ScriptedEndpoint:
    """The running server.

    Attributes:
        base_url: What a client is given.
        bodies: Raw bodies of the requests to /v1/chat/completions, in the order in which they came.
        keys: Their Authorization headers.
        most_at_once: Largest number of requests that were open at the same time.
    """

    base_url: str
    bodies: list[bytes] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    most_at_once: int = 0

    def requests(self) -> list[dict[str, Any]]:
        return [json.loads(body) for body in self.bodies]


def send(handler: BaseHTTPRequestHandler, answer: Answer) -> None:
    """Write an answer, or hang up."""
    if answer.hang_up:
        handler.close_connection = True
        return
    try:
        handler.send_response(answer.status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(answer.body)
    except (BrokenPipeError, ConnectionResetError):
        handler.close_connection = True  # the client has gone, as one does after its time-out


class Server(ThreadingHTTPServer):
    """Says nothing about clients that go away."""

    request_queue_size = 128  # many clients may knock at the same moment

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def scripted(script: Script | list[Answer]) -> Iterator[ScriptedEndpoint]:
    """Serve a script; a list is given out in the order of the requests, its last answer again and again."""
    answers = (lambda number, _: script[min(number, len(script) - 1)]) if isinstance(script, list) else script
    lock = threading.Lock()
    open_now = 0

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            models = {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 1, "owned_by": "tests"}]}
            found = self.path == "/v1/models"
            send(self, Answer(200, json.dumps(models).encode()) if found else Answer(404, b"nothing here"))

        def do_POST(self) -> None:
            nonlocal open_now
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            if len(body) < length:
                self.close_connection = True  # the client has gone in the middle of its request
                return
            if self.path != "/v1/chat/completions":
                send(self, Answer(404, b'{"detail":"Not Found"}'))
                return
            with lock:
                number = len(endpoint.bodies)
                endpoint.bodies.append(body)
                endpoint.keys.append(self.headers["Authorization"])
                open_now += 1
                endpoint.most_at_once = max(endpoint.most_at_once, open_now)
            try:
                answer = answers(number, json.loads(body))
                if answer.after is not None:
                    answer.after.wait(60)
            finally:
                with lock:
                    open_now -= 1
            send(self, answer)

        def log_message(self, *args: Any) -> None:
            pass

    with Server(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        endpoint = ScriptedEndpoint(f"http://127.0.0.1:{server.server_port}/v1")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield endpoint
        finally:
            server.shutdown()
            thread.join()
