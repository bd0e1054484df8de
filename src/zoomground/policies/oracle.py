"""The honest player: it knows the target, and plays as a good policy should.

One crop with the target's surroundings when the target is too small to read, a direct answer when it is not, a decline
where there is nothing to find. It is the yardstick of the reward audit and a fake for tests of every driver.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError
from zoomground.geometry import Box, Point, Polygon, Region
from zoomground.policies.base import Reply
from zoomground.protocol.actions import Action, Answer, Crop, CropUnits, Decline
from zoomground.protocol.observation import CropView, crop_name
from zoomground.protocol.render import render
from zoomground.protocol.settings import Arm
from zoomground.rewards.base import DEFAULT_SETTINGS, RewardSettings, seen_short_side, target_box
from zoomground.rewards.quality import short_side_in_crop, surround
from zoomground.rewards.zoom_bonus import MIN_FULL_ZOOM, MIN_ZOOM
from zoomground.task import Difficulty, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zoomground.environment import GroundingEnv
    from zoomground.geometry import Size
    from zoomground.task import Target

_LADDER_STEP = 1.1
"""How much closer each next window is that the oracle considers."""

_DECIMALS = 2
_FULL = 1000.0


@dataclass(frozen=True, slots=True)
class Oracle:
    """A `zoomground.policies.base.Policy` that answers right, with as many crops as the target needs: one or none.

    Attributes:
        rewards: What counts as legible.
    """

    rewards: RewardSettings = DEFAULT_SETTINGS

    def reply(self, env: GroundingEnv) -> Reply:
        """Write the next turn, in canonical form."""
        may_crop = env.views.crop_count == 0 < env.remaining_crops and not env.is_last_turn
        if may_crop and self.wants_crop(env):
            text = crop_text(env, self.window(env), thought="The target is small. I will look closer.")
        else:
            text = spoken(env, final_action(env), thought="I can see it.")
        return Reply(text, "stop")

    def wants_crop(self, env: GroundingEnv) -> bool:
        """Whether an honest policy looks closer here.

        It does when the target is not legible, when the row says that it is hard and there is room to zoom, and when
        the arm demands it.
        """
        trajectory = env.trajectory()
        box = target_box(trajectory)
        if env.settings.arm is Arm.FORCED:
            return True
        if box is None:
            return False
        if seen_short_side(trajectory, box) < self.rewards.legible_px:
            return True
        return env.task.difficulty is Difficulty.HARD and self.window(env).zoom >= MIN_ZOOM

    def window(self, env: GroundingEnv) -> Region:
        """The window to crop: the roomiest that holds the surround and makes the target legible.

        Where no window does, the one that comes closest. On a refusal task: the middle of the screen.
        """
        trajectory = env.trajectory()
        box = target_box(trajectory)
        size = env.task.size
        if box is None:
            return next(_windows(Box(size.width / 2, size.height / 2, size.width / 2, size.height / 2), size))
        seen = seen_short_side(trajectory, box)
        best, best_px = Region.whole(size), 0.0
        for region in _windows(surround(box, size), size):
            shown_px = short_side_in_crop(_view_of(env, region), box, seen_px=seen)
            if shown_px > best_px:
                best, best_px = region, shown_px
            if shown_px >= self.rewards.legible_px and region.zoom >= MIN_FULL_ZOOM:
                return region
        return best


def final_action(env: GroundingEnv) -> Answer | Decline:
    """The right end of the episode: a point inside the target, or a decline.

    Raises:
        ZoomgroundError: If the task has no target, or one that lies outside the screenshot.
    """
    if env.task.target is None:
        raise ZoomgroundError(f"task '{env.task.id}' has no target; nobody knows its right end")
    action = right_action(env.task.target, env.task.size)
    if action is None:
        raise ZoomgroundError(f"task '{env.task.id}': its target lies outside the screenshot; nothing can hit it")
    return action


def right_action(target: Target, size: Size) -> Answer | Decline | None:
    """What is right: a point well inside the part of the target that is on the screen, or a decline; None: nothing.

    Args:
        target: In px of the screenshot.
        size: Of the screenshot, in px.
    """
    if isinstance(target, Refusal):
        return Decline()
    if isinstance(target, Polygon):
        at = inner_point(target)
    else:
        left, right = max(target.x1, 0.0), min(target.x2, size.width)
        top, bottom = max(target.y1, 0.0), min(target.y2, size.height)
        if left > right or top > bottom:
            return None
        at = Point((left + right) / 2, (top + bottom) / 2)
    point = at.to_norm(size)
    answer = Answer(round(point.x, _DECIMALS), round(point.y, _DECIMALS))
    return answer if 0 <= answer.x <= _FULL and 0 <= answer.y <= _FULL else None


def crop_text(env: GroundingEnv, *regions: Region, thought: str = "") -> str:
    """A turn that asks for these windows of the screenshot, in canonical form.

    The corners are rounded inward: the environment rounds outward to whole px and so cuts exactly these windows.
    """
    return spoken(env, *(_call(env, region) for region in regions), thought=thought)


def spoken(env: GroundingEnv, *actions: Action, thought: str = "") -> str:
    """A turn in canonical form: the thought, if there is one, and the actions."""
    ends_in_think = env.settings.prompt_ends_in_think
    text = render(actions, think=thought if thought or ends_in_think else None)
    return text.removeprefix("<think>") if ends_in_think else text


def inner_point(polygon: Polygon) -> Point:
    """A point well inside a polygon, px: the middle of its widest level span, among a few levels.

    >>> inner_point(Polygon((Point(0, 0), Point(30, 0), Point(30, 30), Point(20, 30), Point(20, 10), Point(0, 10))))
    Point(x=15.0, y=7.5)
    """
    box, spans = polygon.box, []
    for level in (4, 3, 5, 2, 6, 1, 7):
        y = box.y1 + box.height * level / 8
        crossings = sorted(
            a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x)
            for a, b in zip(polygon.corners, polygon.corners[1:] + polygon.corners[:1], strict=True)
            if (a.y > y) != (b.y > y)
        )
        spans += [(right - left, left, y) for left, right in zip(crossings[::2], crossings[1::2], strict=True)]
    if not spans:
        return polygon.corners[0]
    width, left, y = max(spans, key=lambda span: span[0])
    return Point(left + width / 2, y)


def _windows(around: Box, size: Size) -> Iterator[Region]:
    """Windows with the screen's proportions that hold ``around``, from a zoom of 2 to the tightest."""
    whole, zoom, middle = Region.whole(size), MIN_FULL_ZOOM, around.center
    while True:
        width, height = max(size.width / zoom, around.width, 1.0), max(size.height / zoom, around.height, 1.0)
        x1 = min(max(middle.x - width / 2, 0.0), size.width - width)
        y1 = min(max(middle.y - height / 2, 0.0), size.height - height)
        yield whole.subregion(Box(x1, y1, x1 + width, y1 + height), size)
        if (width, height) == (max(around.width, 1.0), max(around.height, 1.0)):
            return
        zoom *= _LADDER_STEP


def _view_of(env: GroundingEnv, region: Region) -> CropView:
    """The region as the environment would show it, without cutting it."""
    settings = env.settings
    shown = settings.limits.shown_size(region.size, settings.crop_upscale_factor, settings.crop_max_pixels)
    return CropView(crop_name(1), env.image_name, region, shown, "", "")


def _call(env: GroundingEnv, region: Region) -> Crop:
    if env.settings.crop_units is CropUnits.PIXELS:
        return Crop(env.image_name, region.x1, region.y1, region.x2, region.y2)
    size = region.original
    return Crop(
        env.image_name,
        _inward(region.x1, size.width, up=True),
        _inward(region.y1, size.height, up=True),
        _inward(region.x2, size.width, up=False),
        _inward(region.y2, size.height, up=False),
    )


def _inward(px: int, side: int, *, up: bool) -> float:
    hundredths = -(-px * 100_000 // side) if up else px * 100_000 // side
    return hundredths / 100
