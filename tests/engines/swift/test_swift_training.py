"""Real GRPO steps with the transformers engine on tiny checkpoints: what was played is what is trained and logged."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from real_step import (
    BROKEN,
    GENERATIONS,
    REWARDS,
    SCRIPTS,
    THOUGHT,
    UNEQUAL,
    Seen,
    run_a_step,
    script_the_policy,
    watch_the_engine,
    watch_the_trainer,
)

from zoomground.data.trajectories import SavedRecord, read_records
from zoomground.rewards import Rubric, group_advantages
from zoomground.trajectory import StopReason

pytestmark = [pytest.mark.engine, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize("arch", ["qwen3_vl", "qwen3_5"])
def test_a_step_trains_what_was_played(
    arch: str, prompts_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RL-01, RL-03, RL-05: in the trainer itself, with 1 and 2 images in a group and an episode that failed."""
    seen = Seen()
    script_the_policy(monkeypatch, seen, SCRIPTS)
    watch_the_trainer(monkeypatch, seen)
    out, line = run_a_step(arch, prompts_file, tmp_path, monkeypatch)

    assert_trained(seen)
    records = [line.record for line in read_records(out)]
    assert_logged(records)
    assert_figures(line)


@pytest.mark.parametrize(("arch", "opened"), [("qwen3_vl", ""), ("qwen3_5", "<think>\n")])
def test_rl_09_rl_11_unequal_episodes_are_trained_as_they_were_sampled(
    arch: str, opened: str, prompts_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RL-09, RL-11, RL-05: one turn beside six with crops; earlier thinking is kept and never rendered again.

    Qwen3.5's template drops earlier thinking wherever it renders text. What is trained on is what was sampled.
    """
    seen = Seen()
    script_the_policy(monkeypatch, seen, UNEQUAL, opened=opened)
    watch_the_trainer(monkeypatch, seen)
    watch_the_engine(monkeypatch, seen)
    thinking = {"enable_thinking": "true"} if opened else {}
    _, line = run_a_step(arch, prompts_file, tmp_path, monkeypatch, max_turns=6, max_length=4096, **thinking)

    rows = [
        (ids[kept.bool()].tolist(), ids[-mask.numel() :][mask.bool()].tolist())
        for batch in seen.batches
        for ids, kept, mask in zip(
            batch["model_inputs"]["input_ids"],
            batch["model_inputs"]["attention_mask"],
            batch["grpo_batch"].completion_mask,
            strict=True,
        )
    ]
    thought = the_thought(tmp_path / "model")
    assert len(rows) == len(seen.samples) == 2 * GENERATIONS
    for number, (sample, (ids, trained)) in enumerate(zip(seen.samples, rows, strict=True)):
        script = UNEQUAL[number % GENERATIONS]
        turns = sampled_turns(sample)
        assert len(turns) == len(script)
        assert all(turns)
        assert trained == [token for turn in turns for token in turn], "every assistant turn, nothing else"
        prompts_shown = [prompt for prompt in seen.shown if prompt == ids[: len(prompt)]]
        assert {len(prompt) for prompt in prompts_shown} == {start_of(turn, ids, turns) for turn in range(len(turns))}
        thinks = "THINK" in script[0]
        assert find(thought, turns[0]) is thinks
        assert find(thought, trained) is thinks
        assert len(sample.images) == 1 + sum("CROP" in said for said in script)
    assert math.isfinite(line["loss"])
    assert math.isfinite(line["grad_norm"])
    assert line["grad_norm"] > 0
    assert line["zoomin/failed"] == 0
    assert line["zoomin/turns"] == pytest.approx(10 / 4)
    phases = ("generation", "environment", "reward", "batch", "training", "records")
    phases += ("environment_cpu", "environment_longest")
    assert all(line[f"zoomin/seconds/{phase}"] > 0 for phase in phases)
    assert line["zoomin/seconds/environment_longest"] <= line["zoomin/seconds/environment"]


def the_thought(model: Path) -> list[int]:
    from transformers import AutoTokenizer

    ids = AutoTokenizer.from_pretrained(model).encode(THOUGHT, add_special_tokens=False)
    # The tokens at its ends may take a neighbour in.
    return list(ids[1:-1])


def sampled_turns(sample: Any) -> list[list[int]]:
    return [
        [token for token, kept in zip(ids, mask, strict=True) if kept]
        for ids, mask in zip(sample.response_token_ids, sample.response_loss_mask, strict=True)
    ]


def start_of(turn: int, ids: list[int], turns: list[list[int]]) -> int:
    """Where the sampled tokens of a turn begin in the whole conversation."""
    place = 0
    for sampled in turns[:turn]:
        place = position(sampled, ids, place) + len(sampled)
    return position(turns[turn], ids, place)


def position(part: list[int], whole: list[int], start: int = 0) -> int:
    return next((at for at in range(start, len(whole)) if whole[at : at + len(part)] == part), -1)


def find(part: list[int], whole: list[int]) -> bool:
    return position(part, whole) >= 0


def assert_trained(seen: Seen) -> None:
    """Every assistant turn is in the loss with the ids that were sampled, but for the failed episodes."""
    assert len(seen.samples) == 2 * GENERATIONS
    rows = [row for batch in seen.batches for row in batch["grpo_batch"].completion_mask]
    trained = 0
    for number, (sample, row) in enumerate(zip(seen.samples, rows, strict=True)):
        script = SCRIPTS[number % GENERATIONS]
        sampled = sum(sum(mask) for mask in sample.response_loss_mask)
        assert len(sample.response_token_ids) == len(script)
        expected = 0 if script == [BROKEN] else sampled
        assert int(row.sum()) == expected
        trained += expected
        images = sample.images
        assert len(images) == 1 + script.count("CROP")
        assert all(str(image).startswith("data:") for image in images[1:])
    lengths = [int(row.sum()) for batch in seen.batches for row in batch["model_inputs"]["attention_mask"]]
    for sample, length in zip(seen.samples, lengths, strict=True):
        if sample.request_id in seen.expected_tokens:
            prompt = length - len(sample.response_token_ids[-1])
            assert prompt <= seen.expected_tokens[sample.request_id] <= 1.2 * prompt, "the context is measured well"
    for batch in seen.batches:
        assert float(batch["grpo_batch"].num_items_in_batch) == trained
        pads = (batch["model_inputs"]["mm_token_type_ids"] == 1).sum()
        assert int(pads) == int((batch["model_inputs"]["image_grid_thw"].prod(dim=1) // 4).sum())


def assert_logged(records: list[SavedRecord]) -> None:
    """The log recomputes: rewards from the trajectory, the total from the rewards, advantages from the totals."""
    assert [(record.prompt_group, record.generation) for record in records] == [
        (group, generation) for group in range(2) for generation in range(GENERATIONS)
    ]
    rubric = Rubric(REWARDS)
    for record in records:
        breakdown = rubric.score(record.trajectory)
        assert record.rewards == pytest.approx(dict(breakdown.values))
        assert record.total == pytest.approx(breakdown.total)
        assert record.weights == REWARDS
        assert record.step == 1
        assert len({r.trajectory.task.id for r in records if r.prompt_group == record.prompt_group}) == 1
    for group in range(2):
        members = [record for record in records if record.prompt_group == group]
        assert members[0].trajectory.stop_reason is StopReason.ANSWERED
        assert len(members[0].trajectory.crops) == 1
        assert members[2].trajectory.corrections == 1
        failed = members[3]
        assert failed.trajectory.failed
        assert failed.advantage == pytest.approx(0.0, abs=1e-6)
        totals = [float(record.total) for record in members[:3]]
        # The failed one stands at the mean of the others: it moves nobody's baseline.
        expected = group_advantages([*totals, sum(totals) / 3])
        assert [record.advantage for record in members] == pytest.approx(expected, abs=1e-4)
        assert expected[0] > 0 > expected[1]


def assert_figures(line: dict[str, Any]) -> None:
    figures = {
        name: float(value) for name, value in line.items() if name.startswith(("zoomin/", "grad", "loss", "rewa"))
    }
    assert figures["zoomin/hit_rate"] == pytest.approx(1 / 4)
    assert figures["zoomin/zoom_rate"] == pytest.approx(2 / 4)
    assert figures["zoomin/failed"] == pytest.approx(1 / 4)
    assert figures["zoomin/truncated"] == 0
    assert figures["zoomin/unscored_total"] == 0
    assert "rewards/zoomin_accuracy/mean" in figures
    assert figures["zoomin/turn_tokens_max"] <= 6
    assert figures["zoomin/episode_tokens_max"] > 6
    assert figures["zoomin/group_std"] > 0
    assert figures["zoomin/group_std/zoomin_accuracy"] == pytest.approx(math.sqrt(1 / 3))
    assert figures["zoomin/group_std/zoomin_cot_rm"] == 0
    assert figures["zoomin/groups_alike"] == 0
    assert math.isfinite(figures["loss"])
    assert figures["grad_norm"] > 0
