"""Memory of open episodes: ``python benchmarks/episodes_memory.py [--quick]``: 512 of them on 64 screenshots of 4K."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench import screens
from bench.episodes import group, play
from bench.paths import SHELF_BYTES, straightforward_size
from bench.result import Better, Comparison, Result, Table, arguments, finish
from bench.setups import settings_of
from PIL import Image

from zoomground.engines.swift.pictures import Shelf
from zoomground.images import load_screenshot
from zoomground.protocol.views import TravellingViews

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from bench.episodes import Episode

    from zoomground.geometry import Size

METHOD = """\
Every side in a fresh process: peak resident memory while all episodes are open, less what the process took before the
first. Ours: screenshots on the engine's shelf, `GroundingEnv` played to its end and kept, with the encoded crops and
the data URIs that the conversation holds. Straightforward: every episode keeps its own decoded screenshot and its own
three decoded crops (x4, at most 4 MP); its data URIs are left out, in its favour. Where fewer episodes were opened than
asked for, the figure is scaled, screenshots and episodes in the same proportion, and the note says so; what one crop
takes for a moment is scaled with it, against us. Held: pixels (4 bytes each in Pillow), bytes of encoded crops and
characters of data URIs, counted on the objects."""

SCREENS, MEMBERS = 64, 8
GOAL = 5.0
"""At most a fifth; issue 8."""

_BYTES_A_PIXEL = 4
_SIDES = ("mini", "reported", "straightforward")


@dataclass(frozen=True)
class Held:
    """What a process held.

    Attributes:
        episodes: Episodes that were open.
        before_mb: Resident memory before the first, MB.
        peak_mb: Its peak, MB.
        pixels_mb: Decoded pixels.
        encoded_mb: Encoded crops and data URIs.
    """

    episodes: int
    before_mb: float
    peak_mb: float
    pixels_mb: float
    encoded_mb: float

    def scaled_gb(self, episodes: int) -> float:
        """What the episodes take beside the process itself, for another number of them, GB."""
        return (self.peak_mb - self.before_mb) * episodes / self.episodes / 1000


def resident_mb(field: str) -> float:
    """A line of this process's status: ``VmRSS``, or ``VmHWM`` for the peak; MB."""
    for line in Path("/proc/self/status").read_text("utf-8").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise SystemExit(f"this system's /proc/self/status has no {field}: the benchmark needs Linux")


def _pixels_mb(pictures: Iterable[Image.Image]) -> float:
    different = {id(one): one for one in pictures}
    return sum(one.width * one.height for one in different.values()) * _BYTES_A_PIXEL / 1e6


def hold_ours(episodes: list[Episode], setup: str) -> Held:
    """Open and play all episodes, and keep them."""
    settings = settings_of(setup)
    before_mb = resident_mb("VmRSS")
    shelf = Shelf(lambda reference: load_screenshot(str(reference)), SHELF_BYTES)
    envs, shipped = [], []
    for episode in episodes:
        env = episode.environment(shelf.open(episode.file), settings)
        env.views = TravellingViews(env.screenshot, env.image_name, settings)
        shipped.append(play(env, episode.script))
        envs.append(env)
    crops = [env.views.encoded(view.name) for env in envs for view in env.trajectory().crops]
    encoded = sum(len(one.data) for one in crops) + sum(len(uri) for uris in shipped for uri in uris)
    pixels_mb = _pixels_mb(env.screenshot.pixels for env in envs)
    return Held(len(episodes), before_mb, resident_mb("VmHWM"), pixels_mb, encoded / 1e6)


def hold_straightforward(episodes: list[Episode]) -> Held:
    """Decode everything for each episode, and keep it."""
    before_mb = resident_mb("VmRSS")
    kept: list[Image.Image] = []
    for episode in episodes:
        with Image.open(episode.file) as opened:
            screen = opened.convert("RGB")
        kept.append(screen)
        for region in episode.regions:
            window = screen.crop((region.x1, region.y1, region.x2, region.y2))
            kept.append(window.resize(straightforward_size(region.size), Image.Resampling.LANCZOS))
    return Held(len(episodes), before_mb, resident_mb("VmHWM"), _pixels_mb(kept), 0.0)


def opened(folder: Path, prompts: int, members: int, size: Size) -> list[Episode]:
    """The episodes of some prompts on the files of a folder."""
    files = sorted(folder.glob("*.png"))[:prompts]
    return [one for number, file in enumerate(files) for one in group(file, size, members, seed=number)]


def in_a_process(folder: Path, side: str, prompts: int, members: int) -> Held:
    """One side in a process of its own."""
    words = [sys.executable, __file__, "--side", side, "--folder", str(folder), "--prompts", str(prompts)]
    words += ["--members", str(members)]
    said = subprocess.run(words, capture_output=True, text=True, check=True)  # noqa: S603 -- our own command
    return Held(**json.loads(said.stdout))


def hold(chosen: argparse.Namespace) -> None:
    """Body of such a process."""
    episodes = opened(chosen.folder, chosen.prompts, chosen.members, screens.UHD)
    held = hold_straightforward(episodes) if chosen.side == "straightforward" else hold_ours(episodes, chosen.side)
    print(json.dumps(asdict(held)))


def compared(setup: str, held: dict[str, Held], episodes: int) -> Comparison:
    """Ours in one set-up against the straightforward way, for as many episodes as asked for."""
    names = (setup, "straightforward")
    scaled = [f"{name} scaled from {held[name].episodes}" for name in names if held[name].episodes != episodes]
    return Comparison(
        f"{episodes} open episodes on {episodes // MEMBERS} 4K screenshots, {setup}", "GB",
        held[setup].scaled_gb(episodes), held["straightforward"].scaled_gb(episodes), Better.LESS, GOAL,
        note=", ".join(scaled),
    )  # fmt: skip


def main() -> None:
    """Every side in its process, one after the other."""
    parser = arguments(__doc__)
    parser.add_argument("--side", choices=_SIDES, help="for the processes that this one starts")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--prompts", type=int, default=SCREENS, help="screenshots of ours at the set-up mini")
    parser.add_argument("--members", type=int, default=MEMBERS)
    chosen = parser.parse_args()
    if chosen.side:
        hold(chosen)
        return
    # A crop of 4 MP takes a fifth of a second, and decoded episodes 80 MB each: fewer are opened of these.
    prompts = {"mini": chosen.prompts, "reported": min(chosen.prompts, 4), "straightforward": 2}
    if chosen.quick:
        prompts = dict.fromkeys(_SIDES, 1)
    episodes = chosen.prompts * MEMBERS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        screens.write(folder, screens.UHD, max(prompts.values()), different=8)
        held = {side: in_a_process(folder, side, prompts[side], MEMBERS) for side in _SIDES}
    comparisons = [compared(setup, held, episodes) for setup in ("mini", "reported")]
    columns = ("", "episodes", "before MB", "peak MB", "held: pixels MB", "held: encoded and URIs MB")
    rows: list[tuple[str | float | int, ...]] = [
        (side, one.episodes, one.before_mb, one.peak_mb, one.pixels_mb, one.encoded_mb) for side, one in held.items()
    ]
    table = Table("As measured", columns, rows)
    finish(Result("episodes_memory", METHOD, chosen.quick, comparisons, tables=[table]), chosen.json)


if __name__ == "__main__":
    main()
