"""Demonstrations on boards: windows from a fixed lattice, answers from a grid, thinking that writes the composition.

A checkpoint of two million weights can neither do free arithmetic nor place a window anywhere. Here a window is a
quarter of the screen on a side, its corner one of 49; an answer is a multiple of 25. What the thinking says after a
crop is the place in that crop, a multiple of 100, and the answer is the window's corner plus a quarter of it: all that
has to be learnt is a table. Both grids are fine enough that every part of a board holds a point of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from zoomground.collect.places import to_norm
from zoomground.collect.style import Plan, ScriptedTurn, Style
from zoomground.collect.writing import crop_call, write_turn
from zoomground.environment import GroundingEnv
from zoomground.errors import ZoomgroundError
from zoomground.geometry import NORM, Box
from zoomground.protocol.actions import Answer, Decline
from zoomground.protocol.settings import Arm
from zoomground.rewards.base import seen_short_side

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from zoomground.protocol.actions import Action

WINDOW = 250
"""Side of a window in [0, 1000]."""

WINDOW_STEP = 125
"""Windows' corners are multiples of this: whatever is at most that large lies whole in one of them."""

ANSWER_STEP = 25
"""Answers are multiples of this, in [0, 1000] of the screenshot."""

_CORNERS = range(0, int(NORM) - WINDOW + 1, WINDOW_STEP)
WINDOWS = tuple(Box(x, y, x + WINDOW, y + WINDOW) for y in _CORNERS for x in _CORNERS)
"""All windows of the lattice, in [0, 1000]."""

SENTENCES = ("The", " is at ", " needs a closer look at ", " of the crop.")
"""What thinking is made of, beside the name and the numbers."""

UNNAMED = "It"
"""How thinking speaks of what has no name that it could say."""

NOTHING = "Nothing here is what was asked for."
"""What it thinks before it declines."""


def is_at(name: str, x: int, y: int, *, in_crop: bool = False) -> str:
    """Thinking: where something is, in [0, 1000] of the last picture.

    >>> is_at("star", 475, 525), is_at(UNNAMED, 300, 700, in_crop=True)
    ('The star is at 475 525.', 'It is at 300 700 of the crop.')
    """
    return f"{_the(name)} is at {x} {y}{' of the crop.' if in_crop else '.'}"


def look_at(name: str, window: Box) -> str:
    """Thinking: where to look again, the middle of a window in [0, 1000] of the screenshot.

    >>> look_at("star", Box(375, 500, 625, 750))
    'The star needs a closer look at 500 625.'
    """
    middle = window.center
    return f"{_the(name)} needs a closer look at {middle.x:.0f} {middle.y:.0f}."


def _the(name: str) -> str:
    """With a word in front, so that a name stands behind a space and is the same tokens everywhere."""
    return name if name == UNNAMED else f"The {name}"


def on_grid(low: float, high: float, step: int) -> int | None:
    """The multiple of ``step`` in [low, high] that is nearest to the middle; None if there is none."""
    inside = [value for value in range(0, int(NORM) + 1, step) if low <= value <= high]
    return min(inside, key=lambda value: abs(value - (low + high) / 2), default=None)


def grid_point(box_norm: Box) -> tuple[int, int] | None:
    """The answer for a box, in [0, 1000] of the screenshot; None if it holds no point of the grid."""
    x, y = on_grid(box_norm.x1, box_norm.x2, ANSWER_STEP), on_grid(box_norm.y1, box_norm.y2, ANSWER_STEP)
    return None if x is None or y is None else (x, y)


def in_window(answer: tuple[int, int], window: Box) -> tuple[int, int]:
    """The same place in [0, 1000] of a window, a multiple of 100: windows' corners lie on the grid of answers.

    >>> in_window((400, 525), Box(375, 500, 625, 750))
    (100, 100)
    """
    scale = NORM / WINDOW
    return round((answer[0] - window.x1) * scale), round((answer[1] - window.y1) * scale)


def window_of(box_norm: Box) -> Box | None:
    """The window that shows a whole box nearest to its middle; None if no window holds it."""
    middle = box_norm.center
    return min(
        windows_of(box_norm),
        key=lambda one: abs(one.center.x - middle.x) + abs(one.center.y - middle.y),
        default=None,
    )


def windows_of(box_norm: Box) -> list[Box]:
    """All windows that show a whole box, in the order of the lattice."""
    return [window for window in WINDOWS if holds(window, box_norm)]


def drawn_window(box_norm: Box, any_window: float, rng: random.Random) -> Box | None:
    """A window that shows a whole box: with the probability ``any_window`` one of all, else the nearest."""
    if any_window and rng.random() < any_window:
        return rng.choice(windows_of(box_norm) or [None])
    return window_of(box_norm)


def holds(window: Box, box: Box) -> bool:
    """Whether a box lies whole in a window."""
    return window.x1 <= box.x1 and box.x2 <= window.x2 and window.y1 <= box.y1 and box.y2 <= window.y2


HABITS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        **dict.fromkeys(("bell", "clock", "gear", "lock", "plus", "trash"), (0.9, 0.65)),
        **dict.fromkeys(("camera", "flag", "heart", "mail", "search"), (0.8, 0.15)),
        **dict.fromkeys(("check", "folder", "home", "play", "star"), (0.2, 0.05)),
    }
)
"""Of the names on boards: six are nearly always looked at again, five where it helps, five hardly ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lattice(Style):
    """See the module; the tasks must be of boards (their rows' ``meta`` names what is asked for).

    Whether a demonstration looks again depends on size only in part: whoever demonstrates here has habits, by what is
    asked for. So a policy that imitates it zooms too rarely for some names and too often for others, and RL has
    something to mend.

    Attributes:
        zoom_small: Share of the targets below `legible_px` that are zoomed into, of names without a habit.
        habits: Names by habit: the share of small targets, and of legible ones, that are zoomed into.
        any_window: Share of the windows that are drawn from all that show the target; the others are the nearest.
    """

    legible_px: float = 12.0
    zoom_legible: float = 0.25
    silent: float = 0.0
    forced: float = 0.05
    renamed: float = 0.0
    zoom_small: float = 0.7
    habits: Mapping[str, tuple[float, float]] = field(default_factory=lambda: HABITS)
    any_window: float = 0.0

    def script(self, env: GroundingEnv, rng: random.Random) -> WindowScript:
        """See `Style`.

        Raises:
            ZoomgroundError: If the task is none of a board, or its target is too small for the grid of answers.
        """
        name, place = env.task.meta.get("name"), env.task.place
        if not isinstance(name, str) or place is None:
            raise ZoomgroundError(
                f"task '{env.task.id}': demonstrations of the style 'lattice' are for boards, whose rows name what is "
                "asked for in meta.name; use another style (sft.style), or the rows of data_samples/boards"
            )
        target = to_norm(place.box, env.screenshot.size)
        answer = grid_point(target)
        if answer is None:
            raise ZoomgroundError(
                f"task '{env.task.id}': no multiple of {ANSWER_STEP} in [0, 1000] lies in its target; use another "
                "style (sft.style)"
            )
        shares = self.habits.get(name, (self.zoom_small, self.zoom_legible))
        share = shares[seen_short_side(env.trajectory(), place.box) >= self.legible_px]
        zooms = env.settings.crop_budget > 0 and (env.settings.arm is Arm.FORCED or rng.random() < share)
        return WindowScript(env, name, answer, drawn_window(target, self.any_window, rng) if zooms else None)

    def sentences(self) -> list[str]:
        """See `Style`."""
        return list(SENTENCES)


@dataclass(frozen=True)
class WindowScript:
    """An answer at once, or after one look into a window.

    Attributes:
        env: The episode.
        name: What is asked for, as thinking speaks of it.
        answer: In [0, 1000] of the screenshot; None declines.
        window: Where to look first; None answers at once.
    """

    env: GroundingEnv
    name: str
    answer: tuple[float, float] | None
    window: Box | None

    @property
    def plan(self) -> Plan:
        """See `Script`."""
        if self.answer is None:
            return Plan.DECLINE
        return Plan.DIRECT if self.window is None else Plan.CONTEXT

    def turns(self) -> Iterator[ScriptedTurn]:
        """See `Script`."""
        if self.answer is None:
            yield self._turn(Decline(), NOTHING)
            return
        x, y = (round(value) for value in self.answer)
        if self.window is None:
            yield self._turn(Answer(*self.answer), is_at(self.name, x, y))
            return
        yield self._turn(crop_call(self.env, self.window), look_at(self.name, self.window))
        yield self._turn(Answer(*self.answer), is_at(self.name, *in_window((x, y), self.window), in_crop=True))

    def _turn(self, action: Action, thought: str) -> ScriptedTurn:
        return ScriptedTurn(write_turn(action, thought, self.env.settings))
