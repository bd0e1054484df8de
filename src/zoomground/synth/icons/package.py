"""Icon sets of npm packages: which file draws which concept, and what the authors call it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError
from zoomground.synth import assets as npm
from zoomground.synth.icons.own import ICON_SET as OWN
from zoomground.synth.words import entries

if TYPE_CHECKING:
    from zoomground.synth.icons.base import IconSet

_STROKES = 'fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"'
_VIEW = re.compile(r'viewBox="([^"]+)"')
_INSIDE = re.compile(r"<svg[^>]*>(.*)</svg>", re.DOTALL)
_LEFT_OUT = re.compile(
    r'<!--.*?-->|<title>.*?</title>|<path stroke="none" d="M0 0h24v24H0z" fill="none" ?/>|\s(?:id|class)="[^"]*"',
    re.DOTALL,
)

# Tags that tell what one would do or get with it, and with nothing else that an icon stands for. The sets' other tags
# say what the drawing shows, name a product, fit several icons ("review": a star, a shield, a speech bubble), or are
# too far from any function.
_SAID = frozenset(
    """
    account addon agenda antivirus appointment approve assistance attachment authentication avatar beginning
    billing bookmark bright brightness cancel category caution cease change checkout clone community conceal
    configuration credential danger date defence defense destination destroy dial dictation dimensions directory
    discard dismiss distribute duplicate exit faq growth happy hardcopy hazard histogram homepage hotspot
    hyperlink improving incoming integration invisible length lookup loud members modify module mood movies
    narrow photography planner playlist plugin preferences proportion purchase rating ratio received reminder
    repository respond resume retrieve reveal reverse revert rewind safety script setup shell shipping signal
    silent smiley snapshot snip song strong synchronize team thumbnails tiles total transfer translate trim
    troubleshoot voice waste wipe
    """.split()  # noqa: SIM905 -- a list of a hundred words, one a line, says no more
)


@dataclass(frozen=True, slots=True)
class PackageIcons:
    """The drawings of one npm package.

    Attributes:
        name: Its name; the file's.
        package: The npm package.
        file: Path of a drawing inside the package, with ``{}`` for what the set calls it.
        names: What the set calls the drawing of a concept; what it lacks is drawn by the own set.
        strokes: Whether its drawings are strokes; else areas.
        tags: Reads the set's tags by drawing from the package's folder; None: the set has none.
        assets: The ``node_modules`` folder.
    """

    name: str
    package: str
    file: str
    names: Mapping[str, str]
    strokes: bool = False
    tags: Callable[[Path], Mapping[str, Sequence[str]]] | None = None
    assets: Path | None = None
    _read: dict[str, tuple[str, str]] = field(default_factory=dict, compare=False, repr=False)
    _synonyms: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    def at(self, assets: Path | None) -> IconSet:
        """See `IconSet`."""
        return replace(self, assets=assets, _read={}, _synonyms={})

    def draws(self, concept: str) -> bool:
        """See `IconSet`."""
        return concept in self.names

    def svg(self, concept: str, size_px: float) -> str:
        """See `IconSet`."""
        if concept not in self.names:
            return OWN.svg(concept, size_px)
        if concept not in self._read:
            self._read[concept] = self._drawing(concept)
        view, inside = self._read[concept]
        ink = _STROKES if self.strokes else 'fill="currentColor"'
        return f'<svg width="{size_px:g}" height="{size_px:g}" viewBox="{view}" {ink}>{inside}</svg>'

    def synonyms(self, concept: str) -> tuple[str, ...]:
        """See `IconSet`."""
        if self.tags is None:
            return ()
        if not self._synonyms:
            folder = npm.folder(self.assets, self.package, wanted_by=f"icon set '{self.name}'")
            self._synonyms.update(_cleaned(self.names, self.tags(folder)))
        return self._synonyms.get(concept, ())

    def _drawing(self, concept: str) -> tuple[str, str]:
        """Coordinates and markup of a drawing, without names that could collide in a page."""
        file = self.file.format(self.names[concept])
        text = npm.text(self.assets, self.package, file, wanted_by=f"icon set '{self.name}'")
        view, inside = _VIEW.search(text), _INSIDE.search(text)
        if view is None or inside is None:
            raise ZoomgroundError(f"icon set '{self.name}': {self.package}/{file} is no SVG with a viewBox")
        return view[1], " ".join(_LEFT_OUT.sub("", inside[1]).split())


@lru_cache(1)
def _label_words() -> Mapping[str, str]:
    """The concept that an English word belongs to, because its label says so."""
    found: dict[str, str] = {}
    for concept in OWN.concepts:
        for word in _stems(entries()[concept].texts["en"]):
            found.setdefault(word, concept)
    return found


def _stems(text: str) -> tuple[str, ...]:
    """Words of a text without their commonest endings."""
    return tuple(re.sub(r"(?:ing|ed|er|es|s)$", "", word) for word in re.findall(r"[a-z]{3,}", text.lower()))


def _cleaned(names: Mapping[str, str], tags: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Synonyms by concept: plain words that stand for one concept, and that no label says."""
    plain = {concept: _plain(tags.get(drawing, ())) for concept, drawing in names.items()}
    counts = Counter(word for found in plain.values() for word in found)
    return {concept: tuple(word for word in found if counts[word] == 1) for concept, found in plain.items()}


def _plain(tags: Sequence[str]) -> tuple[str, ...]:
    """The tags that tell a function and that no concept's label says, in order, each once."""
    words = dict.fromkeys(tag.lower() for tag in tags)
    return tuple(word for word in words if word in _SAID and _label_words().keys().isdisjoint(_stems(word)))
