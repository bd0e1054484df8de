"""How a policy uses the tool and the protocol: figures of a step, read from its trajectories alone.

Failed episodes have no part in them. docs/training.md defines each.
"""

from __future__ import annotations

from collections import Counter
from statistics import fmean
from typing import TYPE_CHECKING

from zoomground.protocol.actions import Dialect, Reason
from zoomground.protocol.settings import Arm
from zoomground.rewards import hit
from zoomground.rewards.base import seen_short_side, target_box
from zoomground.rewards.potential import turn_gains

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.rewards import RewardSettings
    from zoomground.trajectory import Trajectory, Turn

DEEPEST = 3
"""Crops are told apart down to this depth; deeper ones count with it."""


def tool_figures(trajectories: Sequence[Trajectory], settings: RewardSettings) -> dict[str, float]:
    """Zoom rate of the arm that may zoom, depth of crops, gain and harm, dialects, corrections, free thinking.

    Args:
        trajectories: The episodes of a step.
        settings: From where on a target is legible.
    """
    played = [trajectory for trajectory in trajectories if not trajectory.failed]
    if not played:
        return {}
    figures: dict[str, float] = {}
    if free_to_zoom := [trajectory for trajectory in played if trajectory.settings.arm is Arm.ON]:
        figures["zoom_rate_on"] = fmean(bool(trajectory.crops) for trajectory in free_to_zoom)
    depths = Counter(min(depth, DEEPEST) for trajectory in played for depth in crop_depths(trajectory))
    figures |= {f"crops_depth_{depth}": depths[depth] / len(played) for depth in range(1, DEEPEST + 1)}
    placed = [trajectory for trajectory in played if trajectory.task.place is not None]
    gains = [gain for trajectory in placed for gain in turn_gains(trajectory, settings) if gain is not None]
    if gains:
        figures["crop_gain"] = fmean(gain > 0 for gain in gains)
    if zoomed := [trajectory for trajectory in placed if trajectory.crops]:
        figures["crop_harm"] = fmean(is_harmed(trajectory, settings) for trajectory in zoomed)
    return figures | _turn_figures([turn for trajectory in played for turn in trajectory.turns])


def crop_depths(trajectory: Trajectory) -> list[int]:
    """Depth of each crop: 1 for one of the screenshot, one more than that of the crop that it was cut from."""
    depths: dict[str, int] = {}
    for crop in trajectory.crops:
        depths[crop.name] = depths.get(crop.parent, 0) + 1
    return list(depths.values())


def is_harmed(trajectory: Trajectory, settings: RewardSettings) -> bool:
    """Whether zooming may have cost the hit: a miss on a target that was legible without it, or that was lost by it.

    Lost: the last crop does not hold the whole box of the target. A miss that looked at the right place is none.
    """
    box = target_box(trajectory)
    if box is None or not trajectory.crops or hit(trajectory):
        return False
    last = trajectory.crops[-1].region.box_px
    holds = last.x1 <= box.x1 and last.y1 <= box.y1 and last.x2 >= box.x2 and last.y2 >= box.y2
    return seen_short_side(trajectory, box) >= settings.legible_px or not holds


def is_free_thinking(turn: Turn) -> bool:
    """Whether a turn is words and no action: thinking that ends in nothing or never ends, or prose."""
    match turn.malformed:
        case Reason.NO_ACTION:
            return True
        case Reason.EMPTY:
            return bool(turn.text.strip())
        case Reason.THINKING:
            return "</think>" not in turn.text.lower()
        case _:
            return False


def _turn_figures(turns: Sequence[Turn]) -> dict[str, float]:
    """Shares of all turns."""
    if not turns:
        return {}
    dialects = Counter(turn.dialect for turn in turns)
    reasons = Counter(turn.malformed for turn in turns)
    return {
        **{f"dialect/{dialect}": dialects[dialect] / len(turns) for dialect in Dialect},
        "dialect/unread": dialects[None] / len(turns),
        **{f"correction/{reason}": reasons[reason] / len(turns) for reason in Reason},
        "free_thinking": fmean(is_free_thinking(turn) for turn in turns),
    }
