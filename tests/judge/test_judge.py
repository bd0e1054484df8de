"""A batch of episodes to opinions: who is asked about what, what is kept, what a reward comes to."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judging import (
    SOUND,
    ask_once,
    endpoint,
    hit_with,
    judge_of,
    many,
    miss_with,
    opinions,
    played,
    scores,
    settings_for,
    zoomed,
)
from scripted_endpoint import MODEL, Answer, fails, says, scripted
from zoomground.errors import RecipeError, ZoomgroundError
from zoomground.judge import Judge, JudgeSettings, Language, NoVerdict, Opinion, Source, Tally
from zoomground.judge.cache import VerdictCache
from zoomground.judge.prompts import words
from zoomground.judge.transcript import transcript
from zoomground.policies.base import Trouble
from zoomground.rewards import RewardSettings


def test_a_request_is_two_messages_of_text() -> None:
    opinion, server, _ = ask_once([scores(0.75)])
    assert opinion == Opinion(Source.ASKED, 0.75)
    (body,) = server.requests()
    told = words("v1", Language.EN)
    assert body == {
        "model": MODEL,
        "temperature": 0.0,
        "seed": 0,
        "max_tokens": 256,
        "messages": [
            {"role": "system", "content": told.system},
            {"role": "user", "content": f"{transcript(hit_with(SOUND)).text}\n\n{told.closing}"},
        ],
    }
    assert SOUND in body["messages"][1]["content"]


def test_nothing_of_the_picture_and_its_file_is_sent() -> None:
    with scripted([scores(0.5)]) as server:
        opinions(judge_of(server), [zoomed()])
    (body,) = server.bodies
    assert b"crop of screenshot" in body
    for word in (b"image_url", b"data:", b"base64", b"shots", b"screen.png", b"sha256"):
        assert word not in body


def test_jdg_13_the_gate_and_the_letters_come_before_the_judge() -> None:
    """JDG-13: a miss, and thinking in which nothing stands, are never shown to a judge that might praise them."""
    silent = [hit_with(thinking) for thinking in ("", ":", "...", "1.0", "ok", "好", "\u200b" * 50)]
    with scripted([scores(1.0)]) as server:
        found = opinions(judge_of(server), [miss_with(SOUND), played("[508.00,508.00]"), *silent])
    assert server.bodies == []
    assert found == [Opinion(Source.MISS), *[Opinion(Source.NO_REASONING, 0.0)] * (1 + len(silent))]


@pytest.mark.parametrize(
    ("opinion", "on_a_hit"),
    [
        (Opinion(Source.ASKED, 0.8), 0.8),
        (Opinion(Source.CACHED, 0.0), 0.0),
        (Opinion(Source.NO_REASONING, 0.0), 0.0),
        (Opinion(Source.ASKED, failure=Trouble.TIMEOUT), 0.25),
        (Opinion(Source.ASKED, failure=NoVerdict.UNREADABLE), 0.25),
    ],
)
def test_a_miss_earns_nothing_and_a_failure_the_neutral_score(opinion: Opinion, on_a_hit: float) -> None:
    settings = RewardSettings(neutral_score=0.25)
    assert opinion.reward(hit_with(SOUND), settings) == on_a_hit
    assert opinion.reward(miss_with(SOUND), settings) == 0.0


def test_the_second_epoch_makes_no_call(tmp_path: Path) -> None:
    episodes = [*many(20), zoomed(), miss_with(SOUND)]
    with scripted(lambda number, _: scores(round(number / 100, 2))) as server:
        first = opinions(judge_of(server, cache_dir=tmp_path), episodes)
        assert len(server.bodies) == 21
        judge = judge_of(server, cache_dir=tmp_path)
        second = opinions(judge, episodes)
        assert len(server.bodies) == 21
    assert [one.score for one in second] == [one.score for one in first]
    assert Counter(one.source for one in second) == {Source.CACHED: 21, Source.MISS: 1}
    tally = judge.take()
    assert (tally.requests, tally.wanted, tally.failed) == (0, 21, 0)


def test_equal_episodes_of_one_batch_are_asked_about_once() -> None:
    with scripted([scores(0.5)]) as server:
        found = opinions(judge_of(server), [hit_with(SOUND)] * 8)
    assert len(server.bodies) == 1
    assert [one.score for one in found] == [0.5] * 8


@pytest.mark.parametrize(
    "changes",
    [{"model": "other"}, {"temperature": 0.5}, {"seed": 1}, {"max_tokens": 99}, {"extra_body": {"top_k": 1}}],
    ids=lambda changes: next(iter(changes)),
)
def test_what_decides_a_verdict_is_a_part_of_its_key(tmp_path: Path, changes: dict[str, Any]) -> None:
    with scripted([scores(0.5)]) as server:
        for endpoint_, asked in (
            (endpoint(server), 1),
            (replace(endpoint(server), **changes), 2),
            (replace(endpoint(server), api_key="another", timeout_s=7.0), 2),
        ):
            opinions(judge_of(endpoint_, cache_dir=tmp_path), many(1))
            assert len(server.bodies) == asked
        opinions(judge_of(server, cache_dir=tmp_path, language=Language.ZH), many(1))
        assert len(server.bodies) == 3


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    with scripted([says("no idea"), says("no idea"), scores(0.5)]) as server:
        judge = judge_of(server, cache_dir=tmp_path)
        assert opinions(judge, many(1))[0].failure is NoVerdict.UNREADABLE
        assert list(tmp_path.rglob("*.json")) == []
        assert opinions(judge, many(1)) == [Opinion(Source.ASKED, 0.5)]


@pytest.mark.parametrize(
    "junk", [b"", b"{", b"[]", b'{"score": 7}', b'{"score": true}', b'{"score": "1"}', b"\xff", b"[" * 200_000]
)
def test_a_file_of_the_cache_that_cannot_be_read_is_asked_again(tmp_path: Path, junk: bytes) -> None:
    with scripted([scores(0.5)]) as server:
        opinions(judge_of(server, cache_dir=tmp_path), many(1))
        (kept,) = tmp_path.rglob("*.json")
        kept.write_bytes(junk)
        assert opinions(judge_of(server, cache_dir=tmp_path), many(1)) == [Opinion(Source.ASKED, 0.5)]
    assert json.loads(kept.read_bytes()) == {"score": 0.5}


def test_a_verdict_is_kept_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = VerdictCache(tmp_path)
    cache.put("ab" * 32, 0.25)

    def breaks(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", breaks)
    with pytest.raises(OSError, match="No space"):
        cache.put("ab" * 32, 0.75)
    assert cache.get("ab" * 32) == 0.25
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [f"{'ab' * 32}.json"]


def test_a_cache_that_cannot_be_written_costs_no_verdict(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "taken").write_text("a file stands where the folder should be", encoding="utf-8")
    with scripted([scores(0.5)]) as server:
        found = opinions(judge_of(server, cache_dir=tmp_path / "taken"), many(5))
    assert [one.score for one in found] == [0.5] * 5
    assert caplog.text.count("verdicts are not kept") == 1


def test_jdg_05_an_unreadable_reply_is_asked_about_once_more_and_never_a_zero() -> None:
    """JDG-05: one stricter question, then the neutral score, counted by its kind and out of the mean."""
    opinion, server, judge = ask_once([says("I cannot evaluate this")])
    assert opinion == Opinion(Source.ASKED, failure=NoVerdict.UNREADABLE)
    assert opinion.reward(hit_with(SOUND), RewardSettings()) == 0.5
    first, second = server.requests()
    assert first["messages"][0] == second["messages"][0]
    assert second["messages"][1]["content"].endswith(words("v1", Language.EN).strict)
    figures = judge.take().figures()
    assert figures["failed/unreadable"] == 1
    assert figures["failed_share"] == 1
    assert "score" not in figures


def test_jdg_05_the_stricter_question_may_help() -> None:
    opinion, server, _ = ask_once([says("9 out of 10"), scores(0.9)])
    assert opinion == Opinion(Source.ASKED, 0.9)
    assert len(server.bodies) == 2


@pytest.mark.parametrize(
    ("answer", "failure", "requests"),
    [
        (says(None), Trouble.EMPTY, 2),
        (says(None, refusal="I will not."), Trouble.REFUSED, 1),
        (says('{"score": 0.9}', finish_reason="length"), Trouble.CUT, 1),
        (says("", finish_reason="content_filter"), Trouble.CONTENT_FILTER, 1),
        (says('{"score": 98989}'), NoVerdict.OUT_OF_RANGE, 2),
        (says('{"score": 0.1} {"score": 0.9}'), NoVerdict.SEVERAL_SCORES, 2),
        (fails(400, "temperature must be 1"), Trouble.BAD_REQUEST, 1),
        (fails(400, "maximum context length is 4096 tokens"), Trouble.CONTEXT_OVERFLOW, 1),
        (Answer(307, headers={"Location": "http://127.0.0.1:9/v1/chat/completions"}), Trouble.BAD_REQUEST, 1),
        (fails(401, "wrong key"), Trouble.UNAUTHORIZED, 1),
        (fails(404, "nothing here"), Trouble.WRONG_URL, 1),
        (fails(404, f"The model `{MODEL}` does not exist"), Trouble.UNKNOWN_MODEL, 1),
        (fails(429, "insufficient_quota"), Trouble.QUOTA, 1),
        (fails(429, "slow down"), Trouble.RATE_LIMIT, 4),
        (fails(503, "overloaded"), Trouble.SERVER_ERROR, 4),
        (Answer(body=b'{"error": "under 200"}'), Trouble.MALFORMED_BODY, 4),
        (Answer(body=b"<html>gateway</html>"), Trouble.MALFORMED_BODY, 4),
        (Answer(hang_up=True), Trouble.CONNECTION, 4),
    ],
    ids=lambda value: str(value) if not isinstance(value, Answer) else "",
)
def test_jdg_05_each_failure_has_its_name(answer: Answer, failure: Any, requests: int) -> None:
    """JDG-05: what the transport did and what the reply holds are told apart; only the first is worth many tries."""
    opinion, server, judge = ask_once([answer])
    assert opinion == Opinion(Source.ASKED, failure=failure)
    assert len(server.bodies) == requests
    assert judge.take().figures()[f"failed/{failure}"] == 1
    assert judge.last_fault


def test_reasoning_in_a_field_of_its_own_is_no_verdict() -> None:
    opinion, _, _ = ask_once([says('{"score": 0.6}', reasoning_content='I first thought {"score": 0.1}')])
    assert opinion == Opinion(Source.ASKED, 0.6)


def test_jdg_15_the_same_episode_is_the_same_request(tmp_path: Path) -> None:
    """JDG-15: temperature 0, a fixed seed, the same bytes, and a verdict that is had once."""
    with scripted(lambda number, _: scores(number / 10)) as server:
        found = [opinions(judge_of(server), [zoomed()])[0].score for _ in range(2)]
        kept = [opinions(judge_of(server, cache_dir=tmp_path), [zoomed()])[0].score for _ in range(2)]
    assert found == [0.0, 0.1]
    assert kept == [0.2, 0.2]
    first, second, *_ = server.bodies
    assert first == second
    assert (json.loads(first)["temperature"], json.loads(first)["seed"]) == (0.0, 0)


def test_figures_tell_scores_from_failures() -> None:
    def answers(number: int, _: Any) -> Answer:
        return [scores(0.25), scores(0.75), fails(400)][number]

    with scripted(answers) as server:
        judge = judge_of(server, concurrency=1)
        opinions(judge, [*many(3), miss_with(SOUND), hit_with(":")])
    tally = judge.take()
    both = (tally + Tally()).figures()
    assert both == tally.figures()
    assert {name: value for name, value in both.items() if name != "seconds"} == {
        "wanted": 3.0,
        "cached": 0.0,
        "no_reasoning": 1.0,
        "requests": 3.0,
        "failed_share": pytest.approx(1 / 3),
        "score": 0.5,
        "failed/bad_request": 1.0,
    }
    assert judge.take() == Tally()


def test_a_failure_is_said_once_a_batch_with_kinds_and_reason(caplog: pytest.LogCaptureFixture) -> None:
    with scripted([fails(400, "temperature must be 1")]) as server:
        opinions(judge_of(server), [*many(3), miss_with(SOUND)])
    (record,) = caplog.records
    assert "no verdict on 3 of 4 episodes (bad_request 3)" in record.message
    assert "temperature must be 1" in record.message


def test_an_episode_that_cannot_be_written_down_costs_only_itself() -> None:
    good, odd = hit_with(SOUND), hit_with(SOUND)
    odd = replace(odd, turns=(replace(odd.turns[0], text=None), *odd.turns))  # type: ignore[arg-type]
    with scripted([scores(0.5)]) as server:
        found = opinions(judge_of(server), [odd, good])
    assert [one.failure for one in found] == [NoVerdict.ERROR, None]


@pytest.mark.parametrize("key", ["sk-verysecretkey", "EMPTY", ""])
def test_the_key_is_sent_and_said_nowhere(key: str, caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    caplog.set_level("DEBUG")
    with scripted([fails(401, f"{key} is no key of ours"), scores(0.5)]) as server:
        settings = settings_for(endpoint(server, api_key=key), cache_dir=tmp_path)
        judge = Judge(settings)
        opinions(judge, many(1))
    assert server.keys == [f"Bearer {key or 'EMPTY'}"]
    assert "ZOOMIN_COT_RM_API_KEY" in caplog.text
    if key.startswith("sk-"):
        told = caplog.text + judge.last_fault + repr(settings) + "".join(map(str, tmp_path.rglob("*")))
        assert key not in told


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"endpoints": ()}, "ZOOMIN_COT_RM_API_BASE"),
        ({"concurrency": 0}, "concurrency"),
        ({"deadline_s": float("inf")}, "deadline_s"),
        ({"deadline_s": 0.0}, "deadline_s"),
    ],
)
def test_settings_that_make_no_judge(options: dict[str, Any], said: str) -> None:
    with pytest.raises(RecipeError, match=said):
        JudgeSettings(**{"endpoints": (endpoint("http://127.0.0.1:9/v1"),)} | options)


def test_an_unknown_prompt_is_named() -> None:
    with pytest.raises(RecipeError, match="unknown version 'v0' of the judge's prompt in language 'zh'"):
        Judge(settings_for("http://127.0.0.1:9/v1", prompt_version="v0", language=Language.ZH))


def test_without_the_sdk_the_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ZoomgroundError, match=r"pip install 'zoomground\[judge\]'"):
        Judge(settings_for("http://127.0.0.1:9/v1"))


def test_verdicts_survive_two_writers(tmp_path: Path) -> None:
    """Two ranks that write the same verdict at the same moment do not take each other's file away."""
    cache, key = VerdictCache(tmp_path), "cd" * 32
    replace_file, reached = os.replace, []

    def slowly(self: Path, target: Path) -> None:
        if not reached:
            reached.append(1)
            cache.put(key, 0.5)
        replace_file(self, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "replace", slowly)
        cache.put(key, 0.5)
    assert cache.get(key) == 0.5
