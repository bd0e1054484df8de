"""Which targets of a rendered page may become rows: the gates, each with a count, and the choice among what passes."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

    from screens.browser import Measured
    from screens.page import Candidate, Page

SMALL_PX = 24
LARGE_PX = 60
MIN_PX = 10
MIN_HITS = 24  # of 25: at least 95 %


@dataclass(frozen=True)
class Target:
    """A target that passed: its box in px, its role, one instruction and how that one asks."""

    box_px: tuple[float, float, float, float]
    role: str
    how: str
    instruction: str

    @property
    def short_px(self) -> float:
        """Short side of the box in px."""
        left, top, right, bottom = self.box_px
        return min(right - left, bottom - top)


def _colours(image: Image.Image) -> Counter[tuple[int, ...]]:
    """How often each colour occurs."""
    # Pillow makes a table of the size that it is told, so the bound must be the picture's own.
    return Counter({colour: count for count, colour in image.getcolors(image.width * image.height) or []})


def _has_ink(image: Image.Image, box: tuple[float, float, float, float]) -> bool:
    """Whether the box differs from what surrounds it: enough pixels are not of the ring's commonest colour."""
    left, top, right, bottom = (round(v) for v in box)
    outer = image.crop((max(0, left - 3), max(0, top - 3), min(image.width, right + 3), min(image.height, bottom + 3)))
    inner = _colours(image.crop((left, top, right, bottom)))
    ring = _colours(outer)
    ring.subtract(inner)
    ground = ring.most_common(1)[0][0]
    differing = sum(n for c, n in inner.items() if sum(abs(a - b) for a, b in zip(c, ground, strict=True)) > 40)
    return differing >= max(8, min(40, 0.04 * inner.total()))


def _fault(measured: Measured, image: Image.Image) -> str | None:
    """The first gate that this target fails, None if it passes them all."""
    left, top, right, bottom = measured.box_px
    if left < 0 or top < 0 or right > image.width or bottom > image.height:
        return "viewport"
    if min(right - left, bottom - top) < MIN_PX:
        return "too small"
    if measured.hits < MIN_HITS:
        return "covered"
    if measured.same_label:
        return "label not unique"
    if not _has_ink(image, measured.box_px):
        return "no ink"
    return None


def passing(page: Page, targets: list[Measured], image: Image.Image, faults: Counter[str]) -> list[Target]:
    """Targets of the page that pass every gate; what fails is counted in `faults`."""
    used = Counter(text for candidate in page.candidates for _, text in candidate.says)
    rng = random.Random(f"{page.spec.name}/instructions")
    out = []
    for measured in targets:
        candidate: Candidate = page.candidates[measured.index]
        fault = _fault(measured, image)
        says = [(how, text) for how, text in candidate.says if used[text] == 1]
        if fault is None and not says:
            fault = "instruction not unique"
        if fault is not None:
            faults[fault] += 1
            continue
        how, text = rng.choice(says)
        left, top, right, bottom = (round(v, 1) for v in measured.box_px)
        out.append(Target((left, top, right, bottom), candidate.role, how, text))
    return out


def _spread(targets: list[Target], count: int, seen: Counter[str]) -> list[Target]:
    """Up to `count` of the targets, roles that were taken least often first."""
    left, out = list(targets), []
    while left and len(out) < count:
        best = min(left, key=lambda one: seen[one.role])
        left.remove(best)
        seen[best.role] += 1
        out.append(best)
    return out


def choose(page: Page, targets: list[Target]) -> list[Target]:
    """The page's rows: half of them small, most of the others large, their roles spread."""
    rng = random.Random(f"{page.spec.name}/choice")
    pool = sorted(targets, key=lambda one: one.box_px)
    rng.shuffle(pool)
    small = [one for one in pool if one.short_px < SMALL_PX]
    large = [one for one in pool if one.short_px >= LARGE_PX]
    middle = [one for one in pool if SMALL_PX <= one.short_px < LARGE_PX]
    seen: Counter[str] = Counter()
    chosen = (
        _spread(small, rng.choice([4, 4, 5]), seen)
        + _spread(large, 4, seen)
        + _spread(middle, rng.choice([0, 1]), seen)
    )
    rng.shuffle(chosen)
    return chosen
