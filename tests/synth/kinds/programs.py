"""What every kind of program is held to; `test_kinds.py` names their figures."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

from zoomground.synth import words
from zoomground.synth.desktop import alone, builders
from zoomground.synth.gates import MIN_SHARE
from zoomground.synth.graph import Box, Element, Part, Role, Screen, elements
from zoomground.synth.icons.own import ICON_SET, ICONS
from zoomground.synth.measure import seen
from zoomground.synth.scene import Scene
from zoomground.synth.skins import available_skins, skins

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from zoomground.synth.browser import Browser
    from zoomground.synth.graph import Node

SIZES = ((1280, 730), (1920, 1010), (2560, 1370), (3840, 2090), (5120, 1370))
"""What a window leaves to its program, in CSS px."""
DENSITIES = (0.0, 0.5, 1.0)
ONE_THING = {Part.ROW, Part.TILE, Part.TAB}


@dataclass(frozen=True)
class Case:
    """One window to fill."""

    language: str
    size: tuple[int, int]
    density: float
    seed: int

    def build(self, kind: str) -> Box:
        scene = Scene(random.Random(self.seed), self.language, *self.size, self.density)
        return builders()[kind](scene)


def cases() -> list[Case]:
    """Every language at every size and density, each with a seed of its own."""
    windows = product(words.LANGUAGES, SIZES, DENSITIES)
    return [Case(language, size, density, seed) for seed, (language, size, density) in enumerate(windows)]


def records(node: Node) -> Iterator[Box]:
    """What shows one thing each: named rows, tiles and tabs, outermost first."""
    if isinstance(node, Box) and node.part in ONE_THING and node.name:
        yield node
    if isinstance(node, Box | Element):
        for child in node.children:
            yield from records(child)


def cards(node: Node) -> Iterator[str]:
    """Titles of panels."""
    if isinstance(node, Box) and node.part is Part.CARD and node.name:
        yield node.name
    if isinstance(node, Box | Element):
        for child in node.children:
            yield from cards(child)


def own(node: Node) -> Iterator[Element]:
    """The elements of one thing that stand in no other inside it."""
    for child in node.children if isinstance(node, Box | Element) else ():
        if isinstance(child, Element):
            yield child
        if not (isinstance(child, Box) and child.part in ONE_THING and child.name):
            yield from own(child)


def check_graph(kind: str, case: Case) -> None:
    """Names, goals, icons and records of one graph."""
    root = case.build(kind)
    assert root == case.build(kind), "the same seed gives the same program"
    for one in elements(root):
        assert one.name or one.thing, f"{one} has neither a name nor a thing"
        assert not one.icon or one.icon in ICONS, one.icon
        assert all(goal and "{" not in goal for goal in one.goals), one.goals
        assert "{" not in one.name, one.name
        for goal in one.goals:
            assert not names(goal, one.name, case.language), f"'{goal}' gives '{one.name}' away"
    for row in records(root):
        held = [(one.role, one.name) for one in own(row) if one.name]
        doubled = {key for key in held if held.count(key) > 1}
        assert not doubled, f"the row '{row.name}' holds {doubled} twice"


def names(goal: str, name: str, language: str) -> bool:
    """Whether a goal speaks an element's name: as whole words, or as letters where a language has no spaces."""
    if language == "zh":
        return len(name) > 1 and name in goal
    split = [f" {''.join(letter if letter.isalnum() else ' ' for letter in text.casefold())} " for text in (goal, name)]
    said, sought = (f" {' '.join(text.split())} " for text in split)
    return bool(sought.strip()) and sought in said


def count(kind: str, size: tuple[int, int], density: float, seed: int = 1) -> int:
    """Elements of one window."""
    return sum(1 for _ in elements(Case("en", size, density, seed).build(kind)))


def check_counts(kind: str, *, least_at_1080p: int) -> None:
    """Enough elements when packed, and more in larger windows."""
    for seed in range(3):
        packed = [count(kind, size, 1.0, seed) for size in SIZES[:4]]
        assert packed[1] >= least_at_1080p
        assert all(later > earlier for earlier, later in pairwise(packed)), packed
        assert count(kind, SIZES[1], 0.0, seed) < packed[1]
        wide = count(kind, SIZES[4], 1.0, seed)
        assert wide > packed[1], "a wider window shows more"


SCREENS: tuple[dict[str, Any], ...] = (
    {"size_px": (1280, 800), "scale": 1.0, "language": "de", "dark": False, "density": 0.0},
    {"size_px": (1280, 800), "scale": 1.0, "language": "fr", "dark": False, "density": 0.6},
    {"size_px": (1920, 1080), "scale": 1.0, "language": "zh", "dark": True, "density": 1.0},
    {"size_px": (3840, 2160), "scale": 2.0, "language": "es", "dark": False, "density": 0.8},
    {"size_px": (3840, 2160), "scale": 1.0, "language": "en", "dark": True, "density": 0.5},
    {"size_px": (5120, 1440), "scale": 1.0, "language": "de", "dark": False, "density": 1.0},
)

# Words that lie over each other although neither holds the other; elements that stick out of the window or of a
# parent that does not clip; elements of no size.
FAULTS = """
(selector) => {
  const root = document.querySelector(selector);
  const frame = root.getBoundingClientRect();
  const seen = (el, range) => {
    let r = (range || el).getBoundingClientRect();
    let box = {left: r.left, top: r.top, right: r.right, bottom: r.bottom};
    for (let up = range ? el : el.parentElement; up && up !== document.body; up = up.parentElement) {
      if (getComputedStyle(up).overflow === 'visible') continue;
      const c = up.getBoundingClientRect();
      box = {left: Math.max(box.left, c.left), top: Math.max(box.top, c.top),
             right: Math.min(box.right, c.right), bottom: Math.min(box.bottom, c.bottom)};
    }
    return box;
  };
  const texts = [];
  for (const el of root.querySelectorAll('.zg-t, .zg-label')) {
    if (!el.textContent.trim()) continue;
    const range = document.createRange();
    range.selectNodeContents(el);
    const box = seen(el, range);
    if (box.right - box.left > 1 && box.bottom - box.top > 1) texts.push({text: el.textContent, box});
  }
  texts.sort((a, b) => a.box.top - b.box.top);
  const faults = [];
  for (let i = 0; i < texts.length; i++) for (let j = i + 1; j < texts.length; j++) {
    const a = texts[i].box, b = texts[j].box;
    if (b.top > a.bottom) break;
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    // Line boxes are taller than letters: lines may touch, not lie over each other.
    if (across > 2 && down > 0.4 * Math.min(a.bottom - a.top, b.bottom - b.top))
      faults.push(`'${texts[i].text}' lies over '${texts[j].text}'`);
  }
  for (const el of root.querySelectorAll('[data-zg]')) {
    const r = el.getBoundingClientRect(), label = el.getAttribute('aria-label') || el.textContent;
    const shown = seen(el);
    if (shown.right - shown.left <= 0 || shown.bottom - shown.top <= 0) continue;  // Did not fit: not seen at all.
    if (r.width < 4 || r.height < 4) faults.push(`'${label}' has no size`);
    if (r.right > frame.right + 1 || r.left < frame.left - 1 || r.bottom > frame.bottom + 1)
      faults.push(`'${label}' sticks out of the window`);
    if (shown.right - shown.left < 0.6 * r.width || shown.bottom - shown.top < 0.6 * r.height)
      faults.push(`'${label}' is cut off`);
  }
  return faults;
}
"""


# Names of elements of which nothing can be seen, because a box around them cuts them off.
HIDDEN = """
() => [...document.querySelectorAll('.zg-p-window [data-zg]')].filter(el => {
  const r = el.getBoundingClientRect();
  for (let up = el.parentElement; up && up !== document.body; up = up.parentElement) {
    if (getComputedStyle(up).overflow === 'visible') continue;
    const c = up.getBoundingClientRect();
    if (r.left >= c.right || r.right <= c.left || r.top >= c.bottom || r.bottom <= c.top) return true;
  }
  return false;
}).map(el => el.getAttribute('aria-label') || el.textContent)
"""


def check_drawn(browser: Browser, kind: str, *, all_seen: bool = False) -> None:
    """No text over text, nothing out of the window, nothing cut off; ``all_seen``: nothing left out either."""
    skin = skins()["default"]
    for number, settings in enumerate(SCREENS):
        screen: Screen = alone(kind, skin, seed=number, **settings)
        drawn = browser.show(screen, skin, ICON_SET)
        faults = browser.page.evaluate(FAULTS, ".zg-p-window")
        assert not faults, f"{settings}: {len(faults)} faults, as {faults[:5]}"
        assert drawn.placed
        if all_seen:
            hidden = browser.page.evaluate(HIDDEN)
            assert not hidden, f"{settings}: {len(hidden)} are not seen, as {hidden[:5]}"


HIGH_BARS = ("default", "mint", "bulma", "coreui", "fomantic", "win98")
"""Skins whose tabs and menu items have sizes and margins of their own."""


def check_bars(browser: Browser, kind: str, assets: Path | None) -> None:
    """No tab or menu item is cut above or below by the bar that it stands in; at most the last one is on a side."""
    known = available_skins(assets)
    for number, name in enumerate(name for name in HIGH_BARS if name in known):
        settings: dict[str, Any] = {**SCREENS[number % 3], "size_px": (1600, 900)}
        drawn = browser.show(alone(kind, known[name], seed=number, **settings), known[name], ICON_SET)
        bars = [one for one in seen(drawn.placed, browser.measure()) if one.element.role in {Role.TAB, Role.MENUITEM}]
        cut = [one.element.name for one in bars if one.measured.share < MIN_SHARE]
        assert len(cut) <= 1, f"{name}: {len(cut)} of {len(bars)} are cut, as {cut[:5]}"
