"""Going on from what a stopped training stage left: nothing is lost, nothing stands in the logs twice."""

import json
from pathlib import Path

import pytest

from episodes import env, point_text
from zoomground.data.trajectories import SavedRecord, read_records, write_records
from zoomground.train.resume import checkpoint_step, last_checkpoint, read_metrics, rewind


def checkpoint(folder: Path, step: int, *, state: str | None = "whole") -> Path:
    path = folder / f"checkpoint-{step}"
    path.mkdir(parents=True)
    (path / "model.safetensors").write_bytes(b"x")
    if state is not None:
        text = json.dumps({"global_step": step}) if state == "whole" else state
        (path / "trainer_state.json").write_text(text)
    return path


def record(step: int | None, uuid: str) -> SavedRecord:
    episode = env()
    episode.step(point_text(500, 500))
    return SavedRecord.of(episode.trajectory(), uuid=uuid, step=step)


@pytest.mark.parametrize("state", [None, "", '{"global_', '{"global_step": 3}'])
def test_a_cut_checkpoint_is_none(tmp_path: Path, state: str | None) -> None:
    assert checkpoint_step(checkpoint(tmp_path, 5, state=state)) is None
    assert last_checkpoint(tmp_path) is None


def test_the_last_checkpoint_is_the_one_with_the_highest_step(tmp_path: Path) -> None:
    checkpoint(tmp_path, 5)
    expected = checkpoint(tmp_path, 10)
    checkpoint(tmp_path, 9)
    checkpoint(tmp_path, 15, state=None)
    (tmp_path / "last-checkpoint").symlink_to(tmp_path / "checkpoint-5")
    assert last_checkpoint(tmp_path) == expected
    assert last_checkpoint(tmp_path / "nowhere") is None


def test_rewind_takes_back_what_came_after_the_last_checkpoint(tmp_path: Path) -> None:
    output, trajectories = tmp_path / "grpo", tmp_path / "trajectories"
    checkpoint(output, 2)
    checkpoint(output, 4, state=None)
    steps = [f'{{"loss": 1, "global_step/max_steps": "{step}/9"}}\n' for step in (1, 2, 3)]
    (output / "logging.jsonl").write_text("".join(steps) + '{"loss": 1, "glob')
    for rank in (0, 1):
        records = [record(step, f"r{rank}-{step}") for step in (1, 2, 3, 4)]
        write_records(trajectories / f"rank{rank}.jsonl", records)
    rewind(output, trajectories)
    assert [path.name for path in sorted(output.glob("checkpoint-*"))] == ["checkpoint-2"]
    assert [row["step"] for row in read_metrics(output / "logging.jsonl")] == [1, 2]
    kept = [line.record.uuid for line in read_records(trajectories)]
    assert kept == ["r0-1", "r0-2", "r1-1", "r1-2"]


def test_rewind_without_a_checkpoint_begins_anew(tmp_path: Path) -> None:
    output, trajectories = tmp_path / "grpo", tmp_path / "trajectories"
    checkpoint(output, 4, state=None)
    write_records(trajectories / "rank0.jsonl", [record(1, "a")])
    rewind(output, trajectories)
    assert not output.exists()
    assert not trajectories.exists()


def test_rewind_of_a_finished_stage_changes_nothing(tmp_path: Path) -> None:
    output, trajectories = tmp_path / "grpo", tmp_path / "trajectories"
    checkpoint(output, 2)
    write_records(trajectories / "rank0.jsonl", [record(1, "a"), record(2, "b")])
    before = (trajectories / "rank0.jsonl").read_bytes()
    rewind(output, trajectories)
    assert (trajectories / "rank0.jsonl").read_bytes() == before
