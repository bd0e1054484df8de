"""Players that need no model: one that is always right, one that is always wrong, one that clicks the middle.

They speak whatever a profile speaks, so they go the whole way of a model's answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.evaluate.question import Question
from zoomground.geometry import Point
from zoomground.policies.base import Reply
from zoomground.policies.oracle import Oracle, final_action, spoken
from zoomground.protocol.actions import Answer, Decline
from zoomground.task import Refusal

if TYPE_CHECKING:
    from zoomground.environment import GroundingEnv
    from zoomground.geometry import Size
    from zoomground.task import Target

_ORACLE = Oracle()

Ending = Callable[["GroundingEnv"], Answer | Decline | None]
"""The last word on an episode; None: one that cannot be read."""


@dataclass(frozen=True, slots=True)
class Player:
    """Crops as the oracle does, and ends as it is told; a `zoomground.policies.base.Policy`.

    Attributes:
        ending: The last word.
    """

    ending: Ending

    def reply(self, env: GroundingEnv) -> Reply:
        """Write the next turn."""
        action = self.ending(env)
        if isinstance(env, Question):
            return Reply("" if action is None else env.spoken(action), "stop")
        may_crop = env.views.crop_count == 0 < env.remaining_crops and not env.is_last_turn
        if may_crop and _ORACLE.wants_crop(env):
            return _ORACLE.reply(env)
        return Reply("I do not know." if action is None else spoken(env, action), "stop")


def wrong(target: Target, size: Size) -> Answer | None:
    """A point in the image that misses; None if the target fills the image. A refusal is missed by any."""
    if isinstance(target, Refusal):
        return Answer(500.0, 500.0)
    steps = (0.0, 1000.0, 500.0, 250.0, 750.0)
    points = (Answer(x, y) for x, y in itertools.product(steps, steps))
    return next((one for one in points if not target.contains(Point(one.x, one.y).to_px(size))), None)


def _wrong(env: GroundingEnv) -> Answer | None:
    target = env.task.target
    return None if target is None else wrong(target, env.task.size)


SCRIPTED = {
    "oracle": Player(final_action),
    "anti-oracle": Player(_wrong),
    "center": Player(lambda _: Answer(500.0, 500.0)),
}
"""Every scripted player by its name."""
