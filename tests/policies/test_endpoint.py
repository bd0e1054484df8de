"""The endpoint as a policy, against a real server on loopback that scripts replies and faults."""

from __future__ import annotations

import asyncio
import base64
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai")

from asking import POINT, ask

from episodes import env, task
from saved import NESTED_HIT, ZOOM_HIT, picture
from scripted_endpoint import MODEL, Answer, says, scripted
from zoomground.data.chat import chat_messages
from zoomground.environment import GroundingEnv
from zoomground.errors import ImageError, ZoomgroundError
from zoomground.geometry import PixelLimits, Size
from zoomground.images import load_screenshot
from zoomground.policies.base import Trouble, Usage
from zoomground.policies.completions import Thinking
from zoomground.policies.endpoint import Endpoint, EndpointPolicy
from zoomground.policies.scripted import Scripted
from zoomground.protocol.actions import Reason
from zoomground.protocol.settings import EpisodeSettings
from zoomground.rollout import play, play_async
from zoomground.trajectory import StopReason, Trajectory


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
