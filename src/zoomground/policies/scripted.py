"""A player that says what it was told to say: the fake of every test that needs exact turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from zoomground.policies.base import Reply

if TYPE_CHECKING:
    from zoomground.environment import GroundingEnv


@dataclass(frozen=True, slots=True)
class Scripted:
    """A `zoomground.policies.base.Policy` that writes the texts in order, one a turn, in every episode that it plays.

    Attributes:
        texts: What to write.
        keep_on: Whether the last text is written again and again until the episode ends. Otherwise an episode that
            outlives the script fails, so that a test with too few texts is noticed.
    """

    texts: tuple[str, ...]
    keep_on: bool = False

    def reply(self, env: GroundingEnv) -> Reply:
        """Write the text of the turn that the episode is in."""
        turn = len(env.trajectory().turns)
        if turn < len(self.texts):
            return Reply(self.texts[turn], "stop")
        if self.keep_on and self.texts:
            return Reply(self.texts[-1], "stop")
        return Reply("", failure=f"the script has no text for turn {turn + 1}")
