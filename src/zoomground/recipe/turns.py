"""The sections of a recipe that tell the turns of an episode apart: what each is credited, and which are trained."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from zoomground.recipe.section import Env, Section


class Credit(Section):
    """Turn-level credit (docs/credit.md)."""

    coefficient: float = Field(
        default=0.0,
        ge=0,
        allow_inf_nan=False,
        description="What a crop's gain over the group's is worth, in units of the advantage; 0: one advantage for all "
        "turns",
    )


class FilterKind(StrEnum):
    """Which assistant turns leave the loss.

    - none: none.
    - prm: those whose score from the known box contradicts the sign of their advantage.
    - uncertainty: those that the policy itself found improbable, or was undecided in.
    """

    NONE = "none"
    PRM = "prm"
    UNCERTAINTY = "uncertainty"


class TurnFilter(Section):
    """The turn filter (docs/credit.md)."""

    kind: Annotated[FilterKind, Env("ZOOMIN_TURN_FILTER")] = Field(
        default=FilterKind.NONE, description="Which assistant turns leave the loss"
    )
    min_score: float = Field(
        default=0.05,
        gt=0,
        le=1,
        description="prm: from this score on, 0 to 1, a turn is good; good ones leave where the advantage is negative, "
        "the others where it is positive",
    )
    min_logprob: float = Field(
        default=-2.0, le=0, description="uncertainty: turns whose mean log-prob a token is lower leave, nat"
    )
    max_entropy: float = Field(
        default=2.0, ge=0, description="uncertainty: turns whose mean entropy a token is higher leave, nat"
    )
