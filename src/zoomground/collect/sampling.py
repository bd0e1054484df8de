"""Plays several episodes of every row, writes each down as it ends, and goes on from what is written.

The log is append-only and keyed by row and generation. An episode that failed is played again by the next run; its last
record counts. What the episodes depend on stands beside the log, and a run under other terms refuses to mix with it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from zoomground.data.files import write_bytes
from zoomground.data.rows import Row
from zoomground.data.trajectories import RecordWriter, SavedRecord, read_records
from zoomground.environment import GroundingEnv
from zoomground.errors import ZoomgroundError
from zoomground.images import load_screenshot
from zoomground.policies.base import Reply, Usage
from zoomground.protocol.settings import EpisodeSettings
from zoomground.rewards.rubric import Rubric
from zoomground.rollout import play_all, play_async

if TYPE_CHECKING:
    from zoomground.policies.base import AsyncPolicy, BatchPolicy
    from zoomground.trajectory import Trajectory

LOG_NAME = "trajectories/episodes.jsonl"
TERMS_NAME = "terms.json"

_OPEN_SCREENSHOTS = 8
"""Decoded screenshots that are kept: the generations of a row follow each other."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One episode that is wanted."""

    row: Row
    number: int
    generation: int

    @property
    def uuid(self) -> str:
        """Its name in the log."""
        return f"{self.row.key}.{self.generation}"


@dataclass(frozen=True, slots=True)
class Sampling:
    """A folder of episodes.

    Attributes:
        rows: What is asked; the ids must differ.
        n: Episodes of each row.
        out: The folder.
        settings: Arm, budgets, limits.
        rubric: Scores each episode.
        recipe_hash: Hash of the recipe in force, for the log.
        on_progress: Called with the number of episodes done and of all.
    """

    rows: Sequence[Row]
    n: int
    out: Path
    settings: EpisodeSettings
    rubric: Rubric
    recipe_hash: str = ""
    on_progress: Callable[[int, int], None] = field(default=lambda _done, _all: None)

    def begin(self, terms: Mapping[str, Any]) -> None:
        """Open the folder for a run under these terms.

        Args:
            terms: All that the episodes depend on, besides the rows and the rules of the episode.

        Raises:
            ZoomgroundError: If two rows share an id, or the folder was begun under other terms.
        """
        if len({row.key for row in self.rows}) != len(self.rows) or not self.rows:
            raise ZoomgroundError(f"collecting needs rows with different ids, got {len(self.rows)} rows")
        wanted = json.loads(json.dumps({**terms, "settings": asdict(self.settings)}, sort_keys=True))
        file = self.out / TERMS_NAME
        if file.exists():
            before = json.loads(file.read_text(encoding="utf-8"))
            if differing := sorted(key for key in before.keys() | wanted.keys() if before.get(key) != wanted.get(key)):
                raise ZoomgroundError(
                    f"{self.out}: was begun with other {', '.join(differing)}; name another folder, or remove it"
                )
        write_bytes(file, (json.dumps(wanted, indent=1) + "\n").encode("utf-8"))

    def samples(self) -> Iterator[Sample]:
        """Every episode that is wanted, the generations of a row together."""
        for number, row in enumerate(self.rows):
            for generation in range(self.n):
                yield Sample(row, number, generation)

    def records(self) -> dict[str, SavedRecord]:
        """What is in the log of the episodes that are wanted, by uuid; the last record of each."""
        log = self.out / LOG_NAME
        if not log.exists():
            return {}
        wanted = {sample.uuid for sample in self.samples()}
        return {line.record.uuid: line.record for line in read_records(log) if line.record.uuid in wanted}

    def waiting(self) -> list[Sample]:
        """What is still to be played: what is not in the log, or failed."""
        good = {uuid for uuid, record in self.records().items() if not record.trajectory.failed}
        return [sample for sample in self.samples() if sample.uuid not in good]

    def record(self, sample: Sample, trajectory: Trajectory, usage: Usage) -> SavedRecord:
        """An episode as the log holds it."""
        breakdown = self.rubric.score(trajectory)
        return SavedRecord.of(
            trajectory,
            uuid=sample.uuid,
            prompt_group=sample.number,
            generation=sample.generation,
            rewards=dict(breakdown.values),
            total=breakdown.total,
            weights=dict(breakdown.weights),
            reward_settings=asdict(self.rubric.settings),
            recipe_hash=self.recipe_hash,
            usage=asdict(usage),
        )


class PolicyOf(Protocol):
    """Gives the policy of a generation, so that each can have a seed of its own."""

    def __call__(self, generation: int) -> AsyncPolicy:
        """The policy that plays this generation of every row."""
        ...


async def sample_async(sampling: Sampling, policy_of: PolicyOf, *, concurrency: int) -> None:
    """Play what is waiting against an endpoint.

    Args:
        sampling: What is wanted; begun.
        policy_of: Who plays.
        concurrency: Most episodes at once; memory holds their screenshots.

    Raises:
        ImageError: If a screenshot cannot be opened.
        ZoomgroundError: If the endpoint is set up wrongly, so that every episode would fail.
    """
    waiting = sampling.waiting()
    total = len(sampling.rows) * sampling.n
    queue, done = iter(waiting), total - len(waiting)
    opened = lru_cache(_OPEN_SCREENSHOTS)(load_screenshot)
    sampling.on_progress(done, total)

    async def work(writer: RecordWriter) -> None:
        nonlocal done
        for sample in queue:
            screenshot = await asyncio.to_thread(opened, sample.row.image_source)
            env = GroundingEnv(sample.row.task, screenshot, sampling.settings)
            replies: list[Reply] = []
            trajectory = await play_async(env, policy_of(sample.generation), on_reply=replies.append)
            if replies[-1].trouble is not None and replies[-1].trouble.is_setup:
                raise ZoomgroundError(trajectory.failure)
            writer.write(sampling.record(sample, trajectory, sum((reply.usage for reply in replies), Usage())))
            done += 1
            sampling.on_progress(done, total)

    with RecordWriter(sampling.out / LOG_NAME) as writer:
        async with _first_error(), asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(waiting))):
                group.create_task(work(writer))


def sample_batches(sampling: Sampling, policy: BatchPolicy, *, batch_size: int) -> None:
    """Play what is waiting with a policy that answers many episodes at once.

    Raises:
        ImageError: If a screenshot cannot be opened.
    """
    waiting = sampling.waiting()
    total = len(sampling.rows) * sampling.n
    done = total - len(waiting)
    opened = lru_cache(_OPEN_SCREENSHOTS)(load_screenshot)
    sampling.on_progress(done, total)
    with RecordWriter(sampling.out / LOG_NAME) as writer:
        for start in range(0, len(waiting), batch_size):
            batch = waiting[start : start + batch_size]
            envs = [GroundingEnv(one.row.task, opened(one.row.image_source), sampling.settings) for one in batch]
            for sample, trajectory in zip(batch, play_all(envs, policy), strict=True):
                writer.write(sampling.record(sample, trajectory, Usage()))
                done += 1
            sampling.on_progress(done, total)


@asynccontextmanager
async def _first_error() -> AsyncIterator[None]:
    """What broke first, in place of the group that a task group makes of it."""
    try:
        yield
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from errors
