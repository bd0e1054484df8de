"""Turn-level credit and the turn filter, as steps of the trainer over what it has prepared for the loss.

The trainer calls `read` when the batch was made from labels, `apply` when the advantages are there, and asks for
`notes` when it logs. Groups may straddle ranks: what the credit compares, a few numbers an episode, is gathered.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from zoomground.engines.swift.spans import TurnMap, trained_by_turn
from zoomground.engines.swift.turn_filter import REASONS, against_the_sign, unsure
from zoomground.engines.swift.turn_notes import UNTOUCHED, LeftOut, TurnNotes, turn_figures
from zoomground.errors import RecipeError
from zoomground.recipe import FilterKind
from zoomground.rewards.potential import process_scores
from zoomground.rewards.turn_credit import credited_gains, terms_of_gains

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import torch
    from swift.rl_core.data import GRPOBatch, GRPOSample

    from zoomground.engines.swift.active import EngineSettings
    from zoomground.trajectory import Trajectory

_logger = logging.getLogger(__name__)


class Gather(Protocol):
    """Items of all ranks, in the order of the ranks."""

    def __call__(self, items: list[Any], /) -> list[Any]:
        """Gather."""
        ...


def refuse_without_tokens(args: Any) -> None:
    """Refuse what makes one number of the advantages of a sequence, where credit tells its tokens apart.

    Args:
        args: ms-swift's arguments of the trainer.

    Raises:
        RecipeError: If there is such a thing; the message names it and what to do.
    """
    correction = args.rollout_importance_sampling_mode or ""
    wrong = {
        "--use_liger_kernel true": args.use_liger_kernel,
        "--loss_type real": args.loss_type == "real",
        "--importance_sampling_level sequence": args.importance_sampling_level == "sequence",
        f"--rollout_importance_sampling_mode {correction}": correction.startswith("sequence"),
        "--off_policy_sequence_mask_delta": args.off_policy_sequence_mask_delta is not None,
    }
    found = [option for option, given in wrong.items() if given]
    if found:
        raise RecipeError(
            f"credit.coefficient gives each turn an advantage of its own, {', '.join(found)} knows one for a whole "
            "sequence: leave that out, or set credit.coefficient = 0 (ZOOMIN_CREDIT_COEFFICIENT)"
        )


class TurnLevel:
    """Credit and filter of one trainer, step by step.

    Args:
        settings: What is on.
        gather: Collects from all ranks; every rank takes part in every step.

    Attributes:
        notes: What was done in the step, by the request's id.
    """

    def __init__(self, settings: EngineSettings, gather: Gather) -> None:
        self._settings = settings
        self._coefficient = settings.credit.coefficient
        self._filter = settings.turn_filter
        self._gather = gather
        self._maps: list[TurnMap] = []
        self._episodes: dict[str, Trajectory] = {}
        self._entropies: dict[int, torch.Tensor] = {}
        self.notes: dict[str, TurnNotes] = {}

    @property
    def is_on(self) -> bool:
        """Whether there is anything to do."""
        return bool(self._coefficient) or self.filters

    @property
    def filters(self) -> bool:
        """Whether turns may leave the loss."""
        return self._filter.kind is not FilterKind.NONE

    def wants_entropy(self, batch: GRPOBatch) -> bool:
        """Whether this forward pass is the policy's over what it sampled, and its entropies are needed."""
        return self._filter.kind is FilterKind.UNCERTAINTY and batch.old_per_token_logps is None

    def keep_entropy(self, batch: GRPOBatch, entropies: torch.Tensor) -> None:
        """Keep the entropies, [B, T], of a micro-batch until `apply`."""
        self._entropies[id(batch)] = entropies

    def read(
        self,
        chunks: Sequence[Sequence[GRPOSample]],
        batches: Sequence[Mapping[str, Any]],
        episodes: Mapping[str, Trajectory | None],
    ) -> None:
        """Find the turns of a step, before anything is masked.

        Args:
            chunks: The samples of each micro-batch.
            batches: What ms-swift made of them.
            episodes: The trajectories by the request's id; None where there is none.
        """
        self._maps, self.notes = [], {}
        self._episodes = {key: one for key, one in episodes.items() if one is not None and not one.failed}
        for chunk, batch in zip(chunks, batches, strict=True):
            trained = [self._trained(sample) for sample in chunk]
            found = TurnMap.of(batch["grpo_batch"].completion_mask, trained)
            self._maps.append(found)
            for sample, turns in zip(chunk, found.turns, strict=True):
                if sample.request_id in self._episodes and not turns:
                    _logger.warning("request %s: nobody knows which tokens belong to which turn", sample.request_id)
                    self.notes[sample.request_id] = TurnNotes(unmatched=True)

    def _trained(self, sample: GRPOSample) -> list[int] | None:
        episode = self._episodes.get(sample.request_id)
        return None if episode is None else trained_by_turn(sample, len(episode.turns))

    def apply(
        self,
        samples: Sequence[GRPOSample],
        chunks: Sequence[Sequence[GRPOSample]],
        batches: Sequence[Mapping[str, Any]],
        num_generations: int,
    ) -> None:
        """Add the credit to the advantages and mask what the filter leaves out.

        Args:
            samples: Of this rank, in order; the generations of a prompt are neighbours, over all ranks.
            chunks: As in `read`.
            batches: As in `read`, with advantages of [B, T].
            num_generations: Rollouts of each prompt.
        """
        terms = self._terms(samples, num_generations) if self._coefficient else {}
        for chunk, batch, found in zip(chunks, batches, self._maps, strict=True):
            grpo_batch = batch["grpo_batch"]
            own = [terms.get(sample.request_id, ()) if turns else () for sample, turns in _rows(chunk, found)]
            if any(any(row) for row in own):
                grpo_batch.advantages = grpo_batch.advantages + found.spread(own)
            for sample, row in zip(chunk, own, strict=True):
                if row:
                    self.notes[sample.request_id] = TurnNotes(credit=row)
            if self.filters:
                self._leave_out(chunk, grpo_batch, found, own)
        self._entropies.clear()

    def _terms(self, samples: Sequence[GRPOSample], num_generations: int) -> dict[str, tuple[float, ...]]:
        everyone = self._gather([(sample.request_id, self._gains(sample.request_id)) for sample in samples])
        terms: dict[str, tuple[float, ...]] = {}
        for start in range(0, len(everyone), num_generations):
            group = everyone[start : start + num_generations]
            of_group = terms_of_gains([gains for _, gains in group], self._coefficient)
            terms |= {key: own for (key, _), own in zip(group, of_group, strict=True)}
        return terms

    def _gains(self, request_id: str) -> tuple[float | None, ...]:
        """What an episode takes to the comparison: nothing, if its terms could not be put on its tokens."""
        episode = self._episodes.get(request_id)
        if episode is None or self.notes.get(request_id, UNTOUCHED).unmatched:
            return ()
        return credited_gains(episode, self._settings.rewards)

    def _leave_out(
        self, chunk: Sequence[GRPOSample], batch: GRPOBatch, found: TurnMap, credit: Sequence[tuple[float, ...]]
    ) -> None:
        # An episode that has left whole, for another reason, has no turns to leave.
        here = batch.completion_mask.any(dim=1).tolist()
        reasons = [
            row if there else () for row, there in zip(self._reasons(chunk, batch, found, credit), here, strict=True)
        ]
        out = found.spread([[float(reason is not None) for reason in row] for row in reasons])
        batch.completion_mask = batch.completion_mask.masked_fill(out > 0, value=0)
        for sample, row, kept in zip(chunk, reasons, batch.completion_mask, strict=True):
            if any(row):
                note = self.notes.get(sample.request_id, UNTOUCHED)
                self.notes[sample.request_id] = replace(note, left_out=row, emptied=not bool(kept.any()))

    def _reasons(
        self, chunk: Sequence[GRPOSample], batch: GRPOBatch, found: TurnMap, credit: Sequence[tuple[float, ...]]
    ) -> list[tuple[LeftOut | None, ...]]:
        if self._filter.kind is FilterKind.UNCERTAINTY:
            assert batch.old_per_token_logps is not None  # noqa: S101 -- ms-swift's forward comes before
            means = zip(found.means(batch.old_per_token_logps), found.means(self._entropies[id(batch)]), strict=True)
            return [unsure(logprobs, entropies, self._filter) for logprobs, entropies in means]
        reasons: list[tuple[LeftOut | None, ...]] = []
        for (sample, turns), terms in zip(_rows(chunk, found), credit, strict=True):
            if not turns:
                reasons.append(())
                continue
            base = float(sample.advantages)
            advantages = [base + term for term in terms or (0.0,) * turns]
            scores = process_scores(self._episodes[sample.request_id], self._settings.rewards)
            reasons.append(against_the_sign(scores, advantages, self._filter))
        return reasons

    def figures(self, notes: Sequence[TurnNotes]) -> dict[str, float]:
        """The figures of a step by the names of the trainer's log.

        Args:
            notes: Of every rollout of the step, of all ranks.
        """
        made = turn_figures(notes, credit=bool(self._coefficient), reasons=REASONS[self._filter.kind])
        return {f"zoomin/{name}": value for name, value in made.items()}


def _rows(chunk: Sequence[GRPOSample], found: TurnMap) -> zip[tuple[GRPOSample, int]]:
    return zip(chunk, found.turns, strict=True)
