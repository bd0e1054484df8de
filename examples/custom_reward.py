"""A reward of your own beside the shipped ones: any object with a name that scores a finished episode.

Usage: python examples/custom_reward.py
"""

from dataclasses import dataclass
from typing import ClassVar

from PIL import Image

from zoomground import Box, EpisodeSettings, GroundingEnv, Rubric, Scripted, Task, Trajectory, load_screenshot, play
from zoomground.images import encode
from zoomground.rewards import DEFAULT_WEIGHTS


@dataclass(frozen=True)
class Brevity:
    """1 for an episode of few words, 0 from ``most`` characters on; None where nothing was said."""

    most: int = 400
    name: ClassVar[str] = "brevity"

    def __call__(self, trajectory: Trajectory) -> float | None:
        """Score an episode."""
        written = sum(len(turn.text) for turn in trajectory.turns)
        return max(0.0, 1 - written / self.most) if written else None


rubric = Rubric({**DEFAULT_WEIGHTS, "brevity": 0.1}, custom=(Brevity(),))
screenshot = load_screenshot(encode(Image.new("RGB", (1280, 800), "white")).data, name="blank.png")
task = Task("t1", "Click the middle", "blank.png", screenshot.size, Box(600, 380, 680, 420))
for text in ("[500.00,500.00]", "<think>" + "Let me see. " * 30 + "</think>\n[500.00,500.00]"):
    trajectory = play(GroundingEnv(task, screenshot, EpisodeSettings()), Scripted((text,)))
    breakdown = rubric.score(trajectory)
    print(f"{len(text):4d} characters: brevity {breakdown.values['brevity']:.3f}, total {breakdown.total:.3f}")
