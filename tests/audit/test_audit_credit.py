"""Turn-level credit pays no cheat: beside an honest episode of the same prompt, a cheat's turns never get more."""

from __future__ import annotations

from itertools import zip_longest

import pytest

from zoomground.audit import audit_samples
from zoomground.audit.cheats import CHEATS, Scene
from zoomground.audit.run import _fresh
from zoomground.audit.samples import view_settings
from zoomground.policies.oracle import Oracle
from zoomground.policies.scripted import Scripted
from zoomground.protocol.settings import EpisodeSettings
from zoomground.rewards import RewardSettings, hit
from zoomground.rewards.potential import turn_gains
from zoomground.rewards.turn_credit import turn_credit
from zoomground.rollout import play
from zoomground.trajectory import Trajectory

SETTINGS = RewardSettings()
NOISE = 1e-9


def pairs(name: str) -> list[tuple[Trajectory, Trajectory]]:
    """An honest episode and one of the cheat, on every sample and view on which the cheat has a meaning."""
    cheat = next(cheat for cheat in CHEATS if cheat.name == name)
    oracle = Oracle(SETTINGS)
    found = []
    for task in audit_samples()[::4]:
        for rules in view_settings(EpisodeSettings()):
            texts = cheat.plan(Scene.of(_fresh(task, rules), oracle))
            if texts is not None:
                honest = play(_fresh(task, rules), oracle)
                found.append((honest, play(_fresh(task, rules), Scripted(texts, keep_on=True))))
    return found


@pytest.mark.parametrize("name", [cheat.name for cheat in CHEATS])
def test_beside_honest_play_no_turn_of_a_cheat_is_credited_more(name: str) -> None:
    played = pairs(name)
    assert len(played) >= 15
    for honest, cheated in played:
        ours, theirs = turn_credit([honest, cheated], 1.0, SETTINGS)
        for own, other in zip_longest(ours, theirs, fillvalue=0.0):
            assert other <= max(own, 0.0) + NOISE
        assert sum(theirs) <= NOISE
        assert sum(theirs) <= sum(ours) + NOISE


def test_the_honest_window_again_and_again_gains_what_it_gained_once() -> None:
    for honest, cheated in pairs("repeats"):
        gains = [gain for gain in turn_gains(cheated, SETTINGS) if gain is not None]
        assert sum(gains) == gains[0]
        if honest.crops:
            assert gains[0] == turn_gains(honest, SETTINGS)[0]


@pytest.mark.parametrize("name", ["whole_image", "exact_box", "vanity", "cutting", "most_of_the_screen"])
def test_a_worthless_crop_is_below_an_honest_one(name: str) -> None:
    both = [(honest, cheated) for honest, cheated in pairs(name) if honest.crops and hit(cheated)]
    assert both
    sums = [sum(turn_credit(list(pair), 1.0, SETTINGS)[1]) for pair in both]
    assert max(sums) <= NOISE
    assert sum(value < -NOISE for value in sums) > len(sums) / 2
