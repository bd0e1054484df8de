"""The scheduler in the real loops of ms-swift: what every turn must hold, and what no fault may do."""

from __future__ import annotations

import asyncio
import math
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import swift_loops
from swift.infer_engine.protocol import RequestConfig, RolloutInferRequest, RolloutOutput
from swift.rl_core.data import GRPOSample
from swift.rollout.agent_loop import invoke_async_hook
from swift_loops import (
    LOOPS,
    NO_THINKING,
    PLAIN,
    SCRIPTS,
    SIZE,
    LetterTokenizer,
    PlainTemplate,
    Said,
    ScriptedEngine,
    a_request,
    a_task,
    assert_whole,
    choice,
    serve,
    trajectory,
)

from episodes import crop_text, point_text
from zoomground.engines.swift.active import EngineSettings
from zoomground.engines.swift.health import step_figures
from zoomground.engines.swift.record import Rollout, StepFacts
from zoomground.engines.swift.scheduler import COUNTS_KEY, TOKENS_KEY, TRAJECTORY_KEY, ZoominGroundingScheduler
from zoomground.environment import GroundingEnv
from zoomground.images import Screenshot, load_screenshot
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.protocol.views import TravellingViews
from zoomground.rewards.format import Format
from zoomground.trajectory import Outcome, StopReason, Trajectory


def alone(screen: Path, script: list[Said], *, prefix: str = "", settings: EpisodeSettings | None = None) -> Trajectory:
    env = GroundingEnv(a_task(screen), load_screenshot(screen), settings or EpisodeSettings())
    # To the trainer, crops travel unenlarged; test_one_loop.py holds them against those that are shown elsewhere.
    env.views = TravellingViews(env.screenshot, env.image_name, env.settings)
    for said in script:
        env.step(prefix + said.text, finish_reason=said.finish_reason)
    return env.trajectory()


@pytest.mark.parametrize("prefix", ["", NO_THINKING])
def test_both_loops_and_the_environment_alone_give_one_trajectory(screen: Path, prefix: str) -> None:
    scripts = {name: script for name, script in SCRIPTS.items() if not (prefix and name == "nested")}
    template = PlainTemplate(prefix)
    done = {
        name: loop({key: a_request(screen, uuid=key) for key in scripts}, scripts, template=template)
        for name, loop in LOOPS.items()
    }
    for key, script in scripts.items():
        expected = alone(screen, script, prefix=prefix)
        assert expected.stop_reason is not None, key
        for outputs, _, _ in done.values():
            assert trajectory(outputs[key]) == expected, key


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
@pytest.mark.parametrize("prefix", ["", NO_THINKING])
def test_rl_05_every_turn_is_trained_and_has_ids_mask_and_log_probs(screen: Path, loop: object, prefix: str) -> None:
    """RL-05, RL-07: 1 on every sampled id of every turn; the template's prefix stands in front with 0."""
    outputs, scheduler, engine = loop(
        {key: a_request(screen, uuid=key) for key in SCRIPTS}, SCRIPTS, template=PlainTemplate(prefix)
    )
    tokenizer = LetterTokenizer()
    prefix_ids = tokenizer.encode(prefix, add_special_tokens=False)
    for key, script in SCRIPTS.items():
        output = outputs[key]
        assert_whole(output, images=1 + len(trajectory(output).crops))
        assert output.rollout_logprobs, key
        assert len(output.response_token_ids) == len(script)
        for said, ids, mask in zip(script, output.response_token_ids, output.response_loss_mask, strict=True):
            sampled = choice(said, tokenizer).choices[0].token_ids
            assert ids == prefix_ids + sampled
            assert mask == [0] * len(prefix_ids) + [1] * len(sampled)
        assert output.response.choices[0].finish_reason == script[-1].finish_reason
        assert engine.scripts[key] == [], "every scripted turn was asked for"
    assert scheduler.open_sessions == 0


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_rl_03_crops_travel_as_data_uris_in_the_order_of_their_tags(screen: Path, loop: object) -> None:
    """RL-03, IMG-29: each sample has its own images, in order, with the prefix that keeps base64 from being a path."""
    outputs, _, engine = loop({"two": a_request(screen)}, {"two": SCRIPTS["two_in_a_turn"]})
    env = GroundingEnv(a_task(screen), load_screenshot(screen), EpisodeSettings())
    env.views = TravellingViews(env.screenshot, env.image_name, env.settings)
    env.step(SCRIPTS["two_in_a_turn"][0].text)
    crops = [env.views.encoded(name).data_uri() for name in ("crop_1.png", "crop_2.png")]
    assert crops[0] != crops[1]
    assert engine.shown["two"][1].images == [str(screen), *crops]
    assert [str(image).strip() for image in outputs["two"].rollout_infos["images"]] == [str(screen), *crops]


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_rl_03_samples_of_one_prompt_keep_their_own_images(screen: Path, loop: object) -> None:
    """RL-03: a group of which the samples end with 1, 2 and 3 images reaches the trainer with one image a tag."""
    scripts = {name: SCRIPTS[name] for name in ("direct", "one_crop", "nested")}
    outputs, _, engine = loop({key: a_request(screen, uuid=key) for key in scripts}, scripts)
    for key, count in (("direct", 1), ("one_crop", 2), ("nested", 3)):
        sample = GRPOSample(messages=[], images=[str(screen)])
        sample.apply_rollout_output(rollout_output=outputs[key])
        tags = sum(m["content"].count("<image>") for m in sample.messages if isinstance(m["content"], str))
        assert len(sample.images) == tags == count
        seen = engine.shown[key][-1].images
        assert [str(image).strip() for image in sample.images] == [str(image).strip() for image in seen]


@pytest.mark.parametrize("handed", ["engine", "tokenizer and template", "nothing"])
def test_rl_07_the_response_prefix_is_masked_whatever_the_scheduler_was_handed(screen: Path, handed: str) -> None:
    """RL-07: what the template puts in front of a reply is prompt to the engine: with the ids, out of the loss.

    Colocated there is no engine, so tokenizer and template are handed over. Without either, nobody knows of a prefix.
    """
    tokenizer, template = LetterTokenizer(), PlainTemplate(NO_THINKING)
    given = {
        "engine": {"infer_engine": ScriptedEngine({}, template)},
        "tokenizer and template": {"tokenizer": tokenizer, "template": template},
        "nothing": {},
    }[handed]
    scheduler = ZoominGroundingScheduler(**given, settings=PLAIN)
    request = a_request(screen)
    invoke_async_hook(scheduler.on_trajectory_start([request]))
    made = choice(Said(point_text(500, 500)), tokenizer, NO_THINKING).choices[0]
    sampled = list(made.token_ids)
    scheduler.append_assistant_completion(request, made.message.content)
    assert invoke_async_hook(scheduler.on_turn_end(request, made, 1))["done"]
    prefix = [] if handed == "nothing" else tokenizer.encode(NO_THINKING, add_special_tokens=False)
    ids, mask = scheduler.get_response_token_data(request, made)
    assert ids == prefix + sampled
    assert mask == [0] * len(prefix) + [1] * len(sampled)


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
@pytest.mark.parametrize("key", ["cut", "cut_at_once"])
def test_rl_27_a_cut_last_turn_is_flagged_has_no_format_and_is_counted(screen: Path, loop: object, key: str) -> None:
    outputs, _, _ = loop({key: a_request(screen, uuid=key)}, {key: SCRIPTS[key]})
    record = trajectory(outputs[key])
    assert record.stop_reason is StopReason.LENGTH
    assert record.stop_reason.outcome is Outcome.TRUNCATED
    assert Format()(record) == 0
    sample = GRPOSample(messages=[], images=[str(screen)])
    sample.apply_rollout_output(rollout_output=outputs[key])
    assert sample.is_truncated
    facts = StepFacts(1, num_generations=1, weights={}, scale_rewards="group", rank=0)
    figures = step_figures([Rollout("u", record, {}, 0.0, 0, {})], facts, "")
    assert figures["zoomin/truncated"] == figures["zoomin/cut_episodes"] == 1
    assert figures["zoomin/cut_turns"] == 1 / len(SCRIPTS[key])


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_rl_29_sampled_tokens_are_told_turn_by_turn(screen: Path, loop: object) -> None:
    """RL-29: the limit is one on a turn; the prefix of the template was never sampled and does not count."""
    template = PlainTemplate(NO_THINKING)
    outputs, _, _ = loop({"k": a_request(screen)}, {"k": SCRIPTS["one_crop"]}, template=template)
    expected = [len(said.text) + 1 for said in SCRIPTS["one_crop"]]
    assert outputs["k"].rollout_infos[TOKENS_KEY] == expected


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_the_screenshot_is_not_inlined(screen: Path, loop: object) -> None:
    outputs, _, _ = loop({"one": a_request(screen)}, {"one": SCRIPTS["one_crop"]})
    original = outputs["one"].rollout_infos["images"][0]
    assert original.strip() == str(screen)
    from swift.template import load_image

    assert load_image(original).size == (SIZE.width, SIZE.height), "ms-swift still opens it"


def test_the_protocol_takes_the_place_of_the_dataset_messages_in_place(screen: Path) -> None:
    request = a_request(screen)
    messages = request.messages
    scheduler = ZoominGroundingScheduler(tokenizer=LetterTokenizer(), settings=PLAIN)
    invoke_async_hook(scheduler.on_trajectory_start([request]))
    assert request.messages is messages
    assert [message["role"] for message in messages] == ["system", "user"]
    assert "screen.png" in messages[0]["content"]
    assert "".join(m["content"] for m in messages).count("<image>") == 1, "the instruction's own tag is harmless"


def test_max_turns_of_ms_swift_is_the_last_turn_of_the_episode(screen: Path) -> None:
    script = {"k": [Said(crop_text(0, 0, 500, 500)), Said(crop_text(0, 0, 500, 500))]}
    for loop in LOOPS.values():
        outputs, scheduler, engine = loop({"k": a_request(screen)}, script, max_turns=2)
        record = trajectory(outputs["k"])
        assert record.stop_reason is StopReason.TURNS_SPENT
        assert record.settings.max_turns == 2
        assert "last turn" in engine.shown["k"][1].messages[-1]["content"]
        assert scheduler.open_sessions == 0


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_rl_01_sampled_media_tokens_leave_the_loss_and_the_conversation(screen: Path, loop: object) -> None:
    image_pad = LetterTokenizer().media["<|image_pad|>"]
    text = crop_text(400, 400, 600, 600)
    ids = [*LetterTokenizer().encode(text, add_special_tokens=False), image_pad, image_pad, 1]
    script = [Said(text, ids=ids), Said(point_text(500, 500))]
    outputs, _, _ = loop({"k": a_request(screen)}, {"k": script})
    output = outputs["k"]
    assert_whole(output, images=2)
    assert image_pad not in output.response_token_ids[0]
    assert len(output.response_token_ids[0]) == len(ids)
    assert output.response_loss_mask[0] == [1] * (len(ids) - 3) + [0, 0, 1]
    assert len(output.rollout_logprobs[0]) == len(ids) - 2
    assert output.rollout_infos[COUNTS_KEY]["media_tokens"] == 2


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_rl_17_a_log_prob_that_is_no_number_costs_its_token_only(screen: Path, loop: object, bad: float) -> None:
    text = point_text(500, 500)
    logprobs = [-0.5] * (len(text) + 1)
    logprobs[3] = bad
    script = [Said(crop_text(400, 400, 600, 600)), Said(text, logprobs=logprobs)]
    outputs, _, _ = loop({"k": a_request(screen)}, {"k": script})
    output = outputs["k"]
    assert_whole(output, images=2)
    assert output.response_loss_mask[1][3] == 0
    assert all(math.isfinite(value) for turn in output.rollout_logprobs for value in turn)
    assert output.rollout_infos[COUNTS_KEY]["nonfinite_logprobs"] == 1
    assert "NaN" not in output.model_dump_json()
    assert "Infinity" not in output.model_dump_json()


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_log_probs_of_another_number_are_dropped_and_counted(screen: Path, loop: object) -> None:
    script = [Said(crop_text(400, 400, 600, 600), logprobs=[-0.5] * 3), Said(point_text(500, 500))]
    outputs, _, _ = loop({"k": a_request(screen)}, {"k": script})
    assert_whole(outputs["k"], images=2)
    assert outputs["k"].rollout_logprobs == []
    assert outputs["k"].rollout_infos[COUNTS_KEY]["logprob_mismatch"] == 1


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_an_empty_turn_keeps_its_place(screen: Path, loop: object) -> None:
    script = [Said("", ids=[]), Said(crop_text(400, 400, 600, 600)), Said(point_text(500, 500))]
    outputs, _, _ = loop({"k": a_request(screen)}, {"k": script})
    assert_whole(outputs["k"], images=2)
    assert outputs["k"].response_loss_mask[0] == [0]
    assert trajectory(outputs["k"]).stop_reason is StopReason.ANSWERED


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_no_log_probs_at_all_is_fine(screen: Path, loop: object) -> None:
    script = [Said(crop_text(400, 400, 600, 600), logprobs=None), Said(point_text(500, 500), logprobs=None)]
    outputs, _, _ = loop({"k": a_request(screen)}, {"k": script})
    assert_whole(outputs["k"], images=2)
    assert outputs["k"].rollout_logprobs == []


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
@pytest.mark.parametrize(
    "change",
    [
        {"images": []},
        {"images": ["no/such/file.png"]},
        {"images": ["data:image/png;base64,AAAA"]},
        {"data_dict": {}},
        {"data_dict": {"zoomin_task": "{"}},
        {"data_dict": {"solution": "[1,2,3]"}},
    ],
    ids=["no image", "missing image", "damaged image", "no columns", "no task", "bad solution"],
)
def test_what_cannot_be_opened_ends_as_data(screen: Path, loop: object, change: dict[str, object]) -> None:
    request = replace(a_request(screen), **change)
    if not request.images:
        request.messages[0]["content"] = "<placeholder>"
    outputs, scheduler, _ = loop({"k": request}, {"k": [Said(point_text(1, 1))]})
    record = trajectory(outputs["k"])
    assert record.stop_reason is StopReason.ERROR
    assert record.failure
    assert record.failed
    assert_whole(outputs["k"], images=len(request.images))
    assert scheduler.open_sessions == 0


def test_an_image_that_does_not_open_is_replaced_for_the_server_engine(screen: Path) -> None:
    request = replace(a_request(screen), images=["no/such/file.png"])
    _, _, engine = serve({"k": request}, {"k": [Said(point_text(1, 1))]})
    assert engine.shown["k"][0].images[0].startswith("data:image/png;base64,")


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_a_request_without_uuid_is_played(screen: Path, loop: object) -> None:
    outputs, scheduler, _ = loop(
        {key: a_request(screen, uuid=None) for key in ("a", "b")},
        {"a": SCRIPTS["one_crop"], "b": SCRIPTS["direct"]},
    )
    assert len(trajectory(outputs["a"]).crops) == 1
    assert trajectory(outputs["b"]).crops == ()
    assert scheduler.open_sessions == 0


@pytest.mark.parametrize("lost_before_turn", [1, 2, 3])
def test_a_lost_episode_is_opened_again(screen: Path, lost_before_turn: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgetful(ZoominGroundingScheduler):
        async def on_turn_end(self, infer_request, response_choice, current_turn):  # type: ignore[no-untyped-def]
            if current_turn == lost_before_turn:
                self._sessions.clear()
            return await super().on_turn_end(infer_request, response_choice, current_turn)

    script = SCRIPTS["nested"]
    monkeypatch.setattr(swift_loops, "ZoominGroundingScheduler", Forgetful)
    for loop in LOOPS.values():
        outputs, scheduler, _ = loop({"k": a_request(screen)}, {"k": script})
        record = trajectory(outputs["k"])
        # Finish reasons of the turns that were played again are not known any more.
        assert [turn.text for turn in record.turns] == [said.text for said in script]
        assert record.answer == alone(screen, script).answer
        assert record.crops == alone(screen, script).crops
        assert_whole(outputs["k"], images=3)
        assert scheduler.open_sessions == 0


def test_a_hook_for_an_unknown_request_without_a_start(screen: Path) -> None:
    request = a_request(screen, uuid="never seen")
    scheduler = ZoominGroundingScheduler(tokenizer=LetterTokenizer(), settings=PLAIN)
    made = choice(Said(point_text(500, 500)), LetterTokenizer()).choices[0]
    scheduler.append_assistant_completion(request, made.message.content)
    result = invoke_async_hook(scheduler.on_turn_end(request, made, 1))
    assert result["done"]
    assert Trajectory.from_json(result["rollout_infos"][TRAJECTORY_KEY]).answer is not None
    assert scheduler.get_response_token_data(request, made) == ([*made.token_ids], [1] * len(made.token_ids))


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_a_broken_environment_ends_one_episode_only(
    screen: Path, loop: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = GroundingEnv.step

    def breaks(self: GroundingEnv, text: str, **kwargs: object) -> object:
        if "BREAK" in text:
            raise RuntimeError("a bug")
        return step(self, text, **kwargs)

    monkeypatch.setattr(GroundingEnv, "step", breaks)
    outputs, _, _ = loop(
        {key: a_request(screen, uuid=key) for key in ("good", "bad")},
        {"good": SCRIPTS["one_crop"], "bad": [Said("BREAK")]},
    )
    assert trajectory(outputs["good"]).stop_reason is StopReason.ANSWERED
    assert trajectory(outputs["bad"]).stop_reason is StopReason.ERROR
    assert trajectory(outputs["bad"]).failure == "RuntimeError: a bug"
    assert_whole(outputs["bad"], images=1)


def test_the_off_arm_comes_from_the_row_or_from_the_share(screen: Path) -> None:
    outputs, _, _ = serve({"k": a_request(screen, arm=Arm.OFF)}, {"k": [Said(point_text(1, 1))]})
    assert trajectory(outputs["k"]).settings.arm is Arm.OFF
    classic = replace(a_request(screen), data_dict={"solution": "[310,190,330,210]"})
    for share, arm in ((1.0, Arm.OFF), (0.0, Arm.ON)):
        request = replace(classic, messages=[{"role": "user", "content": "<image>Open it"}])
        settings = EngineSettings(off_share=share)
        outputs, _, _ = serve({"k": request}, {"k": [Said(point_text(1, 1))]}, settings=settings)
        assert trajectory(outputs["k"]).settings.arm is arm
        assert trajectory(outputs["k"]).task.instruction == "Open it"


def test_image_work_has_threads_of_its_own(screen: Path) -> None:
    """The engine prepares its requests in the loop's threads: neither may wait for the other."""
    requests = {key: a_request(screen, uuid=key) for key in SCRIPTS}
    for key, request in requests.items():
        request.data_dict = {**request.data_dict, "key": key}
    scheduler = ZoominGroundingScheduler(ScriptedEngine(SCRIPTS, PlainTemplate()), settings=PLAIN)
    busy, free = threading.Event(), threading.Event()

    def hold() -> None:
        busy.set()
        free.wait()

    async def everyone() -> list[RolloutOutput]:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        loop.run_in_executor(None, hold)
        busy.wait()
        try:
            runs = (scheduler.run(request, RequestConfig()) for request in requests.values())
            return list(await asyncio.wait_for(asyncio.gather(*runs), 60))
        finally:
            free.set()

    outputs = dict(zip(requests, asyncio.run(everyone()), strict=True))
    assert {key: trajectory(output) for key, output in outputs.items()} == {
        key: alone(screen, script) for key, script in SCRIPTS.items()
    }


@pytest.mark.parametrize(("pictures_gb", "loads"), [(4.0, 2), (1e-6, 3)])
def test_opened_screenshots_are_held_by_the_settings_memory(
    screen: Path, pictures_gb: float, loads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []

    def load(reference: object) -> Screenshot:
        opened.append(reference)
        return load_screenshot(str(reference))

    monkeypatch.setattr("zoomground.engines.swift.scheduler.open_reference", load)
    other = screen.with_name("other.png")
    shutil.copy(screen, other)
    scheduler = ZoominGroundingScheduler(settings=replace(PLAIN, pictures_gb=pictures_gb))
    for file in (screen, other, screen):
        invoke_async_hook(scheduler.on_trajectory_start([a_request(file)]))
    assert len(opened) == loads


def test_everything_is_set_at_the_start() -> None:
    """On the server an attribute that is not there reads as None: nothing may be added later."""
    scheduler = ZoominGroundingScheduler(settings=PLAIN)
    before = set(vars(scheduler))
    serve_request = RolloutInferRequest(messages=[{"role": "user", "content": "<placeholder>"}])
    invoke_async_hook(scheduler.on_trajectory_start([serve_request]))
    assert set(vars(scheduler)) == before
