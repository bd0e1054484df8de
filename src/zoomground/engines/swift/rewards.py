"""The registered rewards: doors from ms-swift's batches to pure functions of a trajectory.

ms-swift calls ``reward(completions, **columns)`` with one list a column, takes the class's name for the log's column,
and ends the run on an exception. So each reward is one class that is named as it is registered, takes the record that
the scheduler left in ``rollout_infos``, and always gives one finite float a sample: 0 where a reward does not apply. A
sample that could not be scored earns 0, or what the judge says of what it cannot judge, and is counted; a batch of
little else is the trainer's to refuse.
"""

from __future__ import annotations

import logging
import math
import time
from typing import TYPE_CHECKING, Any, ClassVar

from swift.rewards import ORM, AsyncORM

from zoomground.engines.swift.active import EngineSettings, engine_settings
from zoomground.engines.swift.judging import TrainingJudge
from zoomground.engines.swift.references import open_reference
from zoomground.engines.swift.scheduler import TRAJECTORY_KEY
from zoomground.engines.swift.session import Request, open_session
from zoomground.errors import ZoomgroundError
from zoomground.rewards import REWARDS
from zoomground.rewards.reasoning import Reasoning
from zoomground.trajectory import Trajectory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_logger = logging.getLogger(__name__)


def trajectory_of(row: Mapping[str, Any], settings: EngineSettings) -> Trajectory:
    """The record of one sample.

    Args:
        row: ms-swift's reward row: ``rollout_infos``, ``messages``, ``images`` and the dataset's columns. Without a
            record (training without the scheduler) the assistant messages are played through the environment.
        settings: The rules for an episode that is played here.

    Raises:
        ZoomgroundError: If there is neither a record nor readable text.
    """
    record = (row.get("rollout_infos") or {}).get(TRAJECTORY_KEY)
    return Trajectory.from_json(record) if record is not None else _played_again(row, settings)


def _played_again(row: Mapping[str, Any], settings: EngineSettings) -> Trajectory:
    messages = row.get("messages") or []
    said = [message["content"] for message in messages if message.get("role") == "assistant"]
    if not all(isinstance(text, str) for text in said):
        raise ZoomgroundError(
            "a multi-turn sample without a record: pass --multi_turn_scheduler zoomin_grounding_scheduler"
        )
    session = open_session(
        Request(messages, (row.get("images") or [])[:1], row),
        settings.episode,
        off_share=settings.off_share,
        load=open_reference,
        now_s=time.monotonic(),
    )
    for number, text in enumerate(said, start=1):
        session.advance(text, row.get("finish_reason") if number == len(said) else None)
    return session.trajectory()


def rows_of(completions: Sequence[str], columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row a sample from ms-swift's columns; what is not one value a sample is left out."""
    size = len(completions)
    batched = {name: values for name, values in columns.items() if isinstance(values, list) and len(values) == size}
    rows = [{name: values[index] for name, values in batched.items()} for index in range(size)]
    for row, completion in zip(rows, completions, strict=True):
        row.setdefault("messages", [{"role": "assistant", "content": completion}])
    return rows


class Door:
    """Scores batches with one reward and never fails.

    Attributes:
        registered: Name of the reward.
        unscored: Number of samples that could not be scored so far.
        unscored_in_batch: How many of them were in the last batch.
        last_failure: Why the last of them could not be scored.
    """

    def __init__(self, registered: str) -> None:
        self.registered = registered
        self._settings = engine_settings()
        self._reward = REWARDS[registered](self._settings.rewards)
        self._fallback = self._settings.rewards.neutral_score if registered == Reasoning.name else 0.0
        self.unscored = 0
        self.unscored_in_batch = 0
        self.last_failure = ""

    def scores(self, completions: Sequence[str], columns: Mapping[str, Any]) -> list[float]:
        """One finite float a sample."""
        self.unscored_in_batch = 0
        return [self._score(row) for row in rows_of(completions, columns)]

    async def judged(self, completions: Sequence[str], columns: Mapping[str, Any], judge: TrainingJudge) -> list[float]:
        """One finite float a sample, where a judge has its say."""
        self.unscored_in_batch = 0
        values: list[float] = []
        known: dict[int, Trajectory] = {}
        for place, row in enumerate(rows_of(completions, columns)):
            values.append(self._fallback)
            try:
                known[place] = trajectory_of(row, self._settings)
            except Exception as error:  # noqa: BLE001 -- the boundary: one bad sample must not end the run
                self._not_scored(f"{type(error).__name__}: {error}")
        for place, reward in zip(known, await judge.rewards(list(known.values())), strict=True):
            values[place] = reward
        return values

    def _score(self, row: Mapping[str, Any]) -> float:
        try:
            value = self._reward(trajectory_of(row, self._settings))
        except Exception as error:  # noqa: BLE001 -- the boundary: one bad sample must not end the run
            return self._not_scored(f"{type(error).__name__}: {error}")
        if value is None:
            return 0.0
        return float(value) if math.isfinite(value) else self._not_scored(f"the reward is {value}")

    def _not_scored(self, failure: str) -> float:
        _logger.warning("%s: a sample was not scored: %s", self.registered, failure)
        self.unscored += 1
        self.unscored_in_batch += 1
        self.last_failure = failure
        return self._fallback


class DoorORM(ORM):
    """A reward that is computed; subclasses only name it."""

    registered: ClassVar[str]

    def __init__(self, args: Any = None, **kwargs: Any) -> None:
        super().__init__(args, **kwargs)
        self.door = Door(self.registered)

    def __call__(self, completions: Sequence[str], **columns: Any) -> list[float]:
        """Score a batch."""
        return self.door.scores(completions, columns)


class zoomin_accuracy(DoorORM):  # noqa: N801 -- ms-swift's log column is the class's name
    """1 on a hit."""

    registered = "zoomin_accuracy"


class zoomin_crop_process_gated(DoorORM):  # noqa: N801
    """How much the crops added, on a hit."""

    registered = "zoomin_crop_process_gated"


class zoomin_format(DoorORM):  # noqa: N801
    """1 if the last turn is a canonical answer."""

    registered = "zoomin_format"


class zoomin_zoom_bonus(DoorORM):  # noqa: N801
    """How close the policy looked at a hard target that it hit."""

    registered = "zoomin_zoom_bonus"


class dense_distance(DoorORM):  # noqa: N801
    """How near a miss was."""

    registered = "dense_distance"


class zoomin_cot_rm(AsyncORM):  # noqa: N801
    """The judge's score of the reasoning; without an endpoint the neutral score for every sample."""

    registered: ClassVar[str] = "zoomin_cot_rm"

    def __init__(self, args: Any = None, **kwargs: Any) -> None:
        super().__init__(args, **kwargs)
        self.door = Door(self.registered)
        settings = engine_settings()
        self.judge = None if settings.judge is None else TrainingJudge(settings.judge, settings.rewards, args)

    async def __call__(self, completions: Sequence[str], **columns: Any) -> list[float]:
        """Score a batch."""
        if self.judge is None:
            return self.door.scores(completions, columns)
        return await self.door.judged(completions, columns, self.judge)


REGISTERED = {
    door.registered: door
    for door in (
        zoomin_accuracy,
        zoomin_crop_process_gated,
        zoomin_format,
        zoomin_zoom_bonus,
        zoomin_cot_rm,
        dense_distance,
    )
}
"""Every registered reward by its name."""
