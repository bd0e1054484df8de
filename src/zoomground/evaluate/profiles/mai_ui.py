"""MAI-UI: thinks in ``<grounding_think>``, answers ``<answer>{"coordinate": [x, y]}</answer>`` in 0 to 1000.

The prompt asks for that form in our own words. Scores of its authors' answers are replayed from the answers themselves;
a score of your own depends on the prompt that you send, which the run stores.
"""

from __future__ import annotations

from zoomground.evaluate.dialects import dialect
from zoomground.evaluate.profiles.base import Profile
from zoomground.evaluate.profiles.conventions import CONVENTIONS

PROFILE = Profile(
    "mai_ui",
    "MAI-UI: grounding_think, then a JSON coordinate in an answer tag, 0 to 1000",
    CONVENTIONS["norm1000"],
    dialect("coordinate"),
    prompt="system_grounding_think",
)
