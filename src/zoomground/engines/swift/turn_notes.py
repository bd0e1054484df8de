"""What turn-level credit and the turn filter did to an episode, for the log, and the figures of a step.

Nothing here imports ms-swift or torch.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class LeftOut(StrEnum):
    """Why a turn left the loss.

    - idle: ``prm``; its advantage is positive, but it gained nothing.
    - good: ``prm``; its advantage is negative, but it did well.
    - improbable: ``uncertainty``; the policy gave its tokens too low a probability.
    - undecided: ``uncertainty``; the policy's distributions were too flat.
    """

    IDLE = "idle"
    GOOD = "good"
    IMPROBABLE = "improbable"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class TurnNotes:
    """One episode.

    Attributes:
        credit: What was added to the advantage of each turn; empty: nothing.
        left_out: Why each turn left the loss, None: it stayed; empty: all stayed.
        emptied: Whether the filter left nothing of the episode.
        unmatched: Whether nobody knows which tokens belong to which turn, so that nothing was done.
    """

    credit: tuple[float, ...] = ()
    left_out: tuple[LeftOut | None, ...] = ()
    emptied: bool = False
    unmatched: bool = False


UNTOUCHED = TurnNotes()


def turn_figures(notes: Sequence[TurnNotes], *, credit: bool, reasons: Sequence[LeftOut]) -> dict[str, float]:
    """The figures of a step, without the prefix of the trainer's log.

    Args:
        notes: Of every rollout of the step, of all ranks.
        credit: Whether turn-level credit is on.
        reasons: For what turns may leave under the filter that is on.
    """
    figures: dict[str, float] = {}
    if credit or reasons:
        figures["turns_unmatched"] = float(sum(note.unmatched for note in notes))
    if credit:
        terms = [abs(term) for note in notes for term in note.credit if term]
        figures |= {"credited_turns": float(len(terms)), "credit_size": fmean(terms) if terms else 0.0}
    if reasons:
        left = Counter(reason for note in notes for reason in note.left_out if reason is not None)
        figures |= {f"turns_out/{reason}": float(left[reason]) for reason in reasons}
        figures["episodes_out"] = float(sum(note.emptied for note in notes))
    return figures
