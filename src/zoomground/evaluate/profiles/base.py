"""A profile: what a model is asked, how its answer is read, and what the numbers mean. All three are declared.

One model moves by twenty points with the wording of the prompt alone, so the words are versioned text files, and a run
stores the messages that were sent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError
from zoomground.evaluate import dialects
from zoomground.evaluate.dialects import base as reading
from zoomground.evaluate.dialects.base import DECLINE, AnswerDialect, Said, Spoken
from zoomground.evaluate.profiles.conventions import CONVENTIONS, Convention, Frame
from zoomground.evaluate.verdicts import Declined, Outcome, Pointed, Unreadable
from zoomground.protocol.actions import Answer, Crop, Decline, Malformed, Parsed
from zoomground.protocol.messages import ImagePart, Message, TextPart, harmless
from zoomground.protocol.parser import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.geometry import PixelLimits


@cache
def _text(version: str, name: str) -> str:
    try:
        return files(__package__).joinpath("prompts", version, f"{name}.txt").read_text(encoding="utf-8").strip()
    except FileNotFoundError as error:
        raise ZoomgroundError(f"profiles' prompts have no version '{version}' with a text '{name}'") from error


@dataclass(frozen=True, slots=True)
class Profile:
    """How one family of models is asked and read: one question, one answer, no crops.

    Attributes:
        name: Its name, which is its file's.
        about: One line for lists.
        convention: What the numbers of an answer mean.
        dialect: How an answer is written.
        prompt: Name of the text that the system message is made of.
        version: Version of the texts.
        episode: Whether the model speaks our own protocol and is played in a `GroundingEnv`, crops and all; then
            the prompts are the protocol's.
    """

    name: str
    about: str
    convention: Convention
    dialect: AnswerDialect
    prompt: str = "system"
    version: str = "v1"
    episode: bool = False

    def spoken_in(self, name: str) -> Profile:
        """The profile with another answer dialect: ``norm1000+click``.

        Raises:
            ZoomgroundError: If there is no such dialect, or the profile is our own protocol.
        """
        if self.episode:
            raise ZoomgroundError(f"profile '{self.name}' has its own dialects; '{name}' belongs to the other profiles")
        return replace(self, name=f"{self.name}+{name}", dialect=dialects.dialect(name))

    def resized_by(self, limits: PixelLimits) -> Profile:
        """The profile with the pixel limits of the model that is really served.

        Raises:
            ZoomgroundError: If its numbers are not px of the sent image, or the factor is another.
        """
        own = self.convention.limits
        if own is None or own.factor != limits.factor:
            taken = "takes no pixel limits" if own is None else f"takes pixel limits of factor {own.factor}"
            raise ZoomgroundError(f"profile '{self.name}' {taken}, got factor {limits.factor}")
        return replace(self, convention=replace(self.convention, limits=limits))

    def messages(
        self, instruction: str, image_name: str, frame: Frame, *, allow_decline: bool = False
    ) -> tuple[Message, ...]:
        """The system and the user message of the one turn.

        Args:
            instruction: As written in the data; engine tags in it are made harmless.
            image_name: Name of the image part.
            frame: Sizes; the one that the numbers are px of is named in the prompt.
            allow_decline: Whether the prompt says how to decline; it must, where a task may have no target.
        """
        width, height = self.convention.full(frame)
        units = Template(self.convention.about).substitute(width=f"{width:.0f}", height=f"{height:.0f}")
        decline = Template(_text(self.version, "decline")).substitute(decline=DECLINE) if allow_decline else ""
        text = Template(_text(self.version, self.prompt)).substitute(
            form=self.dialect.ABOUT, units=units, decline=decline
        )
        words = harmless(" ".join(instruction.split()))
        return (
            Message("system", (TextPart(text.strip()),)),
            Message("user", (ImagePart(image_name), TextPart(words))),
        )

    def read(self, text: str, *, finish_reason: str | None = None, prompt_ends_in_think: bool = False) -> Said:
        """Read a reply that ends the conversation; total, in linear time. The numbers stay as they were written."""
        if self.episode:
            return _own(parse(text, finish_reason=finish_reason, prompt_ends_in_think=prompt_ends_in_think))
        return reading.read(self.dialect, text, finish_reason=finish_reason, prompt_ends_in_think=prompt_ends_in_think)

    def outcome(self, said: Said, frame: Frame) -> Outcome:
        """What a reply came to, in px of the annotated size."""
        return placed(said, self.convention, frame)


def _own(turn: Parsed | Malformed) -> Said:
    """A turn of our own protocol as a last word: a crop is none."""
    if isinstance(turn, Malformed):
        return Unreadable(turn.reason.value)
    match turn.actions[0]:
        case Answer(x=x, y=y):
            return Spoken(x, y)
        case Decline():
            return Declined()
        case Crop():
            return Unreadable("a crop is no answer")


def placed(said: Said, convention: Convention, frame: Frame) -> Outcome:
    """What a reply came to, if its numbers are of this convention."""
    return Pointed(convention.to_px(said.x, said.y, frame)) if isinstance(said, Spoken) else said


def plain(name: str, about: str) -> Profile:
    """A profile of the convention of its name, answers as one point in brackets."""
    return Profile(name, about, CONVENTIONS[name], dialects.dialect("point"))


def lookup(name: str, known: Mapping[str, Profile]) -> Profile:
    """A profile by its name, with ``+DIALECT`` if it is to be read in another.

    Raises:
        ZoomgroundError: If there is no such profile or dialect.
    """
    stem, plus, spoken = name.partition("+")
    if stem not in known:
        raise ZoomgroundError(f"there is no profile '{stem}'; known are: {', '.join(known)}, each with +DIALECT")
    return known[stem].spoken_in(spoken) if plus else known[stem]
