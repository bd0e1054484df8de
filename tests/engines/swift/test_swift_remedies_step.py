"""The remedies in real steps of the real trainer: what is said is scripted, by task and rollout."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from real_step import GENERATIONS, REWARDS, Seen, crop, run_a_step, watch_the_trainer
from typer.testing import CliRunner

from zoomground.cli.app import app
from zoomground.data.trajectories import SavedRecord, open_screenshot, read_records
from zoomground.engines.swift.windows import META_KEY
from zoomground.images import load_screenshot
from zoomground.rewards import Rubric, group_advantages, hit
from zoomground.task import Task
from zoomground.trajectory import StopReason

pytestmark = [pytest.mark.engine, pytest.mark.filterwarnings("ignore")]

Says = Callable[[Task, int], str]
"""What a rollout says of a task: RIGHT, WRONG, CUT, or one of the first two after a CROP."""


def script_by_task(monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    from zoomground.engines.swift.scheduler import ZoominGroundingScheduler

    start, turn_end = ZoominGroundingScheduler.on_trajectory_start, ZoominGroundingScheduler.on_turn_end
    numbers: dict[str, int] = {}

    async def started(self: Any, requests: list[Any]) -> None:
        await start(self, requests)
        numbers.update({request.uuid: number % GENERATIONS for number, request in enumerate(requests)})

    async def ended(self: Any, infer_request: Any, response_choice: Any, current_turn: int) -> dict[str, Any]:
        episode = self._sessions[infer_request.uuid].trajectory()
        words = says(episode.task, numbers[infer_request.uuid]).split()
        word = words[current_turn - 1]
        center = episode.task.place.box.center.to_norm(episode.task.size)
        texts = {"RIGHT": f"[{center.x:.2f},{center.y:.2f}]", "WRONG": "[1.00,1.00]", "CROP": crop(episode.image_name)}
        response_choice.message.content = texts.get(word, "and then")
        response_choice.finish_reason = "length" if word == "CUT" else "stop"
        return await turn_end(self, infer_request, response_choice, current_turn)

    monkeypatch.setattr(ZoominGroundingScheduler, "on_trajectory_start", started)
    monkeypatch.setattr(ZoominGroundingScheduler, "on_turn_end", ended)


def by_group(records: list[SavedRecord]) -> list[list[SavedRecord]]:
    numbers = sorted({record.prompt_group or 0 for record in records})
    return [[record for record in records if record.prompt_group == number] for number in numbers]


def test_a_group_that_missed_is_trained_in_a_window(
    prompts_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two groups misses, in its window two rollouts hit: trained, logged, scored, rebuilt like all others."""
    seen, first = Seen(), []

    def says(task: Task, number: int) -> str:
        if META_KEY in task.meta:
            return ["CROP RIGHT", "RIGHT", "WRONG", "CROP WRONG"][number]
        first.append(task.id) if task.id not in first else None
        return "WRONG" if task.id == first[0] else ["RIGHT", "WRONG", "RIGHT", "WRONG"][number]

    script_by_task(monkeypatch, says)
    watch_the_trainer(monkeypatch, seen)
    monkeypatch.setenv("ZOOMIN_GRPO_CROP_RESAMPLE", "0.5")
    out, line = run_a_step("qwen3_vl", prompts_file, tmp_path, monkeypatch)

    records = [one.record for one in read_records(out)]
    asked, other = by_group(records)
    meta = asked[0].trajectory.task.meta[META_KEY]
    assert meta["id"] == first[0]
    assert all(record.trajectory.task == asked[0].trajectory.task for record in asked)
    assert not any(META_KEY in record.trajectory.task.meta for record in other)
    assert [hit(record.trajectory) for record in asked] == [True, True, False, False]
    for record in records:
        assert record.rewards == pytest.approx(dict(Rubric(REWARDS).score(record.trajectory).values))
    totals = [float(record.total or 0) for record in asked]
    assert [record.advantage for record in asked] == pytest.approx(group_advantages(totals), abs=1e-4)

    # What is trained is what was played in the window.
    assert [sample.request_id for sample in seen.samples] == [record.uuid for record in records]
    assert [len(sample.images) for sample in seen.samples[:GENERATIONS]] == [2, 1, 1, 2]

    # The window is a part of the screen, without loss, and stands in the run's own folder.
    window, whole = open_screenshot(asked[0].trajectory), load_screenshot(meta["image"])
    assert out.resolve() in Path(asked[0].trajectory.task.image).parents
    x1, y1, x2, y2 = meta["region_px"]
    assert window.pixels.tobytes() == whole.pixels.crop((x1, y1, x2, y2)).tobytes()
    assert whole.sha256 == meta["sha256"]
    for verb in (["rebuild-crops", str(out), "--out", str(tmp_path / "rebuilt")], ["score", str(out)]):
        result = CliRunner().invoke(app, verb)
        assert result.exit_code == 0, result.output
    assert len(list((tmp_path / "rebuilt").rglob("crop_1.png"))) == 2

    figures = {name: float(value) for name, value in line.items() if name.startswith("zoomin/")}
    assert figures["zoomin/first/groups_all_wrong"] == figures["zoomin/first/groups_alike"] == pytest.approx(1 / 2)
    assert figures["zoomin/groups_all_wrong"] == figures["zoomin/groups_alike"] == 0
    assert figures["zoomin/first/hit_rate"] == pytest.approx(2 / 8)
    assert figures["zoomin/hit_rate"] == pytest.approx(4 / 8)
    assert figures["zoomin/asked_again"] == pytest.approx(1 / 2)
    assert figures["zoomin/asked_again_teach"] == 1
    assert float(line["grad_norm"]) > 0


def test_alike_groups_are_replaced_and_cut_episodes_leave_the_loss(
    prompts_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RL-27: of four prompts two teach something; whatever was drawn first, the step is trained on those."""
    seen = Seen()
    teaching = ("Item 1", "Item 3")

    def says(task: Task, number: int) -> str:
        return ["RIGHT", "WRONG", "CUT", "CROP CROP CROP CROP"][number] if task.instruction in teaching else "WRONG"

    script_by_task(monkeypatch, says)
    watch_the_trainer(monkeypatch, seen)
    changes = {"dynamic_sample": "true", "max_resample_times": 8, "overlong_filter": "true"}
    out, line = run_a_step("qwen3_vl", prompts_file, tmp_path, monkeypatch, **changes)

    groups = by_group([one.record for one in read_records(out)])
    assert len(groups) == 2
    for group in groups:
        assert group[0].trajectory.task.instruction in teaching
        reasons = [record.trajectory.stop_reason for record in group]
        assert reasons == [StopReason.ANSWERED, StopReason.ANSWERED, StopReason.LENGTH, StopReason.TURNS_SPENT]
        assert group[2].rewards["zoomin_format"] == 0
    trained = [int(row.sum()) for batch in seen.batches for row in batch["grpo_batch"].completion_mask]
    assert [tokens > 0 for tokens in trained] == [True, True, False, False] * 2
    for batch in seen.batches:
        assert float(batch["grpo_batch"].num_items_in_batch) == sum(trained)
    figures = {name: float(value) for name, value in line.items() if name.startswith(("zoomin/", "loss", "grad"))}
    assert figures["zoomin/groups_alike"] == 0
    assert figures["zoomin/groups_drawn"] == pytest.approx(figures["zoomin/first/groups_alike"])
    assert (figures["zoomin/drawn_again"] > 0) == (figures["zoomin/first/groups_alike"] > 0)
    assert figures["zoomin/truncated"] == pytest.approx(1 / 2)
    assert figures["zoomin/cut_episodes"] == pytest.approx(1 / 4)
    assert figures["zoomin/alarm/truncated"] == 1
    assert math.isfinite(figures["loss"])
    assert figures["grad_norm"] > 0
