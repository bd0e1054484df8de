"""Splitting the thinking off a reply: what stands only inside it is neither an action nor an answer."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from zoomground.protocol.actions import Malformed, Reason
from zoomground.protocol.spelling import CANONICAL_SPACES

_TAG = re.compile(r"<\s*+(/?)\s*+think\s*+>", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Outside:
    """What stands outside the thinking."""

    lead: str
    """Text before the thinking; empty if there is none."""
    body: str
    """Text after the thinking."""
    canonical: bool
    """Whether the thinking, if any, is written with plain tags and nothing but white space stands before it."""


def split(text: str, *, prompt_ends_in_think: bool) -> Outside | Malformed:
    """Split one block of thinking off.

    Args:
        text: The whole reply.
        prompt_ends_in_think: Whether the prompt already opened the thinking, so that the reply only closes it.
    """
    # More than two tags are wrong whatever they are; so a megabyte of tags costs no more than three.
    tags = list(itertools.islice(_TAG.finditer(text), 3))
    closing = [bool(tag[1]) for tag in tags]
    if prompt_ends_in_think:
        if closing != [True]:
            return Malformed(Reason.THINKING, "the prompt opened the thinking; it must be closed once and not reopened")
        return Outside("", text[tags[0].end() :], tags[0][0] == "</think>")
    if not tags:
        return Outside("", text, canonical=True)
    if closing != [False, True]:
        return Malformed(Reason.THINKING, "thinking must be opened once and closed once, before the action")
    lead = text[: tags[0].start()]
    plain = tags[0][0] == "<think>" and tags[1][0] == "</think>"
    return Outside(lead, text[tags[1].end() :], plain and not lead.strip(CANONICAL_SPACES))


def thought(text: str, *, prompt_ends_in_think: bool) -> str:
    """What stands inside the thinking; empty if there is none, or none that is opened and closed once.

    >>> thought("<think>small, look closer</think>[1.00,1.00]", prompt_ends_in_think=False)
    'small, look closer'
    """
    if isinstance(split(text, prompt_ends_in_think=prompt_ends_in_think), Malformed):
        return ""
    tags = list(itertools.islice(_TAG.finditer(text), 2))
    if not tags:
        return ""
    start = 0 if prompt_ends_in_think else tags[0].end()
    return text[start : tags[-1].start()].strip()
