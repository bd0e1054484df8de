"""What a training step leaves behind: one saved record a rollout; `health` makes the figures of the step.

Each process writes its own file, named by rank and process id, so that neither ranks on a shared disk nor a restarted
run write into each other's. Nothing here imports ms-swift or torch.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from zoomground.data.trajectories import RecordWriter, SavedRecord
from zoomground.engines.swift.turn_notes import UNTOUCHED, TurnNotes
from zoomground.trajectory import Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from zoomground.engines.swift.active import EngineSettings

LOG_FOLDER = "trajectories"
"""Folder of the log inside the trainer's output folder."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """One rollout as the trainer knows it after the advantages.

    Attributes:
        uuid: The request's id.
        trajectory: The episode.
        rewards: Value of each reward by name, as the trainer weighed it.
        advantage: What the loss multiplies by; 0 for a failed episode.
        position: Place among all rollouts of the step, over all ranks; generations of a prompt are neighbours.
        counts: What was neutralised, by kind.
        turn_tokens: Tokens that were sampled in each turn.
        recipe_hash: Hash of the recipe that it was played by.
        cpu_s: CPU seconds that its environment took.
        wait_s: Seconds that it waited for its environment.
        notes: What turn-level credit and the turn filter did to it.
    """

    uuid: str
    trajectory: Trajectory
    rewards: Mapping[str, float | None]
    advantage: float
    position: int
    counts: Mapping[str, int]
    turn_tokens: tuple[int, ...] = ()
    recipe_hash: str = ""
    cpu_s: float = 0.0
    wait_s: float = 0.0
    notes: TurnNotes = UNTOUCHED

    def total(self, weights: Mapping[str, float]) -> float:
        """Weighted sum of the rewards that apply."""
        return sum(weights[name] * value for name, value in self.rewards.items() if value is not None)


@dataclass(frozen=True, slots=True)
class StepFacts:
    """What all rollouts of a step share.

    Attributes:
        step: Training step, counted from 1.
        num_generations: Rollouts of each prompt.
        weights: Weight of each reward by name.
        scale_rewards: How advantages were scaled.
        rank: This process.
    """

    step: int
    num_generations: int
    weights: Mapping[str, float]
    scale_rewards: str
    rank: int


def log_path(folder: Path, rank: int) -> Path:
    """The file of this process."""
    return folder / f"rank{rank:04d}-{os.getpid()}.jsonl"


def saved_record(rollout: Rollout, facts: StepFacts, settings: EngineSettings) -> SavedRecord:
    """The record of a rollout: enough to compute rewards and advantages again."""
    return SavedRecord.of(
        rollout.trajectory,
        uuid=rollout.uuid,
        rewards=dict(rollout.rewards),
        total=rollout.total(facts.weights),
        advantage=rollout.advantage,
        step=facts.step,
        prompt_group=rollout.position // facts.num_generations,
        generation=rollout.position % facts.num_generations,
        scale_rewards=facts.scale_rewards,
        weights=dict(facts.weights),
        reward_settings=asdict(settings.rewards),
        recipe_hash=settings.recipe_hash,
        rank=facts.rank,
        turn_credit=list(rollout.notes.credit),
        turns_out=list(rollout.notes.left_out),
    )


def write_step(path: Path, records: Iterable[SavedRecord]) -> None:
    """Append the records of one step.

    Raises:
        OSError: If the file cannot be written.
    """
    with RecordWriter(path) as writer:
        for record in records:
            writer.write(record)
