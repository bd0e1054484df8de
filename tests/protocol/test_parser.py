"""Properties of the parser that hold for any text."""

from __future__ import annotations

import doctest
import gc
import itertools
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replies import NEAR_MISSES, texts, turns
from zoomground.protocol import parser, render, spelling
from zoomground.protocol.actions import Answer, Crop, CropUnits, Decline, Dialect, Malformed, Parsed, ParserMode, Reason
from zoomground.protocol.parser import parse


def _all_modes(text: str, *, prompt_ends_in_think: bool, crop_units: CropUnits) -> list[Parsed | Malformed]:
    return [
        parse(text, prompt_ends_in_think=prompt_ends_in_think, crop_units=crop_units, mode=mode) for mode in ParserMode
    ]


@given(texts, st.booleans(), st.sampled_from(CropUnits))
def test_any_text_gives_a_turn_or_a_reason_and_a_wider_mode_reads_the_same(
    text: str, prompt_ends_in_think: bool, crop_units: CropUnits
) -> None:
    results = _all_modes(text, prompt_ends_in_think=prompt_ends_in_think, crop_units=crop_units)
    for narrow, wide in itertools.pairwise(results):
        assert isinstance(narrow, Malformed) or narrow == wide
        if isinstance(wide, Malformed):
            assert narrow == wide
    for result in results:
        if isinstance(result, Parsed):
            _check_values(result, crop_units)


def _check_values(result: Parsed, crop_units: CropUnits) -> None:
    assert 1 <= len(result.actions) <= 2
    for action in result.actions:
        if isinstance(action, Answer):
            assert len(result.actions) == 1
            assert 0 <= action.x <= 1000
            assert 0 <= action.y <= 1000
        elif isinstance(action, Crop):
            assert action.image_path
            assert action.x1 < action.x2
            assert action.y1 < action.y2
            if crop_units is CropUnits.NORM:
                assert min(action.x1, action.y1) >= 0
                assert max(action.x2, action.y2) <= 1000
            else:
                assert spelling.finite(action.x1, action.y1, action.x2, action.y2)
        else:
            assert result.actions == (Decline(),)


@given(turns, st.data())
def test_damaged_canonical_text_is_read_rightly_or_not_at_all(
    turn: tuple[Answer | Crop | Decline, ...], data: st.DataObject
) -> None:
    text = render.render(turn, think="so")
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 3)))
    damaged = text[:start] + data.draw(st.sampled_from(["", *NEAR_MISSES])) + text[end:]
    for result in _all_modes(damaged, prompt_ends_in_think=False, crop_units=CropUnits.NORM):
        if isinstance(result, Parsed):
            _check_values(result, CropUnits.NORM)


@given(texts, st.sampled_from(ParserMode))
def test_what_stands_only_in_thinking_never_acts(inside: str, mode: ParserMode) -> None:
    assert isinstance(parse(f"<think>{inside}</think>", mode=mode), Malformed)
    assert isinstance(parse(f"{inside}</think>", prompt_ends_in_think=True, mode=mode), Malformed)


@given(texts.filter(lambda text: "think>" not in text), turns, st.sampled_from(ParserMode))
def test_thinking_that_is_never_closed_never_acts(
    inside: str, turn: tuple[Answer | Crop | Decline, ...], mode: ParserMode
) -> None:
    assert isinstance(parse(f"<think>{inside}{render.render(turn)}", mode=mode), Malformed)


@given(texts.filter(lambda text: "think" not in text.lower() and "<|" not in text), turns)
def test_thinking_does_not_change_the_turn(inside: str, turn: tuple[Answer | Crop | Decline, ...]) -> None:
    assert parse(f"<think>{inside}</think>\n{render.render(turn)}", mode=ParserMode.STRICT) == Parsed(
        turn,  # type: ignore[arg-type]
        Dialect.CANONICAL,
    )


@given(texts, st.sampled_from(ParserMode))
def test_a_cut_reply_is_never_read(text: str, mode: ParserMode) -> None:
    assert parse(text, finish_reason="length", mode=mode).kind == "malformed"


def test_details_never_repeat_the_text() -> None:
    """Details go into logs and correction messages; what a policy writes must not come back as words of ours."""
    secret = "zyxw"
    for text in NEAR_MISSES:
        for result in _all_modes(f"{secret}{text}{secret}", prompt_ends_in_think=False, crop_units=CropUnits.NORM):
            assert isinstance(result, Parsed) or secret not in result.detail


HOSTILE: dict[str, Callable[[int], str]] = {
    "open square": lambda n: "[" * n,
    "open round": lambda n: "(" * n,
    "closed square": lambda n: "[" * (n // 2) + "]" * (n // 2),
    "mismatched": lambda n: f"[1,{'2' * (n // 2)}" + "x)" * (n // 4),
    "points": lambda n: "[1,2]" * (n // 5),
    "corners": lambda n: "(1,2) " * (n // 6),
    "long number": lambda n: f"[{'1' * n},2]",
    "long fraction": lambda n: f"[0.{'1' * n},2]",
    "spaces in brackets": lambda n: f"[{' ' * n}",
    "spaces after a tag": lambda n: f"<{' ' * n}think",
    "spaces after an entity": lambda n: f"&lt;{' ' * n}",
    "spaced entities": lambda n: "&lt; " * (n // 5),
    "thinking": lambda n: "<think>" * (n // 7),
    "half tags": lambda n: "<think" * (n // 6),
    "tokens": lambda n: "<|" * (n // 2),
    "end tokens": lambda n: "<|im_end|>" * (n // 10),
    "actions": lambda n: "<action>" * (n // 8),
    "empty actions": lambda n: "<action></action>" * (n // 17),
    "calls": lambda n: "crop_image(" * (n // 11),
    "arguments": lambda n: f"crop_image({'x1=1, ' * (n // 6)}",
    "open text": lambda n: f'<action>crop_image(image_path="{"a" * n}</action>',
    "escapes": lambda n: '{"' + '\\"' * (n // 2),
    "objects": lambda n: '{"' * (n // 2),
    "nested objects": lambda n: '{"a":' * (n // 5),
    "long object": lambda n: '{"a": "b", ' + '"a": "b", ' * (n // 10) + '"x": 1, "y": 2}',
    "digits in an object": lambda n: f'{{"x": {"9" * n}, "y": 1}}',
    "parameters": lambda n: "<function=crop_image>" + "<parameter=x1>1</parameter>" * (n // 27) + "</function>",
    "backticks": lambda n: "`" * n,
    "words": lambda n: "crop_image " * (n // 11),
    "white space": lambda n: " " * n,
    "quotes": lambda n: "'" * n,
    "letters in brackets": lambda n: f"[{'e' * n}]",
    "decimals in brackets": lambda n: f"[{'1.' * (n // 2)},{'1.' * (n // 2)}]",
}


def best_of_three(text: str) -> float:
    """Least CPU seconds of reading a text; the collector would look through all that other tests left."""
    seconds = []
    gc.disable()
    try:
        for _ in range(3):
            start = time.process_time()
            parse(text, mode=ParserMode.FALLBACK)
            seconds.append(time.process_time() - start)
    finally:
        gc.enable()
    return min(seconds)


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_text_is_read_in_linear_time(name: str) -> None:
    """A ratio, no clock: five times the text may take five times the time, not twenty-five; the floor hides noise."""
    short, long = HOSTILE[name](40_000), HOSTILE[name](200_000)
    assert best_of_three(long) < 15 * max(best_of_three(short), 0.05)


@pytest.mark.parametrize(
    "name", ["open square", "closed square", "nested objects", "thinking", "escapes", "long number"]
)
@pytest.mark.parametrize("mode", list(ParserMode))
def test_a_megabyte_is_read(name: str, mode: ParserMode) -> None:
    assert parse(HOSTILE[name](1_000_000), mode=mode).kind == "malformed"


def test_only_the_strict_mode_says_not_canonical() -> None:
    assert parse("[1,2]", mode=ParserMode.STRICT) == Malformed(
        Reason.NOT_CANONICAL, "the reply can be read as loose_point only"
    )


def test_the_examples_in_the_docstrings_are_true() -> None:
    for module in (parser, render, spelling):
        assert doctest.testmod(module).failed == 0
        assert doctest.testmod(module).attempted > 0
