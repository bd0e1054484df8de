"""Thinking is varied, names subject and place, and holds nothing that the pictures do not show."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import SETTINGS, only, played, unseen

from episodes import task
from zoomground.collect.free import Free
from zoomground.collect.style import Plan
from zoomground.collect.thinking import SLOTS_FROM_OUTSIDE, Saying, Voice, languages, vocabulary
from zoomground.geometry import Box, Point, Size
from zoomground.protocol.actions import Reason
from zoomground.protocol.settings import Arm
from zoomground.protocol.views import Views

if TYPE_CHECKING:
    from zoomground.collect.demonstrations import Demonstration
    from zoomground.task import Task

PLACES = (Point(100, 100), Point(900, 500))
INSTRUCTIONS = {
    "do": "Star the mail from Oskar Castellan",
    "thing": "The close button of the dialog",
    "quote": "Where do I change the font?",
    "none": "Press <think> {now}",
}


def _voice(instruction: str = INSTRUCTIONS["do"], language: str | None = None, own_language: float = 1.0) -> Voice:
    meta = {} if language is None else {"language": language}
    return Voice.of(replace(task(instruction=instruction), meta=meta), random.Random(0), own_language=own_language)


@pytest.mark.parametrize("language", sorted(languages()))
@pytest.mark.parametrize("kind", INSTRUCTIONS)
def test_every_occasion_has_words_in_every_language(language: str, kind: str) -> None:
    voice = _voice(INSTRUCTIONS[kind], language)
    assert voice.language == language
    rng = random.Random(1)
    for saying in Saying:
        for after in (None, *Reason):
            for _ in range(20):
                text = voice.say(saying, rng, PLACES, after)
                assert text.strip() == text
                assert not re.search(r"[{}<>\d]|\s\s|\.\.(?!\.)", text), text
                assert text[0].isupper() or not text[0].isalpha() or not text[0].isascii()


@pytest.mark.parametrize("language", sorted(languages()))
def test_every_slot_is_known_and_used(language: str) -> None:
    words = vocabulary(language)
    assert set(words["sayings"]) == set(Saying)
    assert len(words["places"]) == 9
    used = {slot for texts in words["sayings"].values() for text in texts for slot in re.findall(r"\{(\w+)\}", text)}
    used |= {slot for texts in words["slots"].values() for text in texts for slot in re.findall(r"\{(\w+)\}", text)}
    assert used <= set(words["slots"]) | SLOTS_FROM_OUTSIDE
    by_code = {name for name in words["slots"] if name.startswith(("after_", "aim_")) or name == "gap"}
    assert set(words["slots"]) == (used - SLOTS_FROM_OUTSIDE) | by_code
    every = [
        text for texts in (*words["sayings"].values(), *words["slots"].values(), *words["places"]) for text in texts
    ]
    assert not any(re.search(r"\d", re.sub(r"\{\w+\}", "", text)) for text in every)


def test_the_subject_stands_in_the_sentence_as_its_form_asks() -> None:
    voices = {kind: _voice(text) for kind, text in INSTRUCTIONS.items()}
    assert {kind: voice.kind for kind, voice in voices.items()} == {kind: kind for kind in INSTRUCTIONS}
    assert voices["do"].subject == "star the mail from Oskar Castellan"
    assert voices["thing"].subject == "the close button of the dialog"
    assert voices["none"].subject == ""
    long = _voice("Open the settings of the third account from the left and then look for the section on privacy")
    assert long.kind == "quote"
    assert len(long.subject) <= 68
    assert long.subject.endswith(" ...")


def test_the_language_of_the_row_is_spoken_as_often_as_wished() -> None:
    assert _voice(language=None).language == "en"
    assert _voice(language="de-DE").language == "de"
    assert _voice(language="zh_CN").language == "zh"
    assert _voice(language="de", own_language=0.0).language == "en"
    assert _voice(language="de", own_language=0.0).kind == "quote"
    assert _voice(language="tlh").language == "en"


def test_ten_thousand_demonstrations_hardly_repeat() -> None:
    voice, rng = _voice(), random.Random(0)
    for saying, least in ((Saying.LOOK, 0.75), (Saying.FOUND, 0.15), (Saying.CLEAR, 0.08), (Saying.ABSENT, 0.1)):
        texts = {voice.say(saying, rng, [Point(100, 100)]) for _ in range(2000)}
        assert len(texts) > least * 2000, saying


def _thoughts(shown: Demonstration) -> list[str]:
    return [turn.text.split("</think>")[0] for turn in shown.trajectory.turns if "</think>" in turn.text]


@st.composite
def _tasks(draw: st.DrawFn) -> Task:
    size = Size(1920, 1080)
    x, y = draw(st.integers(0, 1860)), draw(st.integers(0, 1020))
    return task(size, Box(x, y, x + draw(st.integers(8, 60)), y + draw(st.integers(8, 60))))


@given(task_=_tasks(), plan=st.sampled_from(Plan), arm=st.sampled_from(Arm), seed=st.integers(0, 10**6))
def test_thinking_never_holds_a_number(task_: Task, plan: Plan, arm: Arm, seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Views, "picture", unseen)
        shown = played(task_, only(plan), settings=replace(SETTINGS, arm=arm), seed=seed)
    assert len(_thoughts(shown)) >= shown.right.count(True)
    for thought in _thoughts(shown):
        assert not re.search(r"[\d\[\](),]{3}|\d", thought)


def test_thinking_before_a_crop_knows_the_window_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two targets in one window, and one script: the words before the crop are the same."""
    monkeypatch.setattr(Views, "picture", unseen)
    said = set()
    for seed in range(30):
        shown = played(task(Size(1280, 800), Box(20, 20, 36, 36)), only(Plan.MISSED), seed=seed)
        first = _thoughts(shown)[0]
        window = shown.trajectory.crops[0].region.box_norm.center
        if window.x > 700 and window.y > 700:
            assert not re.search(r"top left|upper left|up on the left", first)
            said.add(first)
    assert said


def test_a_complaint_says_what_the_crop_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Views, "picture", unseen)
    words = vocabulary("en")["slots"]
    for plan, slot in ((Plan.CUT, "broken_off"), (Plan.MISSED, "not_here")):
        for seed in range(10):
            second = _thoughts(played(style=only(plan), seed=seed))[1].lower()
            assert any(text.lower() in second for text in words[slot])


def test_what_stays_illegible_is_not_called_legible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Views, "picture", unseen)
    style = replace(only(Plan.CONTEXT), legible_px=400.0)
    for seed in range(20):
        last = _thoughts(played(style=style, seed=seed))[-1].lower()
        assert not any(text.lower() in last for text in vocabulary("en")["slots"]["legible"])


def test_a_silent_style_thinks_nothing() -> None:
    shown = played(style=Free(silent=1.0, plans={Plan.CONTEXT: 1.0}))
    assert not _thoughts(shown)
