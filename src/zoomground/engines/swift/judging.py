"""The judge at ms-swift's door: a batch of rows in, one finite float a row out, figures for the log beside it."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch.distributed as dist

from zoomground.judge import Judge, Tally
from zoomground.judge.canaries import CanaryReport, canaries, canary_report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.judge import JudgeSettings
    from zoomground.rewards import RewardSettings
    from zoomground.trajectory import Trajectory

CACHE_FOLDER = "judge"
"""Folder of verdicts inside the trainer's output folder."""

_logger = logging.getLogger(__name__)


class TrainingJudge:
    """The judge of one training process.

    Args:
        settings: The judge of the whole run; its concurrency is shared by the processes.
        rewards: Holds the neutral score.
        args: ms-swift's arguments: the output folder is where verdicts are kept unless the settings say where.

    Raises:
        ZoomgroundError: If the SDK is not installed.
    """

    def __init__(self, settings: JudgeSettings, rewards: RewardSettings, args: Any = None) -> None:
        together = dist.is_available() and dist.is_initialized()
        processes, rank = (dist.get_world_size(), dist.get_rank()) if together else (1, 0)
        cache_dir = settings.cache_dir or (None if args is None else Path(args.output_dir) / CACHE_FOLDER)
        own = replace(settings, concurrency=max(1, settings.concurrency // processes), cache_dir=cache_dir)
        self._judge = Judge(own)
        self._rewards = rewards
        self._asks_canaries = rank == 0
        self._canaries: dict[str, float] = {}

    async def rewards(self, trajectories: Sequence[Trajectory]) -> list[float]:
        """``zoomin_cot_rm`` of each episode; with the first batch it is found out what the judge is worth."""
        questions = canaries() if self._asks_canaries else ()
        opinions, of_canaries = await self._judge.opinions_beside(trajectories, questions)
        if self._asks_canaries:
            self._asks_canaries = False
            self._note(canary_report(of_canaries))
        pairs = zip(opinions, trajectories, strict=True)
        return [opinion.reward(trajectory, self._rewards) for opinion, trajectory in pairs]

    def _note(self, report: CanaryReport) -> None:
        self._canaries = report.figures()
        for alarm in report.alarms():
            _logger.warning("judge: %s", alarm)

    def take(self) -> tuple[Tally, dict[str, float]]:
        """The figures since this was last called, and those of the canaries where they were asked."""
        of_canaries, self._canaries = self._canaries, {}
        return self._judge.take(), of_canaries


def judge_figures(taken: Sequence[tuple[Tally, dict[str, float]]]) -> dict[str, float]:
    """The figures of all processes by the names of the trainer's log."""
    figures = sum((tally for tally, _ in taken), Tally()).figures()
    for _, of_canaries in taken:
        figures |= of_canaries
    return {f"zoomin/judge/{name}": value for name, value in figures.items()}
