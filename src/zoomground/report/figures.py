"""How a run went, step by step, from the saved episodes alone.

The trainer logs some of this too, but a figure that is computed from the records can be computed again by anyone who
has them, and says the same for every engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from zoomground.protocol.actions import Dialect
from zoomground.protocol.settings import Arm
from zoomground.rewards.base import hit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zoomground.data.trajectories import SavedRecord


@dataclass(frozen=True, slots=True)
class EpisodeFigures:
    """What is kept of one episode, so that a log of any length fits into memory.

    Attributes:
        step: Training step; None for an episode outside training.
        group: Number of its prompt within the step.
        chooses: Whether the policy was free to zoom or not (arm ``on``).
        failed: Whether it broke by our fault.
        total: Total reward.
        hit: Whether it ended right.
        crops: Crops that ran.
        turns: Assistant turns.
        canonical: Turns that were written in the canonical form.
    """

    step: int | None
    group: int | None
    chooses: bool
    failed: bool
    total: float | None
    hit: bool
    crops: int
    turns: int
    canonical: int

    @classmethod
    def of(cls, record: SavedRecord) -> EpisodeFigures:
        """Figures of a saved episode."""
        trajectory = record.trajectory
        return cls(
            step=record.step,
            group=record.prompt_group,
            chooses=trajectory.settings.arm is Arm.ON,
            failed=trajectory.failed,
            total=record.total,
            hit=hit(trajectory),
            crops=len(trajectory.crops),
            turns=len(trajectory.turns),
            canonical=sum(turn.dialect is Dialect.CANONICAL for turn in trajectory.turns),
        )


@dataclass(frozen=True, slots=True)
class StepFigures:
    """Figures of one training step; failed episodes count in ``failed`` only.

    Attributes:
        step: Its number.
        episodes: Episodes that did not fail.
        failed: Episodes that broke by our fault.
        reward: Mean total reward; None where no record has one.
        hit_rate: Share of episodes that ended right.
        zoom_rate: Share of episodes in which a crop ran.
        canonical_share: Share of turns that were written in the canonical form.
        crops: Mean number of crops.
        mixed_groups: Share of the groups that were free to choose that hold zoomed and direct episodes side by side;
            None without such groups.
    """

    step: int
    episodes: int
    failed: int
    reward: float | None
    hit_rate: float
    zoom_rate: float
    canonical_share: float
    crops: float
    mixed_groups: float | None


def step_figures(episodes: Iterable[EpisodeFigures]) -> list[StepFigures]:
    """Figures of each training step, in order; episodes outside training are left out."""
    steps: dict[int, list[EpisodeFigures]] = {}
    for episode in episodes:
        if episode.step is not None:
            steps.setdefault(episode.step, []).append(episode)
    return [_step(step, steps[step]) for step in sorted(steps)]


def _step(step: int, episodes: Sequence[EpisodeFigures]) -> StepFigures:
    kept = [episode for episode in episodes if not episode.failed]
    totals = [episode.total for episode in kept if episode.total is not None]
    turns = sum(episode.turns for episode in kept)
    mixed, groups = mixed_groups(kept)
    return StepFigures(
        step=step,
        episodes=len(kept),
        failed=len(episodes) - len(kept),
        reward=fmean(totals) if totals else None,
        hit_rate=_mean([episode.hit for episode in kept]),
        zoom_rate=_mean([episode.crops > 0 for episode in kept]),
        canonical_share=sum(episode.canonical for episode in kept) / turns if turns else 0.0,
        crops=_mean([episode.crops for episode in kept]),
        mixed_groups=mixed / groups if groups else None,
    )


def mixed_groups(episodes: Iterable[EpisodeFigures]) -> tuple[int, int]:
    """Groups with zoomed and direct episodes side by side, and all groups that were free to choose, of any steps."""
    groups: dict[tuple[int | None, int], set[bool]] = {}
    for episode in episodes:
        if episode.group is not None and episode.chooses:
            groups.setdefault((episode.step, episode.group), set()).add(episode.crops > 0)
    return sum(len(kinds) > 1 for kinds in groups.values()), len(groups)


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0
