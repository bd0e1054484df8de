"""Demonstrations in whole numbers: right for any target, with windows of the lattice and words that follow from it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from PIL import Image

from zoomground.collect.closer import STEPS, Closer, called, spot
from zoomground.collect.demonstrations import Demonstration, demonstrate
from zoomground.collect.lattice import WINDOWS, in_window, is_at
from zoomground.collect.style import Plan
from zoomground.errors import ZoomgroundError
from zoomground.geometry import Box, PixelLimits, Size
from zoomground.images import Screenshot
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.task import Refusal, Task

SIZE = Size(1920, 1080)
SHOT = Screenshot(Image.new("RGB", (SIZE.width, SIZE.height)), SIZE, "", "screen.png")
SETTINGS = EpisodeSettings(limits=PixelLimits(32, 4096, 409600), crop_max_pixels=409600)


def played(box: Box, settings: EpisodeSettings = SETTINGS, seed: int = 0, **style: float) -> Demonstration:
    task = Task("t", "Click Save", "screen.png", SIZE, box, meta={"name": "Save"})
    return demonstrate(task, SHOT, settings, seed, replace(Closer(), **style))  # type: ignore[arg-type]


def test_the_spot_is_as_round_as_the_target_allows() -> None:
    assert STEPS == (5, 1)
    assert spot(Box(402, 500, 441, 521)) == (420, 510)
    assert spot(Box(402.2, 500, 404.1, 521)) == (403, 510)
    assert spot(Box(402.2, 500, 402.8, 521)) is None
    assert spot(Box(398, 500, 406, 520)) == (400, 510)
    assert spot(Box(399.6, 500, 405.2, 520)) == (402, 510), "a multiple of 5 near an edge is missed too easily"


@pytest.mark.parametrize("box", [Box(700, 300, 716, 316), Box(1904, 1064, 1920, 1080), Box(0, 0, 14, 9)])
def test_a_small_target_is_zoomed_into_and_its_place_composed(box: Box) -> None:
    shown = played(box, zoom_small=1.0)
    assert shown.plan is Plan.CONTEXT
    asks, answers = (turn.text for turn in shown.trajectory.turns)
    corners = [float(value) for value in re.findall(r"[xy][12]=(\d+)", asks)]
    window = Box(*corners)
    assert window in WINDOWS
    assert f"The Save needs a closer look at {window.center.x:.0f} {window.center.y:.0f}." in asks
    x, y = (round(float(value)) for value in re.search(r"\[([\d.]+),([\d.]+)\]", answers).groups())  # type: ignore[union-attr]
    assert is_at("Save", *in_window((x, y), window), in_crop=True) in answers


def test_arms_and_shares_decide_who_zooms() -> None:
    small, large = Box(700, 300, 716, 316), Box(700, 300, 900, 400)
    assert played(small, replace(SETTINGS, arm=Arm.OFF), zoom_small=1.0).plan is Plan.DIRECT
    assert played(small, zoom_small=0.0).plan is Plan.DIRECT
    assert played(large, zoom_legible=0.0).plan is Plan.DIRECT
    assert played(large, replace(SETTINGS, arm=Arm.FORCED), zoom_legible=0.0).plan is Plan.CONTEXT
    assert played(Box(100, 100, 1700, 900), zoom_legible=1.0).plan is Plan.DIRECT, "no window holds it"
    windows = {played(small, seed=seed, zoom_small=1.0, any_window=1.0).trajectory.crops[0].region for seed in range(9)}
    assert len(windows) > 1


def test_what_no_whole_number_lies_in_is_answered_at_once() -> None:
    thin = played(Box(701.2, 300, 702.6, 500), zoom_small=1.0)
    assert thin.plan is Plan.DIRECT


def test_refusals_are_declined_and_a_task_without_target_is_an_error() -> None:
    task = Task("t", "Click Save", "screen.png", SIZE, Refusal())
    assert demonstrate(task, SHOT, replace(SETTINGS, allow_decline=True), 0, Closer()).plan is Plan.DECLINE
    with pytest.raises(ZoomgroundError, match="nobody knows what to demonstrate"):
        demonstrate(replace(task, target=None), SHOT, SETTINGS, 0, Closer())


@pytest.mark.parametrize("name", ["[1,2]", "a <image> b", "", "x" * 41, None, "a\N{ZERO WIDTH SPACE}b"])
def test_odd_names_are_not_spoken(name: object) -> None:
    assert called(name) == "It"
    assert is_at(called(name), 1, 2) == "It is at 1 2."
