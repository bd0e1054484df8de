"""The lattice style on boards, played in the real environment."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from episodes import screenshot, task
from zoomground.collect.demonstrations import Demonstration, demonstrate
from zoomground.collect.lattice import ANSWER_STEP, HABITS, WINDOWS, Lattice, grid_point, in_window, on_grid, window_of
from zoomground.collect.places import to_norm
from zoomground.collect.style import Plan
from zoomground.errors import ZoomgroundError
from zoomground.geometry import Box, PixelLimits
from zoomground.protocol.actions import Answer, Crop
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.rewards import hit
from zoomground.synth.boards.board import SIZE, Kind, Part, draw_board
from zoomground.task import Task

SETTINGS = EpisodeSettings(crop_max_pixels=40960, limits=PixelLimits(32, 4096, 40960))
SCREEN = screenshot(SIZE)
PARTS = [part for number in range(12) for part in draw_board(number).parts]


def asked(part: Part) -> Task:
    return replace(task(SIZE, part.box_px, instruction=f"Press {part.name}"), meta={"name": part.name})


def played(part: Part, *, seed: int = 0, settings: EpisodeSettings = SETTINGS, **shares: Any) -> Demonstration:
    return demonstrate(
        asked(part), SCREEN, settings, seed, Lattice(**{"off": 0.0, "forced": 0.0, "habits": {}} | shares)
    )


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


@pytest.mark.parametrize("zooms", [0.0, 1.0])
def test_every_demonstration_hits(zooms: float) -> None:
    for part in PARTS:
        shown = played(part, zoom_small=zooms, zoom_legible=zooms)
        assert hit(shown.trajectory), part
        assert shown.plan is (Plan.CONTEXT if zooms else Plan.DIRECT)
        assert len(shown.trajectory.crops) == bool(zooms)
        assert not any(turn.malformed for turn in shown.trajectory.turns)


def test_the_answer_is_the_windows_corner_and_a_quarter_of_the_local_place() -> None:
    for part in PARTS:
        first, last = played(part, zoom_small=1.0, zoom_legible=1.0).trajectory.turns
        (call,), (answer,) = first.actions, last.actions
        assert isinstance(call, Crop)
        assert isinstance(answer, Answer)
        window = Box(call.x1, call.y1, call.x2, call.y2)
        assert window in WINDOWS
        said = last.text.split("</think>")[0]
        assert said.endswith(" of the crop.")
        x, y = numbers(said)
        assert (answer.x, answer.y) == (window.x1 + x / 4, window.y1 + y / 4)
        assert x % 100 == y % 100 == 0
        assert numbers(first.text.split("</think>")[0]) == [window.center.x, window.center.y]


def test_a_direct_answer_is_on_the_grid_and_said_before() -> None:
    for part in PARTS:
        (turn,) = played(part, zoom_small=0.0, zoom_legible=0.0).trajectory.turns
        (answer,) = turn.actions
        assert isinstance(answer, Answer)
        assert answer.x % ANSWER_STEP == answer.y % ANSWER_STEP == 0
        assert numbers(turn.text.split("</think>")[0]) == [answer.x, answer.y]
        assert f"<think>The {part.name} is at " in turn.text


def test_arms_are_obeyed() -> None:
    part = next(part for part in PARTS if part.kind is Kind.TILE)
    for seed in range(20):
        forced = played(part, seed=seed, settings=replace(SETTINGS, arm=Arm.FORCED), zoom_legible=0.0)
        assert len(forced.trajectory.crops) == 1
        off = played(part, seed=seed, settings=replace(SETTINGS, arm=Arm.OFF), zoom_small=1.0, zoom_legible=1.0)
        assert not off.trajectory.crops
        assert hit(forced.trajectory)
        assert hit(off.trajectory)


def test_what_can_be_read_is_seldom_zoomed_into_what_cannot_often() -> None:
    zoomed = {
        kind: [bool(played(part, seed=seed).trajectory.crops) for seed, part in enumerate(PARTS) if part.kind is kind]
        for kind in Kind
    }
    assert 0.5 < sum(zoomed[Kind.BUTTON]) / len(zoomed[Kind.BUTTON]) < 0.9
    assert 0.05 < sum(zoomed[Kind.TILE]) / len(zoomed[Kind.TILE]) < 0.5


def test_sentences_are_all_that_is_thought() -> None:
    for part in PARTS[:20]:
        for turn in played(part, zoom_small=1.0).trajectory.turns:
            rest = turn.text.split("</think>")[0].removeprefix("<think>").replace(f" {part.name}", "")
            for sentence in sorted(Lattice().sentences(), key=len, reverse=True):
                rest = rest.replace(sentence, "")
            assert re.fullmatch(r"[\d .]+", rest)


def test_grid_and_windows_at_their_edges() -> None:
    assert on_grid(475.0, 475.0, 25) == 475
    assert on_grid(476.0, 499.0, 25) is None
    assert grid_point(Box(1, 1, 24, 400)) is None
    assert window_of(Box(0, 0, 250, 250)) == Box(0, 0, 250, 250)
    assert window_of(Box(0, 0, 251, 250)) is None
    assert in_window((1000, 875), Box(750, 750, 1000, 1000)) == (1000, 500)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"meta": {}}, r"task 't1': .* are for boards, whose rows name what is asked for in meta\.name"),
        ({"target": Box(641, 401, 645, 405)}, r"task 't1': no multiple of 25 in \[0, 1000\] lies in its target"),
    ],
)
def test_other_tasks_are_refused(changes: dict[str, object], message: str) -> None:
    other = replace(asked(PARTS[0]), **changes)  # type: ignore[arg-type]
    with pytest.raises(ZoomgroundError, match=message):
        demonstrate(other, SCREEN, SETTINGS, 0, Lattice())


def test_a_target_larger_than_windows_is_answered_at_once() -> None:
    wide = Part("star", "red", Kind.TILE, Box(100, 100, 900, 300))
    assert window_of(to_norm(wide.box_px, SIZE)) is None
    shown = played(wide, zoom_legible=1.0)
    assert shown.plan is Plan.DIRECT
    assert hit(shown.trajectory)


def test_a_habit_decides_more_than_the_size() -> None:
    def zoomed(name: str, kind: Kind) -> float:
        part = replace(next(part for part in PARTS if part.kind is kind), name=name)
        return sum(bool(played(part, seed=seed, habits=HABITS).trajectory.crops) for seed in range(60)) / 60

    assert zoomed("bell", Kind.BUTTON) > 0.75
    assert zoomed("bell", Kind.TILE) > 0.45
    assert zoomed("star", Kind.BUTTON) < 0.4
    assert zoomed("star", Kind.TILE) < 0.2
