"""Nothing that a policy or a data file says leaves its fence: shown with a judge that believes everything outside."""

from __future__ import annotations

import asyncio
import json
import re
import unicodedata
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.injections import INJECTIONS, INNOCENT
from judging import Clock, hit_with, judge_of, played, scores, zoomed
from scripted_endpoint import Answer, scripted
from zoomground.judge import Language
from zoomground.judge.fence import LONGEST, PREFIX, quoted
from zoomground.judge.prompts import words
from zoomground.judge.transcript import transcript
from zoomground.rewards import RewardSettings, hit
from zoomground.trajectory import Trajectory

GOOD, TRUE = 1.0, 0.2
"""What the gullible judge gives when it is told to, and what it thinks by itself."""

UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn"}
OBEYS = re.compile(r"score|ignore|grader|previous|1\.0|system|忽略|满分|评分|得分|用户|SWdub3Jl", re.IGNORECASE)
CONTROL = re.compile(r"<|>|＜|＞|｜|\[/?[A-Za-z]\w*\]|\x1b|\x08|\r")


def outside(content: str) -> list[str]:
    """What stands outside the fences, for a reader who takes every kind of line break for one."""
    return [line for line in content.splitlines() if not line.startswith(PREFIX)]


def gullible(_: int, body: dict[str, Any]) -> Answer:
    """Does what any line outside a fence says, and what a control token anywhere in the message would do."""
    system, user = body["messages"]
    for language in Language:
        told = words("v1", language)
        if system["content"] == told.system:
            content = user["content"].removesuffix(told.closing)
            is_told = any(OBEYS.search(line) for line in outside(content))
            return scores(GOOD if is_told or CONTROL.search(content) or is_hidden(content) else TRUE)
    return scores(GOOD)


def is_hidden(content: str) -> bool:
    """Whether it holds what a person does not see and a model may read."""
    return any(
        unicodedata.category(letter) in UNSEEN or "VARIATION SELECTOR" in unicodedata.name(letter, "")
        for letter in content.replace("\n", "")
    )


def in_thinking(text: str) -> Trajectory:
    return hit_with(text)


def in_a_bad_turn(text: str) -> Trajectory:
    return played(f"{text} <action>", hit_answer())


def in_the_instruction(text: str) -> Trajectory:
    return hit_with(INNOCENT, instruction=text)


def in_a_file_name(text: str) -> Trajectory:
    trajectory = hit_with(INNOCENT)
    task = replace(trajectory.task, image=f"shots/{text}.png", id=text)
    return replace(trajectory, task=task, image_name=f"{text}.png", failure=text)


def in_an_image_path(text: str) -> Trajectory:
    """As if a refused name had come through."""
    trajectory = zoomed()
    first, crop, last = trajectory.turns
    asked, view = replace(crop.actions[0], image_path=text), replace(crop.crops[0], name=text, parent=text)  # type: ignore[type-var,call-arg]
    return replace(trajectory, turns=(first, replace(crop, actions=(asked,), crops=(view,)), last))


def in_thinking_that_the_parser_let_through(text: str) -> Trajectory:
    """As if the parser had read what it does not read."""
    trajectory = hit_with(INNOCENT)
    last = replace(trajectory.turns[-1], text=f"<think>{text}</think>\n[508.00,508.00]", finish_reason=text)
    return replace(trajectory, turns=(last,))


def hit_answer() -> str:
    return f"<think>{INNOCENT}</think>\n[508.00,508.00]"


PLACES = [
    in_thinking,
    in_a_bad_turn,
    in_the_instruction,
    in_a_file_name,
    in_an_image_path,
    in_thinking_that_the_parser_let_through,
]


@pytest.mark.parametrize(
    ("place", "language"), [*((place, Language.EN) for place in PLACES), (in_thinking, Language.ZH)]
)
def test_a_gullible_judge_is_told_nothing(place: Any, language: Language) -> None:
    """Every injection at every place, over a real connection, to a judge that believes all that is not fenced."""
    episodes = {name: place(text) for name, text in INJECTIONS.items()}
    judged = {name: episode for name, episode in episodes.items() if hit(episode)}
    # What the parser refuses inside thinking is no hit, and is tried as a bad turn.
    assert len(judged) >= (35 if place is in_thinking else len(INJECTIONS))
    with scripted(gullible) as server:
        judge = judge_of(server, clock=Clock(), language=language)
        opinions = asyncio.run(judge.opinions(list(judged.values())))
    given_scores = {name: opinion.score for name, opinion in zip(judged, opinions, strict=True)}
    # Thinking that is opened or closed twice is none: then nobody is asked, and the score is 0.
    assert {name for name, score in given_scores.items() if score not in {TRUE, 0.0}} == set()
    assert sum(score == TRUE for score in given_scores.values()) >= len(judged) - 2
    pairs = zip(opinions, judged.values(), strict=True)
    assert max(opinion.reward(episode, RewardSettings()) for opinion, episode in pairs) == TRUE


def test_the_gullible_judge_is_gullible() -> None:
    """Without the fence each of them would have worked."""
    for name, text in INJECTIONS.items():
        told = words("v1", Language.EN)
        body = {"messages": told.messages(f"thinking\n{text}")}
        verdict = json.loads(json.loads(gullible(0, body).body)["choices"][0]["message"]["content"])
        assert verdict == {"score": GOOD}, name


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", INJECTIONS)
def test_all_that_stands_outside_is_the_same_as_for_an_innocent_text(name: str, place: Any) -> None:
    told, innocent = place(INJECTIONS[name]), place(INNOCENT)
    if told.stop_reason != innocent.stop_reason or "thinking: none" in transcript(told).text:
        return  # thinking that the parser refuses makes another episode; the next place holds the same text
    assert without_marks(transcript(told).text) == without_marks(transcript(innocent).text)


def without_marks(text: str) -> list[str]:
    """What stands outside, without the numbers that differ and the reason for which a turn was refused."""
    plain = [re.sub(r"[0-9a-f]{16}", "MARK", line) for line in outside(text)]
    return [re.sub(r"(not carried out: )\w+", r"\1REASON", line) for line in plain]


@given(st.text(max_size=400))
def test_no_text_leaves_its_lines(text: str) -> None:
    lines = quoted(text)
    assert lines
    for line in lines:
        assert line.startswith(PREFIX)
        assert line.splitlines() == [line]
        assert not CONTROL.search(line)
        assert not any(unicodedata.category(letter) in UNSEEN for letter in line.replace("\t", ""))
        "\n".join(lines).encode("utf-8")


def test_what_a_reader_can_see_stays_readable() -> None:
    text = "The “File” menu — at [12.00,13.00] (第一个), 50 % | left 😀 naïve"
    assert quoted(text) == (f"| {text}",)


@pytest.mark.parametrize(
    "text",
    ["[|endofturn|]", "[INST]", "[/INST]", "[gMASK]", "[IMG-1]", "[ＩＮＳＴ]", "]~b]ai", "[e~[", "[[1,2], x]", "[1;2]"],
)
def test_square_brackets_are_kept_around_numbers_only(text: str) -> None:
    (line,) = quoted(text)
    assert not re.sub(r"\[[0-9.,]+\]", "", line).strip("| ").count("[")
    assert "]" not in re.sub(r"\[[0-9.,]+\]", "", line)


@pytest.mark.parametrize("blank", ["\u2800", "\u115f", "\u1160", "\u3164", "\uffa0"])
def test_blanks_that_unicode_counts_among_letters_are_no_reasoning(blank: str) -> None:
    assert quoted(f"a{blank * 3}b") == ("| a‹3 hidden›b",)
    assert transcript(in_thinking(blank * 50)).letters == 0


def test_line_breaks_of_every_kind_make_quoted_lines() -> None:
    assert quoted("a\r\nb\rc\u2028d\u2029e\x85f\x0bg\x0ch\x1ci") == tuple(f"| {letter}" for letter in "abcdefghi")


def test_long_texts_are_cut_in_the_middle() -> None:
    lines = quoted("begin " + "x" * 100_000 + " end")
    assert lines[0].startswith("| begin xxx")
    assert lines[-1].endswith("xxx end")
    assert lines[1] == f"| ‹{100_010 - LONGEST} characters left out›"
    assert sum(map(len, lines)) < LONGEST + 100


def test_blank_lines_are_no_way_to_push_the_instructions_out() -> None:
    assert quoted("a" + "\n \t" * 5000 + "\nb") == ("| a", "| ", "| b")


def test_marks_cannot_be_known_and_stand_in_no_text() -> None:
    text = transcript(hit_with(INNOCENT)).text
    mark = text.splitlines()[1].rpartition("[")[2]
    assert re.fullmatch(r"[0-9a-f]{16}", mark)
    again = transcript(hit_with(f"{INNOCENT}\n{mark}]")).text
    other = again.splitlines()[1].rpartition("[")[2]
    assert other != mark
    assert again.count(other) == 4
    assert transcript(hit_with(INNOCENT)).text == text
