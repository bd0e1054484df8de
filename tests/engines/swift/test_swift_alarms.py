"""Every alarm goes on and off where its threshold says, speaks twice, and is not told again by a run that goes on."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from zoomground.data.health_log import read_health
from zoomground.engines.swift.alarms import RULES, Alarms, HealthWatch
from zoomground.recipe import Health

HEALTH = Health(window=3)


def on(name: str, figure: str, values: Sequence[float], health: Health = HEALTH) -> list[bool]:
    """Whether the alarm is on after each step."""
    alarms = Alarms(health)
    return [name in alarms.take_in({figure: value}) for value in values]


def test_zoom_gone_and_zoom_always_wait_for_a_whole_window() -> None:
    assert on("zoom_gone", "zoom_rate_on", [0, 0, 0, 0.09]) == [False, False, True, False]
    assert on("zoom_gone", "zoom_rate_on", [0.5, 0.06, 0, 0, 0]) == [False, False, False, True, True]
    assert on("zoom_always", "zoom_rate_on", [1, 1, 1, 0.9]) == [False, False, True, False]
    assert on("zoom_always", "zoom_rate_on", [0.98, 0.98, 0.97]) == [False, False, False]
    # The rate of all prompts, of which some cannot zoom, is none of theirs.
    assert on("zoom_gone", "zoom_rate", [0, 0, 0]) == [False, False, False]


def test_fallback_rises_above_its_lowest_however_slowly() -> None:
    slow = [0.1] * 3 + [0.1 + 0.02 * step for step in range(1, 9)]
    found = on("fallback", "dialect/fallback", slow)
    # The mean of the last three is more than 0.1 above 0.1 when their middle one is the sixth.
    assert found == [False] * 9 + [True, True]
    assert not any(on("fallback", "dialect/fallback", [0.9] * 8)), "high from the start is no rise"
    assert on("fallback", "dialect/fallback", [0.5, 0.5, 0.5, 0.1, 0.1, 0.1, 0.3, 0.3, 0.3])[-1], "up from the bottom"
    assert not any(on("fallback", "dialect/fallback", [0, 0, 0, 0.9, 0.9])[:-1]), "two windows that do not overlap"


@pytest.mark.parametrize(
    ("name", "figure", "limit"),
    [
        ("wasted", "groups_alike", 0.5),
        ("failed", "failed", 0.05),
        ("free_thinking", "free_thinking", 0.2),
        ("truncated", "truncated", 0.2),
        ("mismatch", "logprob_mismatch", 0.0),
        ("judge", "judge/failed_share", 0.2),
    ],
)
def test_alarms_above_a_threshold_speak_from_the_first_step_on(name: str, figure: str, limit: float) -> None:
    assert on(name, figure, [limit, limit, limit]) == [False] * 3, "at the threshold all is well"
    assert on(name, figure, [limit + 0.03, 0, 0, 0]) == [True, limit == 0, limit == 0, False]


def test_thresholds_are_the_recipe_s() -> None:
    assert on("failed", "failed", [0.3], Health(failed=0.25)) == [True]
    assert on("failed", "failed", [0.3], Health(failed=0.35)) == [False]
    assert on("zoom_gone", "zoom_rate_on", [0.0], Health(window=1, zoom_low=-1)) == [False], "off"
    assert on("zoom_gone", "zoom_rate_on", [0.1], Health(window=1, zoom_low=0.1)) == [True]
    assert on("fallback", "dialect/fallback", [0, 0.3], Health(window=1, fallback_rise=0.2)) == [False, True]


def test_a_step_without_the_figure_leaves_an_alarm_as_it_is() -> None:
    alarms = Alarms(Health(window=1))
    assert "failed" in alarms.take_in({"failed": 1.0})
    assert "failed" in alarms.take_in({"failed": float("nan")})
    assert "failed" in alarms.take_in({})
    assert "failed" not in alarms.take_in({"failed": 0.0})


def test_every_alarm_has_a_name_of_its_own_and_a_threshold_of_the_recipe() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    used = {"window", "zoom_low", "zoom_high", "fallback_rise", "wasted", "failed", "free_thinking", "truncated"}
    assert set(Health.model_fields) == used | {"mismatches", "judge_failed"}


def test_the_page_names_every_alarm_with_its_threshold() -> None:
    page = (Path(__file__).parents[3] / "docs" / "training.md").read_text(encoding="utf-8")
    alarms = page.partition("| alarm | on |")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(alarms) == len(RULES)
    health = Health()
    for rule in RULES:
        (line,) = [line for line in alarms if line.startswith(f"| `{rule.name}` |") and rule.figure in line]
        (key, value) = re.findall(r"`(\w+)` \(([0-9.]+)\)", line)[0]
        assert getattr(health, key) == float(value), rule.name


def test_an_alarm_is_told_when_it_goes_on_and_when_it_goes_off(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    watch = HealthWatch(Health(window=1), tmp_path / "out" / "health.jsonl")
    lines = [watch.step(step, {"zoomin/failed": failed, "loss": 1.0}) for step, failed in enumerate([0, 1, 1, 0], 1)]
    assert [line["zoomin/alarm/failed"] for line in lines] == [0.0, 1.0, 1.0, 0.0]
    assert all(line[f"zoomin/alarm/{rule.name}"] == 0.0 for line in lines for rule in RULES if rule.name != "failed")
    assert [record.message for record in caplog.records] == [
        "alarm failed is on, step 2: share of failed episodes is 1, mean of 1 step(s): above 0.05 (health.failed)",
        "alarm failed is off, step 4",
    ]
    record = read_health(tmp_path / "out" / "health.jsonl")
    assert [line.step for line in record] == [1, 2, 3, 4]
    assert [list(line.alarms) for line in record] == [[], ["failed"], ["failed"], []]
    assert record[1].figures == {"failed": 1.0}


def test_a_run_that_goes_on_tells_nothing_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Three steps, a kill, and the last one is done again: as if nothing had happened."""
    path = tmp_path / "health.jsonl"
    rates = [0.5, 0.0, 0.0, 0.0, 0.0]
    whole = HealthWatch(HEALTH, tmp_path / "whole.jsonl")
    for step, rate in enumerate(rates, 1):
        whole.step(step, {"zoomin/zoom_rate_on": rate, "zoomin/failed": 0.1})
    first = HealthWatch(HEALTH, path)
    for step, rate in enumerate(rates[:4], 1):
        first.step(step, {"zoomin/zoom_rate_on": rate, "zoomin/failed": 0.1})
    with path.open("ab") as stream:
        stream.write(b'{"step": 5, "figu')
    caplog.clear()
    again = HealthWatch(HEALTH, path)
    for step, rate in enumerate(rates[3:], 4):
        again.step(step, {"zoomin/zoom_rate_on": rate, "zoomin/failed": 0.1})
    assert path.read_text(encoding="utf-8") == (tmp_path / "whole.jsonl").read_text(encoding="utf-8")
    # Step 4 is told again, since step 4 is done again; the other alarm was on before.
    assert [record.message.partition(",")[0] for record in caplog.records] == ["alarm zoom_gone is on"]


def test_a_run_from_the_beginning_forgets_an_older_record(tmp_path: Path) -> None:
    path = tmp_path / "health.jsonl"
    for _ in range(2):
        HealthWatch(HEALTH, path).step(1, {"zoomin/failed": 0.0})
    assert [line.step for line in read_health(path)] == [1]


def test_a_disk_that_is_full_does_not_end_the_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    watch = HealthWatch(HEALTH, tmp_path / "file" / "health.jsonl")
    assert watch.step(1, {"zoomin/failed": 1.0})["zoomin/alarm/failed"] == 1.0
    assert "the health of step 1 was not saved" in caplog.text
