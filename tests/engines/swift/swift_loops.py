"""The two loops of ms-swift, driven by scripted replies: no model, no GPU, but the loops are the real ones."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from swift.infer_engine.protocol import (
    ChatCompletionResponse,
    ChatCompletionResponseChoice,
    ChatMessage,
    RequestConfig,
    RolloutInferRequest,
    RolloutOutput,
    UsageInfo,
)
from swift.rollout import run_multi_turn
from swift.rollout.agent_loop import invoke_async_hook

from episodes import crop_text, point_text
from zoomground.engines.swift.active import EngineSettings
from zoomground.engines.swift.sanitize import MEDIA_TOKENS
from zoomground.engines.swift.scheduler import TRAJECTORY_KEY, ZoominGroundingScheduler
from zoomground.engines.swift.session import Assignment
from zoomground.geometry import Box, Size
from zoomground.protocol.settings import Arm
from zoomground.task import Task
from zoomground.trajectory import Trajectory

SIZE = Size(640, 400)
PLAIN = EngineSettings(off_share=0.0)
EOS = 1
NO_THINKING = "<think>\n\n</think>\n\n"


class LetterTokenizer:
    """One token a letter, media tokens whole."""

    def __init__(self) -> None:
        self.media = {token: number for number, token in enumerate(MEDIA_TOKENS, start=10)}

    def get_vocab(self) -> dict[str, int]:
        return dict(self.media)

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        ids: list[int] = []
        while text:
            token = next((token for token in self.media if text.startswith(token)), None)
            ids.append(self.media[token] if token else ord(text[0]) + 1000)
            text = text[len(token) if token else 1 :]
        return ids

    def decode(self, ids: list[int], **_: Any) -> str:
        named = {number: token for token, number in self.media.items()} | {EOS: ""}
        return "".join(named[i] if i in named else chr(i - 1000) for i in ids)


@dataclass
class PlainTemplate:
    """What the scheduler asks of ms-swift's template."""

    prefix: str = ""
    max_length: int | None = None
    image_token_id: int = 10

    def _get_response_prefix(self, inputs: Any) -> str:
        return self.prefix


@dataclass
class Said:
    """One scripted reply. Log-probs default to one for each id."""

    text: str
    finish_reason: str = "stop"
    logprobs: list[float] | None = field(default_factory=list)
    ids: list[int] | None = None


SCRIPTS = {
    "direct": [Said(point_text(500, 500))],
    "one_crop": [Said(crop_text(400, 400, 600, 600)), Said(point_text(500, 500))],
    "nested": [
        Said(crop_text(200, 200, 800, 800, think="closer")),
        Said(crop_text(250, 250, 750, 750, name="crop_1.png")),
        Said(point_text(500, 500)),
    ],
    "two_in_a_turn": [
        Said(crop_text(0, 0, 500, 500) + "\n" + crop_text(500, 500, 1000, 1000)),
        Said(point_text(499.5, 10)),
    ],
    "corrections": [Said("no idea"), Said(crop_text(1, 1, 1, 1)), Said(point_text(1, 1))],
    "corrections_spent": [Said("a"), Said("b"), Said("c")],
    "cut": [Said(crop_text(400, 400, 600, 600)), Said("[500.00,50", finish_reason="length")],
    "cut_at_once": [Said("thinking and thinking", finish_reason="length")],
    "over_budget": [Said(crop_text(0, 0, 500, 500))] * 3 + [Said(crop_text(0, 0, 500, 500)), Said(point_text(2, 2))],
    "literal_tags": [Said("<image><image>"), Said(point_text(3, 3))],
    "unknown_image": [Said(crop_text(0, 0, 500, 500, name="/etc/passwd")), Said(point_text(2, 2))],
    "turns_spent": [Said(crop_text(0, 0, 500, 500))] * 3 + [Said("x"), Said("x"), Said(crop_text(0, 0, 1, 1))],
}
"""Replies of whole episodes, one for every way in which one can go and end."""


def choice(said: Said, tokenizer: LetterTokenizer, prefix: str = "") -> ChatCompletionResponse:
    """What an engine of ms-swift answers: ids with the end token, text without it and with the response prefix."""
    ended = [EOS] if said.finish_reason == "stop" else []
    ids = tokenizer.encode(said.text, add_special_tokens=False) + ended if said.ids is None else list(said.ids)
    logprobs = [-0.25] * len(ids) if said.logprobs == [] else said.logprobs
    content = None
    if logprobs is not None:
        content = {"content": [{"token": "t", "logprob": value, "bytes": [1]} for value in logprobs]}
    message = ChatMessage(role="assistant", content=prefix + said.text)
    made = ChatCompletionResponseChoice(0, message, said.finish_reason, content, ids)
    return ChatCompletionResponse("model", [made], UsageInfo(1, 1, 2))


class ScriptedEngine:
    """Answers each request by its script, and looks at what it is shown as the trainer's template would."""

    def __init__(self, scripts: dict[str, list[Said]], template: PlainTemplate) -> None:
        self.scripts = {key: list(script) for key, script in scripts.items()}
        self.tokenizer = LetterTokenizer()
        self.template = template
        self.shown: dict[str, list[RolloutInferRequest]] = {key: [] for key in scripts}

    def answer(self, request: RolloutInferRequest, key: str) -> ChatCompletionResponse:
        self.shown[key].append(deepcopy(request))
        tags = sum(m["content"].count("<image>") for m in request.messages if isinstance(m["content"], str))
        assert tags == len(request.images), "an image for each tag"
        for message in request.messages:
            if message["role"] == "assistant":
                assert isinstance(message["content"], list), "earlier turns are token ids"
                assert not set(message["content"]) & set(self.tokenizer.media.values()), "no media id goes back in"
        return choice(self.scripts[key].pop(0), self.tokenizer, self.template.prefix)

    async def _batch_infer_stream(self, tasks: list[Any], *_: Any) -> list[Any]:
        return list(await asyncio.gather(*tasks))

    async def infer_async(
        self, request: RolloutInferRequest, config: RequestConfig, **_: Any
    ) -> ChatCompletionResponse:
        return self.answer(request, str(request.data_dict["key"]))


def serve(
    requests: dict[str, RolloutInferRequest],
    scripts: dict[str, list[Said]],
    *,
    template: PlainTemplate | None = None,
    settings: EngineSettings | None = None,
    max_turns: int | None = None,
) -> tuple[dict[str, RolloutOutput], ZoominGroundingScheduler, ScriptedEngine]:
    """The rollout server's loop."""
    engine = ScriptedEngine(scripts, template or PlainTemplate())
    scheduler = ZoominGroundingScheduler(engine, max_turns, settings=settings or PLAIN)

    async def everyone() -> list[RolloutOutput]:
        return list(await asyncio.gather(*(scheduler.run(request, RequestConfig()) for request in requests.values())))

    for key, request in requests.items():
        request.data_dict = {**request.data_dict, "key": key}
    outputs = asyncio.run(everyone())
    return dict(zip(requests, outputs, strict=True)), scheduler, engine


def train(
    requests: dict[str, RolloutInferRequest],
    scripts: dict[str, list[Said]],
    *,
    template: PlainTemplate | None = None,
    settings: EngineSettings | None = None,
    max_turns: int | None = None,
) -> tuple[dict[str, RolloutOutput], ZoominGroundingScheduler, ScriptedEngine]:
    """The trainer's loop, as `RolloutTrainerMixin._infer_single_or_multi_turn` runs it."""
    engine = ScriptedEngine(scripts, template or PlainTemplate())
    scheduler = ZoominGroundingScheduler(
        max_turns=max_turns,
        tokenizer=engine.tokenizer,
        template=engine.template,
        settings=settings or PLAIN,
    )
    for key, request in requests.items():
        request.data_dict = {**request.data_dict, "key": key}

    def rollout(some: list[RolloutInferRequest], config: RequestConfig) -> list[RolloutOutput]:
        return [RolloutOutput(response=engine.answer(request, str(request.data_dict["key"]))) for request in some]

    ordered = list(requests.values())
    invoke_async_hook(scheduler.on_trajectory_start(ordered))
    first = rollout(ordered, RequestConfig())
    outputs = run_multi_turn(ordered, first, scheduler, rollout, RequestConfig(), max_turns=max_turns)
    return dict(zip(requests, outputs, strict=True)), scheduler, engine


LOOPS = {"server": serve, "trainer": train}


def a_task(screen: Path, **changes: object) -> Task:
    task = Task("t1", "Open the <image> File menu", str(screen), SIZE, Box(310.0, 190.0, 330.0, 210.0))
    return replace(task, **changes)


def a_request(
    screen: Path, *, arm: Arm = Arm.ON, uuid: str | None = "u", task: Task | None = None
) -> RolloutInferRequest:
    column = Assignment(task or a_task(screen), arm).to_json()
    return RolloutInferRequest(
        messages=[{"role": "user", "content": "<image>whatever"}],
        images=[str(screen)],
        data_dict={"zoomin_task": column},
        uuid=uuid,
    )


def trajectory(output: RolloutOutput) -> Trajectory:
    return Trajectory.from_json(output.rollout_infos[TRAJECTORY_KEY])


def assert_whole(output: RolloutOutput, images: int) -> None:
    """Ids, mask, log-probs, turns and images of one output fit together as the trainer needs them."""
    turns = [message for message in output.messages if message["role"] == "assistant"]
    assert len(output.response_token_ids) == len(turns) == len(output.response_loss_mask)
    for ids, mask in zip(output.response_token_ids, output.response_loss_mask, strict=True):
        assert len(ids) == len(mask) > 0
        assert set(mask) <= {0, 1}
    trained = sum(sum(mask) for mask in output.response_loss_mask)
    if output.rollout_logprobs:
        assert sum(len(turn) for turn in output.rollout_logprobs) == trained
    tags = sum(m["content"].count("<image>") for m in output.messages if m["role"] != "assistant")
    assert tags == images
    if "images" in output.rollout_infos:
        assert len(output.rollout_infos["images"]) == images
