"""The proxy before the engine's own OpenAI server: the official SDK in front, ``swift deploy`` behind."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("swift")
pytest.importorskip("openai")
pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

import openai

import served
from proxies import INSTRUCTION, asking, proxied
from zoomground.data.trajectories import SavedRecord
from zoomground.images import load_screenshot
from zoomground.policies.endpoint import Endpoint
from zoomground.rollout import ask
from zoomground.serve.service import ANY_MODEL
from zoomground.trajectory import StopReason

pytestmark = pytest.mark.engine

TOKENS = 12


def test_the_proxy_plays_what_ask_plays(base_url: str, shot: Path) -> None:
    """Greedy replies: so both put the same tokens and pixels before the model, in every turn."""
    uri = load_screenshot(shot).file
    assert uri is not None
    fields: dict[str, Any] = {"api_key": "EMPTY", "max_tokens": TOKENS}
    endpoint = Endpoint(base_url, served.MODEL, **fields)
    one_turn = ask(shot.read_bytes(), INSTRUCTION, endpoint=endpoint, settings=served.SETTINGS)
    assert one_turn.trajectory.stop_reason is StopReason.LENGTH
    # the model does not know how to end a turn: with a part of its first reply as stop word, the episode goes on
    fields["extra_body"] = {"stop": [one_turn.replies[0].text[6:9]]}
    asked = ask(shot.read_bytes(), INSTRUCTION, endpoint=replace(endpoint, **fields), settings=served.SETTINGS)
    with proxied(base_url, model=ANY_MODEL, settings=served.SETTINGS, endpoint=fields) as proxy:
        client = proxy.client()
        assert [model.id for model in client.models.list()] == [served.MODEL]
        question = {"model": served.MODEL, "messages": asking(uri.data_uri())}
        wishes = {"zoomground": {"trajectory": True}}
        answer = client.chat.completions.create(**question, extra_body=wishes)
        chunks = list(client.chat.completions.create(**question, stream=True, stream_options={"include_usage": True}))
        with pytest.raises(openai.NotFoundError, match=f"it serves: {served.MODEL}"):
            client.chat.completions.create(model="other", messages=question["messages"])
        with pytest.raises(openai.BadRequestError, match="longer than the model's context") as caught:
            client.chat.completions.create(model=served.MODEL, messages=asking(uri.data_uri(), "menu " * 5000))
    record = SavedRecord.from_json(json.dumps(answer.zoomground["trajectory"]))  # type: ignore[attr-defined]
    assert len(record.trajectory.turns) > 1
    assert record.trajectory.turns == asked.trajectory.turns
    assert record.trajectory.stop_reason == asked.trajectory.stop_reason
    assert answer.usage is not None
    assert answer.usage.prompt_tokens == asked.usage.prompt_tokens
    assert answer.usage.completion_tokens == asked.usage.completion_tokens
    assert chunks[-1].usage == answer.usage
    assert chunks[-2].choices[0].finish_reason == answer.choices[0].finish_reason
    assert caught.value.code == "context_length_exceeded"
