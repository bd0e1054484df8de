"""Which turn a trained token belongs to, in the frame of ms-swift's batch.

ms-swift 4.6.0 keeps the tokens of an episode as [B, T]: the last T of the padded conversation, prompt and observations
included, with a mask of what is trained. The turns themselves are lists of ids and of masks on the sample. Both run in
the same order, a turn's masked response prefix and neutralised ids are outside both masks, so the k-th trained token of
the row is the k-th trained token of the turns, if their numbers agree. Where they do not, nothing is guessed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence


def trained_by_turn(sample: Any, turns: int) -> list[int] | None:
    """Trained tokens of each turn of an episode of so many turns; None if the sample does not hold that many."""
    masks = sample.response_loss_mask
    if len(masks) != turns or not all(isinstance(mask, list) for mask in masks):
        return None
    return [sum(mask) for mask in masks]


@dataclass(frozen=True, slots=True)
class TurnMap:
    """The turns of one micro-batch.

    Attributes:
        turn: [B, T], the turn of each trained token, counted from 0; -1 for every other token.
        turns: Turns of each row; 0 where they are not known.
    """

    turn: torch.Tensor
    turns: tuple[int, ...]

    @classmethod
    def of(cls, mask: torch.Tensor, trained: Sequence[Sequence[int] | None]) -> TurnMap:
        """Find the turns.

        Args:
            mask: [B, T], what is trained, before anything was left out.
            trained: `trained_by_turn` of each row.
        """
        turn = torch.full(mask.shape, -1, dtype=torch.long, device=mask.device)
        known = []
        for row, (places, counts) in enumerate(zip(mask, trained, strict=True)):
            agree = counts is not None and sum(counts) == int(places.sum().item())
            known.append(len(counts) if counts is not None and agree else 0)
            if counts is not None and agree:
                numbers = torch.arange(len(counts), device=mask.device)
                lengths = torch.tensor(counts, device=mask.device)
                turn[row, places.bool()] = numbers.repeat_interleave(lengths)
        return cls(turn, tuple(known))

    def spread(self, values: Sequence[Sequence[float]]) -> torch.Tensor:
        """[B, T] with each token's value: that of its turn, 0 outside the turns.

        Args:
            values: One value a turn for each row, or none, which is 0 for all of them.
        """
        table = torch.zeros(len(values), max([*self.turns, 0]) + 1, device=self.turn.device)
        for row, own in enumerate(values):
            table[row, : len(own)] = torch.tensor(own, device=self.turn.device)
        # The last column is 0 in every row: -1 points there.
        return table.gather(1, self.turn.remainder(table.shape[1]))

    def means(self, values: torch.Tensor) -> list[tuple[float, ...]]:
        """Mean of [B, T] over the tokens of each turn; NaN for a turn without any."""
        found = []
        for row, turns in enumerate(self.turns):
            of_turns = [values[row, self.turn[row] == turn].float() for turn in range(turns)]
            found.append(tuple(float(own.mean()) if own.numel() else math.nan for own in of_turns))
        return found
