"""What an audit found: for each cheat, how often and by how much it earned more than honest play."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class CheatResult:
    """One cheat over all samples on which it has a meaning.

    Attributes:
        name: The cheat.
        about: What it does.
        samples: Number of samples.
        wins: Samples on which it earned more than the honest policy.
        worst_margin: Largest of (its total - the honest total); above 0 it wins. None without samples.
        worst_sample: The task of that margin.
        mean_margin: Mean of the same difference; None without samples.
    """

    name: str
    about: str
    samples: int
    wins: int
    worst_margin: float | None
    worst_sample: str
    mean_margin: float | None


@dataclass(frozen=True, slots=True)
class AuditReport:
    """An audit.

    Attributes:
        cheats: One result for each cheat.
        samples: Number of samples played.
        honest_mean: Mean total of the honest policy.
        honest_misses: Samples on which the honest policy itself missed; they prove nothing.
    """

    cheats: tuple[CheatResult, ...]
    samples: int
    honest_mean: float
    honest_misses: int

    @property
    def passed(self) -> bool:
        """Whether honest play was right everywhere, and no cheat earned more anywhere."""
        return self.samples > 0 and self.honest_misses == 0 and not self.winners

    @property
    def winners(self) -> tuple[CheatResult, ...]:
        """The cheats that pay, the worst first."""
        winners = [cheat for cheat in self.cheats if cheat.wins]
        return tuple(sorted(winners, key=lambda cheat: cheat.worst_margin or 0.0, reverse=True))

    def to_dict(self) -> dict[str, object]:
        """Plain values, ready for JSON."""
        return {"passed": self.passed} | asdict(self)

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)
