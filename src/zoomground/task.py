"""A task: one instruction on one screenshot, with the target that makes an answer right.

The target is a closed box, a polygon, or a refusal (the named thing is not there and the policy must decline). A task
that somebody made up on the spot may have none: then nothing is right or wrong, and nothing is scored.
Everything is in px of the upright original screenshot.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from zoomground.geometry import Box, Polygon, Size


class Difficulty(StrEnum):
    """What a row may say about itself; without it the target's legibility decides (DESIGN section 4)."""

    HARD = "hard"
    EASY = "easy"


@dataclass(frozen=True, slots=True)
class Refusal:
    """The instruction names nothing on the screen: only declining is right."""

    kind: Literal["refusal"] = "refusal"


Target = Box | Polygon | Refusal


@dataclass(frozen=True, slots=True)
class Task:
    """One instruction on one screenshot.

    Attributes:
        id: Unique within its data set.
        instruction: What the user wants, as written in the data.
        image: Reference to the screenshot: a path as the data names it. Never inlined pixels.
        size: Upright size of the screenshot in px.
        target: Where the answer must lie, in px; or a refusal. None: nobody said what is right.
        difficulty: What the row says, None if it says nothing.
        meta: Figures that travel with the row (kind, skin, seed ...); no reward reads them.
    """

    id: str
    instruction: str
    image: str
    size: Size
    target: Target | None
    difficulty: Difficulty | None = None
    meta: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def place(self) -> Box | Polygon | None:
        """Where the answer must lie, in px; None where there is no such place: a refusal, or no target."""
        return None if isinstance(self.target, Refusal) else self.target
