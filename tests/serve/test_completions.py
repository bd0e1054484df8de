"""Completions in one piece: what a client reads, what the upstream is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("openai")

import openai

from proxies import INSTRUCTION, NESTED, UPSTREAM_KEY, ZOOM, asking, body, image_uri, proxied
from saved import episode, picture
from scripted_endpoint import MODEL, says, scripted
from zoomground.data.trajectories import SavedRecord
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.serve.service import ANY_MODEL

DECLINE = "<action>decline()</action>"


def test_the_sdk_gets_the_point_and_what_all_turns_cost() -> None:
    with scripted([says(text) for text in ZOOM]) as upstream, proxied(upstream.base_url) as proxy:
        answer = proxy.client().chat.completions.create(model=MODEL, messages=asking())
        access = proxy.log.get()
    (choice,) = answer.choices
    assert choice.message.content == "[504.50,507.50]"
    assert (choice.message.role, choice.message.refusal, choice.finish_reason) == ("assistant", None, "stop")
    assert (answer.object, answer.model) == ("chat.completion", MODEL)
    assert answer.usage is not None
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens) == (200, 14, 214)
    extension = answer.zoomground  # type: ignore[attr-defined]
    assert extension["point"] == [504.5, 507.5]
    assert extension["point_px"] == pytest.approx([645.76, 406.0])
    assert extension["crops"] == [{"name": "crop_1.png", "region_px": [576, 360, 717, 448]}]
    assert (extension["stop_reason"], extension["turns"], extension["ignored"]) == ("answered", 2, [])
    assert "trajectory" not in extension
    assert upstream.keys == [f"Bearer {UPSTREAM_KEY}"] * 2
    assert (access.status, access.note) == (200, "answered, turns 2, crops 1, tokens 200+14")


def test_the_upstream_reads_what_ask_and_training_send(tmp_path: Path) -> None:
    with scripted([says(text) for text in NESTED]) as upstream, proxied(upstream.base_url) as proxy:
        answer = proxy.post(body(zoomground={"trajectory": True})).json()
        asked = upstream.requests()
    record = SavedRecord.from_json(json.dumps(answer["zoomground"]["trajectory"]))
    played = episode(picture(tmp_path / "screenshot.png"), NESTED)
    assert record.trajectory.turns == played.turns, "the same words and the same pixels of crops"
    assert record.trajectory.opening == played.opening
    assert record.uuid == answer["id"]
    assert record.usage == answer["zoomground"]["usage"]
    sent = [part for message in asked[-1]["messages"] for part in message["content"] if isinstance(part, dict)]
    images = [part["image_url"]["url"] for part in sent if part["type"] == "image_url"]
    assert images[0] == image_uri(), "the screenshot goes on as it came"
    assert len(images) == 3


def test_an_answer_in_another_dialect_is_given_in_the_canonical_form() -> None:
    with scripted([says('```json\n{"x": 504.5, "y": 507}\n```')]) as upstream, proxied(upstream.base_url) as proxy:
        answer = proxy.post(body()).json()
    assert answer["choices"][0]["message"]["content"] == "[504.50,507.00]"


def test_no_answer_is_no_content_and_says_why() -> None:
    with scripted([says("I do not know")]) as upstream, proxied(upstream.base_url) as proxy:
        (choice,) = proxy.post(body()).json()["choices"]
        assert choice["message"] == {"role": "assistant", "content": "", "refusal": "no point: corrections_spent"}
        assert choice["finish_reason"] == "stop"
    with scripted([says("<think>long", "length")]) as upstream, proxied(upstream.base_url) as proxy:
        answer = proxy.post(body()).json()
    assert answer["choices"][0]["finish_reason"] == "length"
    assert answer["zoomground"]["troubles"] == ["cut"]
    with scripted([says("", "content_filter")]) as upstream, proxied(upstream.base_url) as proxy:
        (choice,) = proxy.post(body()).json()["choices"]
    assert (choice["finish_reason"], choice["message"]["content"]) == ("content_filter", "")


def test_arm_declining_and_budget_are_the_request_s_to_choose() -> None:
    with scripted([says(DECLINE)]) as upstream, proxied(upstream.base_url) as proxy:
        client = proxy.client()
        wishes = {"zoomground": {"allow_decline": True, "arm": "off"}}
        declined = client.chat.completions.create(model=MODEL, messages=asking(), extra_body=wishes)
        assert declined.choices[0].message.content == DECLINE
        assert "crop_image" not in upstream.requests()[0]["messages"][0]["content"]
        proxy.post(body(zoomground={"max_crops": 1}))
        assert "crop_image" in upstream.requests()[-1]["messages"][0]["content"]
        refused = proxy.post(body(zoomground={"max_crops": 4}))
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "zoomground.max_crops")


def test_the_server_s_own_rules_are_the_default() -> None:
    settings = EpisodeSettings(arm=Arm.OFF, allow_decline=True)
    with scripted([says(DECLINE)]) as upstream, proxied(upstream.base_url, settings=settings) as proxy:
        assert proxy.post(body()).json()["zoomground"]["declined"]
        proxy.post(body(zoomground={"allow_decline": False, "arm": "on"}))
    opening = upstream.requests()[-1]["messages"][0]["content"]
    assert "crop_image" in opening
    assert "decline()" not in opening


def test_sampling_goes_on_and_the_rest_is_named() -> None:
    given = {"temperature": 0.7, "top_p": 0.9, "seed": 5, "max_completion_tokens": 99, "top_k": 3}
    more = {"chat_template_kwargs": {"enable_thinking": False}, "stop": ["]"], "user": "me", "metadata": None, "n": 1}
    settings = {"max_tokens": 10, "extra_body": {"top_k": 1, "min_p": 0.1}}
    with scripted([says(ZOOM[1])]) as upstream, proxied(upstream.base_url, endpoint=settings) as proxy:
        messages = [{"role": "system", "content": "Answer as a click."}, *asking()]
        answer = proxy.post(body(messages=messages, **given, **more)).json()
        proxy.post(body())
    first, second = ({k: v for k, v in request.items() if k != "messages"} for request in upstream.requests())
    assert first == {
        "model": MODEL, "temperature": 0.7, "top_p": 0.9, "seed": 5, "max_tokens": 99, "top_k": 3, "min_p": 0.1,
        "chat_template_kwargs": {"enable_thinking": False},
    }  # fmt: skip
    assert second == {"model": MODEL, "temperature": 0.0, "max_tokens": 10, "top_k": 1, "min_p": 0.1}
    assert answer["zoomground"]["ignored"] == ["messages.0 (system)", "stop", "user"]
    assert "Answer as a click" not in json.dumps(upstream.requests()[0])


def test_image_and_text_may_stand_in_messages_of_their_own() -> None:
    image = {"type": "image_url", "image_url": image_uri()}
    messages = [{"role": "user", "content": [image]}, {"role": "user", "content": INSTRUCTION}]
    with scripted([says(ZOOM[1])]) as upstream, proxied(upstream.base_url) as proxy:
        assert proxy.post(body(messages=messages)).status_code == 200
    assert INSTRUCTION in upstream.requests()[0]["messages"][0]["content"]


def test_models_are_the_one_that_is_served_or_the_upstream_s() -> None:
    with scripted([says(ZOOM[1])]) as upstream:
        with proxied(upstream.base_url, model="zoom") as proxy:
            client = proxy.client()
            assert [model.id for model in client.models.list()] == ["zoom"]
            assert client.models.retrieve("zoom").id == "zoom"
            with pytest.raises(openai.NotFoundError, match="no model 'other' here; it serves: zoom"):
                client.chat.completions.create(model="other", messages=asking())
        with proxied(upstream.base_url, model=ANY_MODEL) as proxy:
            client = proxy.client()
            assert [model.id for model in client.models.list()] == [MODEL]
            assert client.chat.completions.create(model="any/name", messages=asking()).model == "any/name"
            assert proxy.post(body(model="")).json()["error"]["param"] == "model"
            with pytest.raises(openai.NotFoundError):
                client.models.retrieve("any/name")
    assert upstream.requests()[-1]["model"] == "any/name"
