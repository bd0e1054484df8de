"""What came of judging: an opinion for each episode, and the figures of many."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from zoomground.judge.verdict import Failure
from zoomground.rewards.reasoning import judged

if TYPE_CHECKING:
    from zoomground.rewards import RewardSettings
    from zoomground.trajectory import Trajectory


class Source(StrEnum):
    """Where an opinion comes from.

    - miss: the episode did not end right; nobody was asked.
    - no_reasoning: next to no letter stands in its thinking; nobody was asked, the score is 0.
    - cached: a verdict of earlier.
    - asked: the judge was asked, or should have been.
    """

    MISS = "miss"
    NO_REASONING = "no_reasoning"
    CACHED = "cached"
    ASKED = "asked"


@dataclass(frozen=True, slots=True)
class Opinion:
    """What is known of the reasoning of one episode.

    Attributes:
        source: Where it comes from.
        score: In [0, 1]; None where there is none.
        failure: Why the judge gave no score.
    """

    source: Source
    score: float | None = None
    failure: Failure | None = None

    def reward(self, trajectory: Trajectory, settings: RewardSettings) -> float:
        """``zoomin_cot_rm`` of the episode: 0 on a miss, the score on a hit, the neutral score where it is missing."""
        return judged(trajectory, self.score, settings)


@dataclass(slots=True)
class Tally:
    """Figures of the episodes that were judged. Failures are counted by kind and are no part of the mean score.

    Attributes:
        episodes: All of them.
        sources: How many opinions came from where.
        failures: How many verdicts could not be had, by kind.
        scores: Sum of the scores that the judge gave, now or earlier.
        requests: Requests that were sent.
        seconds: Time that the batches took, s.
    """

    episodes: int = 0
    sources: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    scores: float = 0.0
    requests: int = 0
    seconds: float = 0.0

    def note(self, opinion: Opinion) -> None:
        """Count one opinion."""
        self.episodes += 1
        self.sources[opinion.source] += 1
        if opinion.failure is not None:
            self.failures[opinion.failure] += 1
        elif opinion.source in {Source.CACHED, Source.ASKED}:
            self.scores += opinion.score or 0.0

    def __add__(self, other: Tally) -> Tally:
        """Figures of both; they ran side by side, so the longer time counts."""
        return Tally(
            self.episodes + other.episodes,
            self.sources + other.sources,
            self.failures + other.failures,
            self.scores + other.scores,
            self.requests + other.requests,
            max(self.seconds, other.seconds),
        )

    @property
    def wanted(self) -> int:
        """Episodes that are worth a verdict."""
        return self.sources[Source.CACHED] + self.sources[Source.ASKED]

    @property
    def failed(self) -> int:
        """Verdicts that could not be had."""
        return self.failures.total()

    def figures(self) -> dict[str, float]:
        """By name, for a log; the share that failed is absent where none was wanted, the mean score where none is."""
        wanted, scored = self.wanted, self.wanted - self.failed
        figures = {
            "wanted": float(wanted),
            "cached": float(self.sources[Source.CACHED]),
            "no_reasoning": float(self.sources[Source.NO_REASONING]),
            "requests": float(self.requests),
            "seconds": self.seconds,
        }
        if wanted:
            figures["failed_share"] = self.failed / wanted
        if scored:
            figures["score"] = self.scores / scored
        return figures | {f"failed/{kind}": float(count) for kind, count in sorted(self.failures.items())}
