"""What the judge is: endpoints, model, language, and how long it may take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from zoomground.errors import RecipeError
from zoomground.policies.endpoint import Endpoint

PROMPT_VERSION = "v1"
"""The judge's instructions in force."""

KEY_VARIABLE = "ZOOMIN_COT_RM_API_KEY"
"""Where people set the key."""


class Language(StrEnum):
    """Language of the judge's instructions; the record is the same in both."""

    EN = "en"
    ZH = "zh"


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """The judge.

    Attributes:
        endpoints: Whom to ask; all serve the same model and are asked alike. The first that is well is not preferred.
        language: Language of the instructions.
        prompt_version: Version of the instructions.
        concurrency: Requests that may be out at the same time.
        deadline_s: Longest time for one batch of episodes, s.
        cache_dir: Folder of verdicts; None: nothing is kept.

    Raises:
        RecipeError: If there is no endpoint, or a number makes no sense.
    """

    endpoints: Sequence[Endpoint] = field(default_factory=tuple)
    language: Language = Language.EN
    prompt_version: str = PROMPT_VERSION
    concurrency: int = 64
    deadline_s: float = 300.0
    cache_dir: Path | None = None

    def __post_init__(self) -> None:
        if not self.endpoints:
            raise RecipeError("a judge needs an endpoint; set ZOOMIN_COT_RM_API_BASE")
        if self.concurrency < 1:
            raise RecipeError(f"concurrency must be at least 1, got {self.concurrency}")
        if not (math.isfinite(self.deadline_s) and self.deadline_s > 0):
            raise RecipeError(f"deadline_s must be a finite number above 0, got {self.deadline_s}")
