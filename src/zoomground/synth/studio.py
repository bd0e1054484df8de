"""What a worker makes screens with: a browser, and a source that draws in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from zoomground.synth.browser import Browser, open_browser
from zoomground.synth.crew import BrokenBenchError
from zoomground.synth.desktop import builders, compose
from zoomground.synth.icons import icon_sets
from zoomground.synth.icons.base import IconSet
from zoomground.synth.make import Asking, Maker, Stopwatch
from zoomground.synth.parts import Workshop
from zoomground.synth.plan import Supply
from zoomground.synth.skins import available_skins
from zoomground.synth.skins.base import Skin

if TYPE_CHECKING:
    from contextlib import ExitStack

    from zoomground.synth.graph import Screen
    from zoomground.synth.html import Drawn
    from zoomground.synth.plan import ScreenSpec


def supply(assets: Path | None) -> Supply:
    """What there is to draw programs with.

    Args:
        assets: The ``node_modules`` folder; None: own skins and icons only.
    """
    skins = available_skins(assets)
    light_only = frozenset(name for name, skin in skins.items() if skin.dark is None)
    return Supply(tuple(builders()), tuple(skins), tuple(icon_sets(assets)), light_only)


@dataclass(frozen=True, slots=True)
class Programs:
    """Screens of the scene graph: programs of every kind, in every skin."""

    skins: Mapping[str, Skin]
    icon_sets: Mapping[str, IconSet]

    def icons(self, spec: ScreenSpec) -> IconSet:
        """See `Source`."""
        return self.icon_sets[spec.icon_set]

    def show(self, browser: Browser, spec: ScreenSpec, watch: Stopwatch) -> tuple[Screen, Drawn]:
        """See `Source`."""
        skin = self.skins[spec.skin]
        with watch.phase("graph"):
            screen = compose(
                spec.kind, skin, size_px=(spec.size.width_px, spec.size.height_px), scale=spec.size.scale,
                language=spec.language, dark=spec.dark, density=spec.density, seed=spec.seed,
            )  # fmt: skip
        with watch.phase("show"):
            return screen, browser.show(screen, skin, self.icon_sets[spec.icon_set])


@dataclass(frozen=True, slots=True)
class ProgramStudio:
    """Makes screens of programs.

    Attributes:
        workshop: Where they go.
        asking: What they are asked for.
        browser: Path of the browser; None looks for one.
        assets: The ``node_modules`` folder.
    """

    workshop: Workshop
    asking: Asking
    browser: str | None = None
    assets: Path | None = None

    def open(self, stack: ExitStack) -> Bench:
        """See `zoomground.synth.crew.Studio`."""
        stack.enter_context(self.workshop.attended())
        asking = self.asking
        browser = stack.enter_context(
            open_browser(self.browser, self.assets, settles=not asking.quick, named=asking.rows > 0)
        )
        source = Programs(available_skins(self.assets), icon_sets(self.assets))
        return Bench(Maker(source, browser, self.workshop, self.asking))


@dataclass(frozen=True, slots=True)
class Bench:
    """An open studio."""

    maker: Maker

    def make(self, spec: ScreenSpec) -> dict[str, float]:
        """See `zoomground.synth.crew.Bench`."""
        from playwright.sync_api import Error  # noqa: PLC0415 -- the extra may be missing

        watch = Stopwatch()
        try:
            self.maker.make(spec, watch)
        except Error as error:
            raise BrokenBenchError(str(error).splitlines()[0]) from error
        return watch.seconds
