"""Plays honest and cheating policies on the same samples through the real environment and compares what they earn.

Group-relative training divides by the group's deviation, so the smallest margin is learnt in the end: what counts is
the order, not the size of the difference.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

from PIL import Image

from zoomground.audit.cheats import CHEATS, Scene
from zoomground.audit.report import AuditReport, CheatResult
from zoomground.audit.samples import audit_samples, view_settings
from zoomground.environment import GroundingEnv
from zoomground.images import Screenshot
from zoomground.policies.oracle import Oracle
from zoomground.policies.scripted import Scripted
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.protocol.views import UnseenViews
from zoomground.rewards import Rubric, hit
from zoomground.rollout import play
from zoomground.task import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.audit.cheats import Cheat
    from zoomground.task import Task

_NOISE = 1e-9
"""Margins below this are rounding of binary fractions, not reward."""


@dataclass(frozen=True, slots=True)
class _Margin:
    """How much more than the honest policy a cheat earned on one sample."""

    value: float
    sample: str


def audit_rewards(
    rubric: Rubric | None = None,
    *,
    episode: EpisodeSettings | None = None,
    samples: Sequence[Task] | None = None,
    seed: int = 0,
) -> AuditReport:
    """Compare every cheat with honest play.

    Args:
        rubric: Weights and settings under audit; default: the shipped ones.
        episode: Rules of the episodes, usually a recipe's. Crops are always allowed, and declining where it is right.
        samples: Tasks to play on; default: `audit_samples`. Only their figures are used, their images are not opened.
        seed: Of the default samples.

    Returns:
        The report; `AuditReport.passed` says whether no cheat pays.
    """
    rubric = rubric or Rubric()
    rules = view_settings(replace(episode or EpisodeSettings(), arm=Arm.ON))
    oracle = Oracle(rubric.settings)
    margins: dict[str, list[_Margin]] = defaultdict(list)
    honest, misses = list[float](), 0
    for task in audit_samples(seed) if samples is None else samples:
        for settings in rules:
            trajectory = play(_fresh(task, settings), oracle)
            honest.append(rubric.score(trajectory).total)
            misses += not hit(trajectory)
            where = f"{task.id} seen at {trajectory.view.width}x{trajectory.view.height}"
            scene = Scene.of(_fresh(task, settings), oracle)
            for cheat in CHEATS:
                texts = cheat.plan(scene)
                if texts is not None:
                    cheated = play(_fresh(task, settings), Scripted(texts, keep_on=True))
                    margins[cheat.name].append(_Margin(rubric.score(cheated).total - honest[-1], where))
    results = tuple(_result(cheat, margins[cheat.name]) for cheat in CHEATS)
    return AuditReport(results, len(honest), fmean(honest) if honest else 0.0, misses)


def _result(cheat: Cheat, margins: list[_Margin]) -> CheatResult:
    worst = max(margins, key=lambda margin: margin.value, default=None)
    return CheatResult(
        name=cheat.name,
        about=cheat.about,
        samples=len(margins),
        wins=sum(margin.value > _NOISE for margin in margins),
        worst_margin=worst.value if worst else None,
        worst_sample=worst.sample if worst else "",
        mean_margin=fmean(margin.value for margin in margins) if margins else None,
    )


def _fresh(task: Task, settings: EpisodeSettings) -> GroundingEnv:
    """An episode that runs every rule and cuts no pixels."""
    if isinstance(task.target, Refusal):
        settings = replace(settings, allow_decline=True)
    screenshot = Screenshot(Image.new("RGB", (1, 1)), task.size, "", task.image)
    env = GroundingEnv(task, screenshot, settings)
    env.views = UnseenViews(screenshot, env.image_name, settings)
    return env
