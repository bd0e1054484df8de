"""Saved trajectories: nothing is lost, a killed writer costs one line, errors say where."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from zoomground.data.trajectories import (
    RecordWriter,
    SavedRecord,
    crop_path,
    log_files,
    read_records,
    write_records,
)
from zoomground.errors import RowError, ZoomgroundError
from zoomground.geometry import Box, Point, Polygon, Region, Size
from zoomground.protocol.actions import Answer, Crop, Dialect, Reason
from zoomground.protocol.messages import ImagePart, Message, TextPart
from zoomground.protocol.observation import CropView
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.task import Refusal, Target, Task
from zoomground.trajectory import StopReason, Trajectory, Turn

if TYPE_CHECKING:
    from pathlib import Path

SIZE = Size(1280, 800)


TARGET = Box(10, 10, 30, 30)


def trajectory(target: Target = TARGET) -> Trajectory:
    task = Task("t1", 'Öffne „Datei" <b>', "shots/a.png", SIZE, target, None, {"kind": "toolbar"})
    view = CropView("crop_1.png", "a.png", Region(0, 0, 128, 80, SIZE), Size(512, 320), "ab" * 32, "image/png")
    crop_reply = Message("user", (TextPart("crop_image action result:\n{}\n"), ImagePart("crop_1.png")))
    turns = (
        Turn("gibberish \u2028 \x00", "stop", malformed=Reason.NO_ACTION, reply=Message("user", (TextPart("no"),))),
        Turn("zoom", "stop", (Crop("a.png", 0, 0, 100, 100),), Dialect.CANONICAL, crops=(view,), reply=crop_reply),
        Turn("[15.00,25.00]", "stop", (Answer(15.0, 25.0),), Dialect.CANONICAL),
    )
    opening = (
        Message("system", (TextPart("find"),)),
        Message("user", (TextPart("image_path: a.png"), ImagePart("a.png"))),
    )
    return Trajectory(
        task, EpisodeSettings(arm=Arm.FORCED), "a.png", "cd" * 32, SIZE, opening, turns, StopReason.ANSWERED
    )


def record(uuid: str = "u-1", **figures: object) -> SavedRecord:
    figures = {"rewards": {"zoomin_accuracy": 1.0, "zoomin_cot_rm": None}, "total": 1.0, "step": 3} | figures
    return SavedRecord.of(trajectory(), uuid=uuid, **figures)


def test_what_training_did_to_turns_is_kept_and_older_records_have_none(tmp_path: Path) -> None:
    kept = record(turn_credit=[0.0, 0.25, 0.0], turns_out=[None, "good", None])
    assert SavedRecord.from_json(kept.to_json()) == kept
    older = json.loads(kept.to_json())
    del older["turn_credit"], older["turns_out"]
    read = SavedRecord.from_json(json.dumps(older))
    assert (read.turn_credit, read.turns_out) == ([], [])
    wrong = json.loads(kept.to_json()) | {"turn_credit": [0.5]}
    with pytest.raises(RowError, match="turn_credit holds 1 entries for 3 turns"):
        SavedRecord.from_json(json.dumps(wrong))


@pytest.mark.parametrize(
    "target", [Box(1, 2, 3, 4), Polygon((Point(0, 0), Point(5, 0), Point(5, 5))), Refusal()], ids=lambda t: t.kind
)
def test_a_record_comes_back_equal(target: Target) -> None:
    saved = SavedRecord.of(
        trajectory(target),
        uuid="chatcmpl-1.a",
        rewards={"zoomin_accuracy": 1.0, "dense_distance": None},
        total=1.25,
        advantage=-0.5,
        step=7,
        prompt_group=2,
        generation=5,
        scale_rewards="group",
        weights={"zoomin_accuracy": 1.0},
        reward_settings={"call_cost": 0.05},
        recipe_hash="ff",
        rank=3,
    )
    line = saved.to_json()
    assert "\n" not in line
    assert SavedRecord.from_json(line) == saved
    assert json.loads(line)["schema"] == 1


def test_messages_refer_to_images_and_never_inline_them() -> None:
    urls = [
        part["image_url"]["url"]
        for message in record().messages
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "image_url"
    ]
    assert urls == ["shots/a.png", "crops/u-1/crop_1.png"]
    assert [message["role"] for message in record().messages] == [
        "system", "user", "assistant", "user", "assistant", "user", "assistant",
    ]  # fmt: skip


def test_writing_appends_and_each_record_is_on_disk_at_once(tmp_path: Path) -> None:
    path = tmp_path / "run" / "rank_0.jsonl"
    with RecordWriter(path) as writer:
        writer.write(record("a"))
        assert [line.record.uuid for line in read_records(path)] == ["a"]
    with RecordWriter(path) as writer:
        writer.write(record("b"))
    lines = list(read_records(path))
    assert [(line.line, line.record.uuid) for line in lines] == [(1, "a"), (2, "b")]
    assert lines[0].record == record("a")


def test_a_cut_last_line_is_dropped_by_readers_and_removed_by_the_next_writer(tmp_path: Path) -> None:
    path = tmp_path / "rank_0.jsonl"
    full = record("a").to_json().encode() + b"\n"
    path.write_bytes(full + record("cut").to_json().encode()[:-20])
    assert [line.record.uuid for line in read_records(path)] == ["a"]
    with RecordWriter(path) as writer:
        writer.write(record("b"))
    assert [line.record.uuid for line in read_records(path)] == ["a", "b"]


def test_a_complete_last_line_without_line_end_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "rank_0.jsonl"
    path.write_text(record("a").to_json(), encoding="utf-8")
    assert [line.record.uuid for line in read_records(path)] == ["a"]
    with RecordWriter(path) as writer:
        writer.write(record("b"))
    assert [line.record.uuid for line in read_records(path)] == ["a", "b"]


def test_a_cut_file_does_not_hide_the_next_one(tmp_path: Path) -> None:
    (tmp_path / "trajectories").mkdir()
    (tmp_path / "trajectories" / "rank_0.jsonl").write_text('{"uuid": "cu', encoding="utf-8")
    write_records(tmp_path / "trajectories" / "rank_1.jsonl", [record("b")])
    assert [line.record.uuid for line in read_records(tmp_path)] == ["b"]


def broken(change: str) -> str:
    data = json.loads(record().to_json())
    match change:
        case "no_json":
            return "{not json"
        case "region":
            data["trajectory"]["turns"][1]["crops"][0]["region"]["x2"] = 99999
        case "number":
            data["rewards"]["zoomin_accuracy"] = "high"
        case "missing":
            del data["trajectory"]
        case "schema":
            data["schema"] = 2
        case "uuid":
            data["uuid"] = "../../etc"
    return json.dumps(data)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("no_json", "record"),
        ("region", "outside the 1280x800 image"),
        ("number", "rewards.zoomin_accuracy"),
        ("missing", "'trajectory'"),
        ("schema", "'schema'"),
        ("uuid", "uuid '../../etc'"),
    ],
)
def test_a_bad_line_names_file_line_and_field(tmp_path: Path, change: str, says: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(record("a").to_json() + "\n\n" + broken(change) + "\n" + record("c").to_json() + "\n", "utf-8")
    with pytest.raises(RowError) as caught:
        list(read_records(path))
    assert f"{path}:3:" in str(caught.value)
    assert says in str(caught.value)
    errors: list[RowError] = []
    assert [line.record.uuid for line in read_records(path, on_error=errors.append)] == ["a", "c"]
    assert [error.line for error in errors] == [3]


def test_nan_becomes_none_not_invalid_json(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write_records(path, [record(total=float("nan"), rewards={"zoomin_cot_rm": float("nan")})])
    (line,) = read_records(path)
    assert line.record.total is None
    assert line.record.rewards == {"zoomin_cot_rm": None}
    json.loads(path.read_text("utf-8"), parse_constant=pytest.fail)


@pytest.mark.parametrize(("uuid", "name"), [("..", "crop_1.png"), ("a/b", "crop_1.png"), ("a", "../x.png"), ("", "c")])
def test_no_path_leads_out_of_the_crops_folder(uuid: str, name: str) -> None:
    with pytest.raises(ZoomgroundError):
        crop_path(uuid, name)


def test_a_whole_log_replaces_the_old_one_in_one_step(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("old", "utf-8")

    def interrupted() -> object:
        yield record("a")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_records(path, interrupted())
    assert path.read_text("utf-8") == "old"
    assert write_records(path, [record("b"), record("c")]) == 2
    assert [line.record.uuid for line in read_records(path)] == ["b", "c"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_without_logs_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZoomgroundError, match="holds no trajectories"):
        log_files(tmp_path)


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    write_records(log, [record()])
    log.write_bytes(b"\xef\xbb\xbf" + log.read_bytes().rstrip(b"\n"))
    with RecordWriter(log) as writer:
        writer.write(record())
    assert [line.record for line in read_records(log)] == [record(), record()]
