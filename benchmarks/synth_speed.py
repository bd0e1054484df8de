"""How fast screens are made, and what binds: ``python benchmarks/synth_speed.py [--assets DIR] [--screens N]``.

Two worker processes make dense screens at 1920x1080 and at 3840x2160, labels and gates included, as the verb ``synth``
does. Then one process makes some of them with a clock on every step. The machine's load is printed, because on a busy
machine the wall says little.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground.synth import assets as npm
from zoomground.synth import browser as browser_module
from zoomground.synth import label as label_module
from zoomground.synth import make as make_module
from zoomground.synth.make import Asking
from zoomground.synth.parts import Workshop
from zoomground.synth.plan import Plan, ScreenSpec, make_plan
from zoomground.synth.run import Goal, make_set
from zoomground.synth.sizes import ScreenSize
from zoomground.synth.studio import ProgramStudio, supply

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (ScreenSize(1920, 1080, 1.0), ScreenSize(3840, 2160, 1.0))
GOALS = {1920: 6.0, 3840: 2.0}


@dataclass(frozen=True)
class Dense:
    """The screens of a plan, all of them packed."""

    plan: Plan

    def screen(self, number: int) -> ScreenSpec:
        """The screen of a number."""
        return replace(self.plan.screen(number), density=0.9)


class Clock:
    """Seconds by step; steps inside others are taken off them."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._inside = [0.0]

    def on(self, owner: Any, name: str, step: str) -> None:
        """Time every call of a function."""
        original: Callable[..., Any] = getattr(owner, name)

        def timed(*args: Any, **options: Any) -> Any:
            self._inside.append(0.0)
            begun = time.perf_counter()
            try:
                return original(*args, **options)
            finally:
                took = time.perf_counter() - begun
                self.seconds[step] += took - self._inside.pop()
                self._inside[-1] += took

        setattr(owner, name, timed)


def plan(size: ScreenSize, assets: Path | None) -> Dense:
    """Dense screens of one size."""
    return Dense(make_plan(supply(assets), seed=17, sizes=[size]))


def measure_rate(size: ScreenSize, screens: int, jobs: int, assets: Path | None) -> None:
    """Make screens as `zoomground synth` does."""
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(Path(folder) / "set")
        studio = ProgramStudio(workshop, Asking(8, 0.05), None, assets)
        marks: list[float] = []
        made = make_set(
            plan(size, assets), studio, workshop, Goal(screens=screens), jobs=jobs, terms={}, describe=lambda: "",
            on_pace=lambda _: marks.append(time.perf_counter()),
        )  # fmt: skip
        elements = [part.elements for number in workshop.numbers() if (part := workshop.read(number))]
    # The first screens wait for the browsers to start.
    rate = (len(marks) - jobs - 1) / (marks[-1] - marks[jobs])
    print(
        f"{size}: {rate:.1f} screens/s with {jobs} processes (goal {GOALS[size.width_px]:g}); "
        f"elements: median {statistics.median(elements):.0f}, least {min(elements)}; rows {made.figures['rows']}"
    )


def split_time(size: ScreenSize, screens: int, assets: Path | None) -> None:
    """Make screens in this process with a clock on every step."""
    clock = Clock()
    steps = (
        (make_module, "lossless_webp", "encode"), (make_module, "look_of", "hash"),
        (make_module, "label_screen", "asks"),
        (browser_module, "draw", "markup"), (browser_module.Browser, "show", "show"),
        (browser_module.Browser, "measure", "measure"), (browser_module.Browser, "texts", "measure"),
        (browser_module.Browser, "test", "measure"), (browser_module.Browser, "png", "screenshot"),
        (make_module, "decoded", "decode"), (label_module.gates, "ink", "ink"),
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        workshop = Workshop(Path(folder))
        workshop.begin({})
        bench = ProgramStudio(workshop, Asking(8, 0.05), None, assets).open(stack)
        bench.make(plan(size, assets).screen(screens + 1))
        for owner, name, step in steps:
            clock.on(owner, name, step)
        begun = time.perf_counter()
        graph = sum(bench.make(plan(size, assets).screen(number))["graph"] for number in range(1, screens + 1))
        took = time.perf_counter() - begun
    parts = {"graph": graph, **clock.seconds}
    parts["files and rest"] = took - sum(parts.values())
    text = ", ".join(
        f"{name} {1000 * seconds / screens:.0f}" for name, seconds in sorted(parts.items(), key=lambda p: -p[1])
    )
    print(f"{size}, one process: {1000 * took / screens:.0f} ms a screen: {text}")


def main() -> None:
    """Measure both sizes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assets", type=Path, help="folder of the npm packages of skins and icons")
    parser.add_argument("--screens", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    assets = npm.find(chosen.assets)
    print(f"{platform.machine()}, {os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}")
    for size in SIZES:
        measure_rate(size, chosen.screens, chosen.jobs, assets)
    for size in SIZES:
        split_time(size, max(10, chosen.screens // 4), assets)
    print(f"load after {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
