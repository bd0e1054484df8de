"""Turns in the trainer's frame, the filter's decisions, and groups that straddle ranks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from episodes import crop_text, env, point_text, task
from zoomground.engines.swift.active import EngineSettings
from zoomground.engines.swift.spans import TurnMap, trained_by_turn
from zoomground.engines.swift.turn_filter import against_the_sign, unsure
from zoomground.engines.swift.turn_level import TurnLevel
from zoomground.engines.swift.turn_notes import LeftOut, TurnNotes, turn_figures
from zoomground.recipe import Credit, FilterKind, TurnFilter
from zoomground.rewards.turn_credit import turn_credit
from zoomground.trajectory import Trajectory

pytestmark = [pytest.mark.engine, pytest.mark.filterwarnings("ignore")]

MASK = torch.tensor([[0, 1, 1, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 0, 1, 0], [1, 1, 0, 0, 0, 0, 0, 0]], dtype=torch.bool)


def test_the_kth_trained_token_of_the_row_is_the_kth_of_the_turns() -> None:
    found = TurnMap.of(MASK, [[2, 3], [1, 0, 1], [1]])
    assert found.turn.tolist() == [
        [-1, 0, 0, -1, -1, 1, 1, 1],
        [-1, -1, -1, -1, 0, -1, 2, -1],
        # 2 tokens are trained, the turns say 1: nothing is guessed.
        [-1] * 8,
    ]
    assert found.turns == (2, 3, 0)
    assert TurnMap.of(MASK, [[2, 3], None, [1, 1]]).turns == (2, 0, 2)


def test_values_of_turns_stand_on_their_tokens_and_nowhere_else() -> None:
    found = TurnMap.of(MASK, [[2, 3], [1, 0, 1], None])
    assert found.spread([(0.5, -1.0), (2.0, 9.0, 4.0), ()]).tolist() == [
        [0, 0.5, 0.5, 0, 0, -1, -1, -1],
        [0, 0, 0, 0, 2, 0, 4, 0],
        [0] * 8,
    ]
    assert not found.spread([(), (), ()]).any()
    assert not TurnMap.of(MASK, [None, None, None]).spread([(), (), ()]).any()


def test_means_are_over_the_tokens_of_a_turn() -> None:
    values = torch.arange(24.0).view(3, 8)
    first, second, third = TurnMap.of(MASK, [[2, 3], [1, 0, 1], None]).means(values)
    assert first == (1.5, 6.0)
    assert (second[0], second[2]) == (12.0, 14.0)
    assert math.isnan(second[1])
    assert third == ()


def test_trained_tokens_leave_the_masked_prefix_and_neutralised_ids_out() -> None:
    two = SimpleNamespace(response_loss_mask=[[0, 0, 1, 1], [1, 0, 1]])
    assert trained_by_turn(two, 2) == [2, 2]
    assert trained_by_turn(two, 3) is None
    # What ms-swift keeps of a reply that no scheduler took part in.
    assert trained_by_turn(SimpleNamespace(response_loss_mask=[]), 1) is None
    assert trained_by_turn(SimpleNamespace(response_loss_mask=[1, 1]), 2) is None


@pytest.mark.parametrize(
    ("advantage", "left"),
    [
        (1.0, (LeftOut.IDLE, None, None, LeftOut.IDLE, None)),
        (-1.0, (None, LeftOut.GOOD, LeftOut.GOOD, None, None)),
        (0.0, (None, None, None, None, None)),
    ],
)
def test_prm_keeps_turns_whose_score_agrees_with_the_sign(advantage: float, left: tuple[LeftOut | None, ...]) -> None:
    scores = (0.0, 0.2, 1.0, 0.1999, None)
    assert against_the_sign(scores, [advantage] * 5, TurnFilter(min_score=0.2)) == left


def test_prm_goes_by_the_sign_that_the_credit_leaves() -> None:
    assert against_the_sign((0.5, 0.5), (0.1, -0.1), TurnFilter()) == (None, LeftOut.GOOD)


def test_uncertainty_has_a_bound_on_each_mean_and_spares_turns_without_tokens() -> None:
    bounds = TurnFilter(min_logprob=-1.0, max_entropy=1.5)
    logprobs, entropies = (-1.0, -1.01, -0.1, -2.0, math.nan), (1.5, 0.1, 1.51, 9.0, math.nan)
    expected = (None, LeftOut.IMPROBABLE, LeftOut.UNDECIDED, LeftOut.IMPROBABLE, None)
    assert unsure(logprobs, entropies, bounds) == expected


def test_figures_are_there_only_for_what_is_on() -> None:
    notes = [TurnNotes(credit=(0.25, 0.0)), TurnNotes(credit=(-0.75,), left_out=(LeftOut.IDLE,), emptied=True)]
    notes.append(TurnNotes(unmatched=True))
    assert turn_figures(notes, credit=False, reasons=()) == {}
    assert turn_figures(notes, credit=True, reasons=(LeftOut.IDLE, LeftOut.GOOD)) == {
        "turns_unmatched": 1,
        "credited_turns": 2,
        "credit_size": 0.5,
        "turns_out/idle": 1,
        "turns_out/good": 0,
        "episodes_out": 1,
    }
    assert turn_figures([], credit=True, reasons=())["credit_size"] == 0


@dataclass
class Rank:
    """One process of two: its samples, as one micro-batch, each turn two tokens with one of prompt between."""

    episodes: list[Trajectory]
    number: int
    advantages: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.samples: list[Any] = [
            SimpleNamespace(
                request_id=f"r{self.number}s{index}",
                response_loss_mask=[[1, 1]] * len(one.turns),
                advantages=(self.advantages or [1.0] * len(self.episodes))[index],
            )
            for index, one in enumerate(self.episodes)
        ]
        rows = [[1, 1, 0] * len(one.turns) + [0] * 3 * (4 - len(one.turns)) for one in self.episodes]
        mask = torch.tensor(rows, dtype=torch.bool)
        base = torch.tensor([sample.advantages for sample in self.samples])
        self.batch: Any = SimpleNamespace(
            completion_mask=mask,
            advantages=base.unsqueeze(1).expand(mask.shape).clone(),
            old_per_token_logps=torch.full(mask.shape, -0.5),
        )

    def run(self, settings: EngineSettings, gather: Callable[[list[Any]], list[Any]]) -> TurnLevel:
        level = TurnLevel(settings, gather)
        batches = [{"grpo_batch": self.batch}]
        known = {sample.request_id: one for sample, one in zip(self.samples, self.episodes, strict=True)}
        level.keep_entropy(self.batch, torch.full(self.batch.completion_mask.shape, 0.5))
        level.read([self.samples], batches, known)
        level.apply(self.samples, [self.samples], batches, num_generations=4)
        return level


def played(*texts: str) -> Trajectory:
    made = env(task())
    for text in texts:
        made.step(text)
    return made.trajectory()


CLOSE, WIDER = crop_text(400, 400, 600, 600), crop_text(100, 100, 900, 900)
HIT, MISS = point_text(505, 510), point_text(1, 1)


def test_a_group_is_compared_over_the_ranks_that_it_straddles() -> None:
    ranks = [
        Rank([played(CLOSE, HIT), played(WIDER, HIT)], 0),
        Rank([played(WIDER, CLOSE, HIT), played(CLOSE, MISS)], 1),
    ]
    settings = EngineSettings(credit=Credit(coefficient=0.5))
    items: list[list[Any]] = []

    def note(own: list[Any]) -> list[Any]:
        items.append(own)
        return own

    for rank in ranks:
        Rank(rank.episodes, rank.number).run(settings, note)
    group = [*items[0], *items[1]]
    levels = [rank.run(settings, lambda _: group) for rank in ranks]
    expected = turn_credit([one for rank in ranks for one in rank.episodes], 0.5, settings.rewards)
    assert any(expected[0])
    notes = [
        level.notes[sample.request_id] for rank, level in zip(ranks, levels, strict=True) for sample in rank.samples
    ]
    assert [note.credit for note in notes] == expected
    first = ranks[0].batch.advantages[0].tolist()
    assert first == pytest.approx([1 + expected[0][0]] * 2 + [1.0] * 10)
    last = ranks[1].batch.advantages[1].tolist()
    assert last == [1.0] * 12, "a miss has no terms"


def test_masking_keeps_the_rest_and_says_what_is_left() -> None:
    rank = Rank([played(CLOSE, HIT), played(CLOSE, CLOSE, HIT), played(CLOSE, HIT)], 0, [1.0, 1.0, -1.0])
    before = rank.batch.completion_mask.clone()
    level = rank.run(EngineSettings(turn_filter=TurnFilter(kind=FilterKind.PRM)), list)
    kept = rank.batch.completion_mask
    assert torch.equal(kept[0], before[0])
    assert kept[1].tolist() == [True, True, False] + [False] * 3 + [True, True, False] + [False] * 3
    assert not kept[2].any()
    assert level.notes["r0s1"] == TurnNotes(left_out=(None, LeftOut.IDLE, None))
    assert level.notes["r0s2"] == TurnNotes(left_out=(LeftOut.GOOD, LeftOut.GOOD), emptied=True)
    assert "r0s0" not in level.notes


def test_the_filter_sees_the_advantage_with_its_credit() -> None:
    """The wider crop gains 0.05 less than the mean: at this coefficient its turn's advantage is below 0."""
    rank = Rank([played(CLOSE, HIT), played(WIDER, HIT)], 0, [0.05, 0.05])
    settings = EngineSettings(credit=Credit(coefficient=2.0), turn_filter=TurnFilter(kind=FilterKind.PRM))
    level = rank.run(settings, list)
    assert level.notes["r0s0"].left_out == ()
    assert level.notes["r0s1"].left_out == (LeftOut.GOOD, None)
    assert level.notes["r0s1"].credit[0] < -0.05


def test_an_episode_that_left_for_another_reason_is_not_counted_here() -> None:
    """One that was cut, under the filter for those: it is masked between the two."""
    rank = Rank([played(CLOSE, HIT)], 0, [-1.0])
    level = TurnLevel(EngineSettings(turn_filter=TurnFilter(kind=FilterKind.PRM)), list)
    batches = [{"grpo_batch": rank.batch}]
    level.read([rank.samples], batches, {"r0s0": rank.episodes[0]})
    rank.batch.completion_mask = torch.zeros_like(rank.batch.completion_mask)
    level.apply(rank.samples, [rank.samples], batches, 1)
    assert level.notes == {}


def test_nothing_is_carried_over_into_the_next_step() -> None:
    rank = Rank([played(CLOSE, HIT)], 0, [-1.0])
    level = TurnLevel(EngineSettings(turn_filter=TurnFilter(kind=FilterKind.PRM)), list)
    batches = [{"grpo_batch": rank.batch}]
    level.read([rank.samples], batches, {"r0s0": rank.episodes[0]})
    level.apply(rank.samples, [rank.samples], batches, 1)
    assert level.notes
    level.read([rank.samples], batches, {"r0s0": None})
    level.apply(rank.samples, [rank.samples], batches, 1)
    assert level.notes == {}
