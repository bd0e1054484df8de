"""Many requests at once: several endpoints, dead ones, slow ones, deadlines; told by counting, never by a watch."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from judging import DEAD, SOUND, Clock, endpoint, hit_with, judge_of, many, opinions, scores
from scripted_endpoint import HANGS_UP, Answer, fails, says, scripted
from zoomground.judge import NoVerdict, Opinion, Source
from zoomground.judge.lines import FAULTS_BEFORE_REST, FIRST_REST_S, LONGEST_REST_S, Line
from zoomground.judge.round import MOST_TRIES
from zoomground.policies.base import Trouble


def test_512_episodes_with_failures_and_a_dead_endpoint_all_get_a_verdict() -> None:
    """One request in ten fails, one of two endpoints is dead: every episode gets its score, none is asked in vain."""
    width, all_out = 64, threading.Event()

    def answers(number: int, _: Any) -> Answer:
        if number == width - 1:
            all_out.set()
        answer = fails(500) if number % 10 == 3 else scores(0.5)
        # Nobody is answered before as many as may be out are out.
        return replace(answer, after=all_out) if number < width else answer

    with scripted(answers) as server:
        judge = judge_of(DEAD, server, concurrency=width)
        found = opinions(judge, many(512))
    assert Counter(found) == {Opinion(Source.ASKED, 0.5): 512}
    assert server.most_at_once == width
    sent, told = judge.take().requests, len(server.bodies)
    assert told == 512 + sum(number % 10 == 3 for number in range(told))
    # The dead one is met by what is on its way already, and left alone from then on.
    assert sent - told <= width // 2 + FAULTS_BEFORE_REST


def test_jdg_11_a_dead_endpoint_fails_softly_and_is_left_alone() -> None:
    """JDG-11: nothing is contacted before the first episode; then the neutral score, and no more tries for a while."""
    clock = Clock()
    judge = judge_of(DEAD, clock=clock, concurrency=1)
    assert judge.take().requests == 0
    first = opinions(judge, many(20))
    assert Counter(one.failure for one in first) == {Trouble.CONNECTION: 2, NoVerdict.RESTING: 18}
    assert judge.take().requests == FAULTS_BEFORE_REST == 2 * MOST_TRIES
    assert opinions(judge, many(20)) == [Opinion(Source.ASKED, failure=NoVerdict.RESTING)] * 20
    assert judge.take().requests == 0
    clock.now += FIRST_REST_S
    again = opinions(judge, many(20))
    assert Counter(one.failure for one in again) == {Trouble.CONNECTION: 1, NoVerdict.RESTING: 19}
    assert judge.take().requests == 1


def test_jdg_09_a_judge_that_sleeps_costs_one_deadline_and_is_then_left_alone() -> None:
    """JDG-09: the batch ends at its deadline with the neutral score; the next steps do not ask."""
    clock, wakes = Clock(), threading.Event()
    with scripted([Answer(after=wakes)]) as server:
        judge = judge_of(server, clock=clock, concurrency=8, deadline_s=0.3)
        first = opinions(judge, many(20))
        asked = len(server.bodies)
        steps = [opinions(judge, many(20)) for _ in range(3)]
        assert len(server.bodies) == asked <= 8
        clock.now += FIRST_REST_S
        opinions(judge, many(20))
        assert len(server.bodies) == asked + 1, "one request finds out whether it is awake"
        wakes.set()
    assert {one.failure for one in first} == {NoVerdict.DEADLINE}
    assert {one.failure for step in steps for one in step} == {NoVerdict.RESTING}


def test_jdg_09_each_request_has_its_time_however_slowly_the_answer_dribbles() -> None:
    """JDG-09: the time-out is one for the whole reply."""
    wakes = threading.Event()
    with scripted([Answer(after=wakes)]) as server:
        judge = judge_of(endpoint(server, timeout_s=0.05))
        (found,) = opinions(judge, [hit_with(SOUND)])
        wakes.set()
    assert found.failure is Trouble.TIMEOUT
    assert len(server.bodies) == MOST_TRIES
    assert "within 0.05 s" in judge.last_fault


def test_an_endpoint_that_is_only_slow_is_not_given_up() -> None:
    """Answers that came show that it lives: what is late is late, and the next step asks again."""
    wakes = threading.Event()

    def answers(number: int, _: Any) -> Answer:
        return scores(0.5) if number < 3 else Answer(after=wakes)

    with scripted(answers) as server:
        judge = judge_of(server, concurrency=2, deadline_s=0.5)
        found = opinions(judge, many(6))
        asked = len(server.bodies)
        opinions(judge, many(6))
        assert len(server.bodies) > asked
        wakes.set()
    assert [one.score for one in found].count(0.5) == 3
    assert [one.failure for one in found].count(NoVerdict.DEADLINE) == 3


def test_endpoints_share_the_work() -> None:
    with scripted([scores(0.5)]) as one, scripted([scores(0.5)]) as other:
        opinions(judge_of(one, other, concurrency=8), many(80))
    assert len(one.bodies) + len(other.bodies) == 80
    assert min(len(one.bodies), len(other.bodies)) > 10


@pytest.mark.parametrize(
    "answer", [fails(401, "wrong key"), fails(404, "nothing here"), fails(429, "insufficient_quota")]
)
def test_jdg_17_a_wrong_set_up_is_met_once_and_the_other_endpoint_asked(answer: Answer) -> None:
    """JDG-17 and others: what will not heal by itself is not tried again, and what it says tells what to do."""
    with scripted([answer]) as wrong, scripted([scores(0.5)]) as right:
        judge = judge_of(wrong, right, concurrency=1)
        found = opinions(judge, many(10))
    assert {one.score for one in found} == {0.5}
    assert (len(wrong.bodies), len(right.bodies)) == (1, 10)


def test_jdg_17_an_address_without_v1_is_said_and_not_guessed() -> None:
    with scripted([scores(0.5)]) as server:
        judge = judge_of(server.base_url.removesuffix("/v1"))
        (found,) = opinions(judge, many(1))
    assert found.failure is Trouble.WRONG_URL
    assert "for most servers it ends in /v1" in judge.last_fault
    assert server.bodies == []


def test_failures_move_to_the_other_endpoint_at_once_and_wait_where_there_is_none() -> None:
    clock = Clock()
    with scripted([HANGS_UP, fails(500), scores(0.5)]) as server:
        judge = judge_of(server, clock=clock)
        assert opinions(judge, many(1)) == [Opinion(Source.ASKED, 0.5)]
    assert [0.01 < clock.waits[0] < 0.03, 0.08 < clock.waits[1] < 0.16, len(clock.waits)] == [True, True, 2]
    clock.waits.clear()
    with scripted([fails(500)]) as one, scripted([scores(0.5)]) as other:
        opinions(judge_of(one, other, clock=clock, concurrency=1), many(4))
    assert clock.waits == []
    assert len(other.bodies) == 4


def test_an_endpoint_that_asks_for_time_gets_it_within_reason() -> None:
    clock = Clock()
    with scripted([fails(429, "slow down", retry_after="3"), scores(0.5)]) as server:
        assert opinions(judge_of(server, clock=clock), many(1)) == [Opinion(Source.ASKED, 0.5)]
    assert clock.waits == [3.0]
    with scripted([fails(429, "slow down", retry_after="3600")]) as server:
        assert opinions(judge_of(server, clock=clock), many(1))[0].failure is Trouble.RATE_LIMIT
    assert len(server.bodies) == 1


def test_nobody_waits_after_the_last_try() -> None:
    clock = Clock()
    with scripted([fails(429, "slow down", retry_after="3")]) as server:
        assert opinions(judge_of(server, clock=clock), many(1))[0].failure is Trouble.RATE_LIMIT
    assert (len(server.bodies), clock.waits) == (MOST_TRIES, [3.0] * (MOST_TRIES - 1))


def test_what_a_judge_says_of_its_key_is_repeated_nowhere() -> None:
    with scripted([says("Your key is sk-very-secret")]) as server:
        judge = judge_of(replace(endpoint(server), api_key="sk-very-secret"))
        (found,) = opinions(judge, many(1))
    assert found.failure is NoVerdict.UNREADABLE
    assert "Your key is ***" in judge.last_fault
    assert "secret" not in judge.last_fault


def test_a_judge_lives_over_many_event_loops() -> None:
    """The trainer starts a new loop for each step."""
    with scripted([scores(0.5)]) as server:
        judge = judge_of(server)
        for step in range(3):
            assert {one.score for one in opinions(judge, many(4 + step))} == {0.5}


def test_whatever_breaks_on_this_side_is_a_failure_with_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted([scores(0.5)]) as server:
        judge = judge_of(server)
        monkeypatch.setattr("zoomground.judge.round.read_verdict", lambda text: 1 / 0)
        assert [one.failure for one in opinions(judge, many(2))] == [NoVerdict.ERROR] * 2
        assert "ZeroDivisionError" in judge.last_fault
        monkeypatch.setattr("zoomground.judge.round.Connection", lambda *args, **kwargs: 1 / 0)
        assert [one.failure for one in opinions(judge, many(2))] == [NoVerdict.ERROR] * 2


def test_rests_get_longer_and_an_answer_ends_them() -> None:
    line, now, rests = Line(endpoint(DEAD)), 0.0, []
    for _ in range(FAULTS_BEFORE_REST - 1):
        line.failed(Trouble.SERVER_ERROR, now)
    assert not line.is_resting(now)
    for _ in range(7):
        line.failed(Trouble.SERVER_ERROR, now)
        rests.append(line.rests_until - now)
        line.failed(Trouble.SERVER_ERROR, now)  # was on its way already
        now = line.rests_until
        assert line.is_due(now)
    assert rests == [60, 120, 240, 480, 960, 960, 960] == [*rests[:-1], LONGEST_REST_S]
    line.answered()
    assert not line.is_resting(now)
    line.failed(Trouble.SERVER_ERROR, now)
    assert not line.is_resting(now)


def test_what_is_said_of_one_request_is_not_said_of_its_endpoint() -> None:
    line = Line(endpoint(DEAD))
    for trouble in (Trouble.BAD_REQUEST, Trouble.CONTEXT_OVERFLOW, Trouble.CONTENT_FILTER, Trouble.RATE_LIMIT):
        for _ in range(50):
            line.failed(trouble, 0.0)
    assert not line.is_resting(0.0)
