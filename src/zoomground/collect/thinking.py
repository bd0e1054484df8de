"""What the free style's demonstrations think: short sentences that say where to look and why, in varied words.

A language is one file of `words`: for each occasion a list of sentences with slots, and for each slot a list of
fillers, which may hold slots again. Two slots are filled from outside: ``{at}`` with the place that is meant, as one of
nine parts of a picture, and ``{subject}`` with what the instruction names. Neither can hold a coordinate.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from zoomground.collect.places import ninth_index
from zoomground.protocol.actions import Reason
from zoomground.protocol.messages import harmless

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping, Sequence

    from zoomground.geometry import Point
    from zoomground.task import Task

ENGLISH = "en"

_MAX_SUBJECT = 64
"""Longest quotation of an instruction, in characters."""

_SLOT = re.compile(r"\{(\w+)\}")
_SUBJECT = "subject"
_START = re.compile(r"(?:^|(?<=[.!?] ))[a-zà-ÿ]")
_UNQUOTABLE = re.compile(r"[<>{}]")
_ARTICLE = re.compile(r"(?:the|an?) ", re.IGNORECASE)


class Saying(StrEnum):
    """Occasions to think aloud.

    - clear, guess: answering from the screenshot what can be read, or cannot.
    - look, make_sure, demanded: a first crop because the target is small, to be sure, or because one is asked for.
    - wide, further: the first crop of several, and a crop of a crop.
    - compare, compare_close: two crops in a turn, far apart or in one part of the screen.
    - cut_off, absent, same: the last crop was no use, and where to look instead.
    - found, faint, in_first, in_second: answering from a crop; faint where the target is not legible even there.
    - nothing, check, still_nothing: declining at once, looking first, declining after that.
    """

    CLEAR = "clear"
    GUESS = "guess"
    LOOK = "look"
    MAKE_SURE = "make_sure"
    DEMANDED = "demanded"
    WIDE = "wide"
    FURTHER = "further"
    COMPARE = "compare"
    COMPARE_CLOSE = "compare_close"
    CUT_OFF = "cut_off"
    ABSENT = "absent"
    SAME = "same"
    FOUND = "found"
    FAINT = "faint"
    IN_FIRST = "in_first"
    IN_SECOND = "in_second"
    NOTHING = "nothing"
    CHECK = "check"
    STILL_NOTHING = "still_nothing"


_AFTER: Mapping[Reason, str] = MappingProxyType(
    {
        Reason.OUT_OF_RANGE: "after_too_large",
        Reason.BAD_ORDER: "after_order",
        Reason.UNKNOWN_IMAGE: "after_name",
        Reason.MIXED: "after_mixed",
        Reason.TOO_MANY_CROPS: "after_too_many",
        Reason.OVER_BUDGET: "after_no_crops",
        Reason.BAD_POINT: "after_point",
        Reason.DECLINE_OFF: "after_decline",
        Reason.ZOOM_FIRST: "after_zoom_first",
    }
)
"""The slot that speaks of a correction; of others `_AFTER_OTHER` speaks."""

_AFTER_OTHER = "after_other"
SLOTS_FROM_OUTSIDE = frozenset({_SUBJECT, "at", "at2", "aim"})


@dataclass(frozen=True, slots=True)
class Voice:
    """Thinks in one language about one task.

    Attributes:
        language: Its file in `words`.
        subject: What the instruction names, ready to stand in a sentence; empty if it cannot be quoted.
        kind: How the subject stands in a sentence: ``do``, ``thing``, ``quote``, or ``none``.
    """

    language: str
    subject: str
    kind: str

    @classmethod
    def of(cls, task: Task, rng: random.Random, *, own_language: float) -> Voice:
        """The voice for a task.

        Args:
            task: Its ``meta`` may name the language of the instruction.
            rng: Decides the language.
            own_language: Share of the tasks in another known language that are thought about in it.
        """
        named = str(task.meta.get("language") or ENGLISH).replace("_", "-").split("-")[0].lower()
        foreign = named != ENGLISH
        spoken = foreign and named in languages() and rng.random() < own_language
        language = named if spoken else ENGLISH
        instruction = " ".join(harmless(task.instruction).split()).rstrip(" .!。！")
        if not instruction or _UNQUOTABLE.search(instruction):
            return cls(language, "", "none")
        if foreign or len(instruction) > _MAX_SUBJECT:
            return cls(language, _shortened(instruction), "quote")
        return cls(language, *_english(instruction))

    def say(self, saying: Saying, rng: random.Random, places: Sequence[Point] = (), after: Reason | None = None) -> str:
        """Think aloud.

        Args:
            saying: The occasion.
            rng: Decides the words.
            places: What ``{at}`` and ``{at2}`` speak of, in [0, 1000] of the picture that is meant.
            after: Why the last turn was refused, if it was.
        """
        words = vocabulary(self.language)
        slots: dict[str, Sequence[str]] = {**words["slots"], "aim": words["slots"][f"aim_{self.kind}"]}
        for name, point in zip(("at", "at2"), places, strict=False):
            column, row = ninth_index(point)
            slots[name] = words["places"][row * 3 + column]

        def filled(text: str) -> str:
            return _SLOT.sub(lambda slot: slot[0] if slot[1] == _SUBJECT else filled(rng.choice(slots[slot[1]])), text)

        text = filled(rng.choice(words["sayings"][saying]))
        if after is not None:
            text = filled("{" + _AFTER.get(after, _AFTER_OTHER) + "}{gap}") + text
        text = _START.sub(lambda letter: letter[0].upper(), text)
        return text.replace("{subject}", self.subject)


@cache
def languages() -> frozenset[str]:
    """Languages that can be thought in, by their two letters."""
    names = (file.name for file in files(__package__).joinpath("words").iterdir())
    return frozenset(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


@cache
def vocabulary(language: str) -> dict[str, Any]:
    """The words of a language: ``sayings`` by occasion, ``slots`` by name, ``places`` row by row."""
    return tomllib.loads(files(__package__).joinpath("words", f"{language}.toml").read_text(encoding="utf-8"))


def _english(instruction: str) -> tuple[str, str]:
    """Subject and kind of a short English instruction."""
    first = instruction.split(maxsplit=1)[0].lower()
    if first in vocabulary(ENGLISH)["verbs"]:
        return instruction[0].lower() + instruction[1:], "do"
    if _ARTICLE.match(instruction):
        return instruction[0].lower() + instruction[1:], "thing"
    return instruction, "quote"


def _shortened(instruction: str) -> str:
    if len(instruction) <= _MAX_SUBJECT:
        return instruction
    start = instruction[:_MAX_SUBJECT]
    # Chinese and Japanese have no spaces to cut at.
    return (start.rsplit(" ", 1)[0] if " " in start[_MAX_SUBJECT // 2 :] else start) + " ..."
