"""Rows for one screen: which elements are asked for, how, and the count of what the gates turned away."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from zoomground.geometry import Box
from zoomground.synth import gates
from zoomground.synth.asks import absent, families
from zoomground.synth.asks.base import Ask, Page
from zoomground.synth.asks.wording import word_way
from zoomground.synth.graph import pictures
from zoomground.synth.measure import Seen, seen
from zoomground.synth.query import Query, word_count
from zoomground.synth.resolve import Index
from zoomground.synth.sampling import WORDS, Draw, Style, quantile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL import Image

    from zoomground.synth.browser import Browser
    from zoomground.synth.graph import Screen
    from zoomground.synth.html import Drawn
    from zoomground.synth.icons.base import IconSet

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"name": 2.0, "function": 5.0, "appearance": 4.0, "relation": 1.0, "position": 1.0, "goal": 6.0}
)
"""How much each family of asks is wanted where an element offers it. Few elements do something that could be told, or
look like nothing else; nearly all have a name and a place."""

_LENGTH_OF_FAMILY, _LENGTH_OF_WORDS = 1.0, 8.0
"""How much the wanted length decides: of the family, and of its templates."""


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
        seen: Those of which anything can be seen.
    """

    rows: tuple[Label, ...]
    rejected: Mapping[str, int]
    elements: int
    seen: tuple[Seen, ...]

    @property
    def visible(self) -> int:
        """Number of elements of which anything can be seen."""
        return len(self.seen)


def label_screen(
    browser: Browser, screen: Screen, drawn: Drawn, *, seed: int | str, count: int, split: str = "train",
    refusals: int = 0, long_share: float = 0.15, absent_names: Sequence[str] = (), image: Image.Image | None = None,
    icons: IconSet | None = None,
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
        icons: The icon set that it was drawn with: its synonyms are asked for, and count as names.
    """
    measured = browser.measure()
    texts = browser.texts()
    visible = seen(drawn.placed, measured)
    synonyms = icons.synonyms if icons else _no_synonyms
    shown = {one.index for one in visible}
    hidden = [one for one in drawn.placed if one.index not in shown]
    drawn_alone = frozenset(one.shows for one in pictures((screen.root,)) if one.shows)
    page = Page(Index(visible, screen.language, synonyms, hidden), texts, screen.language, drawn_alone)
    pixels = np.asarray(browser.image() if image is None else image)
    chooser = _Chooser(page, pixels, random.Random(f"{seed}/labels"), split, long_share)
    rows = chooser.targets(browser, visible, count)
    if refusals:
        proof = absent.Absence(drawn.placed, texts, screen.language, synonyms, drawn_alone)
        rows += chooser.refusals(proof, absent_names, refusals)
    return Labelled(tuple(rows), MappingProxyType(dict(chooser.rejected)), len(drawn.placed), visible)


class _Chooser:
    """Draws targets and instructions for one screen, and keeps count."""

    def __init__(self, page: Page, pixels: np.ndarray, rng: random.Random, split: str, long_share: float) -> None:
        self.rejected: Counter[str] = Counter()
        self._page = page
        self._pixels = pixels
        self._rng = rng
        self._split = split
        self._long_share = long_share
        self._height, self._width = pixels.shape[:2]
        self._taken: Counter[str] = Counter()

    def targets(self, browser: Browser, visible: Sequence[Seen], count: int) -> list[Label]:
        """Rows for up to so many elements, each proven once more by hit tests."""
        chosen = list(islice(self._askable(visible), count))
        tests = browser.test([one.index for one, _ in chosen])
        rows = []
        for (one, ask), reached in zip(chosen, tests, strict=True):
            if reached:
                rows.append(self._label(ask, one))
            else:
                self.rejected["occlusion"] += 1
        return rows

    def _askable(self, visible: Sequence[Seen]) -> Iterator[tuple[Seen, Ask]]:
        """Elements that pass every gate, in the order in which they are drawn, with an instruction."""
        open_to = []
        for one in visible:
            gate = gates.fault(one, self._width, self._height)
            if gate:
                self.rejected[gate] += 1
            elif one.element.asked:
                open_to.append(one)
        draw = Draw(open_to, (self._width, self._height))
        for one in draw.all(self._rng):
            if not gates.ink(one, self._pixels):
                self.rejected["ink"] += 1
                continue
            ask = self._ask(one)
            if ask is None:
                self.rejected["uniqueness"] += 1
                continue
            draw.took(one)
            self._taken[ask.how] += 1
            yield one, ask

    def refusals(self, proof: absent.Absence, names: Sequence[str], count: int) -> Iterator[Label]:
        """Rows for up to so many things that are not there."""
        things = absent.ways(proof, self._page.language, names, self._rng)
        for ways in islice(things, count):
            asks = [ask for way in ways for ask in word_way(way, self._page.language, self._split, lambda _: True)]
            ask = self._by_length(asks)
            yield Label(ask.text, None, {**_meta(ask), "concept": ask.query.concept, "name": ask.query.name})

    def _ask(self, one: Seen) -> Ask | None:
        """An instruction that fits this element and no other; None if there is none."""

        def fits(query: Query) -> bool:
            return self._page.index.resolve(query) == (one.index,)

        page, asks = self._page, list[Ask]()
        for family in families().values():
            for way in family(one, page):
                asks += word_way(way, page.language, self._split, fits)
        return self._by_length(asks) if asks else None

    def _by_length(self, asks: Sequence[Ask]) -> Ask:
        """One of the asks: families in turn, lengths as in the benchmarks."""
        style: Style = "long" if self._rng.random() < self._long_share else "short"
        wanted = quantile(WORDS[style], self._rng.random())
        off = [abs(math.log(word_count(ask.text) / wanted)) for ask in asks]
        nearest: dict[str, float] = {}
        for ask, far in zip(asks, off, strict=True):
            nearest[ask.how] = min(far, nearest.get(ask.how, far))
        hows = list(nearest)
        fair = [
            WEIGHTS.get(how, 1.0) / (1 + self._taken[how]) * math.exp(-_LENGTH_OF_FAMILY * nearest[how]) for how in hows
        ]
        chosen = self._rng.choices(hows, fair)[0]
        weights = [
            math.exp(-_LENGTH_OF_WORDS * far) if ask.how == chosen else 0.0 for ask, far in zip(asks, off, strict=True)
        ]
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


def _no_synonyms(_concept: str) -> tuple[str, ...]:
    return ()


def _meta(ask: Ask) -> dict[str, object]:
    return {
        "how": ask.how, "explicit": ask.explicit, "template": ask.template, "language": ask.language,
        "query": ask.query.to_json(), "words": word_count(ask.text),
    }  # fmt: skip
