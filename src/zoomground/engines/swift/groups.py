"""Which groups of rollouts teach something: GRPO learns from the differences within a group and from nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from statistics import stdev
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ALIKE = 1e-6
"""A group whose totals deviate by less has no signal; rewards come in single precision."""


@dataclass(frozen=True, slots=True)
class Member:
    """One rollout of a group.

    Attributes:
        hit: Whether it ended right.
        failed: Whether it broke by our fault: it then has no part in the group.
        total: Its weighted reward.
    """

    hit: bool
    failed: bool
    total: float


def in_groups(members: Sequence[Member], num_generations: int) -> list[list[Member]]:
    """The rollouts of a step, by prompt; the generations of a prompt are neighbours."""
    numbered = groupby(enumerate(members), key=lambda pair: pair[0] // num_generations)
    return [[member for _, member in pairs] for _, pairs in numbered]


def is_all_wrong(group: Sequence[Member]) -> bool:
    """Whether a group was played, and all of it missed."""
    played = [member for member in group if not member.failed]
    return bool(played) and not any(member.hit for member in played)


def is_alike(group: Sequence[Member]) -> bool:
    """Whether nothing can be learnt from a group: its totals are all alike, or fewer than two are left."""
    totals = [member.total for member in group if not member.failed]
    return len(totals) < 2 or stdev(totals) < ALIKE


def group_figures(groups: Sequence[Sequence[Member]]) -> dict[str, float]:
    """Shares of the groups of a step; those that are wasted are told apart by what all their members did."""
    if not groups:
        return {}
    wrong = sum(is_all_wrong(group) for group in groups)
    right = sum(_is_all_right(group) for group in groups)
    alike = [group for group in groups if is_alike(group)]
    alike_wrong = sum(is_all_wrong(group) for group in alike)
    alike_right = sum(_is_all_right(group) for group in alike)
    counts = {
        "groups_all_wrong": wrong,
        "groups_all_right": right,
        "groups_alike": len(alike),
        "groups_alike/all_wrong": alike_wrong,
        "groups_alike/all_right": alike_right,
        "groups_alike/otherwise": len(alike) - alike_wrong - alike_right,
    }
    return {name: count / len(groups) for name, count in counts.items()}


def _is_all_right(group: Sequence[Member]) -> bool:
    played = [member for member in group if not member.failed]
    return bool(played) and all(member.hit for member in played)
