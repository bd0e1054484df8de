"""Every demonstrated mistake is one that the environment refuses, in every mode of the parser."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from scripted import SETTINGS, screen

from episodes import task
from zoomground.collect.mistakes import bad_turn, is_refused
from zoomground.environment import GroundingEnv
from zoomground.geometry import Box, Size
from zoomground.protocol.actions import Answer, Crop, CropUnits, ParserMode, Reason
from zoomground.protocol.settings import Arm

WIDE = task(Size(2560, 1440), Box(2000, 900, 2020, 920))
CROP = Crop("screen.png", 700.0, 600.0, 900.0, 800.0)
ANSWER = Answer(785.0, 632.0)


@pytest.mark.parametrize("mode", ParserMode)
@pytest.mark.parametrize("units", CropUnits)
@pytest.mark.parametrize("arm", Arm)
@pytest.mark.parametrize("decline", [True, False])
def test_is_refused(mode: ParserMode, units: CropUnits, arm: Arm, decline: bool) -> None:
    rules = replace(SETTINGS, parser_mode=mode, crop_units=units, arm=arm, allow_decline=decline)
    reasons: Counter[Reason] = Counter()
    for seed in range(60):
        meant = ANSWER if seed % 2 or arm is Arm.OFF else CROP
        episode = GroundingEnv(WIDE, screen(WIDE.size), rules)
        assert episode.step(bad_turn(episode, meant, random.Random(seed))) is not None
        turn = episode.trajectory().turns[-1]
        assert turn.malformed is not None
        assert not turn.crops
        reasons[turn.malformed] += 1
    assert len(reasons) >= (4 if arm is Arm.OFF else 6)
    assert Reason.OUT_OF_RANGE in reasons
    assert (Reason.DECLINE_OFF in reasons) is not decline
    assert (Reason.OVER_BUDGET in reasons) is (arm is Arm.OFF)


def test_right_turns_are_not_refused() -> None:
    episode = GroundingEnv(WIDE, screen(WIDE.size), SETTINGS)
    assert not is_refused(episode, "[785.00,632.00]")
    assert not is_refused(episode, '<action>crop_image(image_path="screen.png", x1=1, y1=2, x2=3, y2=4)</action>')
    assert is_refused(episode, '<action>crop_image(image_path="other.png", x1=1, y1=2, x2=3, y2=4)</action>')
