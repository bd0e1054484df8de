"""One batch of records to verdicts: side by side, over several endpoints, within a deadline, never by an exception.

Event loops of the trainer live for one call, so connections, slots and tasks do, too; how the endpoints are doing is
remembered by their lines.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic_core import to_json

from zoomground.judge.lines import Exchange, Line
from zoomground.judge.prompts import Words
from zoomground.judge.settings import KEY_VARIABLE, JudgeSettings
from zoomground.judge.verdict import Failure, NoVerdict, read_verdict
from zoomground.policies.base import Reply, Trouble
from zoomground.policies.completions import Fault
from zoomground.policies.endpoint import Connection, Pace

MOST_TRIES = 4
"""Requests for one reply, faults that may pass included."""

_GAP_S = 0.004
"""Requests of the first wave start one after another: sent at once they are answered at once, and again with every
wave; then all of them wait while each is read and the next one written."""

_LONGEST_START_S = 0.5

_FIRST_WAIT_S = 0.02
_LONGEST_WAIT_S = 5.0
_MOST_PATIENCE_S = 30.0
"""An endpoint that asks to wait for longer is not waited for."""

_ASKED_AGAIN = frozenset({NoVerdict.UNREADABLE, NoVerdict.OUT_OF_RANGE, NoVerdict.SEVERAL_SCORES, Trouble.EMPTY})
"""Replies for which the judge is asked once more, in stricter words."""

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Round:
    """Asks for the verdicts of one batch.

    Attributes:
        settings: The judge.
        words: What it is told.
        lines: Its endpoints.
        pace: Time.
        on_score: Gets the place of a record in the batch, and its score, as soon as it is known.
        requests: Requests that were sent.
        last_fault: What the last of them that failed was told.
    """

    settings: JudgeSettings
    words: Words
    lines: Sequence[Line]
    pace: Pace
    on_score: Callable[[int, float], None]
    requests: int = 0
    last_fault: str = ""
    _connections: dict[Line, Connection] = field(init=False)
    _exchange: Exchange = field(init=False)
    _slots: asyncio.Semaphore = field(init=False)

    async def verdicts(self, records: Sequence[str]) -> list[float | Failure]:
        """A score or the name of what went wrong for each record, in order."""
        self._exchange = Exchange(self.lines, self.pace.clock)
        self._slots = asyncio.Semaphore(self.settings.concurrency)
        self._connections = {}
        answered = {line: line.answers for line in self.lines}
        tasks = [asyncio.create_task(self._one(place, record)) for place, record in enumerate(records)]
        try:
            _, late = await asyncio.wait(tasks, timeout=self.settings.deadline_s)
            self._give_up_on_silent(answered)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for connection in self._connections.values():
                await connection.close()
        return [NoVerdict.DEADLINE if task in late else task.result() for task in tasks]

    @property
    def _gap_s(self) -> float:
        return min(_GAP_S, _LONGEST_START_S / self.settings.concurrency)

    def _give_up_on_silent(self, answered: Mapping[Line, int]) -> None:
        """An endpoint that gave no answer in the whole time of a batch has failed, whatever its own time-out is."""
        for line in self.lines:
            is_silent = line.in_flight and line.answers == answered[line]
            if is_silent and not line.is_resting(self.pace.clock()):
                line.rest(self.pace.clock())

    async def _one(self, place: int, record: str) -> float | Failure:
        async with self._slots:
            if place < self.settings.concurrency:
                await asyncio.sleep(place * self._gap_s)
            try:
                verdict = await self._verdict(record, strict=False)
                if verdict in _ASKED_AGAIN:
                    verdict = await self._verdict(record, strict=True)
                if isinstance(verdict, float):
                    await asyncio.to_thread(self.on_score, place, verdict)
            except Exception as error:
                self.last_fault = f"{type(error).__name__}: {error}"
                _logger.debug("a record was not judged", exc_info=error)
                return NoVerdict.ERROR
            return verdict

    async def _verdict(self, record: str, *, strict: bool) -> float | Failure:
        reply = await self._reply(self.words.messages(record, strict=strict))
        if not isinstance(reply, Reply):
            return reply
        if reply.trouble is not None:
            self.last_fault = reply.failure or f"the judge's reply is {reply.trouble}"
            return reply.trouble
        verdict = read_verdict(reply.text)
        if not isinstance(verdict, float):
            self.last_fault = f"{verdict}: {' '.join(reply.text[-200:].split())!r}"
        return verdict

    async def _reply(self, messages: list[dict[str, str]]) -> Reply | Failure:
        fault: Fault | None = None
        line: Line | None = None
        for attempt in range(MOST_TRIES):
            line = await self._exchange.take(avoid=line)
            if line is None:
                return NoVerdict.RESTING if fault is None else fault.trouble
            outcome = await self._ask(line, messages)
            if isinstance(outcome, Reply):
                return outcome
            fault, self.last_fault = outcome, outcome.message
            if not (fault.may_pass or fault.trouble.is_setup):
                break
            if attempt + 1 < MOST_TRIES and not self._exchange.has_other(line):
                wait = _wait_s(fault, attempt)
                if wait > _MOST_PATIENCE_S:
                    break
                await self.pace.sleep(wait)
        return NoVerdict.ERROR if fault is None else fault.trouble

    async def _ask(self, line: Line, messages: list[dict[str, str]]) -> Reply | Fault:
        """One request over a line that was taken; the line is told how it went, and given back."""
        endpoint = line.endpoint
        self.requests += 1
        try:
            outcome = await self._sent(line, to_json({"messages": messages, **endpoint.parameters()}))
            if isinstance(outcome, Fault):
                line.failed(outcome.trouble, self.pace.clock())
            else:
                line.answered()
        finally:
            self._exchange.release(line)
        return outcome

    async def _sent(self, line: Line, content: bytes) -> Reply | Fault:
        endpoint, connection = line.endpoint, self._connection(line)
        # The SDK's time-out is one for each piece of an answer; a server that dribbles would never meet it.
        try:
            async with asyncio.timeout(endpoint.timeout_s):
                return await connection.ask(content, endpoint)
        except TimeoutError:
            message = f"no whole answer from {endpoint.url} within {endpoint.timeout_s:g} s"
            return Fault(Trouble.TIMEOUT, message, may_pass=True)

    def _connection(self, line: Line) -> Connection:
        """Made when it is needed: the SDK takes a while to import and to make one."""
        if line not in self._connections:
            self._connections[line] = Connection(
                line.endpoint, pace=self.pace, extra="judge", key_variable=KEY_VARIABLE, lean=True
            )
        return self._connections[line]


def _wait_s(fault: Fault, attempt: int) -> float:
    """Seconds before the next try where there is nobody else to ask."""
    if fault.retry_after_s is not None:
        return fault.retry_after_s
    return float(min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 6**attempt)) * random.uniform(0.75, 1.25)
