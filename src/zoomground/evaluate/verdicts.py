"""What a reply came to, and whether that was right: the one judge of every benchmark.

A reply is read as one of four things (`Pointed`, `Declined`, `Unreadable`, `Failed`); held against an item it is one of
five verdicts. They are told apart because they mean different things, and all of them stay in the denominator: a
harness that drops what it cannot read, or takes a missing answer for (0, 0), measures something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from zoomground.evaluate.items import Scoring
from zoomground.geometry import Point
from zoomground.task import Refusal

if TYPE_CHECKING:
    from zoomground.evaluate.items import Item
    from zoomground.trajectory import Trajectory


class Verdict(StrEnum):
    """Whether an answer was right, and if not, how it was wrong.

    - correct: the point lies in the target, edges included; or a refusal item was declined.
    - wrong: the point lies elsewhere, or a refusal item got a point.
    - wrong_format: no answer could be read: none, several, cut, in another dialect.
    - refused: an item that has a target was declined (a false refusal).
    - error: no reply was had, by our fault or the endpoint's; such items are asked again.
    """

    CORRECT = "correct"
    WRONG = "wrong"
    WRONG_FORMAT = "wrong_format"
    REFUSED = "refused"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Pointed:
    """The reply is a point, in px of the item's annotated size."""

    point: Point


@dataclass(frozen=True, slots=True)
class Declined:
    """The reply says that nothing on the screen matches."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The reply holds no answer, or not exactly one."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """There is no reply."""

    reason: str


Outcome = Pointed | Declined | Unreadable | Failed


@dataclass(frozen=True, slots=True)
class Given:
    """What was given for an item.

    Attributes:
        outcome: What the reply came to.
        text: The reply as it was written.
    """

    outcome: Outcome
    text: str = ""


def judge(item: Item, outcome: Outcome, scoring: Scoring = Scoring.TRUE) -> Verdict:
    """Hold an outcome against an item."""
    match outcome:
        case Failed():
            return Verdict.ERROR
        case Unreadable():
            return Verdict.WRONG_FORMAT
        case Declined():
            return Verdict.CORRECT if isinstance(item.target(scoring), Refusal) else Verdict.REFUSED
        case Pointed():
            target = item.target(scoring)
            inside = not isinstance(target, Refusal) and target.contains(outcome.point)
            return Verdict.CORRECT if inside else Verdict.WRONG


def outcome_of(trajectory: Trajectory, item: Item) -> Outcome:
    """What an episode of our own protocol came to, in px of the item's annotated size.

    The size of the screenshot's file does not matter: an answer is in [0, 1000] of it, whatever it is.
    """
    if trajectory.failed:
        return Failed(trajectory.failure or str(trajectory.stop_reason))
    if trajectory.declined:
        return Declined()
    if trajectory.answer is not None:
        return Pointed(Point(trajectory.answer.x, trajectory.answer.y).to_px(item.size))
    return Unreadable(trajectory.stop_reason.value if trajectory.stop_reason else "the episode still runs")
