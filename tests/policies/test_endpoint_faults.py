"""What endpoints do wrong, each by its name: what is asked again, what is not, what is never shown."""

from __future__ import annotations

import threading
from dataclasses import replace
from email.utils import formatdate

import pytest

pytest.importorskip("openai")

from asking import NOW, POINT, Waits, ask

from saved import ZOOM_HIT
from scripted_endpoint import HANGS_UP, MODEL, Answer, fails, says, scripted
from zoomground.errors import ZoomgroundError
from zoomground.policies.base import Trouble
from zoomground.policies.endpoint import Endpoint
from zoomground.trajectory import StopReason


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        "Current length of row(5000) is larger than the max_length(4096).",
    ],
)
def test_a_conversation_that_is_too_long_fails_by_its_own_name(message: str) -> None:
    """EVL-05: an error class of its own."""
    with scripted([says(ZOOM_HIT[0]), fails(400, message)]) as endpoint:
        trajectory, replies = ask(endpoint)
    assert trajectory.stop_reason is StopReason.CONTEXT_BUDGET
    assert trajectory.failed
    assert replies[-1].trouble is Trouble.CONTEXT_OVERFLOW
    assert message in trajectory.failure
    assert len(trajectory.crops) == 1


@pytest.mark.parametrize(
    ("fault", "trouble"),
    [
        (fails(429), Trouble.RATE_LIMIT),
        (fails(500), Trouble.SERVER_ERROR),
        (fails(503), Trouble.SERVER_ERROR),
        (HANGS_UP, Trouble.CONNECTION),
        (Answer(body=b'{"choices": [{"mess'), Trouble.MALFORMED_BODY),
        (Answer(body=b"<html>a gateway</html>"), Trouble.MALFORMED_BODY),
        (Answer(body=b'{"error": {"message": "overloaded"}}'), Trouble.MALFORMED_BODY),
        (Answer(body=b'{"choices": []}'), Trouble.MALFORMED_BODY),
    ],
)
def test_faults_that_may_pass_are_tried_again_and_bounded(fault: Answer, trouble: Trouble) -> None:
    waits = Waits()
    with scripted([fault, fault, says(POINT)]) as endpoint:
        trajectory, (reply,) = ask(endpoint, waits=waits)
    assert trajectory.stop_reason is StopReason.ANSWERED
    assert reply.usage.requests == 3
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (100, 7)
    first, second = waits.seconds
    assert 0.3 < first < 0.7 < second < 1.3
    with scripted([fault]) as endpoint:
        trajectory, (reply,) = ask(endpoint, retries=2)
    assert len(endpoint.bodies) == 3
    assert trajectory.stop_reason is StopReason.ERROR
    assert reply.trouble is trouble
    assert trajectory.failure.startswith(f"{trouble}: ")
    assert trajectory.failure.endswith("(asked 3 times)")
    assert len(set(endpoint.bodies)) == 1


@pytest.mark.parametrize(
    ("header", "wait"),
    [("7", 7.0), ("0", 0.0), (formatdate(NOW + 30, usegmt=True), 30.0), (formatdate(NOW - 30, usegmt=True), 0.0)],
)
def test_retry_after_is_honoured(header: str, wait: float) -> None:
    waits = Waits()
    with scripted([fails(429, Retry_After=header), says(POINT)]) as endpoint:
        ask(endpoint, waits=waits)
    assert waits.seconds == [wait]


def test_an_endpoint_that_wants_an_hour_is_not_waited_for() -> None:
    waits = Waits()
    with scripted([fails(429, Retry_After="3600")]) as endpoint:
        trajectory, _ = ask(endpoint, waits=waits)
    assert waits.seconds == []
    assert trajectory.failure.startswith("rate_limit: ")


def test_a_slow_endpoint_runs_into_the_time_out() -> None:
    never = threading.Event()
    with scripted([replace(says(POINT), after=never)]) as endpoint:
        trajectory, (reply,) = ask(endpoint, timeout_s=0.1, retries=0)
        never.set()
    assert reply.trouble is Trouble.TIMEOUT
    assert "within 0.1 s" in trajectory.failure


def test_a_wrong_base_url_is_said_and_not_guessed() -> None:
    with scripted([says(POINT)]) as endpoint:
        trajectory, (reply,) = ask(endpoint, base_url=endpoint.base_url.removesuffix("/v1"))
    assert endpoint.bodies == []
    assert reply.trouble is Trouble.WRONG_URL
    assert reply.trouble.is_setup
    assert "for most servers it ends in /v1" in trajectory.failure
    for url in ("localhost:8000/v1", "http://localhost/v1/chat/completions"):
        with pytest.raises(ZoomgroundError, match="base URL"):
            Endpoint(url, MODEL)


@pytest.mark.parametrize("key", ["secret-key\n", "secret key\r", " secret-key", "secret-key\u00a0", "sécret-key"])
def test_a_key_that_no_header_can_carry_is_refused_at_once_and_not_shown(key: str) -> None:
    with pytest.raises(ZoomgroundError, match="the key ") as refused:
        Endpoint("http://localhost/v1", MODEL, key)
    assert "cret" not in str(refused.value)


@pytest.mark.parametrize("url", ["http://me:secret@localhost/v1", "http://localhost/v1?api-key=secret"])
def test_addresses_that_hold_more_than_an_address_are_refused(url: str) -> None:
    with pytest.raises(ZoomgroundError, match="base URL"):
        Endpoint(url, MODEL)


@pytest.mark.parametrize("name", ["messages", "model", "n", "stream"])
def test_further_keys_do_not_replace_what_makes_the_episode(name: str) -> None:
    with pytest.raises(ZoomgroundError, match=name):
        Endpoint("http://localhost/v1", MODEL, extra_body={name: 1})


@pytest.mark.parametrize("status", [400, 401, 503])
def test_a_key_that_the_endpoint_repeats_stands_in_no_message(status: int) -> None:
    with scripted([fails(status, "Incorrect API key provided: secret-key")]) as endpoint:
        trajectory, _ = ask(endpoint, api_key="secret-key", retries=1)
    assert "provided: ***" in trajectory.failure
    assert "secret-key" not in trajectory.failure


@pytest.mark.parametrize("told", ["secret/key", "secret\\/key"])
@pytest.mark.parametrize("before", range(270, 310, 6))
def test_no_part_of_a_key_is_left_where_a_message_is_cut(told: str, before: int) -> None:
    with scripted([Answer(status=400, body=b"x" * before + told.encode())]) as endpoint:
        trajectory, _ = ask(endpoint, api_key="secret/key", retries=0)
    assert "refuses the request" in trajectory.failure
    assert "secr" not in trajectory.failure


def test_a_key_in_a_reply_is_no_part_of_the_record() -> None:
    with scripted([says("Your key is secret-key")] * 3) as endpoint:
        trajectory, _ = ask(endpoint, api_key="secret-key", retries=0)
    assert "Your key is ***" in trajectory.turns[0].text
    assert "secret-key" not in trajectory.to_json()


@pytest.mark.parametrize(
    ("status", "message"),
    [(404, "The model `x` does not exist."), (400, "`x` is not in the model_list: `['scripted']`.")],
)
def test_an_unknown_model_is_named_with_those_that_are_served(status: int, message: str) -> None:
    with scripted([fails(status, message)]) as endpoint:
        trajectory, (reply,) = ask(endpoint, model="x")
    assert reply.trouble is Trouble.UNKNOWN_MODEL
    assert trajectory.failure.endswith("it serves: scripted")


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (fails(401, "bad key"), Trouble.UNAUTHORIZED),
        (fails(400, "top_p is not supported"), Trouble.BAD_REQUEST),
        (fails(429, "insufficient_quota"), Trouble.QUOTA),
    ],
)
def test_what_no_retry_heals_is_asked_once(answer: Answer, trouble: Trouble) -> None:
    with scripted([answer]) as endpoint:
        trajectory, (reply,) = ask(endpoint)
    assert len(endpoint.bodies) == 1
    assert reply.trouble is trouble
    assert trajectory.failed


def test_a_server_that_is_not_there() -> None:
    with scripted([says(POINT)]) as endpoint:
        pass
    trajectory, (reply,) = ask(endpoint, retries=1)
    assert reply.trouble is Trouble.CONNECTION
    assert "is the server up?" in trajectory.failure
