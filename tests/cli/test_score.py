"""``score``: recorded values come out again, and what does not is named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from verbs import run

from saved import DIRECT_HIT, MISS, ZOOM_HIT, episode, group, picture, run_folder, scored
from scripted_endpoint import MODEL, Answer, fails, says, scripted
from zoomground.data.trajectories import SavedRecord, read_records, write_records
from zoomground.trajectory import StopReason


def score(log: Path, *options: object) -> tuple[int, dict[str, Any]]:
    result = run("score", log, *options, "--json")
    return result.exit_code, json.loads(result.stdout)


def changed(log: Path, uuid: str, **fields: Any) -> Path:
    """The log with some fields of one record changed."""
    for file in log.glob("trajectories/*.jsonl"):
        records = [line.record for line in read_records(file)]
        write_records(file, [replace(record, **fields) if record.uuid == uuid else record for record in records])
    return log


def test_a_log_of_training_comes_out_again(tmp_path: Path) -> None:
    code, found = score(run_folder(tmp_path))
    assert code == 0
    assert (found["records"], found["differences"], found["in_cut_groups"]) == (16, [], 0)
    records = {line.record.uuid: line.record for line in read_records(tmp_path)}
    assert len(records) == 16
    for row in found["rows"]:
        assert row["rewards"] == records[row["uuid"]].rewards
        assert row["total"] == pytest.approx(records[row["uuid"]].total, abs=1e-12)
        assert row["advantage"] == pytest.approx(records[row["uuid"]].advantage, abs=1e-9)
    assert found["means"]["zoomin_accuracy"] == pytest.approx(10 / 16)


def test_what_training_noted_of_single_turns_is_no_hindrance(tmp_path: Path) -> None:
    log = run_folder(tmp_path)
    turns = next(line.record for line in read_records(log) if line.record.uuid == "s1g0n0").trajectory.turns
    noted = {"turn_credit": [0.25] * len(turns), "turns_out": ["good"] * len(turns)}
    code, found = score(changed(log, "s1g0n0", **noted))
    assert (code, found["records"], found["differences"]) == (0, 16, [])


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"total": 9.0}, "total"),
        ({"advantage": 0.123}, "advantage"),
        ({"rewards": {"zoomin_accuracy": 0.0}}, "zoomin_accuracy"),
        ({"rewards": {"zoomin_accuracy": None}}, "zoomin_accuracy"),
        ({"reward_settings": {"call_cost": 0.5}}, "zoomin_crop_process_gated"),
    ],
)
def test_a_value_that_does_not_come_out_is_a_problem(tmp_path: Path, fields: dict[str, Any], name: str) -> None:
    code, found = score(changed(run_folder(tmp_path), "s1g0n0", **fields))
    assert code == 1
    difference = next(one for one in found["differences"] if one["name"] == name)
    assert (difference["uuid"], difference["line"]) == ("s1g0n0", 1)
    text = run("score", tmp_path)
    assert text.exit_code == 1
    assert f"rank_0.jsonl:1: {name}: recorded" in text.stderr


def test_32_bit_values_of_the_trainer_count_as_equal(tmp_path: Path) -> None:
    log = run_folder(tmp_path)
    record = next(line.record for line in read_records(log))
    assert record.advantage is not None
    assert record.total is not None
    changed(log, record.uuid, total=record.total + 2e-7, advantage=record.advantage + 1e-4)
    assert score(log)[0] == 0


def test_settings_of_the_record_are_in_force(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    expensive = scored(episode(image), "a")
    values = dict(expensive.rewards)
    assert values["zoomin_crop_process_gated"] is not None
    values["zoomin_crop_process_gated"] -= 0.15
    record = SavedRecord.of(
        expensive.trajectory, uuid="a", rewards=values, reward_settings={"call_cost": 0.2, "quality": "gain"}
    )
    write_records(tmp_path / "log.jsonl", [record])
    assert score(tmp_path / "log.jsonl")[0] == 0


def test_other_rules_are_applied_and_not_compared(tmp_path: Path) -> None:
    log = run_folder(tmp_path)
    code, found = score(log, "--weights", "zoomin_accuracy=2")
    assert (code, found["compared"], found["differences"]) == (0, False, [])
    assert sorted({row["total"] for row in found["rows"]}) == [0.0, 2.0]
    recipe = tmp_path / "recipe.toml"
    recipe.write_text("[rewards]\ncall_cost = 0.5\n", "utf-8")
    dear = score(log, "--recipe", recipe)[1]["means"]["zoomin_crop_process_gated"]
    assert dear < score(log)[1]["means"]["zoomin_crop_process_gated"]
    iou = score(log, "--quality", "iou")[1]["means"]["zoomin_crop_process_gated"]
    assert iou != pytest.approx(score(log)[1]["means"]["zoomin_crop_process_gated"])
    assert score(log, "--weights", "1.0 0.3 0.5 1.0 0.3")[1]["means"]["total"] == pytest.approx(
        score(log)[1]["means"]["total"]
    )


def test_scale_rewards_none_is_the_plain_difference(tmp_path: Path) -> None:
    _, found = score(run_folder(tmp_path), "--scale-rewards", "none")
    rows = [row for row in found["rows"] if (row["step"], row["prompt_group"]) == (1, 0)]
    mean = sum(row["total"] for row in rows) / 4
    assert [row["advantage"] for row in rows] == pytest.approx([row["total"] - mean for row in rows])


def test_groups_that_a_stop_cut_get_no_advantage(tmp_path: Path) -> None:
    log = run_folder(tmp_path)
    file = log / "trajectories" / "rank_1.jsonl"
    records = [line.record for line in read_records(file)]
    write_records(file, records[:-1])
    code, found = score(log)
    assert (code, found["in_cut_groups"]) == (0, 3)
    assert [row["advantage"] for row in found["rows"] if (row["step"], row["prompt_group"]) == (2, 1)] == [None] * 3


def test_a_step_that_was_done_again_counts_once(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    first = group([episode(image, texts) for texts in (MISS, MISS)], step=1, number=0)
    again = group([episode(image, texts) for texts in (ZOOM_HIT, MISS)], step=1, number=0)
    again = [replace(record, uuid=record.uuid + "-again") for record in again]
    write_records(tmp_path / "log.jsonl", [*first, *again])
    code, found = score(tmp_path / "log.jsonl")
    assert code == 0
    assert [row["advantage"] is None for row in found["rows"]] == [True, True, False, False]


def test_a_failed_episode_moves_nobodys_baseline(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    failed = replace(episode(image, MISS), stop_reason=StopReason.ERROR, failure="the engine went away")
    trajectories = [episode(image, DIRECT_HIT), episode(image, MISS), failed]
    records = [scored(one, f"n{n}", step=1, prompt_group=0, generation=n) for n, one in enumerate(trajectories)]
    write_records(tmp_path / "log.jsonl", records)
    rows = score(tmp_path / "log.jsonl", "--scale-rewards", "none")[1]["rows"]
    half = (rows[0]["total"] - rows[1]["total"]) / 2
    assert [row["advantage"] for row in rows] == pytest.approx([half, -half, 0])


@pytest.mark.parametrize(
    ("texts", "verdict", "code"), [(ZOOM_HIT, 0.9, 0), (ZOOM_HIT, 1.5, 1), (MISS, 0.0, 0), (MISS, 0.9, 1)]
)
def test_a_judges_verdict_is_kept_where_it_is_a_possible_one(
    tmp_path: Path, texts: tuple[str, ...], verdict: float, code: int
) -> None:
    image = picture(tmp_path / "screen.png")
    record = scored(episode(image, texts), "a")
    assert record.total is not None
    rewards = record.rewards | {"zoomin_cot_rm": verdict}
    write_records(
        tmp_path / "log.jsonl", [replace(record, rewards=rewards, total=record.total + 0.3 * (verdict - 0.5))]
    )
    assert score(tmp_path / "log.jsonl")[0] == code


def test_somebodys_own_reward_stands_as_recorded(tmp_path: Path) -> None:
    image = picture(tmp_path / "screen.png")
    record = scored(episode(image), "a")
    assert record.total is not None
    own = replace(
        record,
        rewards=record.rewards | {"brevity": 0.5},
        weights=record.weights | {"brevity": 2.0},
        total=record.total + 1.0,
    )
    write_records(tmp_path / "log.jsonl", [own])
    assert score(tmp_path / "log.jsonl")[0] == 0


def test_unreadable_lines_are_named_and_the_others_scored(tmp_path: Path) -> None:
    log = run_folder(tmp_path)
    with (log / "trajectories" / "rank_0.jsonl").open("a", encoding="utf-8") as stream:
        stream.write('{"uuid": "x"}\n')
    result = run("score", log, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["records"] == 16
    assert "rank_0.jsonl:9: field" in result.stderr


def test_an_episode_without_a_target_is_not_scored(tmp_path: Path) -> None:
    log = run_folder(tmp_path)
    unknown = SavedRecord.of(episode(tmp_path / "shots" / "screen.png", target=None), uuid="nobody-knows")
    write_records(log / "trajectories" / "rank_2.jsonl", [unknown])
    code, found = score(log)
    assert code == 0
    assert (found["records"], found["without_target"], found["differences"]) == (16, 1, [])
    assert "nobody-knows" not in {row["uuid"] for row in found["rows"]}
    assert "1 record: no target, not scored" in run("score", log).stdout


def test_a_log_without_records_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("\n", "utf-8")
    assert run("score", tmp_path / "log.jsonl").exit_code == 1
    assert run("score", tmp_path / "log.jsonl", "--json").exit_code == 1


def test_a_judge_may_be_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hits with reasons get its score, hits without a word 0, misses 0; a failure the neutral score."""
    image = picture(tmp_path / "screen.png")
    said = "<think>The red item stands right of the middle, so I point there.</think>"
    texts = [(said + DIRECT_HIT[0],), DIRECT_HIT, MISS, (said.replace("red", "green") + DIRECT_HIT[0],)]
    write_records(tmp_path / "log.jsonl", [scored(episode(image, one), f"u{n}") for n, one in enumerate(texts)])

    def judge(_: int, body: dict[str, Any]) -> Answer:
        return fails(400, "no") if "green" in body["messages"][1]["content"] else says('{"score": 0.75}')

    with scripted(judge) as server:
        for name, value in {"API_BASE": server.base_url, "MODEL": MODEL, "CACHE": str(tmp_path / "verdicts")}.items():
            monkeypatch.setenv(f"ZOOMIN_COT_RM_{name}", value)
        code, found = score(tmp_path / "log.jsonl", "--judge")
        asked = len(server.bodies)
        again = run("score", tmp_path / "log.jsonl", "--judge")
        assert len(server.bodies) == asked + 1, "only the failure is asked about again"
    assert (code, again.exit_code, asked) == (0, 0, 2)
    assert [row["rewards"]["zoomin_cot_rm"] for row in found["rows"]] == [0.75, 0.0, 0.0, 0.5]
    assert (found["compared"], found["differences"]) == (False, [])
    assert found["judge"]["failed_share"] == 0.5
    assert found["judge"]["failed/bad_request"] == 1
    assert "failed/bad_request" in again.stdout
    recorded = scored(episode(image, texts[0]), "u0").rewards
    assert {**found["rows"][0]["rewards"], "zoomin_cot_rm": 0.5} == pytest.approx(recorded)


def test_a_judge_that_is_not_named_is_wrong_use(tmp_path: Path) -> None:
    result = run("score", run_folder(tmp_path), "--judge")
    assert result.exit_code == 1
    assert "no judge: set ZOOMIN_COT_RM_API_BASE and ZOOMIN_COT_RM_MODEL" in result.stderr
