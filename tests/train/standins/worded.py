"""A plugin for ms-swift: random weights that speak the protocol, so that their rewards differ and something is learnt.

What is said follows from what was sampled and from nothing else.
"""

from typing import Any

from swift.rollout import multi_turns

from zoomground.engines.swift import plugin
from zoomground.engines.swift.scheduler import ZoominGroundingScheduler


class Worded(ZoominGroundingScheduler):
    """Puts words in place of the text, not of the ids."""

    async def on_turn_end(self, infer_request: Any, response_choice: Any, current_turn: int) -> dict[str, Any]:
        """Point at a place that the ids give, or say what cannot be read."""
        number = sum(response_choice.token_ids)
        said = f"[{number % 1000}.00,{number * 7 % 1000}.00]" if number % 4 else "what?"
        response_choice.message.content, response_choice.finish_reason = said, "stop"
        return await super().on_turn_end(infer_request, response_choice, current_turn)


multi_turns[plugin.SCHEDULER] = Worded
