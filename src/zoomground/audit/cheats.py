"""Ways to collect reward without the work, each played on a sample that the honest policy plays too.

All of them know the target, as a policy does that has learnt to find it: the audit asks what the crops are paid for,
not whether the answer is right. A cheat is a plan: the texts of its turns, the last one repeated to the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.environment import GroundingEnv
from zoomground.geometry import Box, Point, Region
from zoomground.policies.oracle import crop_text, final_action, spoken
from zoomground.protocol.actions import Answer, Decline
from zoomground.protocol.render import render
from zoomground.rewards.base import is_hard, target_box

if TYPE_CHECKING:
    from zoomground.policies.oracle import Oracle


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
class Scene:
    """A sample before the first turn, and what an honest policy would do with it.

    Attributes:
        env: A fresh episode; plans read it and never step it.
        end: The honest end: the answer that every cheat gives too, or a decline.
        window: The window that honest play would crop.
        zooms: Whether honest play crops it.
        hard: Whether the rewards call the target hard.
        box: The target's box in px; None on a refusal task.
    """

    env: GroundingEnv
    end: Answer | Decline
    window: Region
    zooms: bool
    hard: bool
    box: Box | None

    @classmethod
    def of(cls, env: GroundingEnv, oracle: Oracle) -> Scene:
        """Look at a fresh episode through the oracle's eyes."""
        trajectory = env.trajectory()
        return cls(
            env,
            final_action(env),
            oracle.window(env),
            zooms=oracle.wants_crop(env),
            hard=is_hard(trajectory, oracle.rewards),
            box=target_box(trajectory),
        )

    def crops(self, *regions: Region) -> tuple[str, ...]:
        """One crop a turn, then the honest end."""
        return (*(crop_text(self.env, region) for region in regions), spoken(self.env, self.end))

    def region(self, box: Box) -> Region:
        """The window of whole px around a box in px."""
        return Region.whole(self.env.task.size).subregion(box, self.env.task.size)


@dataclass(frozen=True, slots=True)
class Cheat:
    """One way to cheat.

    Attributes:
        name: As the report names it.
        about: What it does, in one line.
        plan: The texts of its turns; None where the cheat has no meaning.
    """

    name: str
    about: str
    plan: Callable[[Scene], tuple[str, ...] | None]


def _whole_image(scene: Scene) -> tuple[str, ...]:
    return scene.crops(Region.whole(scene.env.task.size))


def _repeats(scene: Scene) -> tuple[str, ...]:
    return scene.crops(*[scene.window] * scene.env.remaining_crops)


def _jitter(scene: Scene) -> tuple[str, ...]:
    return scene.crops(*(_shifted(scene.window, step * _JITTER) for step in range(scene.env.remaining_crops)))


def _vanity(scene: Scene) -> tuple[str, ...] | None:
    if scene.box is None:
        return None
    margin = _MARGIN * min(scene.box.width, scene.box.height)
    return scene.crops(scene.region(scene.box.grown(margin, scene.env.task.size)))


def _exact_box(scene: Scene) -> tuple[str, ...] | None:
    return None if scene.box is None else scene.crops(scene.region(scene.box))


def _cutting(scene: Scene) -> tuple[str, ...] | None:
    box = scene.box
    if box is None:
        return None
    return scene.crops(scene.region(Box(box.x1 - _CUT_CONTEXT_PX, box.y1, box.center.x, box.y2)))


def _most_of_the_screen(scene: Scene) -> tuple[str, ...]:
    size = scene.env.task.size
    middle = scene.box.center if scene.box else Point(0, 0)
    width, height = size.width * _MOST[0], size.height * _MOST[1]
    # Anchored in the corner that the target is nearest to, so that the crop shows the target.
    x1 = 0.0 if middle.x <= size.width / 2 else size.width - width
    y1 = 0.0 if middle.y <= size.height / 2 else size.height - height
    return scene.crops(scene.region(Box(x1, y1, x1 + width, y1 + height)))


def _crop_coordinates(scene: Scene) -> tuple[str, ...] | None:
    if not isinstance(scene.end, Answer):
        return None
    point = scene.window.to_crop(Point(scene.end.x, scene.end.y))
    answer = Answer(round(point.x, 2), round(point.y, 2))
    return (crop_text(scene.env, scene.window), spoken(scene.env, answer))


def _spam(scene: Scene) -> tuple[str, ...]:
    ticks = [1000.0 * (step + 0.5) / _SPAM_STEPS for step in range(_SPAM_STEPS)]
    points = [Answer(x, y) for y in ticks for x in ticks]
    return (" ".join(render(point) for point in [*points, scene.end]),)


def _format_only(scene: Scene) -> tuple[str, ...]:
    end = scene.end if isinstance(scene.end, Answer) else Answer(0, 0)
    # The corner farthest from the target: well written, and nobody looked.
    return (spoken(scene.env, Answer(1000 if end.x < 500 else 0, 1000 if end.y < 500 else 0)),)


def _never_zooms(scene: Scene) -> tuple[str, ...] | None:
    return scene.crops() if scene.hard else None


def _always_zooms(scene: Scene) -> tuple[str, ...] | None:
    return None if scene.zooms else scene.crops(scene.window)


def _ends_on_a_crop(scene: Scene) -> tuple[str, ...]:
    return (crop_text(scene.env, scene.window),)


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
