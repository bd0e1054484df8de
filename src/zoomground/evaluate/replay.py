"""Recorded raw answers held against a benchmark: no model, no screenshots.

An answer belongs to the item of its id, and to no other instruction than its own; what belongs to no item is named,
and an item without an answer stays in the denominator as an error. How the answers are read and what their numbers
mean is the profile's word. A record may bring a verdict of its own: where that differs from ours, both are shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground.data import jsonl
from zoomground.errors import RowError, ZoomgroundError
from zoomground.evaluate.dialects.base import Said
from zoomground.evaluate.items import ItemSet, Scoring
from zoomground.evaluate.profiles.base import Profile, placed
from zoomground.evaluate.profiles.conventions import CONVENTIONS, Frame
from zoomground.evaluate.verdicts import Failed, Given, Outcome, Pointed, Verdict, judge
from zoomground.geometry import Size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zoomground.evaluate.items import Item
    from zoomground.evaluate.profiles.conventions import Convention

SUSPICIOUS = 0.05
"""A convention that is better than the declared one by this much is worth a warning."""

_TEXTS = ("raw_response", "response", "text")
_INSTRUCTIONS = ("prompt_to_evaluate", "instruction")
_VERDICTS = {"correct": Verdict.CORRECT, "wrong_format": Verdict.WRONG_FORMAT}
_WRONG = ("wrong", "incorrect")


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded answer.

    Attributes:
        file: Where it stands.
        line: At which line, or place of a list.
        id: Id of the item.
        text: The reply as it was written; None where the record holds an error in its place.
        instruction: What was asked; "" if the record does not say it.
        finish_reason: Why the engine stopped, if the record says it.
        error: What broke, for a reply that was not had.
        sent: Size of the image that the model was sent, if the record says it.
        correct: The verdict that was recorded: whether right; None if there is none.
    """

    file: Path
    line: int
    id: str
    text: str | None
    instruction: str = ""
    finish_reason: str | None = None
    error: str = ""
    sent: Size | None = None
    correct: bool | None = None


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An answer that belongs to no item, or an item without one.

    Attributes:
        id: The id.
        why: What does not fit.
    """

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item on which the recorded verdict is another than ours.

    Attributes:
        id: The item.
        recorded: Whether it was recorded as right.
        ours: Our verdict.
        why: The reason, as far as it can be told.
    """

    id: str
    recorded: bool
    ours: Verdict
    why: str


def read_answers(path: Path) -> list[Recorded]:
    """Read recorded answers: JSON lines, or one JSON document with a list ``details`` as benchmark harnesses write it.

    Each has ``id``, a reply (``raw_response``, ``response`` or ``text``) or an ``error``, and may have an instruction
    (``prompt_to_evaluate`` or ``instruction``), ``finish_reason``, ``sent_size`` and a verdict ``correctness``.

    Raises:
        RowError: If a record is wrong.
        ZoomgroundError: If the file cannot be read.
    """
    return [_recorded(path, line, raw) for line, raw in _records(path)]


def _records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    if path.suffix != ".json":
        yield from ((line.line, line.value) for line in jsonl.read(path))
        return
    try:
        details = json.loads(path.read_text("utf-8"))["details"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ZoomgroundError(f"{path}: is no JSON document with a list 'details' of answers ({error!r})") from error
    if not isinstance(details, list) or not all(isinstance(one, dict) for one in details):
        raise ZoomgroundError(f"{path}: 'details' is no list of objects, one for each answer")
    yield from enumerate(details, start=1)


def _recorded(path: Path, line: int, raw: dict[str, Any]) -> Recorded:
    def error(name: str, problem: str) -> RowError:
        return RowError(str(path), line, name, problem)

    if not isinstance(raw.get("id"), str | int):
        raise error("id", "is missing; every record names the item that it answers")
    text = next((raw[name] for name in _TEXTS if name in raw), None)
    failure = raw.get("error") or ""
    if not failure and not isinstance(text, str):
        raise error(_TEXTS[0], f"is no text; a record has one of {', '.join(_TEXTS)} with the raw reply, or an 'error'")
    correctness = raw.get("correctness")
    if correctness is not None and correctness not in (*_VERDICTS, *_WRONG):
        raise error("correctness", f"must be one of {', '.join((*_VERDICTS, *_WRONG))}, got {str(correctness)[:40]!r}")
    sent = raw.get("sent_size")
    if sent is not None and not (isinstance(sent, list) and len(sent) == 2 and all(_is_side(one) for one in sent)):
        raise error("sent_size", f"must be [width, height] in px, got {str(sent)[:40]!r}")
    return Recorded(
        file=path,
        line=line,
        id=str(raw["id"]),
        text=None if failure else text,
        instruction=next((str(raw[name]) for name in _INSTRUCTIONS if raw.get(name)), ""),
        finish_reason=raw.get("finish_reason"),
        error=str(failure),
        sent=Size(*sent) if sent else None,
        correct=None if correctness is None else correctness == "correct",
    )


def _is_side(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


@dataclass(frozen=True, slots=True)
class Replay:
    """Recorded answers, read.

    Attributes:
        items: The whole set.
        profile: How they were read.
        said: What each item's answer says; `Failed` where there is none.
        frames: The sizes that its numbers may be about.
        records: The record of each item that has one.
        mismatches: What did not fit together.
    """

    items: ItemSet
    profile: Profile
    said: Mapping[str, Said | Failed]
    frames: Mapping[str, Frame]
    records: Mapping[str, Recorded]
    mismatches: tuple[Mismatch, ...]

    def outcome(self, item: Item, convention: Convention | None = None) -> Outcome:
        """What an item's answer came to, under the profile's convention or another."""
        said = self.said[item.id]
        if isinstance(said, Failed):
            return said
        return placed(said, convention or self.profile.convention, self.frames[item.id])

    def given(self) -> dict[str, Given]:
        """Outcome and raw reply of every item, for exports."""
        return {item.id: Given(self.outcome(item), self._text(item.id)) for item in self.items.items}

    def verdicts(self, scoring: Scoring = Scoring.TRUE, convention: Convention | None = None) -> dict[str, Verdict]:
        """A verdict for every item."""
        return {item.id: judge(item, self.outcome(item, convention), scoring) for item in self.items.items}

    def disagreements(self, scoring: Scoring = Scoring.TRUE) -> list[Disagreement]:
        """Items whose recorded verdict is another than ours."""
        verdicts = self.verdicts(scoring)
        return [
            Disagreement(item.id, recorded, verdicts[item.id], self._why(item, recorded=recorded))
            for item in self.items.items
            if item.id in self.records and (recorded := self.records[item.id].correct) is not None
            if recorded is not (verdicts[item.id] is Verdict.CORRECT)
        ]

    def rescored(self, scoring: Scoring = Scoring.TRUE) -> dict[str, float]:
        """Share of correct items if the numbers were meant in each convention: a diagnostic, never a score."""
        conventions = {**CONVENTIONS, self.profile.convention.name: self.profile.convention}
        return {name: self._share(self.verdicts(scoring, one)) for name, one in conventions.items()}

    def _share(self, verdicts: Mapping[str, Verdict]) -> float:
        return sum(one is Verdict.CORRECT for one in verdicts.values()) / len(self.items)

    def _text(self, name: str) -> str:
        return (self.records[name].text or "") if name in self.records else ""

    def _why(self, item: Item, *, recorded: bool) -> str:
        published = judge(item, self.outcome(item), Scoring.PUBLISHED) is Verdict.CORRECT
        if item.published is not None and published is recorded:
            return "the record was scored against the target as published, which is not the one that was meant"
        outcome = self.outcome(item)
        if not isinstance(outcome, Pointed):
            return f"the reply is not read as a point here: {outcome}"
        return f"the point ({outcome.point.x:g}, {outcome.point.y:g}) px held against {item.target()}"


def replay(items: ItemSet, recorded: Sequence[Recorded], profile: Profile) -> Replay:
    """Read recorded answers as a profile says.

    The last record of an item counts: logs are appended to. A record of another instruction than the item's, in any of
    its wordings, is no answer to it.
    """
    by_id, mismatches = items.by_id, list[Mismatch]()
    records: dict[str, Recorded] = {}
    for one in recorded:
        item = by_id.get(one.id)
        if item is None:
            mismatches.append(Mismatch(one.id, f"line {one.line} of {one.file.name}: {items.name} has no such item"))
        elif not _asks(item, one.instruction):
            why = f"line {one.line} of {one.file.name} answers another instruction: {one.instruction[:80]!r}"
            mismatches.append(Mismatch(one.id, why))
        else:
            records[one.id] = one
    unanswered = [item.id for item in items.items if item.id not in records]
    mismatches += [Mismatch(name, "has no recorded answer; counted as an error") for name in unanswered]
    return Replay(
        items=items,
        profile=profile,
        said={item.id: _said(records.get(item.id), profile) for item in items.items},
        frames={item.id: _frame(item, records.get(item.id)) for item in items.items},
        records=records,
        mismatches=tuple(mismatches),
    )


def _asks(item: Item, instruction: str) -> bool:
    asked = " ".join(instruction.split())
    wordings = (item.task.instruction, *item.variants.values())
    return not asked or any(asked == " ".join(wording.split()) for wording in wordings)


def _frame(item: Item, record: Recorded | None) -> Frame:
    return Frame(item.size, sent=None if record is None else record.sent)


def _said(record: Recorded | None, profile: Profile) -> Said | Failed:
    if record is None:
        return Failed("no recorded answer")
    if record.text is None:
        return Failed(record.error)
    return profile.read(record.text, finish_reason=record.finish_reason)


def other_convention(declared: str, rescored: Mapping[str, float]) -> str | None:
    """A warning if the answers would score far better in a convention that was not declared.

    Args:
        declared: Name of the declared one.
        rescored: Share of correct items in each.
    """
    best = max(rescored, key=lambda name: rescored[name])
    gain = rescored[best] - rescored[declared]
    if gain < SUSPICIOUS:
        return None
    scores = f"{100 * rescored[declared]:.2f} %, as {best} {100 * rescored[best]:.2f} %"
    return f"declared as {declared} the answers score {scores}: is it the profile of this model? nothing was converted"
