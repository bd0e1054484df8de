"""What builders draw from: choices that repeat, names that do not, numbers and wishes of each language."""

import random

import pytest

from zoomground.synth.graph import Box, Element, State
from zoomground.synth.overlays.calendar_flyout import month
from zoomground.synth.scene import Scene
from zoomground.synth.words import LANGUAGES


def scene(language: str = "en", seed: int = 1) -> Scene:
    return Scene(random.Random(seed), language, 1280, 720)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_seed_says_the_same(language: str) -> None:
    def said(one: Scene) -> list[str]:
        return [make() for _ in range(5) for make in (one.person, one.company, one.title, one.word, one.date)]

    assert said(scene(language)) == said(scene(language))
    assert said(scene(language)) != said(scene(language, seed=2))


def test_two_scenes_in_turn_do_not_disturb_each_other() -> None:
    alone = scene()
    expected = [alone.person() for _ in range(5)]
    one, other, found = scene(), scene(seed=9), []
    for _ in range(5):
        found.append(one.person())
        other.person()
    assert found == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_screen_never_says_one_word_twice(language: str) -> None:
    one = scene(language)
    words = [one.word() for _ in range(400)]
    assert len(set(words)) == len(words)


def test_numbers_look_as_in_the_language() -> None:
    written = {language: scene(language).number(1234.5, 1234.5, 1) for language in LANGUAGES}
    assert written == {"en": "1,234.5", "zh": "1,234.5", "de": "1.234,5", "es": "1.234,5", "fr": "1\u00a0234,5"}


def test_a_goal_that_says_the_label_is_left_out() -> None:
    one = scene()
    assert one.goals("mail_save_file", name="letter.pdf") == ("Get a copy of letter.pdf onto this computer",)
    assert one.goals("mail_save_file", name="download.pdf") == ()
    assert one.goals("time_clip", unsaid="Place", name="Titles") == ()
    assert one.goals("mail_print") != ()
    assert one.goals("mail_help") == ()


def test_chinese_letters_reach_further() -> None:
    assert scene().reach("文件") > scene().reach("ab")


def test_every_clock_and_calendar_of_a_screen_shows_the_same_moment() -> None:
    whole = scene()
    window = whole.sized(400, 300)
    assert whole.now == window.now
    head, grid = month(window, 30.0)
    selected = [cell.name for cell in grid.children if isinstance(cell, Element) and State.SELECTED in cell.states]
    assert selected == [str(whole.now.day)]
    assert str(whole.now.year) in str(head)
    blanks = [cell for cell in grid.children if isinstance(cell, Box)]
    assert len(blanks) == whole.now.replace(day=1).weekday()
