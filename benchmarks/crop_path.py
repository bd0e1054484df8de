"""What a crop costs on its way to the model: ``python benchmarks/crop_path.py [--quick] [--group N] [--rounds N]``."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench import screens
from bench.episodes import group
from bench.paths import ENVIRONMENT, Trip, floor, ours, straightforward
from bench.result import Better, Comparison, Result, Table, arguments, finish
from bench.setups import RECIPES, settings_of
from bench.timing import Laps, in_turns

from zoomground.images import load_screenshot

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from bench.timing import Best

    from zoomground.geometry import Size

METHOD = """\
Groups of episodes of three crops each (a part of the screen, a part of that, a small window elsewhere) on PNG screens
made of the shipped ones. Ours: `GroundingEnv` as the engine's session drives it, the screenshot opened once for its
group, then base64, decode, the enlargement and the processor's resize (which has nothing to do) at the receiver, which
in training is there twice on either side (server and trainer) and counted once. Straightforward, for each crop of each
episode: open the PNG, convert to RGB, crop, LANCZOS x4 capped at 4 MP, PNG at the default level, base64, decode, the
processor's bicubic resize (Pillow's). The floor: copy of the region, one resample, PNG level 1 encode, decode. CPU time
of one thread, best of the rounds, sides in turns; bytes are those of the crops' data URIs.
Set-ups are those of the recipes demo-cpu, mini-gpu and qwen3_8_27b (reported)."""

CROPS_GOAL, BYTES_GOAL = 5.0, 3.0
"""At 4K; issue 8."""

FLOOR_STEPS = ("copy", "resample", "encode", "decode")
STEPS = ("open", "protocol", "picture", "cut", "encode", "base64", "decode", "processor")


def measure(folder: Path, size: Size, chosen: argparse.Namespace) -> tuple[list[Comparison], list[Table]]:
    """All ways at one size of screen."""
    files = screens.write(folder, size, chosen.screens)
    episodes = [one for number, file in enumerate(files) for one in group(file, size, chosen.group, seed=number)]
    settings = {name: settings_of(name) for name in RECIPES}
    limits = {name: one.limits for name, one in settings.items()}
    sides: dict[str, Callable[[], Trip]] = {name: partial(ours, episodes, one) for name, one in settings.items()}
    sides["straightforward"] = lambda: straightforward(episodes, limits)
    best = in_turns(chosen.rounds, sides)
    bottom = {name: floor(episodes, load_screenshot(files[0]), one) for name, one in settings.items()}
    comparisons = [one for name in RECIPES for one in compared(name, size, best, bottom[name])]
    crops = best["straightforward"].result.crops
    return comparisons, [steps(size, best), floors(size, bottom, crops)]


def compared(name: str, size: Size, best: dict[str, Best[Trip]], bottom: Laps) -> list[Comparison]:
    """Ours in one set-up against the straightforward way in the same one."""
    our, other = best[name].result, best["straightforward"].result
    crops, where = our.crops, f"{size.width}x{size.height}, {name}"
    at_4k = size == screens.UHD
    return [
        Comparison(
            f"crops, {where}", "1/s a core", crops / our.laps.total_s(), crops / whole_s(other.laps, name),
            Better.MORE, CROPS_GOAL if at_4k else None, crops / bottom.total_s(),
        ),
        Comparison(
            f"crops, environment's side alone, {where}", "1/s a core", crops / our.laps.total_s(*ENVIRONMENT),
            crops / other.laps.total_s(*ENVIRONMENT), Better.MORE,
            floor=crops / bottom.total_s("copy", "resample", "encode"),
        ),
        Comparison(
            f"shipped crops a trajectory, {where}", "kB", our.chars_a_trajectory / 1e3, other.chars_a_trajectory / 1e3,
            Better.LESS, BYTES_GOAL if at_4k else None,
        ),
    ]  # fmt: skip


def whole_s(laps: Laps, name: str) -> float:
    """The straightforward way's seconds with one set-up's processor."""
    return laps.total_s(*ENVIRONMENT, "decode", f"processor {name}")


def steps(size: Size, best: dict[str, Best[Trip]]) -> Table:
    """Where the time of a crop goes."""
    rows: list[tuple[str | float | int, ...]] = []
    for name in RECIPES:
        laps, crops = best[name].result.laps, best[name].result.crops
        rows.append((f"ours, {name}", *(1000 * laps.seconds.get(step, 0.0) / crops for step in STEPS)))
    laps, crops = best["straightforward"].result.laps, best["straightforward"].result.crops
    steps_s = {**laps.seconds, "processor": laps.seconds["processor reported"]}
    rows.append(("straightforward, reported", *(1000 * steps_s.get(step, 0.0) / crops for step in STEPS)))
    title = f"CPU ms a crop by step, {size.width}x{size.height} (picture: ours cuts and encodes; protocol: base64, too)"
    return Table(title, ("", *STEPS), rows)


def floors(size: Size, bottom: dict[str, Laps], crops: int) -> Table:
    """The floor by step."""
    rows: list[tuple[str | float | int, ...]] = [
        (name, *(1000 * laps.seconds[step] / crops for step in FLOOR_STEPS)) for name, laps in bottom.items()
    ]
    return Table(f"Floor, CPU ms a crop, {size.width}x{size.height}", ("", *FLOOR_STEPS), rows)


def main() -> None:
    """Measure at 1080p and at 4K."""
    parser = arguments(__doc__)
    parser.add_argument("--screens", type=int, default=1, help="prompts, each with a screenshot of its own")
    parser.add_argument("--group", type=int, help="episodes of a prompt; default 8, quick 2")
    parser.add_argument("--rounds", type=int, help="default 2, quick 1")
    chosen = parser.parse_args()
    chosen.group = chosen.group or (2 if chosen.quick else 8)
    chosen.rounds = chosen.rounds or (1 if chosen.quick else 2)
    comparisons, tables = [], []
    with tempfile.TemporaryDirectory() as folder:
        for size in (screens.FULL_HD, screens.UHD):
            some, parts = measure(Path(folder), size, chosen)
            comparisons += some
            tables += parts
    method = f"{METHOD} Here: {chosen.screens} prompt(s) of {chosen.group} episodes, {chosen.rounds} round(s)."
    finish(Result("crop_path", method, chosen.quick, comparisons, tables=tables), chosen.json)


if __name__ == "__main__":
    main()
