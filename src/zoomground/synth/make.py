"""One screen from its spec: composed, drawn, measured, labelled, checked, and kept as a picture and a part."""

from __future__ import annotations

import hashlib
import io
import random
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from PIL import Image

from zoomground.data.files import write_bytes
from zoomground.data.targets import solution_text
from zoomground.synth.browser import Browser, decoded
from zoomground.synth.dense import elements_row
from zoomground.synth.label import Labelled, label_screen
from zoomground.synth.measure import seen
from zoomground.synth.parts import Part, Workshop

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from zoomground.synth.graph import Screen
    from zoomground.synth.html import Drawn
    from zoomground.synth.icons.base import IconSet
    from zoomground.synth.label import Label
    from zoomground.synth.plan import ScreenSpec

REDRAWN_ONE_IN = 50

DETERMINISM = "determinism"
"""Name of that gate."""

PICTURE = "screen.webp"
QUICK_PICTURE = "screen.png"
"""Base name of every picture: all of a path that a policy gets to read, so it must not tell what is on the screen."""

# Measured on dense screens at 1920x1080 and 3840x2160: 59 and 363 ms for 199 and 447 kB. Method 1 (effort 20) takes
# three times as long for 20 and 11 % less; efforts under 50 are no faster and write 30 to 50 % more.
_WEBP: Mapping[str, Any] = {"lossless": True, "method": 0, "quality": 60}

_LOOK_SIDE = 8
_LOOK_STEP_PX = 4
"""One pixel in so many is looked at, on both axes; the cells of the hash are far larger."""


class Source(Protocol):
    """Where screens come from: programs of the scene graph, or a person's own pages."""

    def show(self, browser: Browser, spec: ScreenSpec, watch: Stopwatch) -> tuple[Screen, Drawn]:
        """Draw the screen of a spec; it stays until the next one."""
        ...

    def icons(self, spec: ScreenSpec) -> IconSet | None:
        """The icons that it is drawn with; None: nothing is known of them."""
        ...


@dataclass(slots=True)
class Stopwatch:
    """Seconds by phase."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Count the block's time to a phase."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begun


@dataclass(frozen=True, slots=True)
class Asking:
    """What is wanted of every screen.

    Attributes:
        rows: Most rows of a screen.
        refusals: Share of rows that ask for something that is not there.
        elements: Whether its elements are listed.
        quick: Whether time matters more than equal pixels and small files: it is drawn once, its picture kept as the
            browser writes it, and not held against those of the other split.
    """

    rows: int
    refusals: float
    elements: bool = False
    quick: bool = False

    def split(self, seed: str) -> tuple[int, int]:
        """How many of a screen's rows have a target, and how many ask for something that is not there."""
        rng = random.Random(f"{seed}/refusals")
        refused = sum(rng.random() < self.refusals for _ in range(self.rows))
        return self.rows - refused, refused


class _Shot:
    """A screenshot, decoded only if somebody looks at it, and what is kept of it."""

    def __init__(self, png: bytes, *, quick: bool) -> None:
        self.name = QUICK_PICTURE if quick else PICTURE
        self._png = png
        self._quick = quick

    @cached_property
    def image(self) -> Image.Image:
        """Its pixels in RGB."""
        return decoded(self._png)

    def data(self) -> bytes:
        """The picture's file."""
        return self._png if self._quick else lossless_webp(self.image)


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes screens of a source in a browser.

    Attributes:
        source: Draws them.
        browser: What they are drawn in.
        workshop: Where their pictures and parts go.
        asking: What they are asked for.
        redrawn_one_in: Every so many screens one is drawn twice, and both drawings must be equal.
    """

    source: Source
    browser: Browser
    workshop: Workshop
    asking: Asking
    redrawn_one_in: int = REDRAWN_ONE_IN

    def make(self, spec: ScreenSpec, watch: Stopwatch) -> Part:
        """Make a screen, and write its picture, its dense labels, and then its part."""
        screen, drawn = self.source.show(self.browser, spec, watch)
        with watch.phase("screenshot"):
            shot = _Shot(self.browser.png(), quick=self.asking.quick)
        with watch.phase("labels"):
            found = self._label(spec, screen, drawn, shot)
            # Of this drawing: there may be another one.
            words = self.browser.words() if self.asking.elements else ()
            letters = self.browser.letters() if self.asking.elements else []
        labels, rejected, stable = found.rows, dict(found.rejected), True
        redrawn = not self.asking.quick and spec.number % self.redrawn_one_in == 0
        if redrawn:
            stable = self._draws_again(spec, shot.image)
        if not stable:
            labels, rejected[DETERMINISM] = (), len(labels)
        dense = self.asking.elements and stable
        path = f"images/{spec.name}/{shot.name}" if labels or dense else ""
        with watch.phase("encode"):
            data = shot.data() if path else b""
        if path:
            write_bytes(self.workshop.out / path, data)
        if dense:
            with watch.phase("elements"):
                self.workshop.write_elements(spec.number, elements_row(spec, path, found.seen, words, letters))
        part = Part(
            number=spec.number,
            split=spec.split.value,
            image=path,
            sha256=hashlib.sha256(data).hexdigest() if path else "",
            size_bytes=len(data),
            look=None if self.asking.quick else look_of(shot.image),
            rows=tuple(_row(spec, number, label, path) for number, label in enumerate(labels, 1)),
            elements=found.elements,
            visible=found.visible,
            rejected=rejected,
            redrawn=redrawn,
            stable=stable,
            dense=dense,
        )
        self.workshop.write(part)
        return part

    def _label(self, spec: ScreenSpec, screen: Screen, drawn: Drawn, shot: _Shot) -> Labelled:
        if not self.asking.rows:
            return Labelled((), {}, len(drawn.placed), seen(drawn.placed, self.browser.measure()))
        wanted, refusals = self.asking.split(spec.seed)
        return label_screen(
            self.browser, screen, drawn,
            seed=spec.seed, count=wanted, split=spec.split.value, refusals=refusals, image=shot.image,
            icons=self.source.icons(spec),
        )  # fmt: skip

    def _draws_again(self, spec: ScreenSpec, image: Image.Image) -> bool:
        self.source.show(self.browser, spec, Stopwatch())
        return self.browser.image().tobytes() == image.tobytes()


def lossless_webp(image: Image.Image) -> bytes:
    """A picture as lossless WebP."""
    out = io.BytesIO()
    image.save(out, "WEBP", **_WEBP)
    return out.getvalue()


def look_of(image: Image.Image) -> int:
    """A 64-bit difference hash: each bit says whether a cell of a coarse 9 x 8 grid is brighter than its left one."""
    width, height = (side // _LOOK_STEP_PX for side in image.size)
    sampled = image.resize((width, height), Image.Resampling.NEAREST)
    coarse = sampled.convert("L").resize((_LOOK_SIDE + 1, _LOOK_SIDE), Image.Resampling.BOX)
    cells = np.asarray(coarse, dtype=np.int16)
    bits = (cells[:, 1:] > cells[:, :-1]).flatten()
    return int.from_bytes(np.packbits(bits).tobytes(), "big")


def _row(spec: ScreenSpec, number: int, label: Label, image: str) -> Mapping[str, Any]:
    row: dict[str, Any] = {"problem": f"<image>{label.instruction}"}
    if label.box_px is None:
        row["refusal"] = True
    else:
        row["solution"] = solution_text(label.box_px)
    row["images"] = [image]
    row["id"] = f"{spec.name}/{number}"
    drawn_with = {"kind": spec.kind, "skin": spec.skin, "icon_set": spec.icon_set}
    row["meta"] = {
        **{name: value for name, value in drawn_with.items() if value},
        "seed": spec.seed,
        "language": spec.language,
        "width": spec.size.width_px,
        "height": spec.size.height_px,
        "scale": spec.size.scale,
        "dark": spec.dark,
        **label.meta,
    }
    return row
