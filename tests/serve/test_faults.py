"""Faults of the upstream, as a client sees them; its address and key stay inside."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("openai")

import threading

import openai

from proxies import UPSTREAM_KEY, ZOOM, asking, body, proxied
from scripted_endpoint import HANGS_UP, MODEL, Answer, fails, says, scripted
from zoomground.serve.limits import Limits
from zoomground.serve.service import ANY_MODEL

CUT = Answer(body=says("[1.00,1.00]").body[:40])


@pytest.mark.parametrize(
    ("answer", "status", "code", "says_so", "requests"),
    [
        (fails(401, f"bad key {UPSTREAM_KEY}"), 502, "upstream_unauthorized", "refuses the proxy's key", 1),
        (fails(404), 502, "upstream_wrong_url", "--upstream is wrong", 1),
        (fails(404, "The model `x` does not exist"), 404, "model_not_found", "it serves: scripted", 1),
        (fails(429), 429, "upstream_rate_limit", "fewer requests", 2),
        (fails(429, "insufficient_quota"), 502, "upstream_quota", "quota", 1),
        (fails(400, "maximum context length is 8"), 400, "context_length_exceeded", "longer than the model's", 1),
        (fails(400, f"top_p, said {UPSTREAM_KEY}"), 400, "upstream_bad_request", "top_p, said ***", 1),
        (fails(500, "at /srv/secret"), 502, "upstream_error", "the upstream failed", 2),
        (fails(503), 502, "upstream_error", "the upstream failed", 2),
        (Answer(body=b"<html>"), 502, "upstream_malformed", "no chat completions", 2),
        (CUT, 502, "upstream_malformed", "no chat completions", 2),
        (HANGS_UP, 502, "upstream_unreachable", "cannot be reached", 2),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_each_fault_has_its_status(answer: Answer, status: int, code: str, says_so: str, requests: int) -> None:
    with scripted([answer]) as upstream, proxied(upstream.base_url) as proxy:
        given = proxy.post(body())
        access = proxy.log.get()
    error = given.json()["error"]
    assert (given.status_code, error["code"]) == (status, code)
    assert says_so in error["message"]
    assert len(upstream.bodies) == requests
    said = given.text + repr(access)
    assert UPSTREAM_KEY not in said
    assert upstream.base_url not in given.text
    assert "/srv/secret" not in given.text
    assert given.headers.get("x-should-retry") == ("false" if status >= 500 else None)
    assert given.headers.get("retry-after") == ("5" if status == 429 else None)
    assert access.status == status


def test_a_fault_that_passes_is_not_seen() -> None:
    answers = [fails(429), says(ZOOM[0]), fails(500), says(ZOOM[1])]
    with scripted(answers) as upstream, proxied(upstream.base_url) as proxy:
        assert proxy.post(body()).json()["zoomground"]["point"] == [504.5, 507.5]
    assert len(upstream.bodies) == 4


def test_a_fault_in_a_later_turn_is_an_error_too() -> None:
    with scripted([says(ZOOM[0]), fails(401)]) as upstream, proxied(upstream.base_url) as proxy:
        assert proxy.post(body()).status_code == 502


def test_the_sdk_does_not_play_the_whole_episode_again() -> None:
    with scripted([fails(500)]) as upstream, proxied(upstream.base_url) as proxy:
        with pytest.raises(openai.InternalServerError, match="the upstream failed"):
            proxy.client(max_retries=2).chat.completions.create(model=MODEL, messages=asking())
        assert len(upstream.bodies) == 2, "the proxy's own retry"


def test_an_upstream_that_is_too_slow() -> None:
    later = threading.Event()
    slow = Answer(body=says("x").body, after=later)
    with scripted([slow]) as upstream:
        with proxied(upstream.base_url, endpoint={"timeout_s": 0.05, "retries": 0}) as proxy:
            answer = proxy.post(body())
            assert (answer.status_code, answer.json()["error"]["code"]) == (504, "upstream_timeout")
        with proxied(upstream.base_url, limits=Limits(time_s=0.3)) as proxy:
            answer = proxy.post(body())
        later.set()
    assert (answer.status_code, answer.json()["error"]["code"]) == (504, "time_limit")
    assert answer.json()["error"]["message"] == "not done within 0.3 s, the proxy's limit of time"


def test_models_of_an_upstream_that_is_down() -> None:
    with scripted([says("x")]) as upstream:
        gone = upstream.base_url
    with proxied(gone, model=ANY_MODEL) as proxy, pytest.raises(openai.InternalServerError, match="does not list"):
        proxy.client().models.list()
