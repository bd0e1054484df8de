"""How other families write an answer: read where it is exactly one, refused where it is a guess, in linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zoomground.errors import ZoomgroundError
from zoomground.evaluate.dialects import DIALECTS, dialect
from zoomground.evaluate.dialects.base import Said, Spoken, read
from zoomground.evaluate.verdicts import Declined, Unreadable


def said(name: str, text: str, **options: object) -> Said:
    return read(dialect(name), text, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "text", "x", "y"),
    [
        ("point", "[512, 407]", 512, 407),
        ("point", "(0.512,0.407)", 0.512, 0.407),
        ("point", "The button is at [512.5, 407.25].", 512.5, 407.25),
        ("point", '```json\n{"point_2d": [512, 407], "label": "save"}\n```', 512, 407),
        ("point", "<think>[1, 2] or [3, 4]?</think>\n[512, 407]", 512, 407),
        ("point", "[512, 407]<|im_end|>", 512, 407),
        ("point", "[-5, 1200]", -5, 1200),
        ("click", "click(512, 407)", 512, 407),
        ("click", "Action: click(x=512, y=407)", 512, 407),
        ("click", "pyautogui.click(512,407)", 512, 407),
        ("click", "click((512, 407))", 512, 407),
        ("click", "click(start_box='(512,407)')", 512, 407),
        ("click", "click(start_box='<|box_start|>(512,407)<|box_end|>')", 512, 407),
        ("click", "click(start_box='[500,400,524,414]')", 512, 407),
        ("click", "Thought: it is [1, 2]\nAction: click(point='<point>512 407</point>')", 512, 407),
        ("click", "left_click(coordinate=[512, 407])", 512, 407),
        ("point_tag", "<point>512 407</point>", 512, 407),
        ("point_tag", "<point>[[512, 407]]</point>", 512, 407),
        ("point_tag", "here: <point>(512,407)</point>", 512, 407),
        ("point_tag", '<point x="51.2" y="40.7" alt="Save">Save</point>', 51.2, 40.7),
        ("box", "[500, 400, 524, 414]", 512, 407),
        ("box", '{"bbox_2d": [500, 400, 524, 414]}', 512, 407),
        ("box", "<box>(500,400),(524,414)</box>", 512, 407),
        ("box", "<|box_start|>(500,400),(524,414)<|box_end|>", 512, 407),
        ("box", "<box>[[500, 400, 524, 414]]</box>", 512, 407),
        ("coordinate", '<answer>\n{"coordinate":[512,407]}\n</answer>', 512, 407),
        (
            "coordinate",
            '<grounding_think>\n[1,2]? "coordinate": [3,4]\n</grounding_think>\n{"coordinate": [512, 407]}',
            512,
            407,
        ),
        ("coordinate", '<answer>\n{"coordinate":[512,407]}}\n</answer>', 512, 407),
        (
            "coordinate",
            '<tool_call>{"arguments": {"action": "left_click", "coordinate": [512, 407]}}</tool_call>',
            512,
            407,
        ),
    ],
)
def test_one_answer_is_read(name: str, text: str, x: float, y: float) -> None:
    assert said(name, text) == Spoken(x, y)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("point", "", "nothing stands outside"),
        ("point", "at the top, near 512, 407", "no point"),
        ("point", "[1, 2] or [3, 4]", "more than one point"),
        ("point", "[500, 400, 524, 414]", "no point"),
        ("point", "(500,400),(524,414)", "more than one point"),
        ("point", "<think>[512, 407]</think>", "nothing stands outside"),
        ("point", "<think>[512, 407]", "thinking is not opened once"),
        ("point", "[512, 407]</think>", "thinking is not opened once"),
        ("point", "<think>a</grounding_think>[1, 2]", "thinking is not opened once"),
        ("point", "[50%, 40%]", "no point"),
        ("point", "[1e3, 2]", "no point"),
        ("point", f"[{'9' * 400}, 1]", "too long"),
        ("click", "[512, 407]", "no click"),
        ("click", "click(1, 2) click(1, 2)", "more than one click"),
        ("click", "click(the button)", "arguments"),
        ("click", "click(1, 2, 3)", "arguments"),
        ("click", "doubleclick(1, 2)", "no click"),
        ("point_tag", "<point>1 2</point><point>3 4</point>", "more than one point tag"),
        ("point_tag", "<points x1='1'>", "cannot be read"),
        ("point_tag", "<point>512</point>", "cannot be read"),
        ("box", "[512, 407]", "no box"),
        ("box", "[1, 2, 3, 4] [1, 2, 3, 4]", "more than one box"),
        ("box", "[1, 2, 3, 4, 5]", "no box"),
        ("coordinate", '{"coordinate": [1, 2]} {"coordinate": [3, 4]}', "more than one coordinate"),
        ("coordinate", '{"coordinate": [1, 2, 3, 4]}', "not two numbers"),
        ("coordinate", '{"coordinate": null}', "not two numbers"),
        ("coordinate", "[512, 407]", "no coordinate"),
    ],
)
def test_what_is_not_one_answer_is_none(name: str, text: str, reason: str) -> None:
    found = said(name, text)
    assert isinstance(found, Unreadable)
    assert reason in found.reason


@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_every_dialect_can_be_declined_in_and_is_cut_by_the_length_limit(name: str) -> None:
    for text in ("decline()", "<think>not there</think>\ndecline()", "<action>decline()</action>", "`decline()`"):
        assert said(name, text) == Declined()
    assert isinstance(said(name, "I will not decline() here"), Unreadable)
    assert said(name, "decline()", finish_reason="length") == Unreadable("the reply was cut by the length limit")


def test_a_prompt_that_opened_the_thinking() -> None:
    assert said("point", "maybe [1, 2]</think>[3, 4]", prompt_ends_in_think=True) == Spoken(3, 4)
    assert isinstance(said("point", "[3, 4]", prompt_ends_in_think=True), Unreadable)


def test_an_unknown_dialect_is_named() -> None:
    with pytest.raises(ZoomgroundError, match="no answer dialect 'xml'; known are: box, click"):
        dialect("xml")


_PIECES = st.sampled_from(
    (
        *(
            "[",
            "]",
            "(",
            ")",
            "<point>",
            "</point>",
            "<think>",
            "</think>",
            "click(",
            "start_box=",
            "'",
            '"coordinate":',
        ),
        *("<|box_start|>", "<point x=", "decline()", "1", "2.5", ",", " ", "-", ".", "\n", "x", "漢", "\x00"),
    )
)


@given(name=st.sampled_from(sorted(DIALECTS)), pieces=st.lists(_PIECES, max_size=40))
def test_reading_is_total(name: str, pieces: list[str]) -> None:
    assert isinstance(said(name, "".join(pieces)), Spoken | Declined | Unreadable)


@pytest.mark.parametrize("name", sorted(DIALECTS))
@pytest.mark.parametrize(
    "piece",
    [
        *("[", "[1", "[1,", "[ ", "(1,2", "click(", "click( ", "<point", "<point ", "<point>1 ", "1", "1.", " ", "\n"),
        *('"coordinate":', '"coordinate": ', "<think>", "[1,2,", "(1,2),", "click(x=1,", "<point x='1' y='2' "),
    ],
)
def test_reading_takes_linear_time(name: str, piece: str) -> None:
    def seconds(count: int) -> float:
        text = piece * count
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            said(name, text)
            best = min(best, time.process_time() - start)
        return best

    # Quadratic time would be 100 times as much; a floor keeps the clock's grain out of it.
    assert seconds(30_000) < 25 * max(seconds(3_000), 0.002)
