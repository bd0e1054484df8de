"""An evaluation asks every row once, survives being stopped, and keeps faults apart from misses."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from episodes import point_text, screenshot
from zoomground.data.rows import read_rows, write_rows
from zoomground.data.trajectories import read_records
from zoomground.errors import ZoomgroundError
from zoomground.evaluate import evaluate_rows, results_table
from zoomground.evaluate.runner import hits_of, sample_key
from zoomground.geometry import Size
from zoomground.policies.base import Reply
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.rewards import Rubric

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from zoomground.data.rows import Row
    from zoomground.environment import GroundingEnv
    from zoomground.evaluate import Results

SIZE = Size(400, 200)
SETTINGS = EpisodeSettings()


@pytest.fixture
def rows(tmp_path: Path) -> list[Row]:
    screenshot(SIZE).pixels.save(tmp_path / "page.png")
    lines = [
        {"problem": f"<image>{i}", "solution": "[200, 100, 240, 120]", "images": ["page.png"], "id": f"page/{i}"}
        for i in range(7)
    ]
    write_rows(tmp_path / "rows.jsonl", lines)
    return list(read_rows(tmp_path / "rows.jsonl"))


@dataclass
class Player:
    """Hits even rows, misses odd ones; breaks on those it is told to."""

    broken: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    stop_after: int = 10**9

    def replies(self, envs: Sequence[GroundingEnv]) -> list[Reply]:
        if len(self.batches) >= self.stop_after:
            raise KeyboardInterrupt
        self.batches.append(len(envs))
        return [self._reply(env.task.instruction) for env in envs]

    def _reply(self, row: str) -> Reply:
        self.asked.append(row)
        if row in self.broken:
            return Reply("", failure="out of memory")
        return Reply(point_text(550, 550) if int(row) % 2 == 0 else point_text(10, 10), "stop")


def _evaluate(rows: Sequence[Row], policy: Player, out: Path, **options: Any) -> Results:
    options = {"name": "player", "settings": SETTINGS, "rubric": Rubric(), "batch_size": 3} | options
    return evaluate_rows(rows, policy, out=out, **options)


def test_every_row_is_asked_once_in_bounded_batches(rows: list[Row], tmp_path: Path) -> None:
    player, progress = Player(), []
    out = tmp_path / "on"
    results = _evaluate(rows, player, out, on_progress=lambda done, total: progress.append((done, total)))
    assert player.batches == [3, 3, 1]
    assert sorted(player.asked) == [str(i) for i in range(7)]
    assert progress == [(3, 7), (6, 7), (7, 7)]
    assert (results.hits.count, results.samples, results.failed) == (4, 7, 0)
    assert json.loads((out / "results.json").read_text()) == results.to_dict()
    records = [line.record for line in read_records(out / "episodes.jsonl")]
    assert [record.trajectory.task.id for record in records] == [f"page/{i}" for i in range(7)]
    assert records[0].rewards["zoomin_accuracy"] == 1.0
    assert records[0].total == Rubric().score(records[0].trajectory).total
    assert hits_of(out) == {sample_key(row): i % 2 == 0 for i, row in enumerate(rows)}


def test_a_stopped_evaluation_goes_on(rows: list[Row], tmp_path: Path) -> None:
    out = tmp_path / "on"
    with pytest.raises(KeyboardInterrupt):
        _evaluate(rows, Player(stop_after=1), out)
    assert not (out / "results.json").exists()
    log = out / "episodes.jsonl"
    log.write_text(log.read_text()[:-30])  # killed while it wrote the third
    player = Player()
    results = _evaluate(rows, player, out)
    assert sorted(player.asked) == ["2", "3", "4", "5", "6"]
    assert (results.hits.count, results.samples) == (4, 7)

    again = Player()
    assert _evaluate(rows, again, out) == results
    assert again.asked == []


def test_faults_stay_in_the_denominator_and_are_tried_again(rows: list[Row], tmp_path: Path) -> None:
    out = tmp_path / "on"
    results = _evaluate(rows, Player(broken={"0", "1"}), out)
    assert (results.hits.count, results.hits.total, results.failed) == (3, 7, 2)
    assert results.stop_reasons == {"answered": 5, "error": 2}
    player = Player()
    results = _evaluate(rows, player, out)
    assert player.asked == ["0", "1"]
    assert (results.hits.count, results.samples, results.failed) == (4, 7, 0)
    assert hits_of(out)[sample_key(rows[0])]


def test_a_log_of_other_rules_is_refused(rows: list[Row], tmp_path: Path) -> None:
    _evaluate(rows, Player(), tmp_path / "on")
    with pytest.raises(ZoomgroundError, match="other rules"):
        _evaluate(rows, Player(), tmp_path / "on", settings=replace(SETTINGS, arm=Arm.OFF))


def test_rows_need_different_ids(rows: list[Row], tmp_path: Path) -> None:
    for bad in ([rows[0], rows[0]], []):
        with pytest.raises(ZoomgroundError, match="different ids"):
            _evaluate(bad, Player(), tmp_path / "on")


def test_keys_are_safe_and_differ(rows: list[Row]) -> None:
    def key(task_id: str) -> str:
        return sample_key(replace(rows[0], task=replace(rows[0].task, id=task_id)))

    assert key("plain-id_1") == "plain-id_1"
    odd = ["a/b", "a b", "a-b", "../../etc/passwd", "漢字", "", "x" * 500, "x" * 501]
    keys = [key(one) for one in odd]
    assert len(set(keys)) == len(odd)
    assert all("/" not in one and len(one) < 128 for one in keys)


def test_the_table_shows_each_evaluation(rows: list[Row], tmp_path: Path) -> None:
    on = _evaluate(rows, Player(), tmp_path / "on")
    off = _evaluate(rows, Player(), tmp_path / "off", settings=replace(SETTINGS, arm=Arm.OFF))
    console = Console(width=200)
    with console.capture() as capture:
        console.print(results_table([on, off]))
    text = capture.get()
    assert text.count("0.571 [0.250, 0.842]") >= 2
    assert "player" in text
    assert " off " in text
