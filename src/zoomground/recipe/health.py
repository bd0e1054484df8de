"""The section of a recipe that says from where on a training run is unwell."""

from __future__ import annotations

from pydantic import Field

from zoomground.recipe.section import Section


class Health(Section):
    """Thresholds of the alarms; each looks at the mean of the last steps (docs/training.md)."""

    window: int = Field(default=5, ge=1, description="Steps that an alarm looks back on")
    zoom_low: float = Field(
        default=0.02, ge=-1, le=1, description="zoom_gone: the zoom rate of prompts that may zoom is at most this"
    )
    zoom_high: float = Field(default=0.98, ge=0, le=2, description="zoom_always: the zoom rate is at least this")
    fallback_rise: float = Field(
        default=0.1, ge=0, le=1, description="fallback: the share of fallback turns is this much above its lowest"
    )
    wasted: float = Field(default=0.5, ge=0, le=1, description="wasted: share of groups without any signal above this")
    failed: float = Field(default=0.05, ge=0, le=1, description="failed: share of failed episodes above this")
    free_thinking: float = Field(
        default=0.2, ge=0, le=1, description="free_thinking: share of turns of words without an action above this"
    )
    truncated: float = Field(default=0.2, ge=0, le=1, description="truncated: share of cut episodes above this")
    mismatches: float = Field(
        default=0.0, ge=0, description="mismatch: turns of a step whose log-probs do not fit their tokens above this"
    )
    judge_failed: float = Field(default=0.2, ge=0, le=1, description="judge: share of verdicts that failed above this")
