"""What evaluation costs beside waiting: ``python benchmarks/eval_speed.py [--items N] [--width N] [--latency S]``.

A scripted endpoint in a process of its own answers every request after the same time: first with a crop, then with a
point. Every item has a PNG of its own and takes one crop. Two figures come out: the wall time against what the latency
alone allows, and the CPU time of an item against one decode of the screen, one resample of the crop and one encode of
it, made by plain Pillow on the same files just before the run and just after it. The machine's load is printed: on a
busy machine the wall says little, CPU times a bit more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import multiprocessing
import os
import platform
import random
import shutil
import tempfile
import time
from dataclasses import asdict, dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageDraw, ImageFont

from zoomground import __version__
from zoomground.evaluate.benchmarks import benchmark
from zoomground.evaluate.items import Scoring
from zoomground.evaluate.plan import choose, plan
from zoomground.evaluate.players import endpoint_player
from zoomground.evaluate.run import run
from zoomground.evaluate.selfcheck import self_check
from zoomground.evaluate.summary import Summary
from zoomground.geometry import NORM_FRAME, Box, Region, Size
from zoomground.policies.endpoint import Endpoint
from zoomground.protocol.actions import Answer, Crop
from zoomground.protocol.render import render
from zoomground.protocol.settings import EpisodeSettings
from zoomground.rewards import Rubric

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

WALL_GOAL, CPU_GOAL = 1.3, 1.5

REPLIES = 2
"""Of each episode: a crop, then a point."""

CROP = Box(250, 250, 500, 500)
"""What the endpoint asks to see, in [0, 1000] of the screen."""

_IMAGE_PATH = "screen-0000.png"
_SECOND_TURN = b"crop_image action result"
_DRAWINGS = 40
"""Different screens; further files are copies. Nothing is kept from one item to the next, so each is decoded again."""


@dataclass(frozen=True)
class Costs:
    """What came out.

    Attributes:
        items: Items that were asked.
        width: Episodes at the same time.
        latency_s: Time of one reply.
        screen: Width and height of a screen in px.
        hits: Items that came out right: all of them, or the run is not what it seems.
        wall_s: Wall time of the run.
        least_wall_s: What the latency alone allows.
        cpu_ms: CPU time of one item in the run.
        decode_ms: Plain Pillow: one decode of the screen.
        resample_ms: Plain Pillow: one resample of the crop.
        encode_ms: Plain Pillow: one encode of the crop.
        before_cpu_s: CPU time of self-check and first reading, once a run.
        after_cpu_s: CPU time of the summary, once a run.
    """

    items: int
    width: int
    latency_s: float
    screen: tuple[int, int]
    hits: int
    wall_s: float
    least_wall_s: float
    cpu_ms: float
    decode_ms: float
    resample_ms: float
    encode_ms: float
    before_cpu_s: float
    after_cpu_s: float

    @property
    def wall_ratio(self) -> float:
        """Wall time in units of what the latency alone allows."""
        return self.wall_s / self.least_wall_s

    @property
    def plain_ms(self) -> float:
        """One decode, one resample and one encode."""
        return self.decode_ms + self.resample_ms + self.encode_ms

    @property
    def cpu_ratio(self) -> float:
        """CPU time of an item in units of one decode, one resample and one encode."""
        return self.cpu_ms / self.plain_ms

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        ratios = {"wall_ratio": self.wall_ratio, "plain_ms": self.plain_ms, "cpu_ratio": self.cpu_ratio}
        goals = {"wall_ratio": WALL_GOAL, "cpu_ratio": CPU_GOAL}
        machine = {"machine": platform.machine(), "cores": os.cpu_count(), "load": os.getloadavg()[0]}
        return {**asdict(self), **ratios, "goals": goals, **machine}


def crop_reply(name: str) -> str:
    """The first turn."""
    return render((Crop(name, CROP.x1, CROP.y1, CROP.x2, CROP.y2),))


async def serve(latency_s: float, told: Connection) -> None:
    """The endpoint: reads whole requests, waits, answers; connections stay open."""
    bodies = {
        second: json.dumps(
            {
                "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1},
            }
        ).encode()
        for second, text in ((False, crop_reply("NAME")), (True, render((Answer(375.0, 375.0),))))
    }

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n") if b": " in line)
                asked = await reader.readexactly(int(fields[b"content-length"]))
                await asyncio.sleep(latency_s)
                body = bodies[_SECOND_TURN in asked]
                start = asked.find(b"image_path: ") + len(b"image_path: ")
                body = body.replace(b"NAME", asked[start : start + len(_IMAGE_PATH)])
                length = str(len(body)).encode()
                kind = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                writer.write(kind + length + b"\r\n\r\n" + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionResetError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0, limit=1 << 26)
    told.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def endpoint_process(latency_s: float, told: Connection) -> None:
    """Body of the endpoint's process."""
    asyncio.run(serve(latency_s, told))


def draw_screen(size: Size, seed: int) -> Image.Image:
    """Something like a screen: windows, lines of text, small patches of picture."""
    dice = random.Random(seed)
    image = Image.new("RGB", (size.width, size.height), (236, 238, 241))
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(15)
    letters = "abcdefghijklmnopqrstuvwxyz     ABCDEFG0123456789"
    for _ in range(5):
        x, y = dice.randrange(size.width // 2), dice.randrange(size.height // 2)
        box = (x, y, x + size.width // 2, y + size.height // 2)
        pen.rectangle(box, fill="white", outline=(160, 160, 160))
        for line in range(y + 8, y + size.height // 2 - 20, 22):
            pen.text((x + 10, line), "".join(dice.choices(letters, k=90)), fill=(30, 30, 40), font=font)
    for _ in range(4):
        noise = Image.effect_noise((160, 100), 60).convert("RGB").resize((240, 150), Image.Resampling.BICUBIC)
        image.paste(noise, (dice.randrange(size.width - 240), dice.randrange(size.height - 150)))
    return image


def write_screens(folder: Path, items: int, size: Size) -> None:
    """One screen and one row for each item; the target is around the point that the endpoint answers."""
    x, y = 0.375 * size.width, 0.375 * size.height
    rows = []
    for number in range(items):
        name = f"screen-{number:04d}.png"
        if number < _DRAWINGS:
            draw_screen(size, number).save(folder / name, compress_level=6)
        else:
            shutil.copyfile(folder / f"screen-{number % _DRAWINGS:04d}.png", folder / name)
        solution = json.dumps([x - 10, y - 10, x + 10, y + 10])
        rows.append({"id": name, "problem": f"<image>Open item {number}", "solution": solution, "images": [name]})
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def plain_costs(files: list[Path], settings: EpisodeSettings) -> tuple[float, float, float]:
    """Mean CPU time in ms of one decode, one resample and one encode by plain Pillow."""
    spent = [0.0] * 3
    for file in files:
        data = file.read_bytes()
        at = [time.process_time()]
        image = Image.open(BytesIO(data))
        image.load()
        at.append(time.process_time())
        size = Size(*image.size)
        region = Region.whole(size).subregion(CROP, NORM_FRAME)
        shown = settings.limits.shown_size(region.size, settings.crop_upscale_factor, settings.crop_max_pixels)
        window = image.crop((region.x1, region.y1, region.x2, region.y2))
        crop = window.resize((shown.width, shown.height), Image.Resampling.LANCZOS)
        at.append(time.process_time())
        crop.save(BytesIO(), "PNG", compress_level=1)
        at.append(time.process_time())
        spent = [one + after - before for one, (before, after) in zip(spent, pairwise(at), strict=True)]
    decode, resample, encode = (1000 * one / len(files) for one in spent)
    return decode, resample, encode


def measure(folder: Path, port: int, chosen: argparse.Namespace) -> Costs:
    """Evaluate, with clocks on the parts."""
    settings, one = EpisodeSettings(), benchmark("rows")
    endpoint = Endpoint(f"http://127.0.0.1:{port}/v1", "scripted")
    files = sorted(folder.glob("*.png"))[:_DRAWINGS]
    before = plain_costs(files, settings)
    begun = time.process_time()
    items, _ = choose(one.load(folder))
    evaluation = plan(
        one, items, profile_name="zoomground", arms=("on",), settings=settings, model={"kind": "scripted"},
        scoring=Scoring.TRUE, rubric=Rubric(),
    )  # fmt: skip
    self_check(evaluation, play=True)
    ready, wall = time.process_time(), time.perf_counter()
    player = endpoint_player(endpoint, chosen.width)
    results = run(evaluation, player, folder / "run", version=__version__)
    wall, played = time.perf_counter() - wall, time.process_time()
    summary = Summary.of(evaluation, results)
    done = time.process_time()
    plain = [fmean(pair) for pair in zip(before, plain_costs(files, settings), strict=True)]
    return Costs(
        items=len(items),
        width=chosen.width,
        latency_s=chosen.latency,
        screen=chosen.size,
        hits=summary.arms["on"].scores.overall.count,
        wall_s=wall,
        least_wall_s=math.ceil(len(items) / chosen.width) * REPLIES * chosen.latency,
        cpu_ms=1000 * (played - ready) / len(items),
        decode_ms=plain[0],
        resample_ms=plain[1],
        encode_ms=plain[2],
        before_cpu_s=ready - begun,
        after_cpu_s=done - played,
    )


def tell(costs: Costs) -> None:
    """The table."""
    rows = [
        ("items, of them right", f"{costs.items}, {costs.hits}"),
        ("wall", f"{costs.wall_s:.1f} s"),
        ("latency alone", f"{costs.least_wall_s:.1f} s"),
        ("wall / latency alone", f"{costs.wall_ratio:.2f} (goal < {WALL_GOAL})"),
        ("CPU an item", f"{costs.cpu_ms:.1f} ms"),
        ("decode + resample + encode", f"{costs.plain_ms:.1f} ms = {costs.decode_ms:.1f} + {costs.resample_ms:.1f} + "
                                       f"{costs.encode_ms:.1f}"),
        ("CPU / these three", f"{costs.cpu_ratio:.2f} (goal <= {CPU_GOAL})"),
        ("CPU once a run", f"{costs.before_cpu_s:.2f} s before, {costs.after_cpu_s:.2f} s after"),
    ]  # fmt: skip
    for name, value in rows:
        print(f"{name:<28}{value}")


def main() -> None:
    """Draw screens, start the endpoint, evaluate; exit 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--width", type=int, default=32, help="episodes at the same time")
    parser.add_argument("--latency", type=float, default=2.0, help="seconds of one reply")
    parser.add_argument("--size", type=int, nargs=2, default=(1920, 1080), help="width and height of a screen in px")
    parser.add_argument("--json", type=Path, help="write the figures here as well")
    chosen = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}")
    spawn = multiprocessing.get_context("spawn")
    heard, told = spawn.Pipe(duplex=False)
    process = spawn.Process(target=endpoint_process, args=(chosen.latency, told), daemon=True)
    process.start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            write_screens(Path(folder), chosen.items, Size(*chosen.size))
            costs = measure(Path(folder), heard.recv(), chosen)
    finally:
        process.terminate()
        process.join()
    tell(costs)
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(costs.to_dict(), indent=1) + "\n", "utf-8")
    met = costs.wall_ratio < WALL_GOAL and costs.cpu_ratio <= CPU_GOAL and costs.hits == costs.items
    print(f"load after {os.getloadavg()[0]:.1f}; {'goals met' if met else 'NOT met'}")
    raise SystemExit(not met)


if __name__ == "__main__":
    main()
