"""Limits of the scheduler: context, deadline, the age of forgotten episodes."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from swift.infer_engine.protocol import RequestConfig
from swift.rollout.agent_loop import invoke_async_hook
from swift_loops import (
    LOOPS,
    PLAIN,
    LetterTokenizer,
    PlainTemplate,
    Said,
    ScriptedEngine,
    a_request,
    assert_whole,
    choice,
    serve,
    train,
    trajectory,
)
from transformers import AutoTokenizer

from episodes import crop_text, point_text
from tiny_checkpoint import checkpoint
from zoomground.engines.swift.scheduler import TRAJECTORY_KEY, WAIT_KEY, ZoominGroundingScheduler, counter
from zoomground.trajectory import StopReason, Trajectory


def test_an_episode_that_outgrows_the_context_fails_before_the_engine_refuses(screen: Path) -> None:
    script = {"k": [Said(crop_text(0, 0, 1000, 1000)), Said(point_text(500, 500))]}
    roomy = replace(PLAIN, context_tokens=40_000)
    tight = replace(PLAIN, context_tokens=4_000)
    for loop in LOOPS.values():
        outputs, _, _ = loop({"k": a_request(screen)}, script, settings=roomy)
        assert trajectory(outputs["k"]).stop_reason is StopReason.ANSWERED
        outputs, _, engine = loop({"k": a_request(screen)}, script, settings=tight)
        record = trajectory(outputs["k"])
        assert record.stop_reason is StopReason.CONTEXT_BUDGET
        assert len(engine.shown["k"]) == 1
        assert_whole(outputs["k"], images=1)


def test_a_prompt_that_is_too_long_at_once_is_data(screen: Path) -> None:
    outputs, _, engine = serve(
        {"k": a_request(screen)}, {"k": [Said(point_text(1, 1))]}, settings=replace(PLAIN, context_tokens=700)
    )
    assert trajectory(outputs["k"]).stop_reason is StopReason.CONTEXT_BUDGET
    assert engine.shown["k"][0].images[0].startswith("data:"), "the engine gets a small picture instead"


def test_the_length_of_a_reply_is_learnt_from_ms_swift(screen: Path) -> None:
    script = {"k": [Said(crop_text(0, 0, 1000, 1000)), Said(point_text(500, 500))]}
    settings = replace(PLAIN, context_tokens=7_000, reply_tokens=100)

    def outcome(reply_tokens: int | None) -> StopReason | None:
        engine = ScriptedEngine(script, PlainTemplate())
        scheduler = ZoominGroundingScheduler(engine, settings=settings)
        request = a_request(screen)
        request.data_dict = {**request.data_dict, "key": "k"}
        config = RequestConfig(max_tokens=reply_tokens)
        [output] = asyncio.run(scheduler.async_infer([request], config))
        return trajectory(output).stop_reason

    assert outcome(None) is StopReason.ANSWERED
    assert outcome(100) is StopReason.ANSWERED
    assert outcome(4_000) is StopReason.CONTEXT_BUDGET


def test_the_template_limit_counts_the_prompt_alone(screen: Path) -> None:
    script = {"k": [Said(crop_text(0, 0, 1000, 1000)), Said(point_text(500, 500))]}
    outputs, _, _ = train({"k": a_request(screen)}, script, template=PlainTemplate(max_length=3_000))
    assert trajectory(outputs["k"]).stop_reason is StopReason.CONTEXT_BUDGET


def test_an_episode_that_outlives_its_deadline_fails(screen: Path) -> None:
    scheduler = ZoominGroundingScheduler(tokenizer=LetterTokenizer(), settings=replace(PLAIN, deadline_s=60.0))
    now = 0.0
    scheduler._clock = lambda: now
    request = a_request(screen)
    invoke_async_hook(scheduler.on_trajectory_start([request]))
    now = 61.0
    made = choice(Said(crop_text(0, 0, 500, 500)), LetterTokenizer()).choices[0]
    scheduler.append_assistant_completion(request, made.message.content)
    result = invoke_async_hook(scheduler.on_turn_end(request, made, 1))
    record = Trajectory.from_json(result["rollout_infos"][TRAJECTORY_KEY])
    assert result["done"]
    assert record.failed
    assert "deadline" in record.failure


def test_an_answer_after_the_deadline_counts(screen: Path) -> None:
    scheduler = ZoominGroundingScheduler(tokenizer=LetterTokenizer(), settings=replace(PLAIN, deadline_s=60.0))
    now = 0.0
    scheduler._clock = lambda: now
    request = a_request(screen)
    invoke_async_hook(scheduler.on_trajectory_start([request]))
    now = 61.0
    made = choice(Said(point_text(500, 500)), LetterTokenizer()).choices[0]
    result = invoke_async_hook(scheduler.on_turn_end(request, made, 1))
    assert Trajectory.from_json(result["rollout_infos"][TRAJECTORY_KEY]).stop_reason is StopReason.ANSWERED


def test_episodes_that_nobody_comes_back_for_are_dropped(screen: Path) -> None:
    scheduler = ZoominGroundingScheduler(tokenizer=LetterTokenizer(), settings=replace(PLAIN, deadline_s=60.0))
    now = 0.0
    scheduler._clock = lambda: now
    invoke_async_hook(scheduler.on_trajectory_start([a_request(screen, uuid="old")]))
    now = 100.0
    invoke_async_hook(scheduler.on_trajectory_start([a_request(screen, uuid="young")]))
    assert scheduler.open_sessions == 2
    now = 121.0
    invoke_async_hook(scheduler.on_trajectory_start([a_request(screen, uuid="new")]))
    assert scheduler.open_sessions == 2


def test_an_episode_does_not_count_what_else_the_event_loop_does(screen: Path) -> None:
    """On a server the loop prepares the engine's prompts, too."""
    scheduler = ZoominGroundingScheduler(tokenizer=LetterTokenizer(), settings=PLAIN)
    now, worked = [0.0], threading.Event()

    def clock() -> float:
        read = now[0]
        if threading.current_thread() is not threading.main_thread():
            worked.set()
        return read

    async def keeps_the_loop_busy() -> None:
        # The thread's work takes three turns of the loop to come back to whoever waits for it.
        for _ in range(1_000_000):
            if worked.is_set():
                break
            await asyncio.sleep(0)
        now[0] += 100.0

    async def both() -> None:
        await asyncio.gather(scheduler.on_trajectory_start([request]), keeps_the_loop_busy())
        worked.clear()
        said = choice(Said(point_text(1, 1)), LetterTokenizer()).choices[0]
        result, _ = await asyncio.gather(scheduler.on_turn_end(request, said, 1), keeps_the_loop_busy())
        assert result["rollout_infos"][WAIT_KEY] == 0.0

    scheduler._clock = clock
    request = a_request(screen)
    asyncio.run(both())
    assert now == [200.0]


@pytest.mark.engine
def test_a_fast_tokenizer_is_counted_with_beside_others_that_change_it(tmp_path: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(checkpoint(tmp_path / "c", "qwen3_vl"))
    texts = ["", "Open the File menu", "<|im_start|>user\n<image>", "crop_image(x1=12.50)" * 40]
    expected = [len(tokenizer.encode(text, add_special_tokens=False)) for text in texts]
    tokens_in = counter(tokenizer)
    with ThreadPoolExecutor(4) as pool:
        counted = [pool.submit(tokens_in, text) for text in texts * 50]
        for number in range(50):
            tokenizer(["a", "b c"], padding=bool(number % 2), truncation=True, max_length=2 + number % 3)
        assert [future.result() for future in counted] == expected * 50
    # Padding and truncation of the other one are not taken over.
    assert [tokens_in(text) for text in texts] == expected
