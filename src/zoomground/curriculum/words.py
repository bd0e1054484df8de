"""What the tokenizer of a checkpoint for the curriculum is made from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zoomground.collect.lattice import SENTENCES
from zoomground.curriculum.lessons import NAMES, QUESTION, lessons_of

if TYPE_CHECKING:
    from zoomground.collect.lattice import Lattice
    from zoomground.protocol.settings import EpisodeSettings

_BOARDS, _LESSONS, _LISTINGS = 300, 3, 0.2
"""Enough that every sentence returns."""

_NAME = re.compile(rf"\b({'|'.join(NAMES)})\b")
_PIECES = (
    "system",
    "user",
    "assistant",
    "image_path: screen.webp",
    "Instruction: ",
    "Click the",
    " icon",
    "Press",
    "Open",
)


def corpus(settings: EpisodeSettings, style: Lattice) -> list[str]:
    """Texts of lessons, one document a turn; a mark stands for each name.

    With the names in it, a phrase that returns often enough would swallow one, and the name in that phrase would be
    another token than the same name elsewhere.

    Args:
        settings: Rules of the episodes.
        style: How is demonstrated.
    """
    return [
        _NAME.sub("\N{MIDDLE DOT}", said)
        for number in range(_BOARDS)
        for lesson in lessons_of(str(number), _LESSONS, _LISTINGS, settings, style)[1]
        for _, said in lesson.turns
    ]


def phrases() -> list[str]:
    """What is one token whatever the corpus holds: names with their space, and the pieces that stand around them."""
    return [*_PIECES, QUESTION, " is the", *(f" {name}" for name in NAMES), *SENTENCES]
