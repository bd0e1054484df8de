"""Turn-level credit and the turn filter in real GRPO steps: the right tokens get them, all else holds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from real_step import BROKEN, GENERATIONS, HIT, MISS, Seen, run_a_step, script_the_policy, watch_the_trainer

from zoomground.data.trajectories import SavedRecord, read_records
from zoomground.engines.swift.spans import TurnMap
from zoomground.engines.swift.turn_level import TurnLevel
from zoomground.errors import RecipeError
from zoomground.rewards import RewardSettings
from zoomground.rewards.turn_credit import turn_credit

pytestmark = [pytest.mark.engine, pytest.mark.filterwarnings("ignore")]

GROUP = [["CROP", HIT], ["WIDE", HIT], ["what?", "CROP", MISS], ["WIDE", "CROP", HIT]]
"""The target is 16 px, leg(s0) = 4/7. WIDE shows its surroundings whole and legible, d = 3/7; CROP two thirds of them,
d = 2/3 - 4/7 = 2/21, and nothing after WIDE."""

MEAN = (2 / 21 + 3 / 7 + 3 / 7) / 3
TERMS = [(2 / 21 - MEAN, 0), (3 / 7 - MEAN, 0), (0, 0, 0), (3 / 7 - MEAN, 0, 0)]


def rows(seen: Seen) -> Iterator[tuple[int, Any, Any, int]]:
    """Number, sample, micro-batch and row of every rollout."""
    places = [(batch, row) for batch in seen.batches for row in range(len(batch["grpo_batch"].completion_mask))]
    for number, (sample, (batch, row)) in enumerate(zip(seen.samples, places, strict=True)):
        yield number, sample, batch, row


def turn_positions(sample: Any, batch: Any, row: int) -> list[list[int]]:
    """Where each turn's trained ids stand in [B, T], found by the ids themselves, one after another."""
    ids = batch["model_inputs"]["input_ids"][row, -batch["grpo_batch"].completion_mask.shape[1] :].tolist()
    places, start = [], 0
    for turn, mask in zip(sample.response_token_ids, sample.response_loss_mask, strict=True):
        trained = [token for token, kept in zip(turn, mask, strict=True) if kept]
        start = next(at for at in range(start, len(ids)) if ids[at : at + len(trained)] == trained)
        places.append(list(range(start, start + len(trained))))
        start += len(trained)
    return places


def step(
    prompts_file: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, script: list[list[str]], **environ: str
) -> tuple[Seen, list[SavedRecord], dict[str, float]]:
    seen = Seen()
    script_the_policy(monkeypatch, seen, script)
    watch_the_trainer(monkeypatch, seen)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    out, line = run_a_step("qwen3_vl", prompts_file, folder, monkeypatch)
    figures = {name: float(value) for name, value in line.items() if name.startswith(("zoomin", "loss", "grad"))}
    return seen, [entry.record for entry in read_records(out)], figures


def test_credit_and_the_process_filter_reach_the_right_tokens(
    prompts_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = {"ZOOMIN_CREDIT_COEFFICIENT": "0.5", "ZOOMIN_TURN_FILTER": "prm"}
    seen, records, figures = step(prompts_file, tmp_path, monkeypatch, GROUP, **environ)

    out = [(None, None), (None, None), (None, "good", None), (None, "idle", None)]
    assert len(records) == 2 * GENERATIONS
    kept = 0
    for number, sample, batch, row in rows(seen):
        record, terms, left = records[number], TERMS[number % GENERATIONS], out[number % GENERATIONS]
        grpo_batch = batch["grpo_batch"]
        expected = torch.full(grpo_batch.advantages[row].shape, float(sample.advantages))
        mask = torch.zeros_like(grpo_batch.completion_mask[row])
        for places, term, reason in zip(turn_positions(sample, batch, row), terms, left, strict=True):
            expected[places] += 0.5 * term
            mask[places] = reason is None
        assert torch.allclose(grpo_batch.advantages[row], expected, atol=1e-6)
        assert torch.equal(grpo_batch.completion_mask[row], mask)
        kept += int(mask.sum())
        if record.trajectory.stop_reason == "answered" and number % GENERATIONS != 2:
            assert record.turn_credit == pytest.approx([0.5 * term for term in terms])
        assert record.turns_out == (list(left) if any(left) else [])
        assert record.advantage == pytest.approx(float(sample.advantages))
    assert {float(batch["grpo_batch"].num_items_in_batch) for batch in seen.batches} == {float(kept)}

    trajectories = [record.trajectory for record in records[:GENERATIONS]]
    again = turn_credit(trajectories, 0.5, RewardSettings())
    assert [record.turn_credit for record in records[:GENERATIONS]] == [pytest.approx(list(own)) for own in again]

    assert figures["zoomin/turns_out/idle"] == figures["zoomin/turns_out/good"] == 2
    assert figures["zoomin/credited_turns"] == 6
    assert figures["zoomin/credit_size"] == pytest.approx(0.5 * sum(abs(own[0]) for own in TERMS) / 3)
    assert figures["zoomin/turns_unmatched"] == figures["zoomin/episodes_out"] == 0
    assert math.isfinite(figures["loss"])
    assert figures["grad_norm"] > 0


def test_an_episode_of_which_nothing_is_left_costs_no_full_logits(
    prompts_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tokens leave the mask of a batch that is already cut: T stays what it was with them."""
    entropies: list[torch.Tensor] = []
    keep = TurnLevel.keep_entropy

    def watched(self: TurnLevel, batch: Any, found: torch.Tensor) -> None:
        entropies.append(found)
        keep(self, batch, found)

    monkeypatch.setattr(TurnLevel, "keep_entropy", watched)
    environ = {"ZOOMIN_TURN_FILTER": "uncertainty", "ZOOMIN_TURN_FILTER_MIN_LOGPROB": "0"}
    script = [["CROP", HIT], [MISS], [BROKEN], [HIT]]
    seen, records, figures = step(prompts_file, tmp_path, monkeypatch, script, **environ)

    for number, sample, batch, row in rows(seen):
        grpo_batch = batch["grpo_batch"]
        assert not grpo_batch.completion_mask[row].any()
        assert float(grpo_batch.num_items_in_batch) == 1
        longest = max(
            grpo_batch.completion_mask.shape[1] - turn_positions(other, batch, index)[0][0]
            for _, other, of, index in rows(seen)
            if of is batch
        )
        assert grpo_batch.logits_to_keep == grpo_batch.completion_mask.shape[1] == longest
        assert longest < batch["model_inputs"]["input_ids"].shape[1], "the prompt's logits are not kept"
        failed = number % GENERATIONS == 2
        assert records[number].turns_out == ([] if failed else ["improbable"] * len(sample.response_token_ids))
    assert [found.shape for found in entropies] == [batch["grpo_batch"].completion_mask.shape for batch in seen.batches]
    assert all((found > 0).all() for found in entropies)
    assert figures["zoomin/turns_out/improbable"] == 8
    assert figures["zoomin/turns_out/undecided"] == 0
    assert figures["zoomin/episodes_out"] == 6
    assert figures["loss"] == figures["grad_norm"] == 0


def test_a_sample_whose_turns_do_not_add_up_is_left_alone_and_counted(
    prompts_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = TurnMap.of

    def one_short(mask: torch.Tensor, trained: list[list[int] | None]) -> TurnMap:
        first, *others = trained
        assert first is not None
        return of(mask, [[first[0] - 1, *first[1:]], *others])

    monkeypatch.setattr(TurnMap, "of", one_short)
    seen, records, figures = step(
        prompts_file, tmp_path, monkeypatch, GROUP, ZOOMIN_CREDIT_COEFFICIENT="0.5", ZOOMIN_TURN_FILTER="prm"
    )
    assert figures["zoomin/turns_unmatched"] == 2
    for number, sample, batch, row in rows(seen):
        if number % GENERATIONS == 0:
            assert set(batch["grpo_batch"].advantages[row].tolist()) == {float(sample.advantages)}
            assert records[number].turn_credit == records[number].turns_out == []
        elif number % GENERATIONS == 1:
            # The others are compared without it: both gain 3/7 in their first turn.
            assert records[number].turn_credit == pytest.approx([0, 0])
    assert math.isfinite(figures["loss"])


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("importance_sampling_level", "sequence"),
        ("rollout_importance_sampling_mode", "sequence_mask"),
        ("off_policy_sequence_mask_delta", "1.0"),
        ("loss_type", "real"),
    ],
)
def test_what_knows_one_advantage_a_sequence_is_refused_at_the_start(
    option: str, value: str, prompts_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZOOMIN_CREDIT_COEFFICIENT", "0.5")
    with pytest.raises(RecipeError, match=rf"--{option}.* knows one for a whole sequence: leave that out, or set"):
        run_a_step("qwen3_vl", prompts_file, tmp_path, monkeypatch, **{option: value})
    assert not list(tmp_path.rglob("trajectories"))
