"""Lessons say what the real environment says, and ask only for what can be seen."""

from __future__ import annotations

import io
import random
import re
from dataclasses import replace

import pytest
from PIL import Image

pytest.importorskip("numpy")

import numpy as np
from course_material import SETTINGS, SHEET, STYLE

from zoomground.collect.lattice import window_of, windows_of
from zoomground.collect.places import to_norm
from zoomground.curriculum.lessons import (
    NAMES,
    Lesson,
    episode,
    labels,
    lessons_of,
    listing,
    picture,
    place_in,
    screenshot,
    weigh,
)
from zoomground.environment import GroundingEnv
from zoomground.geometry import Box, Size
from zoomground.protocol.settings import Arm
from zoomground.synth.boards.board import SIZE, Kind, Part, draw_board
from zoomground.task import Task

BOARD = draw_board("a")
SHOT = screenshot(BOARD, SHEET)
SHOWN = SETTINGS.limits.view_size(SIZE)
GRID = Size(8, 5)


def norm(part: Part) -> Box:
    return to_norm(part.box_px, SIZE)


def said(lesson: Lesson, role: str) -> list[str]:
    return [text for speaker, text in lesson.turns if speaker == role]


@pytest.mark.parametrize("arm", list(Arm))
@pytest.mark.parametrize("number", range(4))
def test_an_episode_is_the_real_environments_conversation(number: int, arm: Arm) -> None:
    part, settings = BOARD.parts[number], replace(SETTINGS, arm=arm)
    style = replace(STYLE, off=0.0, forced=0.0, zoom_small=1.0, zoom_legible=1.0, habits={})
    lesson = episode(part, settings, style, random.Random(number))
    asked = re.search(r"(?m)^.*Instruction: (.*)$", "\n".join(said(lesson, "system") + said(lesson, "user")))
    assert asked
    task = Task("t", asked[1].strip(), "images/x/screen.webp", SIZE, part.box_px, meta={"name": part.name})
    env = GroundingEnv(task, SHOT, settings)
    for text in said(lesson, "assistant"):
        env.step(text)
    assert env.done
    conversation = [
        (message.role, "".join("<image>" if one.type == "image" else one.text for one in message.parts))
        for message in env.messages
    ]
    assert list(lesson.turns) == conversation
    crops = env.trajectory().crops
    assert len(crops) == (arm is not Arm.OFF)
    assert lesson.windows == (None, *(crop.region.box_norm for crop in crops))
    for crop, window in zip(crops, lesson.windows[1:], strict=True):
        with Image.open(io.BytesIO(env.views.encoded(crop.name).data)) as cut:
            assert np.array_equal(np.asarray(cut.convert("RGB")), picture(SHOT, window, SHOWN))


def test_one_weight_a_character_for_what_the_assistant_says_and_none_for_others() -> None:
    for lesson in lessons_of("w", 12, 0.5, SETTINGS, STYLE)[1]:
        for (role, text), weights in zip(lesson.turns, lesson.weights, strict=True):
            assert len(weights) == (len(text) if role == "assistant" else 0)


def test_first_digits_count_most() -> None:
    text = "<think>The star is at 475 50.</think>\n[475.00,50.00]"
    weights = dict(zip(((m.start(), m.group()) for m in re.finditer(r".", text)), weigh(text), strict=False))
    by_text = [(character, weight) for (_, character), weight in weights.items()]
    at = text.index("475")
    assert [weight for _, weight in by_text[at : at + 6]] == pytest.approx([5, 3, 3, 3, 5, 3])
    assert weigh(text)[text.index("[") + 1] == pytest.approx(3)
    assert weigh(text)[text.index("star")] == pytest.approx(0.2)


def test_a_place_that_nobody_can_see_does_not_count() -> None:
    style = replace(STYLE, zoom_small=0.0, zoom_legible=0.0, forced=0.0, habits={})
    for kind, most in ((Kind.BUTTON, 2.5), (Kind.TILE, 5.0)):
        part = next(part for part in BOARD.parts if part.kind is kind)
        lesson = episode(part, SETTINGS, style, random.Random(0))
        assert max(weights.max() for weights in lesson.weights if len(weights)) == pytest.approx(most)


def test_a_window_that_is_not_the_nearest_is_read_but_not_asked_for() -> None:
    style = replace(STYLE, off=0.0, forced=0.0, zoom_small=1.0, zoom_legible=1.0, habits={})
    part = next(part for part in BOARD.parts if part.kind is Kind.BUTTON and len(windows_of(norm(part))) > 1)
    seen: dict[bool, int] = {True: 0, False: 0}
    for seed in range(60):
        lesson = episode(part, SETTINGS, style, random.Random(seed))
        asks, answers = (weights for weights in lesson.weights if len(weights))
        nearest = lesson.windows[1] == window_of(norm(part))
        seen[nearest] += 1
        assert lesson.windows[1] in windows_of(norm(part))
        assert bool(asks.max() > 0) is nearest
        assert answers.max() == pytest.approx(5)
    assert 0 < seen[False] < seen[True]


def test_a_listing_names_everything_that_can_be_read_and_nothing_else() -> None:
    seen = set()
    for seed in range(40):
        lesson = listing(BOARD, random.Random(seed))
        (window,) = lesson.windows
        places = {p.name: at for p in BOARD.parts if (at := place_in(p, window)) is not None}
        (text,) = said(lesson, "assistant")
        named = {name: (int(x), int(y)) for name, x, y in re.findall(r"The (\w+) is at (\d+) (\d+)", text)}
        turned = re.findall(r"At (\d+) (\d+) is the (\w+)\.", text)
        assert named == places
        assert places
        assert all(places[name] == (int(x), int(y)) for x, y, name in turned)
        assert 1 <= len(turned) <= 4
        # The name of a line stands in no question: whichever comes first, it is free.
        (weights,) = (one for one in lesson.weights if len(one))
        assert all(weights[match.start()] == 0 for match in re.finditer(r"(?m)^", text) if text)
        seen.add(window is None)
    assert seen == {True, False}


def test_a_button_can_be_read_in_a_window_alone() -> None:
    button = next(part for part in BOARD.parts if part.kind is Kind.BUTTON)
    assert place_in(button, None) is None
    away = Box(0, 750, 250, 1000) if button.box_px.y2 < 500 else Box(0, 0, 250, 250)
    assert place_in(button, away) is None


def test_labels_stand_where_the_middle_of_a_readable_part_is() -> None:
    found = labels(BOARD, None, GRID).reshape(GRID.height, GRID.width, len(NAMES))
    tiles = [part for part in BOARD.parts if part.kind is Kind.TILE]
    assert found.sum() == len(tiles)
    for part in tiles:
        middle = part.box_px.center
        assert found[int(middle.y / 160), int(middle.x / 160), NAMES.index(part.name)] == 1
    window = Box(0, 0, 1000, 1000)
    assert labels(BOARD, window, GRID).sum() == len(BOARD.parts)


def test_the_same_seed_gives_the_same_lessons() -> None:
    one, other = (lessons_of("s", 6, 0.3, SETTINGS, STYLE) for _ in range(2))
    assert one[0] == other[0]
    assert [lesson.turns for lesson in one[1]] == [lesson.turns for lesson in other[1]]
    assert lessons_of("t", 6, 0.3, SETTINGS, STYLE)[0] != one[0]
