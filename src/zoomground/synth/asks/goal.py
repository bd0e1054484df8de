"""By what a person wants to get done, without naming the element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.synth.asks.base import Page, Way
from zoomground.synth.query import Query

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zoomground.synth.measure import Seen


def ways(one: Seen, _on: Page) -> Iterator[Way]:
    """Its goals, which are whole instructions."""
    for goal in one.element.goals:
        bare = goal.rstrip(".。!！")
        fields = {"goal": goal, "goal_bare": bare, "goal_low": bare[:1].lower() + bare[1:]}
        yield Way("goal", "wish", Query(goal=goal), fields, explicit=False)
