"""What a run came to, from its log and its evaluation."""

import json
from pathlib import Path

from episodes import crop_text, env, point_text
from zoomground.data.health_log import HEALTH_FILE, HealthLine, append_health
from zoomground.data.trajectories import SavedRecord, write_records
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.report.figures import EpisodeFigures
from zoomground.train.folder import RunFolder
from zoomground.train.summary import checks, summarise
from zoomground.trajectory import StopReason


def record(
    *texts: str, step: int = 1, group: int = 0, failed: bool = False, settings: EpisodeSettings = EpisodeSettings()
) -> SavedRecord:
    episode = env(settings=settings)
    for text in texts:
        episode.step(text)
    if failed:
        episode.fail(StopReason.ERROR, "broke")
    uuid = f"u{abs(hash((texts, step, group, failed)))}"
    return SavedRecord.of(episode.trajectory(), uuid=uuid, step=step, prompt_group=group)


ZOOMED = (crop_text(100, 100, 300, 300), point_text(500, 500))
DIRECT = (point_text(500, 500),)
LOOSE = ("[500, 500]",)


def shown(*records: SavedRecord) -> dict[str, tuple[str, bool]]:
    return {check.name: (check.value, check.ok) for check in checks([EpisodeFigures.of(one) for one in records])}


def test_a_healthy_run() -> None:
    found = shown(record(*ZOOMED), record(*DIRECT), record(*ZOOMED, group=1), record(*DIRECT, group=1))
    assert found == {
        "canonical turns": ("100.0% (6 of 6)", True),
        "groups with zoomed and direct rollouts": ("100.0% (2 of 2)", True),
        "failed episodes": ("0 of 4", True),
    }


def test_a_group_is_one_prompt_in_one_step() -> None:
    found = shown(record(*ZOOMED, step=1), record(*DIRECT, step=2), record(*ZOOMED, step=3), record(*DIRECT, step=3))
    assert found["groups with zoomed and direct rollouts"] == ("33.3% (1 of 3)", False)


def test_a_group_that_may_not_zoom_cannot_be_mixed() -> None:
    off = EpisodeSettings(arm=Arm.OFF)
    found = shown(record(*ZOOMED), record(*DIRECT), record(*DIRECT, group=1, settings=off))
    assert found["groups with zoomed and direct rollouts"] == ("100.0% (1 of 1)", True)


def test_too_few_canonical_turns() -> None:
    assert shown(record(*DIRECT), record(*LOOSE))["canonical turns"] == ("50.0% (1 of 2)", False)


def test_a_failed_episode_is_counted_and_left_out_of_the_rest() -> None:
    found = shown(record(*DIRECT), record("nonsense", failed=True))
    assert found["canonical turns"] == ("100.0% (1 of 1)", True)
    assert found["failed episodes"] == ("1 of 2", False)


def test_the_tables_of_a_run_folder(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, tmp_path / "logs")
    assert summarise(folder).tables() == []
    write_records(folder.trajectories / "rank0.jsonl", [record(*DIRECT)])
    share = {"value": 0.25, "low": 0.101, "high": 0.5, "count": 1, "total": 4}
    results = {"name": "sft", "arm": "on", "overall": share, "sizes": {"legible": {"small": share}}}
    evaluation = {
        "results": [results | {"zoomed": share, "zoomed_sizes": {"large": share}, "canonical": share}],
        "differences": [
            {
                "what": "arm on - off, sft",
                "hit_rate": "+0.1 [+0.0, +0.2]",
                "by_size": {"small": {"hit_rate": "+0.2 [+0.1, +0.3]"}},
            }
        ],
    }
    folder.evaluation.mkdir()
    folder.evaluation_summary.write_text(json.dumps(evaluation), encoding="utf-8")
    tables = summarise(folder).tables()
    assert [head[0] for _, head, _ in tables] == [
        "checkpoint",
        "checkpoint",
        "difference",
        "rollouts of the training",
    ]
    assert tables[0][2] == [["sft", "on", "25.0 [10, 50]", "25.0 [10, 50]", "-"]]
    assert tables[1][2] == [["sft", "on", "25.0 [10, 50]", "-", "25.0 [10, 50]", "25.0 [10, 50]"]]
    assert tables[2][2] == [["arm on - off, sft", "+0.1 [+0.0, +0.2]", "+0.2 [+0.1, +0.3]", "-"]]
    assert tables[3][2][0] == ["canonical turns", "100.0% (1 of 1)", ">= 95%", "yes"]
    assert json.loads(json.dumps(summarise(folder).to_dict()))["checks"][0]["ok"] is True


def test_the_alarms_of_a_run_folder(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, tmp_path / "logs")
    write_records(folder.trajectories / "rank0.jsonl", [record(*DIRECT)])
    path = folder.grpo / HEALTH_FILE
    append_health(path, HealthLine(1, {"failed": 0.0}))
    title, _, rows = summarise(folder).tables()[-1]
    assert title.startswith("alarms of the training")
    assert rows == [["none", "1 to 1", ""]]
    append_health(path, HealthLine(2, {"failed": 0.5}, {"failed": "half", "wasted": "all"}))
    append_health(path, HealthLine(3, {"failed": 0.5}, {"failed": "still half"}))
    summary = summarise(folder)
    assert summary.tables()[-1][2] == [["failed", "2 to 3, still on", "still half"], ["wasted", "2", "all"]]
    assert [one["name"] for one in json.loads(json.dumps(summary.to_dict()))["alarms"]] == ["failed", "wasted"]
