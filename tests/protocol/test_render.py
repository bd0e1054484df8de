"""Writing a turn: what is written is canonical, and what could not be read back is refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replies import turns
from zoomground.protocol.actions import Answer, Crop, CropUnits, Decline, Dialect, Parsed, ParserMode
from zoomground.protocol.parser import parse
from zoomground.protocol.render import render

CROP = Crop("shot.png", 1, 2, 3, 4)


@given(turns, st.sampled_from(["x < 40 [1,2]", "", "\n\n", None]))
def test_what_is_written_is_read_back_in_the_strict_mode(
    turn: tuple[Answer | Crop | Decline, ...], think: str | None
) -> None:
    read = parse(render(turn, think=think), mode=ParserMode.STRICT)
    assert read == Parsed(turn, Dialect.CANONICAL)  # type: ignore[arg-type]


def test_the_text() -> None:
    assert render(Answer(-0.0, 999.999)) == "[0.00,1000.00]"
    assert render(Decline(), think="gone") == "<think>gone</think>\n<action>decline()</action>"
    assert render([CROP, CROP]) == "\n".join(
        ['<action>crop_image(image_path="shot.png", x1=1.00, y1=2.00, x2=3.00, y2=4.00)</action>'] * 2
    )


def test_pixels_may_be_written_beyond_a_thousand() -> None:
    crop = Crop("shot.png", 1200, 900, 3840, 2160)
    assert parse(render(crop), crop_units=CropUnits.PIXELS, mode=ParserMode.STRICT) == Parsed(
        (crop,), Dialect.CANONICAL
    )


@pytest.mark.parametrize(
    "turn",
    [
        [],
        [Answer(1, 2), Answer(3, 4)],
        [CROP, Answer(1, 2)],
        [CROP, CROP, CROP],
        Answer(1000.01, 0),
        Answer(math.nan, 0),
        Answer(-1, 0),
        Crop('a"b.png', 1, 2, 3, 4),
        Crop("a\nb.png", 1, 2, 3, 4),
        Crop("<think>.png", 1, 2, 3, 4),
        Crop("<|im_end|>", 1, 2, 3, 4),
        Crop("", 1, 2, 3, 4),
        Crop("a.png", 3, 2, 3.001, 4),
        Crop("a.png", -1, 2, 3, 4),
        Crop("a.png", 1, 2, math.inf, 4),
        Crop("a.png", 1, 2, math.nan, 4),
    ],
)
def test_what_cannot_be_read_back_is_refused(turn: object) -> None:
    with pytest.raises(ValueError, match=r"turn|outside|written|corners"):
        render(turn)  # type: ignore[arg-type]


@pytest.mark.parametrize("think", ["a</think>", "<Think>", "<|im_end|>"])
def test_thinking_that_would_end_early_is_refused(think: str) -> None:
    with pytest.raises(ValueError, match="thinking"):
        render(Answer(1, 2), think=think)
