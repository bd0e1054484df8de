"""Ways to collect reward without the work, each played on a sample that the honest policy plays too.

All of them know the target, as a policy does that has learnt to find it: the audit asks what the crops are paid for,
not whether the answer is right. A cheat is a plan: the texts of its turns, the last one repeated to the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.geometry import Box, Point, Region
from zoomground.policies.oracle import crop_text, final_action, spoken
from zoomground.protocol.actions import Answer
from zoomground.rewards.base import is_hard, target_box

if TYPE_CHECKING:
    from collections.abc import Callable

    from zoomground.environment import GroundingEnv
    from zoomground.policies.oracle import Oracle

    Plan = Callable[[GroundingEnv, Oracle], tuple[str, ...] | None]

_SPAM_STEPS = 5
"""The spam is a grid of this many points a side, and the right one last."""

_JITTER = 0.12
"""Shift of each further look, in shares of the window: enough to stay under the overlap of a repeat."""

_MARGIN = 0.1
"""Margin of the vanity crop, in shares of the target's side."""

_MOST = (0.95, 0.94)
"""Sides of the crop that shows nearly all: 89 % of the area, just under the overlap of a repeat."""

_CUT_CONTEXT_PX = 50
"""What the cutting crop shows beside the target."""


@dataclass(frozen=True, slots=True)
class Cheat:
    """One way to cheat.

    Attributes:
        name: As the report names it.
        about: What it does, in one line.
        plan: The texts of its turns on a fresh episode; None where the cheat has no meaning.
    """

    name: str
    about: str
    plan: Plan


def _whole_image(env: GroundingEnv, oracle: Oracle) -> tuple[str, ...]:
    del oracle
    return _then_end(env, Region.whole(env.task.size))


def _repeats(env: GroundingEnv, oracle: Oracle) -> tuple[str, ...]:
    return _then_end(env, *[oracle.window(env)] * env.remaining_crops)


def _jitter(env: GroundingEnv, oracle: Oracle) -> tuple[str, ...]:
    window = oracle.window(env)
    return _then_end(env, *(_shifted(window, step * _JITTER) for step in range(env.remaining_crops)))


def _vanity(env: GroundingEnv, oracle: Oracle) -> tuple[str, ...] | None:
    del oracle
    box = target_box(env.trajectory())
    return box and _then_end(env, _region(box.grown(_MARGIN * min(box.width, box.height), env.task.size), env))


def _exact_box(env: GroundingEnv, oracle: Oracle) -> tuple[str, ...] | None:
    del oracle
    box = target_box(env.trajectory())
    return box and _then_end(env, _region(box, env))


def _cutting(env: GroundingEnv, oracle: Oracle) -> tuple[str, ...] | None:
    del oracle
    box = target_box(env.trajectory())
    return box and _then_end(env, _region(Box(box.x1 - _CUT_CONTEXT_PX, box.y1, box.center.x, box.y2), env))


def _most_of_the_screen(env: GroundingEnv, oracle: Oracle) -> tuple[str, ...]:
    del oracle
    size, box = env.task.size, target_box(env.trajectory())
    middle = box.center if box else Point(0, 0)
    width, height = size.width * _MOST[0], size.height * _MOST[1]
    # Anchored in the corner that the target is nearest to, so that the crop shows the target.
    x1 = 0.0 if middle.x <= size.width / 2 else size.width - width
    y1 = 0.0 if middle.y <= size.height / 2 else size.height - height
    return _then_end(env, _region(Box(x1, y1, x1 + width, y1 + height), env))


def _crop_coordinates(env: GroundingEnv, oracle: Oracle) -> tuple[str, ...] | None:
    window, end = oracle.window(env), final_action(env)
    if not isinstance(end, Answer):
        return None
    point = window.to_crop(Point(end.x, end.y))
    return (crop_text(env, window), spoken(env, Answer(round(point.x, 2), round(point.y, 2))))


def _spam(env: GroundingEnv, oracle: Oracle) -> tuple[str, ...]:
    del oracle
    ticks = [1000.0 * (step + 0.5) / _SPAM_STEPS for step in range(_SPAM_STEPS)]
    points = [Answer(x, y) for y in ticks for x in ticks]
    end = final_action(env)
    return (" ".join(spoken(env, point) for point in [*points, end]),)


def _format_only(env: GroundingEnv, oracle: Oracle) -> tuple[str, ...]:
    del oracle
    end = final_action(env)
    # The corner farthest from the target: well written, and nobody looked.
    x, y = (1000.0 if end.x < 500 else 0.0, 1000.0 if end.y < 500 else 0.0) if isinstance(end, Answer) else (0.0, 0.0)
    return (spoken(env, Answer(x, y)),)


def _never_zooms(env: GroundingEnv, oracle: Oracle) -> tuple[str, ...] | None:
    return (spoken(env, final_action(env)),) if is_hard(env.trajectory(), oracle.rewards) else None


def _always_zooms(env: GroundingEnv, oracle: Oracle) -> tuple[str, ...] | None:
    return None if oracle.wants_crop(env) else _then_end(env, oracle.window(env))


def _ends_on_a_crop(env: GroundingEnv, oracle: Oracle) -> tuple[str, ...]:
    return (crop_text(env, oracle.window(env)),)


CHEATS: tuple[Cheat, ...] = (
    Cheat("whole_image", "crops the whole screenshot", _whole_image),
    Cheat("repeats", "crops the honest window again and again", _repeats),
    Cheat("jitter", "crops the honest window, then slightly beside it", _jitter),
    Cheat("vanity", "crops the known box with a thin margin", _vanity),
    Cheat("exact_box", "crops exactly the known box", _exact_box),
    Cheat("cutting", "crops a window whose edge cuts the target", _cutting),
    Cheat("most_of_the_screen", "crops 89 % of the screenshot", _most_of_the_screen),
    Cheat("crop_coordinates", "answers in the coordinates of the crop", _crop_coordinates),
    Cheat("coordinate_spam", "lists many points, the right one last", _spam),
    Cheat("format_only", "writes a well-formed point without looking", _format_only),
    Cheat("never_zooms", "answers directly where the target is hard", _never_zooms),
    Cheat("always_zooms", "zooms where the target is legible, or nothing is to be found", _always_zooms),
    Cheat("ends_on_a_crop", "asks for crops to the end and never answers", _ends_on_a_crop),
)
"""All cheats of DESIGN section 4."""


def _then_end(env: GroundingEnv, *regions: Region) -> tuple[str, ...]:
    """One crop a turn, then the honest end."""
    return (*(crop_text(env, region) for region in regions), spoken(env, final_action(env)))


def _region(box: Box, env: GroundingEnv) -> Region:
    return Region.whole(env.task.size).subregion(box, env.task.size)


def _shifted(window: Region, share: float) -> Region:
    """The window moved by a share of its sides, toward the middle of the screen where it would leave it."""
    size, original = window.size, window.original
    x1 = _moved(window.x1, size.width, original.width, share)
    y1 = _moved(window.y1, size.height, original.height, share)
    return Region(x1, y1, x1 + size.width, y1 + size.height, original)


def _moved(low: int, side: int, limit: int, share: float) -> int:
    step = round(side * share)
    forward, back = low + step, low - step
    if forward + side <= limit:
        return forward
    return max(0, back)
