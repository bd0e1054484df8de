"""The turn filter's decisions: which turns of an episode leave the loss, and why. Docs: ``docs/credit.md``.

`prm` asks whether a turn's score from the known box agrees with the sign of its advantage. Of an episode that did
better than its group, turns that gained nothing leave; of one that did worse, turns that were good: else a good crop
before a bad answer would be unlearnt. `uncertainty` needs no box: it drops turns that the policy itself found
improbable, or was undecided in. Nothing here imports ms-swift or torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.engines.swift.turn_notes import LeftOut
from zoomground.recipe import FilterKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zoomground.recipe import TurnFilter

REASONS: Mapping[FilterKind, tuple[LeftOut, ...]] = {
    FilterKind.NONE: (),
    FilterKind.PRM: (LeftOut.IDLE, LeftOut.GOOD),
    FilterKind.UNCERTAINTY: (LeftOut.IMPROBABLE, LeftOut.UNDECIDED),
}
"""For what a turn may leave under each kind."""


def against_the_sign(
    scores: Sequence[float | None], advantages: Sequence[float], settings: TurnFilter
) -> tuple[LeftOut | None, ...]:
    """`prm`: why each turn leaves, None: it stays.

    Args:
        scores: `zoomground.rewards.potential.process_scores`; a turn of which the box says nothing stays.
        advantages: What the loss multiplies each turn by, its credit included; at 0 nothing is learnt and all stay.
        settings: The recipe's section.
    """
    return tuple(_contradiction(score, sign, settings) for score, sign in zip(scores, advantages, strict=True))


def _contradiction(score: float | None, advantage: float, settings: TurnFilter) -> LeftOut | None:
    if score is None or not advantage:
        return None
    good = score >= settings.min_score
    if advantage > 0:
        return None if good else LeftOut.IDLE
    return LeftOut.GOOD if good else None


def unsure(logprobs: Sequence[float], entropies: Sequence[float], settings: TurnFilter) -> tuple[LeftOut | None, ...]:
    """`uncertainty`: why each turn leaves, None: it stays.

    Args:
        logprobs: Mean log-prob of each turn's tokens, nat; NaN for a turn without trained tokens, which stays.
        entropies: Mean entropy of the distributions that they were sampled from, nat; likewise.
        settings: The recipe's section.
    """
    return tuple(_doubt(*means, settings) for means in zip(logprobs, entropies, strict=True))


def _doubt(logprob: float, entropy: float, settings: TurnFilter) -> LeftOut | None:
    if logprob < settings.min_logprob:
        return LeftOut.IMPROBABLE
    return LeftOut.UNDECIDED if entropy > settings.max_entropy else None
