"""What a running stage shows of itself."""

from __future__ import annotations

import json
from pathlib import Path

from zoomground.train.progress import of_metrics


def test_the_last_step_is_shown_with_the_alarms_that_are_on(tmp_path: Path) -> None:
    log = tmp_path / "logging.jsonl"
    step = {"global_step/max_steps": "3/80", "loss": 0.0123, "reward": 1.5}
    log.write_text(json.dumps(step | {"zoomin/alarm/failed": 0.0}) + "\n", encoding="utf-8")
    shown = of_metrics(log)
    assert shown is not None
    assert (shown.done, shown.total, shown.note) == (3, 80, "loss 0.0123  reward 1.5")
    alarms = {"zoomin/alarm/wasted": 1.0, "zoomin/alarm/failed": "1.0", "zoomin/alarm/judge": 0.0}
    log.write_text(json.dumps(step | alarms) + "\n", encoding="utf-8")
    shown = of_metrics(log)
    assert shown is not None
    assert shown.note == "loss 0.0123  reward 1.5  alarms: failed, wasted"
