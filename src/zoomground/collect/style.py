"""What every style of demonstrations has in common: plans, shares, and the script that it makes of a task.

A script writes the turns of one episode. It knows the target, but what it writes must not show that: thinking is what
anybody could say who sees the same pictures.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from zoomground.protocol.settings import Arm
from zoomground.task import Refusal

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from zoomground.environment import GroundingEnv
    from zoomground.protocol.settings import EpisodeSettings
    from zoomground.task import Task

_STEMS = (
    *("app", "board", "book", "capture", "chart", "client", "desk", "display", "editor", "form", "frame", "home"),
    *("image", "list", "mail", "main", "menu", "page", "panel", "screen", "shot", "site", "tab", "tool", "view", "web"),
)
_KINDS = (".png", ".png", ".jpg", ".webp")


class Plan(StrEnum):
    """How a demonstration finds its target.

    - direct: answers at once.
    - context: one crop that shows the target legibly with its surroundings.
    - nested: a wide crop, then a crop of that crop.
    - deep: three crops, each of the one before it.
    - pair: two crops in one turn; the target is in one of them.
    - missed: a first crop somewhere else, then the right one.
    - cut: a first crop that cuts the target off, then one that does not.
    - corrected: a turn that cannot be carried out, the environment's correction, then a right one.
    - exhausted: wrong crops until one is left; the last one shows the target.
    - zoom_first: answers at once where a crop is demanded, is told so, then zooms.
    - decline: says that nothing on the screen is what was asked for, at once or after looking.
    """

    DIRECT = "direct"
    CONTEXT = "context"
    NESTED = "nested"
    DEEP = "deep"
    PAIR = "pair"
    MISSED = "missed"
    CUT = "cut"
    CORRECTED = "corrected"
    EXHAUSTED = "exhausted"
    ZOOM_FIRST = "zoom_first"
    DECLINE = "decline"


@dataclass(frozen=True, slots=True)
class ScriptedTurn:
    """One assistant turn of a script.

    Attributes:
        text: What it says.
        right: Whether a policy should do likewise; a demonstrated mistake is shown, but not trained on.
    """

    text: str
    right: bool = True


class Script(Protocol):
    """The turns of one episode; each is written after the one before it was carried out."""

    @property
    def plan(self) -> Plan:
        """How the target is found."""
        ...

    def turns(self) -> Iterator[ScriptedTurn]:
        """The turns, up to the end of the episode."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Style(ABC):
    """How demonstrations look.

    Attributes:
        legible_px: Short side, in px of the screenshot as seen, from which a target can be read.
        zoom_legible: Share of the targets above it that are zoomed into all the same.
        silent: Share of the turns without thinking.
        off: Share of the demonstrations in which zooming is not offered.
        forced: Share of the demonstrations in which at least one crop is demanded.
        offer_decline: Share of the tasks with a target on which declining is offered all the same; refusals are then
            demonstrated with that offer. None: as the settings say, for both.
        renamed: Share of the demonstrations whose screenshot goes by another name, so that names are read, not known.
    """

    legible_px: float = 28.0
    zoom_legible: float = 0.1
    silent: float = 0.1
    off: float = 0.15
    forced: float = 0.0
    offer_decline: float | None = None
    renamed: float = 0.5

    @abstractmethod
    def script(self, env: GroundingEnv, rng: random.Random) -> Script:
        """The script of a fresh episode."""

    def sentences(self) -> list[str]:
        """Every sentence that its demonstrations may think, where these can be counted: for a small tokenizer."""
        return []

    def demonstrates(self, task: Task, settings: EpisodeSettings) -> bool:
        """Whether there is a right end for this task; a refusal has none where declining is not offered."""
        return not isinstance(task.target, Refusal) or settings.allow_decline or self.offer_decline is not None

    def vary(self, task: Task, settings: EpisodeSettings, rng: random.Random) -> tuple[Task, EpisodeSettings]:
        """Draw what differs between episodes beside the plan: arm, offers and the screenshot's name."""
        if rng.random() < self.off:
            settings = replace(settings, arm=Arm.OFF)
        elif self.forced and rng.random() < self.forced:
            settings = replace(settings, arm=Arm.FORCED)
        if self.offer_decline is not None:
            offered = isinstance(task.target, Refusal) or rng.random() < self.offer_decline
            settings = replace(settings, allow_decline=offered)
        if rng.random() < self.renamed:
            task = replace(task, image=_invented_name(rng))
        return task, settings


def _invented_name(rng: random.Random) -> str:
    number = rng.choice(("", f"-{rng.randrange(10)}", f"-{rng.randrange(100)}", f"_{rng.randrange(1000)}"))
    return rng.choice(_STEMS) + number + rng.choice(_KINDS)
