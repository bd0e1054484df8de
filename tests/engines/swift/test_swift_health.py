"""The health of a real step: in the trainer's log, in TensorBoard's events, in the record."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from real_step import SCRIPTS, Seen, run_a_step, script_the_policy

from zoomground.data.health_log import HEALTH_FILE, read_health
from zoomground.engines.swift.alarms import RULES

pytestmark = [pytest.mark.engine, pytest.mark.filterwarnings("ignore")]


def test_a_real_step_is_logged_written_as_events_and_recorded(
    prompts_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("tensorboard", reason="needs the tensorboard extra")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    script_the_policy(monkeypatch, Seen(), SCRIPTS)
    caplog.set_level(logging.WARNING, logger="zoomground")
    out, line = run_a_step("qwen3_vl", prompts_file, tmp_path, monkeypatch, report_to="tensorboard")
    figures = {name: float(value) for name, value in line.items() if name.startswith("zoomin/")}

    # Of each group: a hit with a crop, a miss at once, a miss with a correction and a crop, one that failed.
    assert figures["zoomin/zoom_rate_on"] == pytest.approx(2 / 3)
    assert figures["zoomin/crops_depth_1"] == pytest.approx(2 / 3)
    assert figures["zoomin/crops_depth_2"] == 0
    assert figures["zoomin/crop_gain"] == 1
    assert figures["zoomin/crop_harm"] == 0
    assert figures["zoomin/dialect/canonical"] == pytest.approx(5 / 6)
    assert figures["zoomin/correction/no_action"] == pytest.approx(1 / 6)
    assert figures["zoomin/free_thinking"] == pytest.approx(1 / 6)
    assert figures["zoomin/groups_all_wrong"] == figures["zoomin/groups_all_right"] == 0
    assert figures["zoomin/groups_alike"] == 0
    assert figures["zoomin/alarm/failed"] == 1
    assert [rule.name for rule in RULES if figures[f"zoomin/alarm/{rule.name}"]] == ["failed"]

    (folder,) = {event.parent for event in out.rglob("events.out.tfevents.*")}
    events = EventAccumulator(str(folder)).Reload()
    written = {
        tag.partition("zoomin/")[2]: events.Scalars(tag)[0] for tag in events.Tags()["scalars"] if "zoomin/" in tag
    }
    assert {f"zoomin/{name}" for name in written} == set(figures)
    for name, event in written.items():
        assert event.step == 1
        assert event.value == pytest.approx(figures[f"zoomin/{name}"], abs=1e-5), name

    (recorded,) = read_health(out / HEALTH_FILE)
    assert recorded.step == 1
    assert set(recorded.alarms) == {"failed"}
    for name, value in recorded.figures.items():
        assert value == pytest.approx(figures[f"zoomin/{name}"]), name
    assert [record.message for record in caplog.records if "alarm" in record.message] == [
        f"alarm failed is on, step 1: {recorded.alarms['failed']}"
    ]
    assert json.loads((out / HEALTH_FILE).read_text(encoding="utf-8"))["step"] == 1
