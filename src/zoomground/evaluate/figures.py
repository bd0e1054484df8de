"""What one arm of a run came to: scores, the same by size of the target, cost, and how the replies were written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from zoomground.evaluate.dialects.base import Spoken
from zoomground.evaluate.metrics import Share
from zoomground.evaluate.profiles.base import placed
from zoomground.evaluate.profiles.conventions import CONVENTIONS, Frame
from zoomground.evaluate.replay import other_convention
from zoomground.evaluate.scores import Scores, plain, score
from zoomground.evaluate.verdicts import Failed, Given, Outcome, Unreadable, Verdict, judge, outcome_of
from zoomground.protocol.actions import Dialect
from zoomground.rewards.base import hit_in_crop_frame, seen_short_side

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zoomground.evaluate.dialects.base import Said
    from zoomground.evaluate.items import Item
    from zoomground.evaluate.jobs import Evaluation
    from zoomground.evaluate.log import Result
    from zoomground.trajectory import Trajectory

SMALL, LARGE, NO_TARGET = "small", "large", "no target"
"""Size classes: whether the target can be read on the screenshot as the policy sees it."""

_AREAS = ((0.01, "under 0.01 %"), (0.1, "0.01 to 0.1 %"), (1.0, "0.1 to 1 %"), (float("inf"), "1 % and more"))
"""Upper ends of the classes of a target's share of the screen, in percent, and their names."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Means over the items that were answered; None where nobody counted."""

    crops: float
    turns: float
    corrections: float
    image_tokens: float | None
    prompt_tokens: float | None
    completion_tokens: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Figures:
    """What one arm came to.

    Attributes:
        arm: Its name.
        scores: Averages, cells and refusals, by the benchmark's own axes.
        verdicts: Of every item.
        given: Outcome and last reply of every item, for exports.
        classes: Size class of every item that was asked: `SMALL`, `LARGE` or `NO_TARGET`.
        sizes: Hit rate by size of the target: ``legible`` (those classes) and ``area`` (share of the screen).
        cost: Means an item.
        zooms: Whether a crop ran, of every answered item.
        zoomed: Share of the answered items in which a crop ran.
        zoomed_sizes: The same by size class.
        canonical: Share of their turns that were written in the canonical form.
        reward: Mean total reward of the answered items; None where the rewards do not apply.
        dialects: Number of turns by how they were written.
        malformed: Number of bad turns by reason.
        stop_reasons: Number of items by how the episode ended.
        troubles: Number of items by the trouble of the last reply.
        failures: Number of items by what broke.
        crop_frame: Misses that would have hit in the coordinates of their last crop: a diagnostic.
        conventions: Hit rate if the answers were meant in each convention: a diagnostic.
        warning: What the last one hints at; None if nothing.
    """

    arm: str
    scores: Scores
    verdicts: Mapping[str, Verdict]
    given: Mapping[str, Given]
    classes: Mapping[str, str]
    sizes: Mapping[str, Mapping[str, Share]]
    cost: Cost
    zooms: Mapping[str, bool]
    zoomed: Share
    zoomed_sizes: Mapping[str, Share]
    canonical: Share
    reward: float | None
    dialects: Mapping[str, int]
    malformed: Mapping[str, int]
    stop_reasons: Mapping[str, int]
    troubles: Mapping[str, int]
    failures: Mapping[str, int]
    crop_frame: int
    conventions: Mapping[str, float]
    warning: str | None

    @property
    def hits(self) -> dict[str, bool]:
        """Whether each item was right; an error is no hit."""
        return {name: verdict is Verdict.CORRECT for name, verdict in self.verdicts.items()}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        cost = self.cost
        return {
            **self.scores.to_dict(),
            "sizes": {axis: {name: plain(one) for name, one in cells.items()} for axis, cells in self.sizes.items()},
            "cost": {name: getattr(cost, name) for name in cost.__dataclass_fields__},
            "zoomed": plain(self.zoomed),
            "zoomed_sizes": {name: plain(one) for name, one in self.zoomed_sizes.items()},
            "canonical": plain(self.canonical),
            "reward": self.reward,
            "dialects": dict(self.dialects),
            "malformed": dict(self.malformed),
            "stop_reasons": dict(self.stop_reasons),
            "troubles": dict(self.troubles),
            "failures": dict(self.failures),
            "hits_in_crop_coordinates": self.crop_frame,
            "conventions": dict(self.conventions),
            "warning": self.warning,
        }


def figures(evaluation: Evaluation, arm: str, results: Mapping[tuple[str, str], Result]) -> Figures:
    """Sum up one arm; an item without a result counts as an error."""
    found = {item.id: results.get((arm, item.id)) for item in evaluation.items.items}
    given = {item.id: _given(evaluation, item, found[item.id]) for item in evaluation.items.items}
    verdicts = {item.id: judge(item, given[item.id].outcome, evaluation.scoring) for item in evaluation.items.items}
    hits = {name: verdict is Verdict.CORRECT for name, verdict in verdicts.items()}
    answered = [one for one in found.values() if one is not None and not one.trajectory.failed]
    episodes = [one.trajectory for one in answered]
    turns = [turn for one in episodes for turn in one.turns]
    conventions = _conventions(evaluation, found, verdicts)
    classes = _classes(evaluation, found)
    zooms = {name: bool(one.trajectory.crops) for name, one in found.items() if one and not one.trajectory.failed}
    return Figures(
        arm=arm,
        scores=score(evaluation.benchmark, evaluation.items, verdicts, evaluation.scoring),
        verdicts=verdicts,
        given=given,
        classes=classes,
        sizes=_sizes(evaluation, classes, hits),
        cost=_cost(answered),
        zooms=zooms,
        zoomed=Share.of(zooms.values()),
        zoomed_sizes=_by_class(classes, zooms),
        canonical=Share.of(turn.dialect is Dialect.CANONICAL for turn in turns),
        reward=_mean([one.saved.total for one in answered if one.saved.total is not None]),
        dialects=_counted(turn.dialect for turn in turns if turn.dialect is not None),
        malformed=_counted(turn.malformed for turn in turns if turn.malformed is not None),
        stop_reasons=_counted(one.trajectory.stop_reason for one in found.values() if one is not None),
        troubles=_counted(one.mark.trouble for one in found.values() if one is not None and one.mark.trouble),
        failures=_counted(one.outcome.reason for one in given.values() if isinstance(one.outcome, Failed)),
        crop_frame=sum(map(hit_in_crop_frame, episodes)),
        conventions=conventions,
        warning=other_convention(evaluation.profile.convention.name, conventions),
    )


def _given(evaluation: Evaluation, item: Item, result: Result | None) -> Given:
    if result is None:
        return Given(Failed("not asked yet"))
    trajectory = result.trajectory
    return Given(outcome(evaluation, item, trajectory), trajectory.turns[-1].text if trajectory.turns else "")


def outcome(evaluation: Evaluation, item: Item, trajectory: Trajectory) -> Outcome:
    """What an episode came to, in px of the item's annotated size."""
    if trajectory.failed or evaluation.profile.episode:
        return outcome_of(trajectory, item)
    return placed(_said(evaluation, trajectory), evaluation.profile.convention, _frame(item, trajectory))


def _said(evaluation: Evaluation, trajectory: Trajectory) -> Said:
    """What a reply says, numbers as they were written; of our own protocol the answer that ended the episode."""
    if evaluation.profile.episode:
        answer = trajectory.answer
        return Unreadable("no point") if answer is None else Spoken(answer.x, answer.y)
    last = trajectory.turns[-1]
    ends_in_think = trajectory.settings.prompt_ends_in_think
    return evaluation.profile.read(last.text, finish_reason=last.finish_reason, prompt_ends_in_think=ends_in_think)


def _frame(item: Item, trajectory: Trajectory) -> Frame:
    return Frame(item.size, trajectory.task.size, trajectory.view)


def _conventions(
    evaluation: Evaluation, found: Mapping[str, Result | None], verdicts: Mapping[str, Verdict]
) -> dict[str, float]:
    own = evaluation.profile.convention
    hits = dict.fromkeys((*CONVENTIONS, own.name), 0)
    for item in evaluation.items.items:
        result = found[item.id]
        said = None if result is None or result.trajectory.failed else _said(evaluation, result.trajectory)
        if result is None or not isinstance(said, Spoken):
            # A decline is right or not in every convention.
            hits = {name: count + (verdicts[item.id] is Verdict.CORRECT) for name, count in hits.items()}
            continue
        frame = _frame(item, result.trajectory)
        for name, one in {**CONVENTIONS, own.name: own}.items():
            hits[name] += judge(item, placed(said, one, frame), evaluation.scoring) is Verdict.CORRECT
    return {name: count / len(evaluation.items) for name, count in hits.items()}


def _classes(evaluation: Evaluation, found: Mapping[str, Result | None]) -> dict[str, str]:
    classes: dict[str, str] = {}
    for item in evaluation.items.items:
        result = found[item.id]
        if item.task.place is None:
            classes[item.id] = NO_TARGET
        elif result is not None:
            box = result.trajectory.task.place
            seen = 0.0 if box is None else seen_short_side(result.trajectory, box.box)
            classes[item.id] = SMALL if seen < evaluation.rubric.settings.legible_px else LARGE
    return classes


def _sizes(evaluation: Evaluation, classes: Mapping[str, str], hits: Mapping[str, bool]) -> dict[str, dict[str, Share]]:
    legible: dict[str, list[bool]] = {SMALL: [], LARGE: [], NO_TARGET: []}
    areas: dict[str, list[bool]] = {name: [] for _, name in _AREAS}
    for item in evaluation.items.items:
        if item.id in classes:
            legible[classes[item.id]].append(hits[item.id])
        if (place := item.task.place) is not None:
            percent = 100 * place.box.area / item.size.area
            areas[next(name for end, name in _AREAS if percent < end)].append(hits[item.id])
    axes = {"legible": legible, "area": areas}
    return {axis: {name: Share.of(all_) for name, all_ in cells.items() if all_} for axis, cells in axes.items()}


def _by_class(classes: Mapping[str, str], values: Mapping[str, bool]) -> dict[str, Share]:
    found = {one: [value for name, value in values.items() if classes[name] == one] for one in (SMALL, LARGE)}
    return {one: Share.of(all_) for one, all_ in found.items() if all_}


def _cost(answered: Sequence[Result]) -> Cost:
    episodes = [one.trajectory for one in answered]
    usages = [one.mark.usage for one in answered]
    return Cost(
        crops=_mean([len(one.crops) for one in episodes]) or 0.0,
        turns=_mean([len(one.turns) for one in episodes]) or 0.0,
        corrections=_mean([one.corrections for one in episodes]) or 0.0,
        image_tokens=_mean([image_tokens(one) for one in episodes if one.opening]),
        prompt_tokens=_mean([one.prompt_tokens for one in usages if one.prompt_tokens]),
        completion_tokens=_mean([one.completion_tokens for one in usages if one.completion_tokens]),
        seconds=_mean([one.seconds for one in usages if one.seconds]),
    )


def image_tokens(trajectory: Trajectory) -> int:
    """Image tokens of the conversation at its end, by the rule of the processor that it was made for."""
    limits = trajectory.settings.limits
    return limits.image_tokens(trajectory.task.size) + sum(limits.image_tokens(crop.shown) for crop in trajectory.crops)


def _counted(values: Iterable[object]) -> dict[str, int]:
    return dict(Counter(str(value.value if isinstance(value, Dialect) else value) for value in values).most_common())


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None
