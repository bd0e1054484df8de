"""Plays rows with a policy, writes every episode down, and goes on from what is written when it is started again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from zoomground.data.files import write_bytes
from zoomground.data.trajectories import RecordWriter, SavedRecord, read_records
from zoomground.environment import GroundingEnv
from zoomground.errors import ZoomgroundError
from zoomground.evaluate.metrics import Results, measure
from zoomground.images import load_screenshot
from zoomground.rewards.base import hit
from zoomground.rollout import play_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from zoomground.data.rows import Row
    from zoomground.policies.base import BatchPolicy
    from zoomground.protocol.settings import EpisodeSettings
    from zoomground.rewards.rubric import Rubric
    from zoomground.trajectory import Trajectory

LOG_NAME = "episodes.jsonl"
RESULTS_NAME = "results.json"


def evaluate_rows(
    rows: Sequence[Row],
    policy: BatchPolicy,
    *,
    name: str,
    settings: EpisodeSettings,
    rubric: Rubric,
    out: Path,
    batch_size: int = 16,
    recipe_hash: str = "",
    on_progress: Callable[[int, int], None] | None = None,
) -> Results:
    """Evaluate a policy on rows; each finished episode is a line of ``episodes.jsonl``, the sum is ``results.json``.

    Rows that are in the log already are not played again, except those whose episode failed.

    Args:
        rows: What to ask; the ids must differ.
        policy: Who answers.
        name: What is evaluated, for tables.
        settings: Arm, budgets, limits.
        rubric: Scores each episode.
        out: Folder of this one evaluation.
        batch_size: Episodes that are played side by side; memory holds the screenshots of one batch.
        recipe_hash: Hash of the recipe in force, for the log.
        on_progress: Called with the number of rows done and of all.

    Raises:
        ImageError: If a screenshot cannot be opened.
        ZoomgroundError: If two rows share an id, or the log belongs to an evaluation under other rules.
    """
    by_key = {sample_key(row): row for row in rows}
    if len(by_key) != len(rows) or not rows:
        raise ZoomgroundError(f"'{name}': an evaluation needs rows with different ids, got {len(rows)} rows")
    done = {key: record for key, record in _logged(out / LOG_NAME, settings).items() if key in by_key}
    waiting = [key for key in by_key if key not in done or done[key].trajectory.failed]
    with RecordWriter(out / LOG_NAME) as writer:
        for batch in _batches(waiting, batch_size):
            envs = [_environment(by_key[key], settings) for key in batch]
            for key, trajectory in zip(batch, play_all(envs, policy), strict=True):
                done[key] = _record(key, trajectory, rubric, recipe_hash)
                writer.write(done[key])
            if on_progress is not None:
                on_progress(len(done), len(rows))
    results = measure(name, [done[key] for key in by_key], legible_px=rubric.settings.legible_px)
    text = json.dumps(results.to_dict(), indent=2, ensure_ascii=False) + "\n"
    write_bytes(out / RESULTS_NAME, text.encode("utf-8"))
    return results


def hits_of(out: Path) -> dict[str, bool]:
    """Hit or miss of every row of a finished evaluation, by key; what `paired_difference` compares."""
    return {key: hit(record.trajectory) for key, record in _last_records(out / LOG_NAME).items()}


def sample_key(row: Row) -> str:
    """A row's id as a name that is safe in file names; different ids give different keys."""
    return row.key


def _logged(log: Path, settings: EpisodeSettings) -> dict[str, SavedRecord]:
    if not log.exists():
        return {}
    records = _last_records(log)
    if any(record.trajectory.settings != settings for record in records.values()):
        raise ZoomgroundError(f"{log}: was written under other rules of the episode; name another folder, or remove it")
    return records


def _last_records(log: Path) -> dict[str, SavedRecord]:
    return {line.record.uuid: line.record for line in read_records(log)}


def _batches(keys: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (keys[start : start + size] for start in range(0, len(keys), size))


def _environment(row: Row, settings: EpisodeSettings) -> GroundingEnv:
    return GroundingEnv(row.task, load_screenshot(row.image_source, name=f"{row.file}:{row.line}"), settings)


def _record(key: str, trajectory: Trajectory, rubric: Rubric, recipe_hash: str) -> SavedRecord:
    breakdown = rubric.score(trajectory)
    return SavedRecord.of(
        trajectory,
        uuid=key,
        rewards=dict(breakdown.values),
        total=breakdown.total,
        weights=dict(breakdown.weights),
        recipe_hash=recipe_hash,
    )
