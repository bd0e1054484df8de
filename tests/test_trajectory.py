"""The record survives the way to disk and back, and says what it is not."""

from __future__ import annotations

import json

import pytest

from episodes import crop_text, env, point_text, task
from zoomground.errors import ZoomgroundError
from zoomground.geometry import Box, Point, Polygon, Size
from zoomground.task import Difficulty, Refusal
from zoomground.trajectory import StopReason, Trajectory


@pytest.mark.parametrize(
    "target",
    [Box(1.0, 2.0, 30.5, 40.25), Polygon((Point(1.0, 1.0), Point(50.0, 1.0), Point(20.0, 60.0))), Refusal(), None],
)
def test_json_round_trip_is_lossless(target: Box | Polygon | Refusal | None) -> None:
    episode = env(task(Size(640, 400), target, instruction="点击 “保存”\u2028", difficulty=Difficulty.HARD))
    episode.step(crop_text(0, 0, 500, 500) + "\n" + crop_text(1, 1, 2, 2, think=None))
    episode.step("nothing \ud7ff here")
    episode.step(point_text(1, 1))
    record = episode.trajectory()
    line = record.to_json()
    assert "\n" not in line
    assert Trajectory.from_json(line) == record


def test_images_are_never_inlined() -> None:
    episode = env()
    episode.step(crop_text(0, 0, 500, 500))
    line = episode.trajectory().to_json()
    assert "base64" not in line
    assert len(line) < 10_000


def test_lone_surrogates_in_a_policys_text_do_not_break_saving() -> None:
    episode = env()
    episode.step("\ud800")
    assert Trajectory.from_json(episode.trajectory().to_json()).turns[0].malformed is not None


def test_a_wrong_record_names_the_field() -> None:
    record = json.loads(env().trajectory().to_json())
    record["view"] = {"width": 0, "height": "x"}
    with pytest.raises(ZoomgroundError, match=r"field 'view\.height'"):
        Trajectory.from_json(json.dumps(record))


def test_a_record_of_another_schema_is_refused() -> None:
    record = json.loads(env().trajectory().to_json())
    record["schema"] = 99
    with pytest.raises(ZoomgroundError, match="schema"):
        Trajectory.from_json(json.dumps(record))


def test_messages_are_the_conversation_in_order() -> None:
    episode = env()
    episode.step(crop_text(0, 0, 500, 500))
    episode.step(point_text(1, 1))
    roles = [message.role for message in episode.trajectory().messages()]
    assert roles == ["system", "user", "assistant", "user", "assistant"]
    assert episode.messages == tuple(episode.trajectory().messages())


def test_every_stop_reason_has_an_outcome() -> None:
    assert {reason: reason.outcome.value for reason in StopReason} == {
        StopReason.ANSWERED: "terminated",
        StopReason.DECLINED: "terminated",
        StopReason.CORRECTIONS_SPENT: "terminated",
        StopReason.TURNS_SPENT: "truncated",
        StopReason.LENGTH: "truncated",
        StopReason.CONTEXT_BUDGET: "failed",
        StopReason.ERROR: "failed",
    }
