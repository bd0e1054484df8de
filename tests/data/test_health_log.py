"""The health record: read back, taken up again, and the stretches of its alarms."""

from __future__ import annotations

from pathlib import Path

import pytest

from zoomground.data.health_log import (
    AlarmSpan,
    HealthLine,
    alarm_spans,
    append_health,
    find_health,
    read_health,
    resume_health,
)
from zoomground.errors import RowError

LINES = [
    HealthLine(1, {"failed": 0.0}),
    HealthLine(2, {"failed": 0.5}, {"failed": "half"}),
    HealthLine(3, {"failed": 1.0}, {"failed": "all", "wasted": "most"}),
    HealthLine(4, {"failed": 0.0}, {"wasted": "most"}),
    HealthLine(5, {"failed": 1.0}, {"failed": "again", "wasted": "most"}),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "grpo" / "health.jsonl"
    for line in LINES:
        append_health(file, line)
    return file


def test_it_reads_back_without_a_cut_last_line(path: Path) -> None:
    assert read_health(path) == LINES
    with path.open("ab") as stream:
        stream.write(b'{"step": 6')
    assert read_health(path) == LINES


def test_a_line_of_something_else_is_named(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b'{"loss": 6}\n')
    with pytest.raises(RowError, match=r"health.jsonl:6"):
        read_health(path)


@pytest.mark.parametrize("rest", [b"", b'{"step": 6', b'{"loss": 6}\n{"step": 7, "figures": {}, "alarms": {}}\n'])
def test_what_is_done_again_is_taken_out(path: Path, rest: bytes) -> None:
    with path.open("ab") as stream:
        stream.write(rest)
    assert resume_health(path, 9) == LINES
    assert read_health(path) == LINES
    assert resume_health(path, 4) == LINES[:3]
    append_health(path, LINES[3])
    assert read_health(path) == LINES[:4]
    assert resume_health(path, 1) == []
    assert resume_health(path.parent / "none.jsonl", 1) == []


def test_stretches_of_alarms() -> None:
    assert alarm_spans(LINES) == [
        AlarmSpan("failed", 2, 3, "all", is_open=False),
        AlarmSpan("wasted", 3, 5, "most", is_open=True),
        AlarmSpan("failed", 5, 5, "again", is_open=True),
    ]
    assert alarm_spans([]) == []


def test_it_is_found_in_a_run_folder_and_in_the_trainer_s(path: Path) -> None:
    assert find_health(path.parent.parent) == find_health(path.parent) == path
    assert find_health(path.parent / "nowhere") is None
