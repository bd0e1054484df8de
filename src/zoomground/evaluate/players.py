"""Two ways to play jobs: in batches, for a model in this process, and side by side, for one behind a network."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from zoomground.errors import ZoomgroundError
from zoomground.evaluate.jobs import Job, unasked
from zoomground.policies.base import AsyncPolicy, BatchPolicy, Trouble, Usage
from zoomground.policies.endpoint import AHEAD, Endpoint, EndpointPolicy
from zoomground.rollout import play_all, play_async
from zoomground.trajectory import Trajectory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.environment import GroundingEnv
    from zoomground.policies.base import Reply

Open = Callable[[Job], "GroundingEnv"]


@dataclass(frozen=True, slots=True)
class Played:
    """A job that was played, to whatever end.

    Attributes:
        job: What was asked.
        trajectory: How it went.
        usage: What it cost.
        trouble: What was the matter with its last reply, if it has a name.
    """

    job: Job
    trajectory: Trajectory
    usage: Usage = field(default_factory=Usage)
    trouble: Trouble | None = None


class Player(Protocol):
    """Plays jobs and hands each over as soon as it is done."""

    def play(self, jobs: Iterable[Job], open_env: Open, on_played: Callable[[Played], None]) -> None:
        """Play all of them.

        Raises:
            ZoomgroundError: If the set-up is wrong, so that no further job would fare better.
        """
        ...


@dataclass(slots=True)
class _Cost:
    """Adds up what the replies of one episode cost, and stops the run where no other reply would be had either."""

    usage: Usage = field(default_factory=Usage)
    trouble: Trouble | None = None

    def add(self, reply: Reply) -> None:
        self.usage += reply.usage
        self.trouble = reply.trouble
        if reply.trouble is not None and reply.trouble.is_setup:
            raise ZoomgroundError(f"{reply.failure}; what was answered before is kept, the same command goes on")


@dataclass(frozen=True, slots=True)
class BatchPlayer:
    """Plays some episodes at a time, all of them asked together; those of a batch are of one arm.

    Attributes:
        policy: Who answers.
        size: Episodes in a batch; memory holds the screenshots of one, a killed run loses one at most.
    """

    policy: BatchPolicy
    size: int = 16

    def play(self, jobs: Iterable[Job], open_env: Open, on_played: Callable[[Played], None]) -> None:
        """See `Player`."""
        for batch in _batches(jobs, self.size):
            envs: dict[int, GroundingEnv] = {}
            for number, job in enumerate(batch):
                try:
                    envs[number] = open_env(job)
                except ZoomgroundError as error:
                    on_played(Played(job, unasked(job, str(error))))
            costs = {id(env): _Cost() for env in envs.values()}
            trajectories = play_all(list(envs.values()), _Metered(self.policy, costs))
            for (number, env), trajectory in zip(envs.items(), trajectories, strict=True):
                cost = costs[id(env)]
                on_played(Played(batch[number], trajectory, cost.usage, cost.trouble))


@dataclass(frozen=True, slots=True)
class _Metered:
    """Charges each episode with its share of the time that its batch took, where the policy does not count itself."""

    policy: BatchPolicy
    costs: dict[int, _Cost]

    def replies(self, envs: Sequence[GroundingEnv]) -> list[Reply]:
        begun = time.monotonic()
        replies = self.policy.replies(envs)
        share = (time.monotonic() - begun) / len(envs)
        for env, reply in zip(envs, replies, strict=True):
            cost = self.costs[id(env)]
            cost.add(reply)
            if not reply.usage.requests:
                cost.usage += Usage(seconds=share)
        return replies


@dataclass(frozen=True, slots=True)
class AsyncPlayer:
    """Plays some episodes side by side; each waits for its own replies only.

    Attributes:
        connect: Opens the policy in the event loop and closes it there.
        concurrency: Requests at the same time, where the policy keeps to it.
        ahead: Further episodes that are open: their screens are decoded and their requests written while all others
            wait, so that the endpoint never waits for this machine. Memory holds the screenshots of all.
    """

    connect: Callable[[], AbstractAsyncContextManager[AsyncPolicy]]
    concurrency: int = 8
    ahead: int = 0

    def play(self, jobs: Iterable[Job], open_env: Open, on_played: Callable[[Played], None]) -> None:
        """See `Player`."""
        asyncio.run(self._play(jobs, open_env, on_played))

    async def _play(self, jobs: Iterable[Job], open_env: Open, on_played: Callable[[Played], None]) -> None:
        waiting = iter(jobs)
        async with self.connect() as policy:

            async def work() -> None:
                for job in waiting:
                    on_played(await _episode(job, open_env, policy))

            workers = [asyncio.create_task(work()) for _ in range(self.concurrency + self.ahead)]
            try:
                await asyncio.gather(*workers)
            finally:
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)


def endpoint_player(endpoint: Endpoint, concurrency: int) -> AsyncPlayer:
    """Plays against an endpoint with so many requests at the same time."""
    return AsyncPlayer(lambda: EndpointPolicy(endpoint, in_flight=concurrency), concurrency, AHEAD)


async def _episode(job: Job, open_env: Open, policy: AsyncPolicy) -> Played:
    try:
        # Pillow lets go of the interpreter while it decodes, so other episodes go on.
        env = await asyncio.to_thread(open_env, job)
    except ZoomgroundError as error:
        return Played(job, unasked(job, str(error)))
    cost = _Cost()
    trajectory = await play_async(env, policy, on_reply=cost.add)
    return Played(job, trajectory, cost.usage, cost.trouble)


def _batches(jobs: Iterable[Job], size: int) -> Iterator[list[Job]]:
    batch: list[Job] = []
    for job in jobs:
        if batch and (len(batch) == size or job.arm != batch[0].arm):
            yield batch
            batch = []
        batch.append(job)
    if batch:
        yield batch
