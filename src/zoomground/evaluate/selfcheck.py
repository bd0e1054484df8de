"""Before anything is asked: an oracle must score 100 % and its opposite 0 %, on these items, through this code.

All items go the way of a written answer (dialect, convention, target); one item of each kind of target is also played
in every arm, screenshot, environment and all. A harness that fails this would measure itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError
from zoomground.evaluate.figures import outcome
from zoomground.evaluate.jobs import Job
from zoomground.evaluate.players import BatchPlayer, Played
from zoomground.evaluate.profiles.conventions import Frame
from zoomground.evaluate.question import written
from zoomground.evaluate.replay import Recorded, replay
from zoomground.evaluate.scores import score
from zoomground.evaluate.scripted import SCRIPTED, wrong
from zoomground.evaluate.verdicts import Verdict, judge
from zoomground.geometry import Box
from zoomground.policies.base import one_by_one
from zoomground.policies.oracle import right_action
from zoomground.task import Refusal

if TYPE_CHECKING:
    from zoomground.evaluate.items import Item
    from zoomground.evaluate.jobs import Evaluation
    from zoomground.task import Target

_NAMED = 3


def self_check(evaluation: Evaluation, *, play: bool) -> dict[str, int]:
    """Check the code that is about to be used.

    Args:
        evaluation: The run.
        play: Whether to play as well; recorded answers are scored without screenshots.

    Returns:
        How many items were scored, and how many episodes played.

    Raises:
        ZoomgroundError: If the oracle misses or its opposite hits; nothing was asked then.
    """
    scored = _score_all(evaluation)
    return {"scored": scored, "played": _play_some(evaluation) if play else 0}


def _score_all(evaluation: Evaluation) -> int:
    items = evaluation.items
    # Nothing that is written with two decimals can be sure to hit a box without area; the official score keeps such.
    flat = {item.id for item in items.items if _is_flat(item.target(evaluation.scoring))}
    for good in (True, False):
        texts = {item.id: _text(evaluation, item, good=good) for item in items.items}
        recorded = [Recorded(item.file, item.number, item.id, texts[item.id]) for item in items.items]
        verdicts = replay(items, recorded, evaluation.profile).verdicts(evaluation.scoring)
        off = [name for name, one in verdicts.items() if (one is Verdict.CORRECT) is not good and name not in flat]
        if off:
            raise _failure(off, evaluation, good=good, part="scored")
        if not flat:
            figure = score(evaluation.benchmark, items, verdicts, evaluation.scoring)
            if set(figure.averages.values()) != {1.0 if good else 0.0}:
                raise _failure(list(figure.averages), evaluation, good=good, part="averaged")
    return len(items)


def _text(evaluation: Evaluation, item: Item, *, good: bool) -> str:
    target = item.target(evaluation.scoring)
    action = right_action(target, item.size) if good else wrong(target, item.size)
    if action is None and good:
        raise ZoomgroundError(
            f"{item.file}:{item.number}: the target of item '{item.id}' lies outside its {item.size.width}x"
            f"{item.size.height} image, so no answer can be right; see zoomground verify-data, fetch the data again"
        )
    return "" if action is None else written(evaluation.profile, action, Frame(item.size))


def _is_flat(target: Target) -> bool:
    return isinstance(target, Box) and target.area == 0


def _play_some(evaluation: Evaluation) -> int:
    firsts: dict[str, Item] = {}
    for item in evaluation.items.items:
        target = item.target()
        if not _is_flat(target):
            firsts.setdefault(target.kind if isinstance(target, Refusal) else type(target).__name__, item)
    jobs = [Job(item, arm, settings) for arm, settings in evaluation.settings.items() for item in firsts.values()]
    for good in (True, False):
        played: list[Played] = []
        policy = one_by_one(SCRIPTED["oracle" if good else "anti-oracle"])
        BatchPlayer(policy, size=1).play(jobs, evaluation.open, played.append)
        asked = [one for one in played if not one.trajectory.failed]
        if jobs and not asked:
            raise ZoomgroundError(f"item '{jobs[0].item.id}' cannot be asked: {played[0].trajectory.failure}")
        off = [one.job.item.id for one in asked if _hit(evaluation, one) is not good]
        if off:
            raise _failure(off, evaluation, good=good, part="played")
    return 2 * len(jobs)


def _hit(evaluation: Evaluation, played: Played) -> bool:
    item = played.job.item
    return judge(item, outcome(evaluation, item, played.trajectory)) is Verdict.CORRECT


def _failure(names: list[str], evaluation: Evaluation, *, good: bool, part: str) -> ZoomgroundError:
    shown = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
    what = "the oracle misses" if good else "the anti-oracle hits"
    return ZoomgroundError(
        f"self-check of {evaluation.items.name} with profile {evaluation.profile.name}: {part}, {what} {len(names)} "
        f"({shown}); nothing was asked, report this as a bug"
    )
