"""What a data set of demonstrations holds: plans, arms, crops, mistakes, and how many targets could be read."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from zoomground.collect.style import Plan
from zoomground.data import jsonl
from zoomground.protocol.settings import Arm
from zoomground.rewards.base import seen_short_side, target_box
from zoomground.rewards.quality import inside, short_side_in_crop

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from zoomground.collect.demonstrations import Demonstration

_WHOLE = 0.999


def record_of(shown: Demonstration) -> dict[str, Any]:
    """What is kept of a demonstration beside its messages, ready for JSON.

    ``seen_px`` is the short side of the target on the screenshot as seen, ``shown_px`` the largest at which the
    screenshot or a crop with the target's whole surroundings showed it; both None for a refusal.
    """
    trajectory = shown.trajectory
    record: dict[str, Any] = {
        "plan": shown.plan.value,
        "arm": trajectory.settings.arm.value,
        "decline_offered": trajectory.settings.allow_decline,
        "crops": len(trajectory.crops),
        "turns": len(trajectory.turns),
        "untrained": shown.right.count(False),
        "refused": [turn.malformed.value for turn in trajectory.turns if turn.malformed is not None],
        "seen_px": None,
        "shown_px": None,
    }
    box = target_box(trajectory)
    if box is not None:
        seen = seen_short_side(trajectory, box)
        sides = [
            short_side_in_crop(crop, box, seen_px=seen) for crop in trajectory.crops if inside(crop, box) >= _WHOLE
        ]
        record |= {"seen_px": round(seen, 2), "shown_px": round(max([seen, *sides]), 2)}
    return record


@dataclass(slots=True)
class PlanTally:
    """Sums over the demonstrations of one plan, or of all."""

    count: int = 0
    crops: int = 0
    turns: int = 0
    untrained: int = 0
    targets: int = 0
    legible_before: int = 0
    legible_after: int = 0

    def add(self, record: Mapping[str, Any], legible_px: float) -> None:
        """Count one demonstration."""
        self.count += 1
        self.crops += record["crops"]
        self.turns += record["turns"]
        self.untrained += record["untrained"]
        if record["seen_px"] is not None:
            self.targets += 1
            self.legible_before += record["seen_px"] >= legible_px
            self.legible_after += record["shown_px"] >= legible_px

    def to_dict(self) -> dict[str, Any]:
        """Plain values; shares of targets are None where there is none."""
        return {
            "count": self.count,
            "crops_per_episode": round(self.crops / self.count, 4),
            "turns": self.turns,
            "untrained_turns": self.untrained,
            "legible_before": round(self.legible_before / self.targets, 4) if self.targets else None,
            "legible_after": round(self.legible_after / self.targets, 4) if self.targets else None,
        }


@dataclass(slots=True)
class Tally:
    """Counts of a whole data set.

    Attributes:
        all: Everything together.
        plans: By plan, in the order of `Plan`; plans that do not occur are left out.
        arms: By arm.
        decline_offered: Demonstrations whose prompt offers declining.
        refused: Refused turns by the environment's reason.
    """

    all: PlanTally = field(default_factory=PlanTally)
    plans: dict[Plan, PlanTally] = field(default_factory=dict)
    arms: dict[Arm, int] = field(default_factory=dict)
    decline_offered: int = 0
    refused: dict[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            **self.all.to_dict(),
            "plans": {plan.value: found.to_dict() for plan, found in self.plans.items()},
            "arms": {arm.value: count for arm, count in self.arms.items()},
            "decline_offered": self.decline_offered,
            "refused": self.refused,
        }


def tally_of(file: Path, *, legible_px: float) -> Tally:
    """Count what a written data set holds.

    Args:
        file: The data set.
        legible_px: Short side from which a target counts as legible, px.
    """
    tally = Tally()
    plans: defaultdict[Plan, PlanTally] = defaultdict(PlanTally)
    arms: Counter[Arm] = Counter()
    refused: Counter[str] = Counter()
    for line in jsonl.read(file):
        record = json.loads(line.value["demonstration"])
        for sums in (tally.all, plans[Plan(record["plan"])]):
            sums.add(record, legible_px)
        arms[Arm(record["arm"])] += 1
        refused.update(record["refused"])
        tally.decline_offered += record["decline_offered"]
    tally.plans = {plan: plans[plan] for plan in Plan if plan in plans}
    tally.arms = {arm: arms[arm] for arm in Arm if arms[arm]}
    tally.refused = dict(sorted(refused.items()))
    return tally
