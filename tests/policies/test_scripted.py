"""The scripted player: exact texts, and no silent end of a script."""

from __future__ import annotations

from episodes import env, point_text
from zoomground.policies.scripted import Scripted
from zoomground.rollout import play
from zoomground.trajectory import StopReason


def test_it_writes_its_texts_in_order() -> None:
    trajectory = play(env(), Scripted(("nothing", point_text(507.81, 512.5))))
    assert [turn.text for turn in trajectory.turns] == ["nothing", "[507.81,512.50]"]
    assert trajectory.stop_reason is StopReason.ANSWERED


def test_a_script_that_is_too_short_fails_the_episode() -> None:
    trajectory = play(env(), Scripted(("nothing",)))
    assert trajectory.stop_reason is StopReason.ERROR
    assert "no text for turn 2" in trajectory.failure


def test_the_last_text_is_repeated_on_request() -> None:
    trajectory = play(env(), Scripted(("nothing",), keep_on=True))
    assert trajectory.stop_reason is StopReason.CORRECTIONS_SPENT
    assert [turn.text for turn in trajectory.turns] == ["nothing"] * 3


def test_one_player_plays_many_episodes() -> None:
    player = Scripted((point_text(1, 1),))
    assert [play(env(), player).stop_reason for _ in range(2)] == [StopReason.ANSWERED] * 2
