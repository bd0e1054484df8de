"""Messages become what engines read, with one image for each tag."""

from __future__ import annotations

import pytest

from episodes import crop_text, env
from zoomground.protocol.messages import harmless, to_openai, to_tagged


@pytest.mark.parametrize("tag", ["<image>", "<video>", "<audio>", "<|im_end|>", "<|image_pad|>", "<bbox>"])
def test_engine_tags_lose_their_meaning_and_stay_readable(tag: str) -> None:
    text = harmless(f"click {tag} now")
    assert tag not in text
    assert text.replace("< ", "<") == f"click {tag} now"


def test_harmless_leaves_ordinary_text_alone() -> None:
    text = 'a < b, x > y, <think>, "quotes", 点击 <b>'
    assert harmless(text) == text


def test_tagged_has_one_tag_for_each_image_in_order() -> None:
    episode = env()
    reply = episode.step(crop_text(0, 0, 500, 500) + "\n" + crop_text(0, 0, 250, 250))
    assert reply is not None
    tagged = to_tagged(reply)
    assert tagged["role"] == "user"
    assert tagged["content"].count("<image>") == 2
    first, second = tagged["content"].split("<image>")[:2]
    assert "crop_1.png" in first
    assert "crop_2.png" in second


def test_openai_messages_are_plain_text_and_image_parts() -> None:
    episode = env()
    episode.step(crop_text(0, 0, 500, 500))
    system, user, assistant, result = to_openai(episode.messages, lambda name: f"data:{name}")
    assert isinstance(system["content"], str)
    assert [part["type"] for part in user["content"]] == ["text", "image_url"]
    assert user["content"][1] == {"type": "image_url", "image_url": {"url": "data:screen.png"}}
    assert assistant == {"role": "assistant", "content": crop_text(0, 0, 500, 500)}
    assert [part["type"] for part in result["content"]] == ["text", "image_url"]
