"""A plugin for ms-swift whose engine breaks one rollout of a kind in each step, as engines and policies do after hours.

It is the package's own plugin; only what the engine answers is changed, before the scheduler looks at it. Which rollout
is broken how is said by the task's id (`LONG`, `MEDIA`, `NAN`): the first generation of that prompt.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swift.rollout import multi_turns

from zoomground.engines.swift import plugin
from zoomground.engines.swift.scheduler import ZoominGroundingScheduler
from zoomground.recipe import active_settings

# ms-swift loads this file by its path.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from gpu_proof.fault_names import LONG, MEDIA, MEDIA_TOKENS, NAN, NAN_TOKENS, REPLY_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable


class FaultyScheduler(ZoominGroundingScheduler):
    """The package's scheduler behind an engine that goes wrong."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._generations = active_settings().recipe.grpo.num_generations
        self._met: Counter[str] = Counter()
        self._broken: dict[str, str] = {}

    async def on_trajectory_start(self, requests: list[Any]) -> None:
        """Choose the rollouts that will break."""
        await super().on_trajectory_start(requests)
        for request in requests:
            task = self._sessions[request.uuid].trajectory().task.id
            if task in FAULTS:
                if self._met[task] % self._generations == 0:
                    self._broken[request.uuid] = task
                self._met[task] += 1

    async def on_turn_end(self, infer_request: Any, response_choice: Any, current_turn: int) -> dict[str, Any]:
        """Break the first turn of a chosen rollout."""
        task = self._broken.pop(infer_request.uuid, None)
        if task is not None:
            said = FAULTS[task](self, response_choice)
            infer_request.messages[-1]["content"] = response_choice.message.content = said
            print(f"fault injected: {task} into {infer_request.uuid}", flush=True)
        return await super().on_turn_end(infer_request, response_choice, current_turn)

    def long_reply(self, choice: Any) -> str:
        """A reply of a megabyte."""
        return (str(choice.message.content) + "x" * REPLY_CHARACTERS)[:REPLY_CHARACTERS]

    def media_tokens(self, choice: Any) -> str:
        """Tokens that stand for images and videos, in the middle of a reply."""
        media = sorted(self._media_ids().forbidden)
        ids = list(choice.token_ids)
        ids[: min(MEDIA_TOKENS, len(ids))] = [media[n % len(media)] for n in range(min(MEDIA_TOKENS, len(ids)))]
        choice.token_ids = ids
        return str(self.tokenizer.decode(ids, skip_special_tokens=False))

    def nan_logprobs(self, choice: Any) -> str:
        """Log-probs that are no numbers."""
        entries = (choice.logprobs or {}).get("content") or []
        for entry, value in zip(entries[:NAN_TOKENS], (float("nan"), float("-inf")), strict=False):
            entry["logprob"] = value
        return str(choice.message.content)


FAULTS: dict[str, Callable[[FaultyScheduler, Any], str]] = {
    LONG: FaultyScheduler.long_reply,
    MEDIA: FaultyScheduler.media_tokens,
    NAN: FaultyScheduler.nan_logprobs,
}

multi_turns[plugin.SCHEDULER] = FaultyScheduler
