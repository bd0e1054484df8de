"""The frozen record of one episode: what was asked, said, shown, and how it ended.

Rewards, reports and saved logs read this and nothing else. Images are referenced by name, region and hash, never
inlined, so that a log of thousands of episodes stays small and every crop can be rebuilt from the screenshot.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from pydantic import TypeAdapter, ValidationError

from zoomground.errors import ZoomgroundError
from zoomground.geometry import Size
from zoomground.protocol.actions import Action, Answer, Decline, Dialect, Reason
from zoomground.protocol.messages import Message, TextPart
from zoomground.protocol.observation import CropView
from zoomground.protocol.settings import EpisodeSettings
from zoomground.task import Task

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMA: Literal[1] = 1
"""Number of this record's form; raised when a field changes its meaning."""


class Outcome(StrEnum):
    """How much of an ending is the policy's own."""

    TERMINATED = "terminated"
    TRUNCATED = "truncated"
    FAILED = "failed"


class StopReason(StrEnum):
    """Why the episode ended.

    - answered: the policy gave a point.
    - declined: the policy declined, and might.
    - corrections_spent: one bad turn more than there are correction rounds.
    - turns_spent: the last allowed turn held no answer.
    - length: a turn was cut by the generation limit.
    - context_budget: the conversation outgrew the context: the set-up's fault.
    - error: something broke that is not the policy's doing.
    """

    ANSWERED = "answered"
    DECLINED = "declined"
    CORRECTIONS_SPENT = "corrections_spent"
    TURNS_SPENT = "turns_spent"
    LENGTH = "length"
    CONTEXT_BUDGET = "context_budget"
    ERROR = "error"

    @property
    def outcome(self) -> Outcome:
        """Terminated and truncated episodes keep their rewards; a failed one leaves the loss."""
        match self:
            case StopReason.ANSWERED | StopReason.DECLINED | StopReason.CORRECTIONS_SPENT:
                return Outcome.TERMINATED
            case StopReason.TURNS_SPENT | StopReason.LENGTH:
                return Outcome.TRUNCATED
            case StopReason.CONTEXT_BUDGET | StopReason.ERROR:
                return Outcome.FAILED


@dataclass(frozen=True, slots=True)
class Turn:
    """One assistant turn and what came back.

    Attributes:
        text: What the policy wrote, unchanged.
        finish_reason: What the engine said about the end of the text, if anything.
        actions: What was read from it; also kept when the environment refused them.
        dialect: How it was written; None if it could not be read.
        malformed: Why the turn was bad; None for a good one.
        crops: The crops that ran.
        reply: The user message that followed; None after the last turn.
    """

    text: str
    finish_reason: str | None = None
    actions: tuple[Action, ...] = ()
    dialect: Dialect | None = None
    malformed: Reason | None = None
    crops: tuple[CropView, ...] = ()
    reply: Message | None = None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A whole episode.

    Attributes:
        task: The instruction, its screenshot and target.
        settings: The rules that were in force.
        image_name: The name that the policy knew the screenshot by.
        image_sha256: Hash of the screenshot's file, empty if it never opened.
        view: Size of the screenshot as the policy saw it, after the pixel limit.
        opening: The messages before the first turn.
        turns: In order.
        stop_reason: Why it ended; None while it still runs.
        failure: What broke, for a failed episode.
    """

    task: Task
    settings: EpisodeSettings
    image_name: str
    image_sha256: str
    view: Size
    opening: tuple[Message, ...] = ()
    turns: tuple[Turn, ...] = ()
    stop_reason: StopReason | None = None
    failure: str = ""
    schema: Literal[1] = SCHEMA

    @property
    def answer(self) -> Answer | None:
        """The final point, in [0, 1000] over the original, if the episode ended with one."""
        if self.stop_reason is not StopReason.ANSWERED:
            return None
        action = self.turns[-1].actions[0]
        return action if isinstance(action, Answer) else None

    @property
    def declined(self) -> bool:
        """Whether the episode ended with an allowed decline."""
        return self.stop_reason is StopReason.DECLINED and isinstance(self.turns[-1].actions[0], Decline)

    @property
    def crops(self) -> tuple[CropView, ...]:
        """All crops that ran, in order."""
        return tuple(crop for turn in self.turns for crop in turn.crops)

    @property
    def crop_turns(self) -> tuple[tuple[CropView, ...], ...]:
        """The crops grouped by turn, turns without crops left out."""
        return tuple(turn.crops for turn in self.turns if turn.crops)

    @property
    def corrections(self) -> int:
        """Number of bad turns."""
        return sum(turn.malformed is not None for turn in self.turns)

    @property
    def failed(self) -> bool:
        """Whether the episode ended by a fault of ours."""
        return self.stop_reason is not None and self.stop_reason.outcome is Outcome.FAILED

    def messages(self) -> Iterator[Message]:
        """The conversation as it was: replayable against any endpoint."""
        yield from self.opening
        for turn in self.turns:
            yield Message("assistant", (TextPart(turn.text),))
            if turn.reply is not None:
                yield turn.reply

    def to_json(self) -> str:
        """One line of JSON; `from_json` gives an equal record back."""
        return _ADAPTER.dump_json(self).decode("utf-8")

    @classmethod
    def from_json(cls, line: str | bytes) -> Trajectory:
        """Read a saved record.

        Raises:
            ZoomgroundError: If the text is no trajectory of this schema.
        """
        try:
            return _ADAPTER.validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "record"
            raise ZoomgroundError(f"not a trajectory of schema {SCHEMA}: field '{where}': {first['msg']}") from error


_ADAPTER = TypeAdapter(Trajectory)
