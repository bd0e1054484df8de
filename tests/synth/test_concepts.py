"""The words of concepts: every drawing has a name in every language, and ways to ask for it that do not name it."""

import re
from collections import Counter

import pytest

from zoomground.synth.icons.own import ICONS
from zoomground.synth.words import LANGUAGES, entries

CONCEPTS = sorted(ICONS)


def test_every_drawing_has_words():
    assert [concept for concept in CONCEPTS if concept not in entries()] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_tell_concepts_apart(language):
    counts = Counter(entries()[concept].texts[language].casefold() for concept in CONCEPTS)
    assert [label for label, count in counts.items() if count > 1 or not label.strip()] == []


@pytest.mark.parametrize("concept", CONCEPTS)
def test_functions_never_say_the_name(concept):
    entry = entries()[concept]
    assert 2 <= len(entry.does) <= 3
    words = [word for word in re.findall(r"[a-z]+", entry.texts["en"].casefold()) if len(word) > 3]
    for does in (one.casefold() for one in entry.does):
        assert entry.texts["en"].casefold() not in does
        assert [word for word in words if re.search(rf"\b{word}s?\b", does)] == []


def test_no_two_concepts_share_a_function_or_a_look():
    for lists in ("does", "looks"):
        counts = Counter(one for concept in CONCEPTS for one in getattr(entries()[concept], lists))
        assert [text for text, count in counts.items() if count > 1] == []
