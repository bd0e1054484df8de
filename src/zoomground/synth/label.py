"""Rows for one screen: which elements are asked for, how, and the count of what the gates turned away."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np

from zoomground.geometry import Box
from zoomground.synth import gates
from zoomground.synth.asks import absent, families
from zoomground.synth.asks.base import Ask, Page
from zoomground.synth.asks.wording import word_way
from zoomground.synth.measure import Seen, seen
from zoomground.synth.query import word_count
from zoomground.synth.resolve import Index
from zoomground.synth.sampling import WORDS, Draw, Style, quantile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL import Image

    from zoomground.synth.browser import Browser
    from zoomground.synth.graph import Screen
    from zoomground.synth.html import Drawn

Split = Literal["train", "heldout"]
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"name": 4.0, "function": 2.0, "appearance": 1.5, "relation": 2.5, "position": 1.5, "goal": 2.0}
)
"""How often each family of asks is wanted, before what the screen offers."""


@dataclass(frozen=True, slots=True)
class Label:
    """One row of a screen.

    Attributes:
        instruction: What is asked.
        box_px: Where it is, in device px to a tenth; None: a refusal, the thing is not on the screen.
        meta: how, explicit, template, language, query, words, and for targets role, name, concept, index, short_px,
            area_share.
    """

    instruction: str
    box_px: Box | None
    meta: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Labelled:
    """What became of one screen.

    Attributes:
        rows: Its rows.
        rejected: Elements that a gate turned away, by gate. Ink and uniqueness are asked only of elements drawn as
            targets.
        elements: Elements on the screen.
        visible: Those of which anything can be seen.
    """

    rows: tuple[Label, ...]
    rejected: Mapping[str, int]
    elements: int
    visible: int


def label_screen(
    browser: Browser, screen: Screen, drawn: Drawn, *, seed: int | str, count: int, split: Split = "train",
    refusals: int = 0, long_share: float = 0.15, absent_names: Sequence[str] = (), image: Image.Image | None = None,
) -> Labelled:  # fmt: skip
    """Choose targets of the screen that the browser shows, and ask for them.

    Args:
        browser: Shows the screen.
        screen: What was drawn.
        drawn: What `Browser.show` returned for it.
        seed: Decides the choice of targets and words.
        count: Targets wanted; fewer if the screen does not offer so many.
        split: Half of the templates to word with.
        refusals: Instructions for things that are not there, beside the targets.
        long_share: Share of instructions in the wordy style.
        absent_names: Names on other screens, for refusals.
        image: The screen's pixels, if they were taken already.
    """
    measured = browser.measure()
    texts = browser.texts()
    visible = seen(drawn.placed, measured)
    page = Page(Index(visible, screen.language), texts, screen.language)
    pixels = np.asarray(browser.image() if image is None else image)
    chooser = _Chooser(page, pixels, random.Random(f"{seed}/labels"), split, long_share)
    rows = [*chooser.targets(visible, count)]
    if refusals:
        pool = absent.ways(drawn.placed, texts, screen.language, absent_names)
        rows += chooser.refusals([ask for way in pool for ask in word_way(way, screen.language, split)], refusals)
    return Labelled(tuple(rows), MappingProxyType(dict(chooser.rejected)), len(drawn.placed), len(visible))


class _Chooser:
    """Draws targets and instructions for one screen, and keeps count."""

    def __init__(self, page: Page, pixels: np.ndarray, rng: random.Random, split: Split, long_share: float) -> None:
        self.rejected: Counter[str] = Counter()
        self._page = page
        self._pixels = pixels
        self._rng = rng
        self._split = split
        self._long_share = long_share
        self._height, self._width = pixels.shape[:2]
        self._taken: Counter[str] = Counter()

    def targets(self, visible: Sequence[Seen], count: int) -> Iterator[Label]:
        """Rows for up to so many elements."""
        open_to = []
        for one in visible:
            gate = gates.fault(one, self._width, self._height)
            if gate:
                self.rejected[gate] += 1
            elif one.element.asked:
                open_to.append(one)
        draw = Draw(open_to, (self._width, self._height))
        for one in draw.all(self._rng, self._taken):
            if not count:
                return
            if not gates.ink(one, self._pixels):
                self.rejected["ink"] += 1
                continue
            ask = self._ask(one)
            if ask is None:
                self.rejected["uniqueness"] += 1
                continue
            count -= 1
            draw.took(one)
            self._taken.update((f"how {ask.how}", f"role {one.element.role}"))
            yield self._label(ask, one)

    def refusals(self, asks: Sequence[Ask], count: int) -> list[Label]:
        """Rows for things that are not there, each thing once."""
        left, rows = list(asks), list[Label]()
        while left and len(rows) < count:
            ask = self._by_length(left)
            left = [
                one for one in left if (one.query.concept or one.query.name) != (ask.query.concept or ask.query.name)
            ]
            rows.append(Label(ask.text, None, {**_meta(ask), "concept": ask.query.concept, "name": ask.query.name}))
        return rows

    def _ask(self, one: Seen) -> Ask | None:
        """An instruction that fits this element and no other; None if there is none."""
        asks = []
        for ways in families().values():
            for way in ways(one, self._page):
                asks += [
                    ask
                    for ask in word_way(way, self._page.language, self._split)
                    if self._page.index.resolve(ask.query) == (one.index,)
                ]
        return self._by_length(asks) if asks else None

    def _by_length(self, asks: Sequence[Ask]) -> Ask:
        """One of the asks: families in turn, lengths as in the benchmarks."""
        style: Style = "long" if self._rng.random() < self._long_share else "short"
        wanted = quantile(WORDS[style], self._rng.random())
        each = Counter(ask.how for ask in asks)
        weights = []
        for ask in asks:
            off = abs(math.log(word_count(ask.text) / wanted))
            fair = WEIGHTS.get(ask.how, 1.0) / (1 + self._taken[f"how {ask.how}"]) / each[ask.how]
            weights.append(fair * math.exp(-6.0 * off))
        return self._rng.choices(asks, weights)[0]

    def _label(self, ask: Ask, one: Seen) -> Label:
        left, top, right, bottom = (round(edge, 1) for edge in one.box_px)
        box = Box(left, top, right, bottom)
        figures = {
            "role": one.element.role.value, "name": one.element.name, "concept": one.element.icon,
            "index": one.index, "short_px": round(one.measured.short_px, 1),
            "area_share": round(box.area / (self._width * self._height), 8),
        }  # fmt: skip
        return Label(ask.text, box, {**_meta(ask), **figures})


def _thing(ask: Ask) -> str:
    return ask.query.concept or ask.query.name


def _meta(ask: Ask) -> dict[str, object]:
    return {
        "how": ask.how, "explicit": ask.explicit, "template": ask.template, "language": ask.language,
        "query": ask.query.to_json(), "words": word_count(ask.text),
    }  # fmt: skip
