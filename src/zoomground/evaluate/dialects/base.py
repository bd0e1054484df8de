"""What every answer dialect shares: thinking taken off, numbers read as they stand, one answer or none.

The numbers of an answer are raw: what they are shares, thousandths or pixels of is the profile's word
(`zoomground.evaluate.profiles`), never theirs. Reading is total and takes linear time; a reply that holds several
answers holds none, because which of them is meant would be a guess.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from zoomground.evaluate.verdicts import Declined, Unreadable
from zoomground.protocol.spelling import DECIMAL, END_OF_TURN, SPACES

if TYPE_CHECKING:
    from collections.abc import Iterable

NUMBER = rf"[+-]?{DECIMAL}"
SEPARATED = r"\s*+,\s*+"
PAIR = rf"({NUMBER}){SEPARATED}({NUMBER})"
"""Two numbers with a comma between them."""

DECLINE = "decline()"
"""What a profile's prompt asks for where a task may be declined."""

_TAG = re.compile(r"<(/?)(think|thinking|grounding_think)>", re.ASCII | re.IGNORECASE)
_DECLINE = re.compile(r"(?:<action>|<answer>|`)?\s*+decline\(\s*+\)\s*+(?:</action>|</answer>|`)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Spoken:
    """The two numbers of an answer, x first, as they were written."""

    x: float
    y: float


Said = Spoken | Declined | Unreadable
"""What a reply says."""


class AnswerDialect(Protocol):
    """What every dialect module offers."""

    @property
    def NAME(self) -> str:  # noqa: N802 -- a module's constant
        """The dialect's name, which is its file's."""

    @property
    def ABOUT(self) -> str:  # noqa: N802 -- a module's constant
        """The form of the answer, as the prompt asks for it."""

    def read(self, outside: str, /) -> Said:
        """Read what stands outside the thinking."""

    def write(self, x: float, y: float, /) -> str:
        """An answer in this form, for scripted players."""


def read(
    dialect: AnswerDialect, text: str, *, finish_reason: str | None = None, prompt_ends_in_think: bool = False
) -> Said:
    """Read a whole reply.

    Args:
        dialect: How the answer is written.
        text: The reply, any string.
        finish_reason: Why the engine stopped; a reply that was cut holds no answer, whatever stands in it.
        prompt_ends_in_think: Whether the prompt already opened the thinking, so that the reply only closes it.
    """
    if finish_reason == "length":
        return Unreadable("the reply was cut by the length limit")
    outside = _outside(text, prompt_ends_in_think=prompt_ends_in_think)
    if outside is None:
        return Unreadable("thinking is not opened once and closed once")
    if not outside:
        return Unreadable("nothing stands outside thinking")
    if _DECLINE.fullmatch(outside):
        return Declined()
    return dialect.read(outside)


def only(found: Iterable[re.Match[str]], what: str) -> re.Match[str] | Unreadable:
    """The only match; none or several are no answer."""
    matches = list(itertools.islice(found, 2))
    if len(matches) == 1:
        return matches[0]
    return Unreadable(f"more than one {what}" if matches else f"no {what}")


def spoken(*numbers: str) -> Said:
    """A point of two numbers, or the middle of a box of four."""
    values = [float(number) for number in numbers]
    if not all(map(math.isfinite, values)):
        return Unreadable("a number is too long")
    if len(values) == 4:
        return Spoken((values[0] + values[2]) / 2, (values[1] + values[3]) / 2)
    return Spoken(values[0], values[1])


def _outside(text: str, *, prompt_ends_in_think: bool) -> str | None:
    """What stands around one block of thinking; None if it is not opened once and closed once."""
    text = text.strip(SPACES)
    text = text.removesuffix(next((token for token in END_OF_TURN if text.endswith(token)), ""))
    tags = list(itertools.islice(_TAG.finditer(text), 3))
    closing = [bool(tag[1]) for tag in tags]
    if prompt_ends_in_think:
        return text[tags[0].end() :].strip(SPACES) if closing == [True] else None
    if not tags:
        return text.strip(SPACES)
    if closing != [False, True] or tags[0][2].lower() != tags[1][2].lower():
        return None
    return f"{text[: tags[0].start()]}\n{text[tags[1].end() :]}".strip(SPACES)
