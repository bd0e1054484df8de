"""What a request may not hold: each is a clear error in OpenAI's form, and the upstream is not asked."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("openai")

import openai
from PIL import Image

from proxies import Proxy, asking, body, image_uri, proxied
from scripted_endpoint import ScriptedEndpoint, says, scripted
from zoomground.geometry import Size
from zoomground.serve.limits import Limits

LIMITS = Limits(image_pixels=2_000_000)


def picture(kind: str = "PNG", size: tuple[int, int] = (64, 48)) -> str:
    buffer = io.BytesIO()
    Image.new("1", size).save(buffer, kind)
    return f"data:image/{kind.lower()};base64,{base64.b64encode(buffer.getvalue()).decode()}"


@pytest.fixture(scope="module")
def upstream() -> Iterator[ScriptedEndpoint]:
    with scripted([says("[1.00,1.00]")]) as running:
        yield running


@pytest.fixture(scope="module")
def proxy(upstream: ScriptedEndpoint) -> Iterator[Proxy]:
    with proxied(upstream.base_url, limits=LIMITS) as running:
        yield running


TEXT = {"type": "text", "text": "Open"}
IMAGE = {"type": "image_url", "image_url": {"url": picture()}}


def user(*parts: object) -> list[dict[str, Any]]:
    return [{"role": "user", "content": list(parts)}]


@pytest.mark.parametrize(
    ("fields", "param", "says_so"),
    [
        ({"messages": user(TEXT)}, "messages", "no image; send exactly one screenshot"),
        ({"messages": user(TEXT, IMAGE, IMAGE)}, "messages", "2 images; send exactly one screenshot"),
        ({"messages": user(IMAGE)}, "messages", "no text; say what is to be found"),
        ({"messages": user(IMAGE, TEXT | {"text": "  "})}, "messages", "no text"),
        ({"messages": []}, "messages", "at least 1 item"),
        ({"messages": "Open"}, "messages", "valid array"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "messages.0.role", "'system'"),
        (
            {"messages": user(IMAGE, {"type": "input_audio"})},
            "messages.0.content.1",
            "'input_audio'",
        ),
        ({"messages": [*asking(), {"role": "assistant", "content": "[1,1]"}]}, "messages.1.role", "one question"),
        ({"n": 2}, "n", "one point is given"),
        ({"tools": [{"type": "function"}]}, "tools", "no tool is called"),
        ({"functions": [{}]}, "functions", "no function is called"),
        ({"response_format": {"type": "json_object"}}, "response_format", "as text"),
        ({"logprobs": True}, "logprobs", "no log-probabilities"),
        ({"temperature": -1}, "temperature", "greater than or equal to 0"),
        ({"max_tokens": 0}, "max_tokens", "greater than or equal to 1"),
        ({"zoomground": {"arm": "maybe"}}, "zoomground.arm", "'on', 'off' or 'forced'"),
        ({"zoomground": {"trajektory": True}}, "zoomground.trajektory", "not permitted"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_request_that_is_no_question(proxy: Proxy, fields: dict[str, Any], param: str, says_so: str) -> None:
    answer = proxy.post(body(**fields))
    error = answer.json()["error"]
    assert (answer.status_code, error["type"]) == (400, "invalid_request_error")
    assert error["param"].startswith(param)
    assert says_so in error["message"]


@pytest.mark.parametrize(
    ("url", "says_so"),
    [
        ("data:image/png;base64,", "the file is empty"),
        ("data:image/png;base64,!!!", "base64 text is damaged"),
        ("data:text/html;base64,AAAA", "an image's data URI starts with"),
        ("data:,x", "an image's data URI starts with"),
        (picture("PPM"), "not an image"),
        (picture(size=(4000, 600)), "more than the limit of 2,000,000"),
        (picture(size=(9000, 9000)), "more than the limit of 2,000,000"),
        (picture(size=(1000, 2)), "thinner than 200:1"),
        (image_uri(Size(64, 48))[:200], "damaged"),
        ("http://127.0.0.1:1/a.png", "is not opened; send the image itself: data:"),
        ("https://example.org/a.png", "is not opened"),
        ("file:///etc/hostname", "is not opened"),
        ("/etc/hostname", "is not opened"),
        ("screen.png", "is not opened"),
        ("\\\\server\\share\\a.png", "is not opened"),
        (" data:image/png;base64,AAAA", "is not opened"),
        ("", "is not opened"),
    ],
    ids=lambda value: value[:30],
)
def test_an_image_that_is_not_opened(proxy: Proxy, url: str, says_so: str) -> None:
    answer = proxy.post(body(messages=asking(url or " ") if url else user(TEXT, {**IMAGE, "image_url": ""})))
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["param"]) == (400, "invalid_request_error", "messages")
    assert says_so in error["message"]
    assert len(error["message"]) < 400


def test_no_path_is_opened_even_if_it_is_an_image(proxy: Proxy, tmp_path: Path) -> None:
    file = tmp_path / "a.png"
    Image.new("RGB", (64, 48)).save(file)
    for url in (str(file), f"file://{file}", f"data:/../..{file}"):
        assert proxy.post(body(messages=asking(url))).status_code == 400


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b'{"messages": 1', b"[" * 100_000, b"\xff\xfe"])
def test_a_body_that_is_no_object(proxy: Proxy, text: bytes) -> None:
    answer = proxy.post(content=text, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("body: ")


def test_other_media_types_paths_and_methods(proxy: Proxy) -> None:
    text = json.dumps(body()).encode()
    plain = proxy.post(content=text, headers={"Content-Type": "text/plain"})
    assert (plain.status_code, plain.json()["error"]["message"]) == (415, "send the request as application/json")
    assert proxy.post(content=text, headers={"Content-Type": "Application/JSON; charset=utf-8"}).status_code == 200
    with pytest.raises(openai.NotFoundError, match="the proxy answers at /v1/chat/completions"):
        proxy.client().completions.create(model="m", prompt="x")
    with pytest.raises(openai.APIStatusError, match="Method Not Allowed"):
        proxy.client().get("/chat/completions", cast_to=object)


def test_the_sdk_raises_the_error_of_its_kind(proxy: Proxy) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        proxy.client().chat.completions.create(model="scripted", messages=user(TEXT), stream=True)
    assert caught.value.param == "messages"
    with pytest.raises(openai.BadRequestError, match="is not opened"):
        proxy.client().chat.completions.create(model="scripted", messages=asking("/etc/passwd"))


def test_the_upstream_heard_of_none_of_this(proxy: Proxy, upstream: ScriptedEndpoint) -> None:
    before = len(upstream.bodies)
    assert proxy.post(body(n=3)).status_code == 400
    assert len(upstream.bodies) == before
