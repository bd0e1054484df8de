"""Chat messages as plain values: a role and parts; an image is a part that is named, its bytes live elsewhere.

Every driver translates these and nothing else, so that training, evaluation, client and server put the same words
before the policy. Two translations cover all of them: `to_openai` (chat completions with image parts) and `to_tagged`
(one string a message with an ``<image>`` tag where an image stands, as ms-swift reads it).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Role = Literal["system", "user", "assistant"]

_TAGS = ("<image>", "<video>", "<audio>", "<bbox>", "<ref-object>", "<cot-process>", "<start-image>", "<|")
"""Text that some engine or tokenizer takes for more than text."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """Words."""

    text: str
    type: Literal["text"] = "text"


@dataclass(frozen=True, slots=True)
class ImagePart:
    """The place of an image; ``name`` is the name the policy knows it by."""

    name: str
    type: Literal["image"] = "image"


Part = TextPart | ImagePart


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def image_names(self) -> tuple[str, ...]:
        """Names of the images of this message, in order."""
        return tuple(part.name for part in self.parts if isinstance(part, ImagePart))

    @property
    def text(self) -> str:
        """The words alone."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))


def harmless(text: str) -> str:
    """Take the meaning from engine tags and special tokens in text that comes from data: ``<image>`` -> ``< image>``.

    A literal ``<image>`` in an instruction would take the place of a screenshot, ``<|im_end|>`` would end the turn.
    The words stay readable, and the same in every driver.
    """
    for tag in _TAGS:
        if tag in text:
            text = text.replace(tag, "< " + tag[1:])
    return text


def to_openai(messages: Iterable[Message], image_url: Callable[[str], str]) -> list[dict[str, Any]]:
    """Chat-completions messages; ``image_url`` gives the URL (usually a data URI) of a named image."""
    return [_openai(message, image_url) for message in messages]


def _openai(message: Message, image_url: Callable[[str], str]) -> dict[str, Any]:
    if not message.image_names:
        return {"role": message.role, "content": message.text}
    content: list[dict[str, Any]] = [
        {"type": "text", "text": part.text}
        if isinstance(part, TextPart)
        else {"type": "image_url", "image_url": {"url": image_url(part.name)}}
        for part in message.parts
    ]
    return {"role": message.role, "content": content}


def to_tagged(message: Message) -> dict[str, str]:
    """One string with an ``<image>`` tag for each image part."""
    content = "".join(part.text if isinstance(part, TextPart) else "<image>" for part in message.parts)
    return {"role": message.role, "content": content}
