"""The run of an evaluation: asks what is not answered yet, writes every result down, and goes on where it was stopped.

What is done is looked up by arm and item, and is only taken if it was asked with the same words about the same image;
errors are asked again. A run on other data, with another model, profile or rules refuses to go on in the same folder.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground.data.trajectories import SavedRecord
from zoomground.errors import ZoomgroundError
from zoomground.evaluate import log
from zoomground.evaluate.jobs import Job, prompt_hash, unasked
from zoomground.evaluate.log import Mark, Result
from zoomground.evaluate.players import Played
from zoomground.evaluate.question import sent_size, turn_of
from zoomground.evaluate.replay import Replay, replay
from zoomground.evaluate.verdicts import Failed
from zoomground.images import load_screenshot
from zoomground.protocol.settings import PROTOCOL_VERSION
from zoomground.trajectory import Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zoomground.evaluate.items import Item
    from zoomground.evaluate.jobs import Evaluation
    from zoomground.evaluate.players import Player
    from zoomground.evaluate.replay import Recorded

RECORDED = "recorded"
"""The arm of recorded answers: whatever they were asked with."""

Places = dict[tuple[str, str], Result]
"""Results by arm and item."""


def card(evaluation: Evaluation, *, version: str) -> dict[str, Any]:
    """What a run is made with, as plain values: stored with it, and compared before it goes on.

    Args:
        evaluation: The run.
        version: Version of zoomground.
    """
    items = evaluation.items
    return {
        "zoomground": version,
        "benchmark": evaluation.benchmark.name,
        "set": items.name,
        "data": {"revision": items.revision, "layout": items.layout, "samples": len(items)},
        "selection": dict(evaluation.selection or {}),
        "profile": _profile(evaluation),
        "parser": {"protocol": PROTOCOL_VERSION, "modes": _modes(evaluation)},
        "scoring": evaluation.scoring.value,
        "legible_px": evaluation.rubric.settings.legible_px,
        "recipe": evaluation.recipe_hash,
        "model": dict(evaluation.model),
        "arms": {arm: asdict(settings) for arm, settings in evaluation.settings.items()},
    }


def _profile(evaluation: Evaluation) -> dict[str, Any]:
    profile = evaluation.profile
    return {
        "name": profile.name,
        "convention": profile.convention.name,
        "dialect": profile.dialect.NAME,
        "prompts": f"{profile.prompt} {profile.version}",
    }


def _modes(evaluation: Evaluation) -> list[str]:
    return sorted({settings.parser_mode.value for settings in evaluation.settings.values()})


def run(
    evaluation: Evaluation,
    player: Player,
    out: Path,
    *,
    version: str,
    on_progress: Callable[[int, int], None] | None = None,
) -> Places:
    """Play what is not done yet.

    Args:
        evaluation: What to ask.
        player: Who plays.
        out: Folder of the run.
        version: Version of zoomground, for the card.
        on_progress: Called with the number of jobs done and of all.

    Raises:
        ZoomgroundError: If the folder holds another run, or the set-up is wrong.
    """
    jobs = evaluation.jobs
    with log.opened(out, card(evaluation, version=version)) as opened:
        _check_done(evaluation, opened.results)
        waiting = [job for job in jobs if _is_open(opened.results.get((job.arm, job.item.id)))]
        done = len(jobs) - len(waiting)

        def keep(played: Played) -> None:
            nonlocal done
            opened.write(_result(evaluation, played))
            done += 1
            if on_progress is not None:
                on_progress(done, len(jobs))

        if on_progress is not None:
            on_progress(done, len(jobs))
        if waiting:
            player.play(waiting, evaluation.open, keep)
        return dict(opened.results)


def _is_open(result: Result | None) -> bool:
    return result is None or result.trajectory.failed


def _check_done(evaluation: Evaluation, results: Places) -> None:
    """Make sure that what is done is what would be asked now, word for word and image for image."""
    images: dict[Any, str] = {}
    for job in evaluation.jobs:
        result = results.get((job.arm, job.item.id))
        if _is_open(result):
            continue
        assert result is not None  # noqa: S101 -- told by _is_open
        if job.item.image not in images:
            images[job.item.image] = _image_hash(job.item)
        trajectory = result.trajectory
        if trajectory.image_sha256 != images[job.item.image]:
            what = f"the screenshot {trajectory.task.image} is another file than when it was asked"
        elif result.mark.parameters != evaluation.parameters:
            what = "it was asked with other parameters"
        elif trajectory.opening != evaluation.opening(job, trajectory.task.size):
            what = "it was asked in other words"
        else:
            continue
        raise ZoomgroundError(f"item '{job.item.id}', arm {job.arm}: {what}; name another folder for the run")


def _image_hash(item: Item) -> str:
    if isinstance(item.image, Path):
        return hashlib.sha256(item.image.read_bytes()).hexdigest()
    assert item.image is not None  # noqa: S101 -- sets are loaded with their images
    return load_screenshot(item.image).sha256


def _result(evaluation: Evaluation, played: Played) -> Result:
    trajectory, job = played.trajectory, played.job
    asked = bool(trajectory.opening)
    sent = sent_size(trajectory.task.size, job.settings) if asked else None
    rewards: dict[str, float | None] = {}
    total = None
    if evaluation.profile.episode and asked:
        breakdown = evaluation.rubric.score(trajectory)
        rewards, total = dict(breakdown.values), breakdown.total
    return Result(
        SavedRecord.of(
            trajectory,
            uuid=evaluation.key(job, trajectory),
            rewards=rewards,
            total=total,
            weights=dict(evaluation.rubric.weights) if rewards else {},
            recipe_hash=evaluation.recipe_hash,
        ),
        Mark(
            item=job.item.id,
            arm=job.arm,
            prompt=prompt_hash(trajectory.opening),
            parameters=evaluation.parameters,
            sent=None if sent is None else (sent.width, sent.height),
            usage=played.usage,
            trouble=played.trouble,
        ),
    )


def recorded_run(
    evaluation: Evaluation, answers: Sequence[Recorded], out: Path, *, version: str
) -> tuple[Places, Replay]:
    """Recorded answers as a run: nothing is asked, no screenshot is opened.

    Args:
        evaluation: Its one arm is `RECORDED`.
        answers: What was recorded.
        out: Folder of the run.
        version: Version of zoomground, for the card.

    Raises:
        ZoomgroundError: If the folder holds another run.
    """
    found = replay(evaluation.items, answers, evaluation.profile)
    with log.opened(out, card(evaluation, version=version)) as opened:
        for job in evaluation.jobs:
            if _is_open(opened.results.get((job.arm, job.item.id))):
                opened.write(_result(evaluation, Played(job, _recorded(job, found))))
        return dict(opened.results), found


def _recorded(job: Job, found: Replay) -> Trajectory:
    """A recorded answer as an episode of one turn."""
    item, said = job.item, found.said[job.item.id]
    if isinstance(said, Failed):
        return unasked(job, said.reason)
    record = found.records[item.id]
    frame = found.frames[item.id]
    turn, reason = turn_of(record.text or "", record.finish_reason, said, found.profile, frame)
    return Trajectory(
        task=item.task,
        settings=job.settings,
        image_name=Path(item.task.image).name,
        image_sha256="",
        view=frame.sent or item.size,
        turns=(turn,),
        stop_reason=reason,
    )


def words(evaluation: Evaluation, results: Mapping[tuple[str, str], Result], arm: str) -> dict[str, Any] | None:
    """The exact words of the first item of an arm, their hash and the size in px of the image that went with them."""
    for item in evaluation.items.items:
        result = results.get((arm, item.id))
        if result is not None and result.trajectory.opening:
            return {
                "item": item.id,
                "sha256": result.mark.prompt,
                "messages": [{"role": one.role, "text": one.text} for one in result.trajectory.opening],
                "sent": list(result.mark.sent or ()),
            }
    return None
