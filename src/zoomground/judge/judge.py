"""Episodes to opinions: who is worth asking about, what is known already, what the endpoints say."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError
from zoomground.judge.cache import VerdictCache, verdict_key
from zoomground.judge.lines import Line
from zoomground.judge.opinion import Opinion, Source, Tally
from zoomground.judge.prompts import words
from zoomground.judge.round import Round
from zoomground.judge.transcript import transcript
from zoomground.judge.verdict import NoVerdict
from zoomground.policies.endpoint import Pace
from zoomground.rewards import hit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zoomground.judge.settings import JudgeSettings
    from zoomground.judge.verdict import Failure
    from zoomground.trajectory import Trajectory

FEWEST_LETTERS = 6
"""Thinking with fewer letters is no reasoning: what gets praise from many judges though nothing stands in it."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """A transcript that is asked about.

    Attributes:
        record: Its text.
        repeat: Tells a second verdict on the same text from the first.
    """

    record: str
    repeat: int = 0


class Judge:
    """Judges batches of episodes; nothing is contacted before the first verdict is asked for.

    Args:
        settings: Endpoints, language, limits, cache.
        pace: Time; tests put their own in its place.

    Attributes:
        last_fault: Why the last verdict that could not be had was not, for a person.

    Raises:
        ZoomgroundError: If the SDK is not installed.
        RecipeError: If the prompt's version is unknown.
    """

    def __init__(self, settings: JudgeSettings, *, pace: Pace | None = None) -> None:
        if importlib.util.find_spec("openai") is None:
            raise ZoomgroundError(
                "the judge needs 'openai', which is not installed; run: pip install 'zoomground[judge]'"
            )
        self.settings = settings
        self._words = words(settings.prompt_version, settings.language)
        self._cache = None if settings.cache_dir is None else VerdictCache(settings.cache_dir)
        self._lines = [Line(endpoint) for endpoint in settings.endpoints]
        self._pace = pace or Pace()
        self._tally = Tally()
        self._cache_is_broken = False
        self.last_fault = ""

    def take(self) -> Tally:
        """The figures since this was last called."""
        tally, self._tally = self._tally, Tally()
        return tally

    async def opinions(self, trajectories: Sequence[Trajectory]) -> list[Opinion]:
        """What is to be thought of the reasoning of each episode, in order, within the deadline.

        It never raises for what endpoints, replies or the cache's folder do: whatever goes wrong is a failure with a
        name, and the reward of that episode is the neutral score.
        """
        opinions, _ = await self.opinions_beside(trajectories, ())
        return opinions

    async def opinions_beside(
        self, trajectories: Sequence[Trajectory], questions: Sequence[Question]
    ) -> tuple[list[Opinion], list[Opinion]]:
        """`opinions`, and those on transcripts that are asked about in the same batch, within the same limits."""
        started = self._pace.clock()
        opinions: dict[int, Opinion] = {}
        records: dict[int, str] = {}
        for place, trajectory in enumerate(trajectories):
            known, record = self._known(trajectory)
            if known is None:
                records[place] = record
            else:
                opinions[place] = known
        tally = self._tally
        verdicts = await self.verdicts([*map(Question, records.values()), *questions])
        opinions |= dict(zip(records, verdicts[: len(records)], strict=True))
        ordered = [opinions[place] for place in range(len(trajectories))]
        for opinion in ordered:
            tally.note(opinion)
        tally.seconds += self._pace.clock() - started
        self._report(ordered)
        return ordered, verdicts[len(records) :]

    async def verdicts(self, questions: Sequence[Question]) -> list[Opinion]:
        """Opinions on transcripts, from the cache or from the endpoints. Equal questions are asked once."""
        parameters = self._lines[0].endpoint.parameters()
        keys = [verdict_key(one.record, self._words, parameters, repeat=one.repeat) for one in questions]
        cached = await asyncio.to_thread(self._cached, set(keys))
        unknown = {key: one.record for key, one in zip(keys, questions, strict=True) if key not in cached}
        asked = await self._asked(unknown)
        return [Opinion(Source.CACHED, cached[key]) if key in cached else _opinion(asked[key]) for key in keys]

    def _known(self, trajectory: Trajectory) -> tuple[Opinion | None, str]:
        """What needs no judge, else the transcript."""
        if not hit(trajectory):
            return Opinion(Source.MISS), ""
        try:
            record = transcript(trajectory)
        except Exception as error:  # noqa: BLE001 -- the boundary: one odd record must not end the batch
            self.last_fault = f"{type(error).__name__}: {error}"
            return Opinion(Source.ASKED, failure=NoVerdict.ERROR), ""
        if record.letters < FEWEST_LETTERS:
            return Opinion(Source.NO_REASONING, 0.0), ""
        return None, record.text

    def _cached(self, keys: set[str]) -> dict[str, float]:
        if self._cache is None:
            return {}
        found = {key: self._cache.get(key) for key in keys}
        return {key: score for key, score in found.items() if score is not None}

    async def _asked(self, unknown: Mapping[str, str]) -> dict[str, float | Failure]:
        if not unknown:
            return {}
        keys = list(unknown)
        asking = Round(
            self.settings,
            self._words,
            self._lines,
            self._pace,
            on_score=lambda place, score: self._keep(keys[place], score),
        )
        verdicts: list[float | Failure]
        try:
            verdicts = await asking.verdicts(list(unknown.values()))
        except Exception as error:  # noqa: BLE001 -- the boundary: a judge that breaks must not end a training
            asking.last_fault = f"{type(error).__name__}: {error}"
            verdicts = [NoVerdict.ERROR] * len(keys)
        self._tally.requests += asking.requests
        self.last_fault = asking.last_fault
        return dict(zip(keys, verdicts, strict=True))

    def _keep(self, key: str, score: float) -> None:
        if self._cache is None:
            return
        try:
            self._cache.put(key, score)
        except OSError as error:
            if not self._cache_is_broken:
                _logger.warning("judge: verdicts are not kept, %s: %s", self._cache.folder, error.strerror)
            self._cache_is_broken = True

    def _report(self, opinions: Sequence[Opinion]) -> None:
        failures = [opinion.failure for opinion in opinions if opinion.failure is not None]
        if failures:
            counts = ", ".join(f"{kind} {failures.count(kind)}" for kind in sorted(set(failures)))
            _logger.warning(
                "judge: no verdict on %d of %d episodes (%s), the neutral score stands for it. The last fault: %s",
                len(failures), len(opinions), counts, self.last_fault or "none",
            )  # fmt: skip


def _opinion(verdict: float | Failure) -> Opinion:
    if isinstance(verdict, float):
        return Opinion(Source.ASKED, verdict)
    return Opinion(Source.ASKED, failure=verdict)
