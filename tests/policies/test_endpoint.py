"""The endpoint as a policy, against a real server on loopback that scripts replies and faults."""

from __future__ import annotations

import asyncio
import base64
import sys
import threading
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai")

from episodes import env, point_text, task
from saved import NESTED_HIT, ZOOM_HIT, picture
from scripted_endpoint import HANGS_UP, MODEL, Answer, ScriptedEndpoint, fails, says, scripted
from zoomground.data.chat import chat_messages
from zoomground.environment import GroundingEnv
from zoomground.errors import ImageError, ZoomgroundError
from zoomground.geometry import PixelLimits, Size
from zoomground.images import load_screenshot
from zoomground.policies.base import Reply, Trouble, Usage
from zoomground.policies.completions import Thinking
from zoomground.policies.endpoint import Endpoint, EndpointPolicy, Pace
from zoomground.policies.scripted import Scripted
from zoomground.protocol.actions import Reason
from zoomground.protocol.settings import EpisodeSettings
from zoomground.rollout import play, play_async
from zoomground.trajectory import StopReason, Trajectory

POINT = point_text(504.5, 507.5)
NOW = 1_700_000_000.0


class Waits:
    """A pace that notes how long it was asked to wait, and does not."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.pace = Pace(sleep=self._sleep, now=lambda: NOW)

    async def _sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)


def ask(
    endpoint: ScriptedEndpoint, episode: GroundingEnv | None = None, *, waits: Waits | None = None, **options: Any
) -> tuple[Trajectory, list[Reply]]:
    replies: list[Reply] = []

    async def run() -> Trajectory:
        settings = Endpoint(**{"base_url": endpoint.base_url, "model": MODEL} | options)
        async with EndpointPolicy(settings, pace=(waits or Waits()).pace) as policy:
            return await play_async(episode or env(), policy, on_reply=replies.append)

    return asyncio.run(run()), replies


@pytest.mark.parametrize("texts", [ZOOM_HIT, NESTED_HIT, ("no idea", "<action>", POINT), ("a", "b", "c")])
def test_the_trajectory_is_that_of_the_environment_alone(texts: tuple[str, ...]) -> None:
    with scripted([says(text) for text in texts]) as endpoint:
        trajectory, _ = ask(endpoint)
    assert trajectory == play(env(), Scripted(texts))


def test_images_stand_where_their_tags_are_with_the_pixels_of_the_environment() -> None:
    with scripted([says(text) for text in NESTED_HIT]) as endpoint:
        episode = env()
        trajectory, _ = ask(endpoint, episode)
    request = endpoint.requests()[-1]
    assert {key: value for key, value in request.items() if key != "messages"} == {
        "model": MODEL,
        "temperature": 0.0,
        "max_tokens": 2560,
    }
    assert [message["role"] for message in request["messages"]] == [
        "system", "user", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    assert [message["content"] for message in request["messages"] if message["role"] == "assistant"] == list(
        NESTED_HIT[:2]
    )
    sent = [part["image_url"]["url"] for message in request["messages"] for part in _images(message)]
    assert sent[1:] == [episode.views.encoded(crop.name).data_uri() for crop in trajectory.crops]
    assert load_screenshot(sent[0]).pixels.tobytes() == episode.screenshot.pixels.tobytes()
    texts = [part["text"] for part in request["messages"][1]["content"] if part["type"] == "text"]
    assert texts[0].startswith("image_path: screen.png")


def _images(message: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for part in message["content"] if isinstance(part, dict) and part["type"] == "image_url"]


def test_a_file_travels_as_it_is_and_a_large_one_as_the_policy_sees_it(tmp_path: Path) -> None:
    shot = load_screenshot(picture(tmp_path / "screen.png"))
    limits = PixelLimits(factor=32, min_pixels=4 * 32**2, max_pixels=300 * 32**2)
    for settings, size in ((EpisodeSettings(), shot.size), (EpisodeSettings(limits=limits), Size(672, 416))):
        with scripted([says(POINT)]) as endpoint:
            trajectory, _ = ask(endpoint, GroundingEnv(task(shot.size), shot, settings))
        (part,) = _images(endpoint.requests()[0]["messages"][1])
        assert load_screenshot(part["image_url"]["url"]).size == size
        data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
        assert (data == (tmp_path / "screen.png").read_bytes()) is (size == shot.size)
        assert size in (shot.size, trajectory.view)


def test_a_screenshot_is_encoded_once_an_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    from zoomground.policies import endpoint as module

    calls = []
    real = module.sent
    monkeypatch.setattr(module, "sent", lambda *args: calls.append(1) or real(*args))
    with scripted([says(text) for text in NESTED_HIT]) as endpoint:
        ask(endpoint)
    assert len(endpoint.bodies) == 3
    assert len(calls) == 1


def test_a_saved_episode_gives_the_very_requests_again(tmp_path: Path) -> None:
    shot = load_screenshot(picture(tmp_path / "screen.png"))
    with scripted([says(text) for text in NESTED_HIT]) as endpoint:
        trajectory, _ = ask(endpoint, GroundingEnv(task(shot.size), shot, EpisodeSettings()))
    again = Trajectory.from_json(trajectory.to_json())
    for turn, request in enumerate(endpoint.requests(), start=1):
        assert request["messages"] == chat_messages(again, shot, before_turn=turn)
    whole = chat_messages(again, shot)
    assert whole[-1] == {"role": "assistant", "content": NESTED_HIT[-1]}
    other = load_screenshot(picture(tmp_path / "other.png", seed=9))
    with pytest.raises(ImageError, match=r"task 't1', crop_1\.png: its bytes differ"):
        chat_messages(again, other)


def test_a_request_is_replayed_byte_for_byte(tmp_path: Path) -> None:
    """What the SDK sends of a rebuilt conversation is what it sent when it was played."""
    shot = load_screenshot(picture(tmp_path / "screen.png"))
    with scripted([says(text) for text in ZOOM_HIT]) as endpoint:
        trajectory, _ = ask(endpoint, GroundingEnv(task(shot.size), shot, EpisodeSettings()))

        async def send() -> None:
            import openai

            async with openai.AsyncOpenAI(base_url=endpoint.base_url, api_key="EMPTY", max_retries=0) as client:
                body = {"messages": chat_messages(trajectory, shot, before_turn=2)}
                parameters = Endpoint(endpoint.base_url, MODEL).parameters()
                await client.post("/chat/completions", cast_to=object, body=body | parameters)

        asyncio.run(send())
    assert endpoint.bodies[2] == endpoint.bodies[1]


def test_parameters_key_and_further_keys_are_sent() -> None:
    with scripted([says(POINT)]) as endpoint:
        ask(
            endpoint,
            api_key="secret",
            temperature=None,
            top_p=0.9,
            max_tokens=None,
            seed=7,
            extra_body={"chat_template_kwargs": {"enable_thinking": True}},
        )
    request = endpoint.requests()[0]
    del request["messages"]
    assert request == {"model": MODEL, "top_p": 0.9, "seed": 7, "chat_template_kwargs": {"enable_thinking": True}}
    assert endpoint.keys == ["Bearer secret"]
    assert "secret" not in repr(Endpoint(endpoint.base_url, MODEL, "secret"))


def test_an_empty_key_is_the_placeholder() -> None:
    with scripted([says(POINT)]) as endpoint:
        ask(endpoint, api_key="")
    assert endpoint.keys == ["Bearer EMPTY"]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_separate_thinking_is_put_back(field: str) -> None:
    answer = says(POINT, **{field: "\nsmall\n"})
    with scripted([answer]) as endpoint:
        kept, _ = ask(endpoint)
        opened, _ = ask(endpoint, env(settings=EpisodeSettings(prompt_ends_in_think=True)))
        dropped, _ = ask(endpoint, thinking=Thinking.DROP)
    assert kept.turns[0].text == f"<think>\nsmall\n</think>{POINT}"
    assert opened.turns[0].text == f"\nsmall\n</think>{POINT}"
    assert dropped.turns[0].text == POINT
    assert {one.stop_reason for one in (kept, opened, dropped)} == {StopReason.ANSWERED}


def test_thinking_that_is_given_twice_stands_once() -> None:
    with scripted([says(f"<think>small</think>{POINT}", reasoning_content="small")]) as endpoint:
        trajectory, _ = ask(endpoint)
    assert trajectory.turns[0].text == f"<think>small</think>{POINT}"


def test_a_cut_reply_ends_the_episode_as_the_policys_doing() -> None:
    with scripted([says(POINT, "length")]) as endpoint:
        trajectory, replies = ask(endpoint)
    assert trajectory.stop_reason is StopReason.LENGTH
    assert not trajectory.failed
    assert [reply.trouble for reply in replies] == [Trouble.CUT]


@pytest.mark.parametrize(
    ("answer", "trouble", "reason"),
    [
        (says(""), Trouble.EMPTY, Reason.EMPTY),
        (says(None), Trouble.EMPTY, Reason.EMPTY),
        (says(None, refusal="I cannot help with that."), Trouble.REFUSED, Reason.NO_ACTION),
    ],
)
def test_empty_replies_and_refusals_are_bad_turns(answer: Answer, trouble: Trouble, reason: Reason) -> None:
    with scripted([answer, says(POINT)]) as endpoint:
        trajectory, replies = ask(endpoint)
    assert trajectory.turns[0].malformed is reason
    assert [reply.trouble for reply in replies] == [trouble, None]
    assert trajectory.stop_reason is StopReason.ANSWERED


def test_a_filtered_reply_fails_the_episode() -> None:
    with scripted([says("[1", "content_filter")]) as endpoint:
        trajectory, replies = ask(endpoint)
    assert trajectory.stop_reason is StopReason.ERROR
    assert trajectory.failure.startswith("content_filter: ")
    assert replies[0].usage.completion_tokens == 7


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


def test_episodes_share_the_event_loop() -> None:
    """Two episodes are open at once: neither is answered before both have asked."""
    both = threading.Barrier(2, timeout=30)

    def script(number: int, _: dict[str, Any]) -> Answer:
        both.wait()
        return says(POINT)

    async def run(base_url: str) -> list[Trajectory]:
        async with EndpointPolicy(Endpoint(base_url, MODEL)) as policy:
            return await asyncio.gather(play_async(env(), policy), play_async(env(), policy))

    with scripted(script) as endpoint:
        trajectories = asyncio.run(run(endpoint.base_url))
    assert [one.stop_reason for one in trajectories] == [StopReason.ANSWERED] * 2


def test_no_more_requests_are_out_than_may_be_and_the_next_one_is_ready() -> None:
    """Four episodes, two slots: pairs of requests meet at the endpoint, and never three."""
    pair = threading.Barrier(2, timeout=30)

    def script(number: int, _: dict[str, Any]) -> Answer:
        pair.wait()
        return says(POINT)

    written: list[int] = []

    async def run(base_url: str) -> list[Trajectory]:
        policy = EndpointPolicy(Endpoint(base_url, MODEL), in_flight=2, on_request=lambda _: written.append(1))
        async with policy:
            return await asyncio.gather(*(play_async(env(), policy) for _ in range(4)))

    with scripted(script) as endpoint:
        trajectories = asyncio.run(run(endpoint.base_url))
    assert [one.stop_reason for one in trajectories] == [StopReason.ANSWERED] * 4
    assert (endpoint.most_at_once, len(written)) == (2, 4)


def test_a_seed_of_its_own() -> None:
    async def run(base_url: str) -> None:
        async with EndpointPolicy(Endpoint(base_url, MODEL, seed=1)) as policy:
            await play_async(env(), policy.varied(seed=5))

    with scripted([says(POINT)]) as endpoint:
        asyncio.run(run(endpoint.base_url))
    assert endpoint.requests()[0]["seed"] == 5


def test_without_the_sdk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ZoomgroundError, match=r"zoomground\[client\]"):
        EndpointPolicy(Endpoint("http://localhost/v1", MODEL))


def test_usage_adds_up() -> None:
    assert Usage(1, 2, 3.0, 4) + Usage(10, 20, 30.0, 40) == Usage(11, 22, 33.0, 44)
