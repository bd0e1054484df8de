"""CPU time, in turns: the machine is noisy, so both sides of a comparison take turns and the best of each counts."""

from __future__ import annotations

import gc
import time
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

T = TypeVar("T")


class Best(Generic[T]):
    """The fastest of several rounds.

    Attributes:
        cpu_s: CPU time of this process in it, all threads together, s.
        result: What the side gave in it.
    """

    def __init__(self, cpu_s: float, result: T) -> None:
        self.cpu_s = cpu_s
        self.result = result


def in_turns(rounds: int, sides: Mapping[str, Callable[[], T]]) -> dict[str, Best[T]]:
    """Run every side once a round, in the opposite order each other round, and keep each side's fastest round."""
    best: dict[str, Best[T]] = {}
    for number in range(rounds):
        names = list(sides) if number % 2 == 0 else list(reversed(sides))
        for name in names:
            gc.collect()
            begun_s = time.process_time()
            result = sides[name]()
            cpu_s = time.process_time() - begun_s
            if name not in best or cpu_s < best[name].cpu_s:
                best[name] = Best(cpu_s, result)
    return best


class Laps:
    """CPU seconds by step, and how often each step ran."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.times: defaultdict[str, int] = defaultdict(int)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Charge what runs inside to a step."""
        begun_s = time.process_time()
        try:
            yield
        finally:
            self.seconds[name] += time.process_time() - begun_s
            self.times[name] += 1

    def total_s(self, *names: str) -> float:
        """Seconds of some steps; of all if none is named."""
        return sum(self.seconds[name] for name in names or self.seconds)


def rates(works: Sequence[Callable[[], object]], pieces: int, *, rounds: int, least_s: float) -> list[float]:
    """Pieces a CPU second of works that do ``pieces`` each: in turns, the best of rounds of at least ``least_s``."""
    best = [0.0] * len(works)
    for _ in range(rounds):
        for at, work in enumerate(works):
            done, begun_s, cpu_s = 0, time.process_time(), 0.0
            while cpu_s < least_s:
                work()
                done += pieces
                cpu_s = time.process_time() - begun_s
            best[at] = max(best[at], done / cpu_s)
    return best
