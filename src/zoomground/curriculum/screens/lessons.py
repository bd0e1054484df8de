"""Lessons on screens: what is listed in one picture, and demonstrations of zooming."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt
from PIL import Image

from zoomground.collect.closer import called, spot
from zoomground.collect.lattice import WINDOWS, holds, is_at, window_of
from zoomground.collect.places import in_frame, to_norm
from zoomground.curriculum.lessons import REST, Lesson
from zoomground.curriculum.screens.shelf import Ask
from zoomground.environment import GroundingEnv
from zoomground.geometry import NORM_FRAME, Box, Region, Size
from zoomground.images import Screenshot
from zoomground.protocol.views import UnseenViews
from zoomground.synth.asks.wording import templates
from zoomground.task import Task

if TYPE_CHECKING:
    import random

    from zoomground.collect.closer import Closer
    from zoomground.curriculum.screens.shelf import Page, Thing
    from zoomground.protocol.messages import Message
    from zoomground.protocol.settings import EpisodeSettings

QUESTION = "What is where?"
"""What a listing answers."""

NAMED = 3.0
"""Weight of a name that has to be read."""

_NAMES_ASKED, _PLACES_ASKED = 12, 6
_LONGEST = 32
_KIND_SHARE = 0.3
_LEAST = 2
_READ_PX = 8.0
"""Short side, in px as shown, from which a thing's name is asked for."""

_DECIDES = 2.5
_UNSEEN_SHARE = 0.3
"""What the place of something that nobody can read counts."""

_PARTS = (
    (re.compile(r"(?<=at )\d|(?<=at \d )\d|(?<=at \d\d )\d|(?<=at \d\d\d )\d|(?<=at \d\d\d\d )\d"), 5.0),
    (re.compile(r"(?<=at )\d+ \d+"), 3.0),
    (re.compile(r"(?<=[=\[,])\d+"), 3.0),
    (re.compile(r" is at | needs a closer look at "), _DECIDES),
)
_NOTHING = np.zeros(0, np.float32)


def listed(name: str, x: int, y: int) -> str:
    """A line that says what stands at a place.

    >>> listed("Compose", 475, 525)
    'At 475 525: Compose.'
    """
    return f"At {x} {y}: {name}."


def weigh(text: str) -> npt.NDArray[np.float32]:
    """How much each character of an assistant's turn counts: numbers most, their first digits even more."""
    weights = np.full(len(text), REST, np.float32)
    for pattern, weight in reversed(_PARTS):
        for match in pattern.finditer(text):
            weights[match.start() : match.end()] = weight
    return weights


def episode(page: Page, ask: Ask, settings: EpisodeSettings, style: Closer, rng: random.Random) -> Lesson:
    """A demonstration, played through the real environment; its pictures are made when they are looked at."""
    shot = blank(page.size)
    task = Task(page.id, ask.instruction, page.image.name, page.size, ask.box_px, meta={"name": ask.name})
    task, settings = style.vary(task, settings, rng)
    env = GroundingEnv(task, shot, settings)
    env.views = UnseenViews(shot, env.image_name, settings)
    for turn in style.script(env, rng).turns():
        env.step(turn.text)
    turns = [_said(message) for message in env.messages]
    crops = [crop.region.box_norm for crop in env.trajectory().crops]
    weights = [weigh(text) if role == "assistant" else _NOTHING for role, text in turns]
    asks = next(number for number, (role, _) in enumerate(turns) if role == "assistant")
    nearest = window_of(to_norm(ask.box_px, page.size))
    if crops and nearest is not None and not holds(_grown(crops[0]), nearest):
        # It was drawn from all that show the target: what it shows is to be read, it is not to be asked for.
        weights[asks] = np.zeros_like(weights[asks])
    view = settings.limits.view_size(page.size)
    short = min(ask.box_px.width * view.width / page.size.width, ask.box_px.height * view.height / page.size.height)
    if short < _READ_PX and not crops:
        weights[asks] = np.where(weights[asks] > _DECIDES, weights[asks] * _UNSEEN_SHARE, weights[asks])
    return Lesson(tuple(turns), (None, *crops), tuple(weights))


@dataclass(frozen=True, slots=True)
class Named:
    """The things of a screen that have a plain name.

    Attributes:
        names: The names.
        boxes_px: Their boxes, (things, 4).
        size: Of the screen, px.
        kinds: What people call them.
        clickable: Whether they are more than words.
    """

    names: tuple[str, ...]
    boxes_px: npt.NDArray[np.float64]
    size: Size
    kinds: tuple[str, ...]
    clickable: tuple[bool, ...]

    @classmethod
    def of(cls, page: Page) -> Self:
        """Those of a screen."""
        plain = [(name, thing) for thing in page.things if (name := _plain(thing))]
        boxes = [(one.box_px.x1, one.box_px.y1, one.box_px.x2, one.box_px.y2) for _, one in plain]
        return cls(
            tuple(name for name, _ in plain),
            np.array(boxes, np.float64).reshape(-1, 4),
            page.size,
            tuple(one.kind for _, one in plain),
            tuple(one.kind != "text" for _, one in plain),
        )

    def inside(self, window: Box | None, shown: Size) -> list[tuple[str, tuple[int, int]]]:
        """The names that stand once in a picture and can be read there, each with its place in [0, 1000] of it.

        Args:
            window: What of the screen the picture shows, in [0, 1000]; None: all.
            shown: Size of the picture, px.
        """
        whole = Region.whole(self.size)
        region = whole if window is None else whole.subregion(window, NORM_FRAME)
        x1, y1, x2, y2 = self.boxes_px.T
        meets = (x2 > region.x1) & (x1 < region.x2) & (y2 > region.y1) & (y1 < region.y2)
        lies = (x1 >= region.x1 - 1) & (x2 <= region.x2 + 1) & (y1 >= region.y1 - 1) & (y2 <= region.y2 + 1)
        scale = min(shown.width / region.size.width, shown.height / region.size.height)
        readable = np.minimum(x2 - x1, y2 - y1) * scale >= _READ_PX
        counts = Counter(self.names[one] for one in np.flatnonzero(meets))
        found = []
        for one in np.flatnonzero(lies & readable):
            name = self.names[one]
            point = spot(in_frame(region, to_norm(Box(*self.boxes_px[one].tolist()), self.size)))
            if counts[name] == 1 and point is not None:
                found.append((name, point))
        return found

    def window(self, rng: random.Random) -> Box:
        """A window of the lattice that shows something with a name."""
        if not self.names:
            return rng.choice(WINDOWS)
        box = to_norm(Box(*self.boxes_px[rng.randrange(len(self.names))].tolist()), self.size)
        return window_of(box) or rng.choice(WINDOWS)


def own_ask(things: Named, rng: random.Random) -> Ask | None:
    """An instruction that names something which stands once on the screen; None where nothing does."""
    counts = Counter(things.names)
    once = [one for one, name in enumerate(things.names) if counts[name] == 1 and things.clickable[one]]
    if not once:
        return None
    one = rng.choice(once)
    name = things.names[one]
    kind = things.kinds[one]
    worded = rng.choice(_ways("role" if kind and rng.random() < _KIND_SHARE else "bare"))
    text = worded.replace("{name}", name).replace("{the_role}", f"the {kind}").replace("{role}", kind)
    return Ask(text, name, Box(*things.boxes_px[one].tolist()), "name")


@cache
def _ways(key: str) -> tuple[str, ...]:
    return tuple(templates()[f"name.{key}.en/train"].values())


def listing(things: Named, window: Box | None, shown: Size, rng: random.Random) -> Lesson | None:
    """What can be read in one picture: name to place, and place to name; None where there is hardly anything.

    Args:
        things: Of the screen.
        window: What of it the picture shows, in [0, 1000]; None: all.
        shown: Size of the picture, px.
        rng: Draws what is asked.
    """
    seen = things.inside(window, shown)
    if len(seen) < _LEAST:
        return None
    named, placed = seen, [one for one in seen if not _is_number(one[0])] or seen
    named = rng.sample(named, min(_NAMES_ASKED, len(named)))
    placed = rng.sample(placed, min(_PLACES_ASKED, len(placed)))
    lines = [(is_at(name, *point, in_crop=window is not None), False) for name, point in named]
    reverse = [(listed(name, *point), True) for name, point in placed]
    lines = lines + reverse if rng.random() < 0.5 else reverse + lines
    text = "\n".join(line for line, _ in lines)
    weights = [_line_weights(line, reverse=is_reverse) for line, is_reverse in lines]
    turns = (("user", f"{QUESTION}<image>"), ("assistant", text))
    return Lesson(turns, (window,), (_NOTHING, np.concatenate(weights)[: len(text)]))


def window_at_random(rng: random.Random, *, lattice: float) -> Box:
    """A window to look at: one of the lattice, or one of any size and place."""
    if rng.random() < lattice:
        return rng.choice(WINDOWS)
    side = rng.uniform(120, 420)
    x, y = rng.uniform(0, 1000 - side), rng.uniform(0, 1000 - side)
    return Box(x, y, x + side, y + side)


def _plain(thing: Thing) -> str:
    name = called(thing.name)
    return "" if name == "It" or len(name) > _LONGEST or not name.isascii() else name


def _is_number(name: str) -> bool:
    return not any(c.isalpha() for c in name)


def _line_weights(line: str, *, reverse: bool) -> npt.NDArray[np.float32]:
    """Of a line and its line break: what anybody may choose freely is free, what follows from it counts."""
    weights = weigh(line + "\n")
    if reverse:
        cut = line.index(": ") + 1
        weights[:cut], weights[cut:-1] = 0.0, NAMED
    else:
        weights[: line.rindex(" is at ")] = 0.0
    return weights


def _grown(box: Box, by: float = 0.2) -> Box:
    return Box(box.x1 - by, box.y1 - by, box.x2 + by, box.y2 + by)


def blank(size: Size) -> Screenshot:
    """A screenshot of a size whose pixels nobody looks at."""
    return Screenshot(Image.new("1", (1, 1)), size, "", "screen.png")


def _said(message: Message) -> tuple[str, str]:
    return message.role, "".join("<image>" if part.type == "image" else part.text for part in message.parts)
