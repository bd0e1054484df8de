"""What an episode is played by: arm, budgets, units, how crops are enlarged. Recorded in every trajectory."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from zoomground.errors import RecipeError
from zoomground.geometry import PixelLimits
from zoomground.protocol.actions import CropUnits, ParserMode

PROTOCOL_VERSION = "v1"
"""Version of the prompt texts; a change of any word that the policy reads is a new version."""

MAX_CALLS_IN_A_TURN = 2
"""The parser refuses a turn with more calls than this, whatever the settings say."""


class Arm(StrEnum):
    """Whether the policy may zoom, may not, or must."""

    ON = "on"
    OFF = "off"
    FORCED = "forced"


@dataclass(frozen=True, slots=True)
class EpisodeSettings:
    """Rules of one episode (DESIGN section 2).

    Attributes:
        arm: on, off (no crops, the prompt names no action) or forced (at least one crop is asked for).
        max_tool_calls: Crops in all.
        max_calls_per_turn: Crops in one turn, 1 or 2.
        max_corrections: Bad turns that are answered with a correction; the next one ends the episode.
        max_turns: Assistant turns in all.
        crop_units: Unit of the corners in a crop call.
        parser_mode: How much of the dialect chain is tried.
        allow_decline: Whether the prompt offers ``decline()``.
        prompt_ends_in_think: Whether the chat template opens the thinking, so that replies hold only its end.
        crop_upscale_factor: Enlargement of a crop before limits.
        crop_max_pixels: Largest shown area of a crop in px.
        limits: The model's image processor.
        prompt_version: Version of the prompt texts.

    Raises:
        RecipeError: If a number makes no sense.
    """

    arm: Arm = Arm.ON
    max_tool_calls: int = 3
    max_calls_per_turn: int = 2
    max_corrections: int = 2
    max_turns: int = 6
    crop_units: CropUnits = CropUnits.NORM
    parser_mode: ParserMode = ParserMode.TOLERANT
    allow_decline: bool = False
    prompt_ends_in_think: bool = False
    crop_upscale_factor: float = 4.0
    crop_max_pixels: int = 4_000_000
    limits: PixelLimits = field(default_factory=PixelLimits)
    prompt_version: str = PROTOCOL_VERSION

    def __post_init__(self) -> None:
        if not 1 <= self.max_calls_per_turn <= MAX_CALLS_IN_A_TURN:
            raise RecipeError(f"max_calls_per_turn must be 1 or 2, got {self.max_calls_per_turn}")
        if min(self.max_tool_calls, self.max_corrections) < 0 or self.max_turns < 1:
            raise RecipeError("max_tool_calls and max_corrections must be at least 0, max_turns at least 1")
        if self.crop_upscale_factor < 1 or self.crop_max_pixels < 1:
            raise RecipeError("crop_upscale_factor and crop_max_pixels must be at least 1")

    @property
    def crop_budget(self) -> int:
        """Crops that may run in this arm."""
        return 0 if self.arm is Arm.OFF else self.max_tool_calls
