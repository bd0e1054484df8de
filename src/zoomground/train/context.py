"""How long a conversation may get: image tokens x turns, and the texts around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.geometry import Size
from zoomground.protocol import prompts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zoomground.recipe import Recipe

TOKENS_A_CHARACTER = 0.4
"""Tokens of prompt text for each character, an upper bound for English with digits."""

OBSERVATION_CHARACTERS = 600
"""Characters of the text around one crop, an upper bound."""


@dataclass(frozen=True, slots=True)
class Context:
    """Tokens of the longest conversation.

    Attributes:
        screenshot: Image tokens of the largest screenshot.
        crop: Image tokens of a crop at its largest.
        crops: Crops in all.
        opening_text: Tokens of the system prompt.
        replies: Tokens of the texts around the crops and of one full turn.
    """

    screenshot: int
    crop: int
    crops: int
    opening_text: int
    replies: int

    @property
    def total(self) -> int:
        """All tokens."""
        return self.screenshot + self.opening_text + self.after_opening

    @property
    def after_opening(self) -> int:
        """Tokens from the first reply on: those that GRPO computes logits of."""
        return self.crops * self.crop + self.replies

    def text(self) -> str:
        """For a person."""
        return (
            f"{self.screenshot} image tokens of the largest screenshot, {self.crops} crops of up to {self.crop}, "
            f"{self.opening_text + self.replies} of text: {self.total}"
        )


def context_of(recipe: Recipe, sizes: Iterable[Size]) -> Context:
    """The longest conversation: the largest screenshot, every crop at its largest, and one full last turn.

    Args:
        recipe: A validated recipe.
        sizes: Sizes of the screenshots, px.
    """
    settings, limits = recipe.episode_settings(), recipe.pixel_limits
    opening = prompts.system_text(
        instruction="x" * 80, image_name="screenshot.png", size=Size(9999, 9999), settings=settings
    )
    observations = settings.max_tool_calls * OBSERVATION_CHARACTERS
    return Context(
        screenshot=max((limits.image_tokens(size) for size in set(sizes)), default=0),
        crop=min(settings.crop_max_pixels, limits.max_pixels) // limits.factor**2,
        crops=settings.max_tool_calls,
        opening_text=round(len(opening) * TOKENS_A_CHARACTER),
        replies=round(observations * TOKENS_A_CHARACTER) + recipe.grpo.max_completion_length,
    )
