"""The words and colours that the picture, the page and the terminal share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.rewards.base import hit

if TYPE_CHECKING:
    from zoomground.data.trajectories import SavedRecord
    from zoomground.trajectory import Trajectory

TARGET_COLOR = "#15803d"
ANSWER_COLOR = "#dc2626"
_CROP_COLORS = ("#2563eb", "#d97706", "#7c3aed", "#0e7490", "#be185d")


def crop_color(number: int) -> str:
    """Colour of the crop with this number, counted from 1."""
    return _CROP_COLORS[(number - 1) % len(_CROP_COLORS)]


def ending(trajectory: Trajectory) -> str:
    """Why an episode ended, as words."""
    return "still running" if trajectory.stop_reason is None else trajectory.stop_reason.value.replace("_", " ")


def verdict(trajectory: Trajectory) -> str:
    """Whether an episode ended right, as words; nobody knows without a target."""
    if trajectory.task.target is None:
        return "no target"
    return "hit" if hit(trajectory) else "miss"


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "turn"), counted(2, "turn")
    ('1 turn', '2 turns')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def outcome_line(trajectory: Trajectory) -> str:
    """How an episode went, in one line."""
    parts = [
        verdict(trajectory),
        ending(trajectory),
        counted(len(trajectory.turns), "turn"),
        counted(len(trajectory.crops), "crop"),
    ]
    if trajectory.corrections:
        parts.append(counted(trajectory.corrections, "bad turn"))
    if trajectory.answer is not None:
        parts.append(f"answer [{trajectory.answer.x:.2f},{trajectory.answer.y:.2f}]")
    parts += [f"zoom {trajectory.settings.arm}", f"task {trajectory.task.id}"]
    return "  ·  ".join(parts)


def loss_words(record: SavedRecord, number: int) -> list[str]:
    """What training did to one turn beside the episode's advantage: its credit, and why it left the loss.

    Args:
        record: A saved episode.
        number: Which turn, counted from 0.
    """
    words = []
    if record.turn_credit and record.turn_credit[number]:
        words.append(f"credit {record.turn_credit[number]:+.3f}")
    if record.turns_out and record.turns_out[number] is not None:
        words.append(f"left the loss: {record.turns_out[number]}")
    return words
