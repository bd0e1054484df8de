"""Alarms: what of a training run goes wrong so slowly that nobody looks.

Every alarm reads one figure of the log and compares its mean over the last steps with a threshold of the recipe. It
speaks twice: when it goes on and when it goes off. What it knows is rebuilt from the health record, so that a run that
goes on from a checkpoint says nothing again. Nothing here imports ms-swift or torch.
"""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from zoomground.data.health_log import HealthLine, append_health, resume_health
from zoomground.errors import ZoomgroundError
from zoomground.recipe import Health

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


PREFIX = "zoomin/"
"""What our figures are called by in the trainer's log."""

ALARM_PREFIX = "zoomin/alarm/"
"""1 while the alarm is on, 0 while it is off."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rule:
    """One alarm.

    Attributes:
        name: Its name.
        figure: What it reads, without the prefix.
        what: The figure in words.
        check: Whether it is on, and the threshold in words: of the figure's values so far (the newest last, never
            none) and the recipe's section. None while nothing can be said.
    """

    name: str
    figure: str
    what: str
    check: Callable[[Sequence[float], Health], str | None]


def _mean(values: Sequence[float]) -> float:
    """The mean without the noise of binary fractions: three times 0.2 is not above 0.2."""
    return round(fmean(values), 9)


def _above(key: str, limit_of: Callable[[Health], float]) -> Callable[[Sequence[float], Health], str | None]:
    """On from the first step on in which the mean over the window is above the threshold."""

    def check(values: Sequence[float], health: Health) -> str | None:
        limit = limit_of(health)
        return f"above {limit:g} (health.{key})" if _mean(values[-health.window :]) > limit else None

    return check


def _zoom_gone(values: Sequence[float], health: Health) -> str | None:
    full = len(values) >= health.window
    gone = full and _mean(values[-health.window :]) <= health.zoom_low
    return f"at most {health.zoom_low:g} (health.zoom_low)" if gone else None


def _zoom_always(values: Sequence[float], health: Health) -> str | None:
    full = len(values) >= health.window
    always = full and _mean(values[-health.window :]) >= health.zoom_high
    return f"at least {health.zoom_high:g} (health.zoom_high)" if always else None


def _rising(values: Sequence[float], health: Health) -> str | None:
    window = health.window
    ends = range(window, len(values) - window + 1)
    lowest = min((_mean(values[end - window : end]) for end in ends), default=math.inf)
    risen = _mean(values[-window:]) - lowest > health.fallback_rise
    return f"it was {lowest:.3g}, and may rise by {health.fallback_rise:g} (health.fallback_rise)" if risen else None


RULES: tuple[Rule, ...] = (
    Rule("zoom_gone", "zoom_rate_on", "zoom rate", _zoom_gone),
    Rule("zoom_always", "zoom_rate_on", "zoom rate", _zoom_always),
    Rule("fallback", "dialect/fallback", "share of turns in the fallback dialect", _rising),
    Rule("wasted", "groups_alike", "share of groups without any signal", _above("wasted", lambda h: h.wasted)),
    Rule("failed", "failed", "share of failed episodes", _above("failed", lambda h: h.failed)),
    Rule(
        "free_thinking",
        "free_thinking",
        "share of turns of words without an action",
        _above("free_thinking", lambda h: h.free_thinking),
    ),
    Rule(
        "truncated",
        "truncated",
        "share of episodes that were cut",
        _above("truncated", lambda h: h.truncated),
    ),
    Rule(
        "mismatch",
        "logprob_mismatch",
        "turns with log-probs that do not fit",
        _above("mismatches", lambda h: h.mismatches),
    ),
    Rule(
        "judge",
        "judge/failed_share",
        "share of verdicts that failed",
        _above("judge_failed", lambda h: h.judge_failed),
    ),
)


class Alarms:
    """Which alarms are on.

    Args:
        health: The thresholds.
    """

    def __init__(self, health: Health) -> None:
        self._health = health
        self._values: defaultdict[str, list[float]] = defaultdict(list)

    def take_in(self, figures: Mapping[str, float]) -> dict[str, str]:
        """Read the figures of a step.

        Args:
            figures: By their names without the prefix; an alarm whose figure is not there stays as it is.

        Returns:
            What each alarm that is on says, by its name.
        """
        for name in {rule.figure for rule in RULES}:
            value = figures.get(name)
            if value is not None and math.isfinite(value):
                self._values[name].append(value)
        return {rule.name: message for rule in RULES if (message := self._message(rule)) is not None}

    def _message(self, rule: Rule) -> str | None:
        values = self._values[rule.figure]
        threshold = rule.check(values, self._health) if values else None
        if threshold is None:
            return None
        recent = values[-self._health.window :]
        return f"{rule.what} is {_mean(recent):.3g}, mean of {len(recent)} step(s): {threshold}"


class HealthWatch:
    """Watches a run from its main process: prints alarms, keeps the record.

    Args:
        health: The thresholds.
        path: The record.
    """

    def __init__(self, health: Health, path: Path) -> None:
        self._health = health
        self._path = path
        self._alarms: Alarms | None = None
        self._on: dict[str, str] = {}

    def step(self, step: int, figures: Mapping[str, float]) -> dict[str, float]:
        """Take in a step; the alarms as figures of the log are returned.

        Args:
            step: Counted from 1.
            figures: Figures of the step by the names of the log.
        """
        alarms = self._alarms or self._resumed(step)
        own = {name.removeprefix(PREFIX): float(value) for name, value in figures.items() if name.startswith(PREFIX)}
        told, self._on = self._on, alarms.take_in(own)
        for name in sorted(self._on.keys() - told.keys()):
            _logger.warning("alarm %s is on, step %d: %s", name, step, self._on[name])
        for name in sorted(told.keys() - self._on.keys()):
            _logger.warning("alarm %s is off, step %d", name, step)
        finite = {name: value for name, value in own.items() if math.isfinite(value)}
        try:
            append_health(self._path, HealthLine(step, finite, self._on))
        except (OSError, ZoomgroundError) as error:
            _logger.warning("the health of step %d was not saved: %s", step, error)
        return {f"{ALARM_PREFIX}{rule.name}": float(rule.name in self._on) for rule in RULES}

    def _resumed(self, step: int) -> Alarms:
        """What the steps before this one left behind."""
        self._alarms = Alarms(self._health)
        try:
            lines = resume_health(self._path, step)
        except (OSError, ZoomgroundError) as error:
            _logger.warning("the health of earlier steps is not known: %s", error)
            lines = []
        for line in lines:
            self._alarms.take_in(line.figures)
        self._on = dict(lines[-1].alarms) if lines else {}
        return self._alarms
