"""Time by phase: an inner phase stops the outer one."""

import pytest

from zoomground.engines.swift.stopwatch import Stopwatch


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_each_phase_is_charged_with_its_own_part() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    with watch.phase("training"):
        clock.now_s += 1
        with watch.phase("generation"):
            clock.now_s += 10
            with watch.phase("sync"):
                clock.now_s += 100
            clock.now_s += 20
        clock.now_s += 2
    clock.now_s += 5000
    with watch.phase("training"):
        clock.now_s += 4
    assert watch.take() == {"training": 7, "generation": 30, "sync": 100}
    assert watch.take() == {}


def test_what_runs_across_a_reading_is_split_there() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    with watch.phase("training"):
        clock.now_s += 3
        assert watch.take() == {"training": 3}
        clock.now_s += 5
    assert watch.take() == {"training": 5}


def test_an_error_inside_ends_the_phase() -> None:
    clock = Clock()
    watch = Stopwatch(clock)

    def breaks() -> None:
        with watch.phase("a"):
            clock.now_s += 1
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        breaks()
    clock.now_s += 7
    assert watch.take() == {"a": 1}


def test_what_runs_side_by_side_is_charged_once() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    with watch.phase("generation"):
        clock.now_s += 1
        first, second = watch.together("environment"), watch.together("environment")
        first.__enter__()
        clock.now_s += 10
        second.__enter__()
        clock.now_s += 20
        first.__exit__(None, None, None)
        clock.now_s += 40
        second.__exit__(None, None, None)
        clock.now_s += 2
        with watch.together("environment"):
            clock.now_s += 100
    assert watch.take() == {"generation": 3, "environment": 170}
