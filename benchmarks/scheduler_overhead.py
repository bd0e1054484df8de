"""What the scheduler costs beside image work: ``python benchmarks/scheduler_overhead.py [--quick]``. Needs ms-swift."""

from __future__ import annotations

import asyncio
import gc
import random
import tempfile
import time
import warnings
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from bench.episodes import a_script, a_task
from bench.machine import ROOT
from bench.result import Limit, Result, Table, arguments, finish
from bench.setups import settings_of
from PIL import Image

from zoomground.geometry import Region, Size
from zoomground.images import EncodedImage, encode
from zoomground.protocol.settings import Arm
from zoomground.protocol.views import Views

if TYPE_CHECKING:
    from collections.abc import Callable

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
        from swift.infer_engine.protocol import (
            ChatCompletionResponse,
            ChatCompletionResponseChoice,
            ChatMessage,
            RequestConfig,
            RolloutInferRequest,
            UsageInfo,
        )
        from swift.rollout import MultiTurnScheduler
        from transformers import AutoTokenizer
    except ImportError as error:
        raise SystemExit(f"skipped: needs ms-swift ({error}); pip install 'zoomground[train]'") from error

from zoomground.engines.swift.active import EngineSettings
from zoomground.engines.swift.scheduler import ZoominGroundingScheduler
from zoomground.engines.swift.session import TASK_COLUMN, Assignment

METHOD = """\
`ZoominGroundingScheduler` in ms-swift's own loop (`MultiTurnScheduler.run`), all trajectories at once, replies of a
scripted engine with token ids and log-probs, the tokenizer of the shipped checkpoint. Each trajectory takes three
turns: a crop, two crops, the answer. Crops are one picture encoded beforehand, so what is left is parsing, protocol,
records, masks, tokens and threads. In a burst all replies of a turn come at once; spread, each comes at a random time
within a second. The same loop with a scheduler that does nothing is taken off. CPU time, best of the rounds; opening an
episode (its screenshot of 160x100 px included) is told apart from turns. Stall: the longest time between two runs of a
ticker that wants to run every millisecond: by the wall, which other programs lengthen, and by the CPU time of the
loop's thread, which is our own doing. What was there before a run is frozen, so that the garbage collector walks
through nothing but what the run makes."""

GOAL_MS = 2.0
"""A turn; issue 8."""

_SIZE = Size(160, 100)
_TICK_S = 0.001
_TURNS = 3
_PICTURE = encode(Image.new("RGB", (64, 64), "grey"))


class NoPictures(Views):
    """Views whose crops are all the same small picture, encoded beforehand."""

    def picture(self, region: Region, shown: Size) -> EncodedImage:  # noqa: ARG002 -- the seam's signature
        """The picture."""
        return _PICTURE


class Nothing(MultiTurnScheduler):
    """The loop's own cost: a next message that is always the same, and an end after three turns."""

    def check_finished(self, infer_request: Any, response_choice: Any, current_turn: int) -> bool:  # noqa: ARG002
        """After the last turn."""
        return current_turn >= _TURNS

    def step(self, infer_request: Any, response_choice: Any, current_turn: int) -> dict[str, Any]:  # noqa: ARG002
        """The next message."""
        infer_request.messages.append({"role": "user", "content": "on"})
        ids = response_choice.token_ids
        return {"infer_request": infer_request, "response_token_ids": ids, "response_loss_mask": [1] * len(ids)}


@dataclass
class Template:
    """What the scheduler asks of ms-swift's template."""

    max_length: int | None = None
    image_token_id: int | None = None

    def _get_response_prefix(self, inputs: Any) -> str:  # noqa: ARG002 -- ms-swift's signature
        return ""


@dataclass
class Clocks:
    """Seconds so far.

    Attributes:
        loop_s: CPU of the event loop's thread.
        all_s: CPU of the process.
    """

    loop_s: float = field(default_factory=time.thread_time)
    all_s: float = field(default_factory=time.process_time)

    def since(self, earlier: Clocks) -> Clocks:
        """The difference."""
        return Clocks(self.loop_s - earlier.loop_s, self.all_s - earlier.all_s)


class Engine:
    """Answers by script. It waits until every trajectory has asked, so that a turn begins for all at once.

    Args:
        scripts: Replies by uuid.
        tokenizer: Counts tokens.
        spread_s: Within how many seconds the replies of a turn come.
    """

    def __init__(self, scripts: dict[str, list[Any]], tokenizer: Any, spread_s: float) -> None:
        self.tokenizer = tokenizer
        self.template = Template()
        self.max_model_len = None
        self.marks: list[Clocks] = []
        self._scripts = scripts
        self._spread_s = spread_s
        self._dice = random.Random(0)
        self._asked = 0
        self._everyone = asyncio.Event()

    async def infer_async(self, request: Any, config: Any, **_: Any) -> Any:  # noqa: ARG002 -- ms-swift's signature
        """The next reply."""
        self._asked += 1
        gate = self._everyone
        if self._asked == len(self._scripts):
            self.marks.append(Clocks())
            self._asked, self._everyone = 0, asyncio.Event()
            gate.set()
        await gate.wait()
        if self._spread_s:
            await asyncio.sleep(self._dice.uniform(0, self._spread_s))
        return self._scripts[request.uuid].pop(0)


@dataclass
class Stall:
    """The longest times between two runs of the ticker."""

    wall_s: float = 0.0
    cpu_s: float = 0.0

    async def watch(self) -> None:
        """Tick until cancelled."""
        while True:
            wall_s, cpu_s = time.perf_counter(), time.thread_time()
            await asyncio.sleep(_TICK_S)
            self.wall_s = max(self.wall_s, time.perf_counter() - wall_s - _TICK_S)
            self.cpu_s = max(self.cpu_s, time.thread_time() - cpu_s)


@dataclass
class Run:
    """One run of all trajectories.

    Attributes:
        opening: What came before the first reply.
        turns: What came after it.
        stall: Longest stalls.
        outputs: What the loop gave for each trajectory.
    """

    opening: Clocks
    turns: Clocks
    stall: Stall
    outputs: list[Any]


def play(make: Callable[[Any], Any], requests: list[Any], scripts: dict[str, list[Any]], spread_s: float) -> Run:
    """Run all trajectories through a scheduler."""
    tokenizer = _tokenizer()

    async def everyone() -> Run:
        engine = Engine({key: list(script) for key, script in scripts.items()}, tokenizer, spread_s)
        scheduler, stall = make(engine), Stall()
        ticker = asyncio.create_task(stall.watch())
        begun = Clocks()
        outputs = await asyncio.gather(*(scheduler.run(request, RequestConfig()) for request in requests))
        ended = Clocks()
        ticker.cancel()
        return Run(engine.marks[0].since(begun), ended.since(engine.marks[0]), stall, list(outputs))

    requests = deepcopy(requests)
    gc.collect()
    gc.freeze()
    try:
        return asyncio.run(everyone())
    finally:
        gc.unfreeze()


_KEPT: list[Any] = []


def _tokenizer() -> Any:
    if not _KEPT:
        _KEPT.append(AutoTokenizer.from_pretrained(ROOT / "data_samples" / "checkpoints" / "boards-start"))
    return _KEPT[0]


def reply(text: str) -> Any:
    """What an engine of ms-swift answers."""
    ids = _tokenizer().encode(text, add_special_tokens=False)
    logprobs = {"content": [{"token": "t", "logprob": -0.25, "bytes": [1]} for _ in ids]}
    choice = ChatCompletionResponseChoice(0, ChatMessage(role="assistant", content=text), "stop", logprobs, ids)
    return ChatCompletionResponse("model", [choice], UsageInfo(1, 1, 2))


def prepared(folder: Path, trajectories: int) -> tuple[list[Any], dict[str, list[Any]]]:
    """Requests and replies, eight trajectories for each screenshot."""
    requests, scripts = [], {}
    dice = random.Random(0)
    for number in range(trajectories):
        file = folder / f"{number // 8}.png"
        if not file.exists():
            Image.new("RGB", (_SIZE.width, _SIZE.height), (number % 256, 80, 120)).save(file)
        task = replace(a_task(str(file), _SIZE), id=f"t{number // 8}")
        key = f"u{number}"
        requests.append(
            RolloutInferRequest(
                messages=[{"role": "user", "content": "<image>whatever"}], images=[str(file)],
                data_dict={TASK_COLUMN: Assignment(task, Arm.ON).to_json()}, uuid=key,
            )
        )  # fmt: skip
        scripts[key] = [reply(text) for text in a_script(file.name, dice)]
    return requests, scripts


@dataclass(frozen=True)
class Costs:
    """Best figures of one way in which replies come, CPU ms of one trajectory or turn, and stalls in ms."""

    opening_loop: float
    opening_threads: float
    turn_loop: float
    turn_threads: float
    stall_wall: float
    stall_cpu: float


def costs(runs: list[Run], trajectories: int) -> Costs:
    """The best of several rounds."""

    def each_ms(part: str, pieces: int) -> tuple[float, float]:
        loops = [getattr(run, part).loop_s for run in runs]
        threads = [getattr(run, part).all_s - getattr(run, part).loop_s for run in runs]
        return 1000 * min(loops) / pieces, 1000 * min(threads) / pieces

    opening, turn = each_ms("opening", trajectories), each_ms("turns", trajectories * _TURNS)
    stalls = min(run.stall.wall_s for run in runs), min(run.stall.cpu_s for run in runs)
    return Costs(*opening, *turn, 1000 * stalls[0], 1000 * stalls[1])


def measure(trajectories: int, rounds: int, ways: dict[str, float]) -> tuple[list[Limit], Table]:
    """Both schedulers, both ways in which replies come, in turns."""
    settings = EngineSettings(episode=settings_of("mini"), off_share=0.0)
    schedulers: dict[str, Callable[[Any], Any]] = {
        "nothing": lambda engine: Nothing(engine, None, tokenizer=engine.tokenizer),
        "ours": lambda engine: ZoominGroundingScheduler(engine, None, settings=settings),
    }
    found: dict[tuple[str, str], list[Run]] = {}
    with tempfile.TemporaryDirectory() as name, mock.patch("zoomground.environment.Views", NoPictures):
        requests, scripts = prepared(Path(name), trajectories)
        for make in schedulers.values():
            play(make, requests[:8], {key: scripts[key] for key in list(scripts)[:8]}, 0.0)  # imports, caches
        for _ in range(rounds):
            for way, spread_s in ways.items():
                for who, make in schedulers.items():
                    run = play(make, requests, scripts, spread_s)
                    found.setdefault((way, who), []).append(replace(run, outputs=[]))
    best = {key: costs(runs, trajectories) for key, runs in found.items()}
    return limits(best), table(best)


def limits(best: dict[tuple[str, str], Costs]) -> list[Limit]:
    """What is held against the goal."""
    made = []
    for way in dict.fromkeys(way for way, _ in best):
        ours, nothing = best[way, "ours"], best[way, "nothing"]
        loop, threads = ours.turn_loop - nothing.turn_loop, ours.turn_threads - nothing.turn_threads
        opening = ours.opening_loop + ours.opening_threads - nothing.opening_loop - nothing.opening_threads
        made += [
            Limit(f"overhead a turn, {way}", "CPU ms", loop + threads, GOAL_MS, "event loop and threads together"),
            Limit(f"of it in the event loop, {way}", "CPU ms", loop),
            Limit(f"opening an episode, {way}", "CPU ms", opening, note="a share of a small screenshot included"),
            Limit(f"longest stall of the event loop, {way}", "CPU ms", ours.stall_cpu),
        ]
    return made


def table(best: dict[tuple[str, str], Costs]) -> Table:
    """Everything as measured."""
    columns = (
        "", "opening: loop", "opening: threads", "turn: loop", "turn: threads", "longest stall: wall",
        "longest stall: CPU",
    )  # fmt: skip
    rows: list[tuple[str | float | int, ...]] = []
    for (way, who), one in best.items():
        figures = (one.opening_loop, one.opening_threads, one.turn_loop, one.turn_threads)
        rows.append((f"{who}, {way}", *figures, one.stall_wall, one.stall_cpu))
    return Table("CPU ms a trajectory (opening) and a turn, stalls in ms", columns, rows)


def main() -> None:
    """Measure."""
    parser = arguments(__doc__)
    parser.add_argument("--trajectories", type=int, help="default 512, quick 128")
    parser.add_argument("--rounds", type=int, help="default 3, quick 1")
    chosen = parser.parse_args()
    trajectories = chosen.trajectories or (128 if chosen.quick else 512)
    rounds, ways = (1, {"burst": 0.0}) if chosen.quick else (3, {"burst": 0.0, "spread": 1.0})
    some, all_of_it = measure(trajectories, chosen.rounds or rounds, ways)
    method = f"{METHOD} Here: {trajectories} trajectories."
    finish(Result("scheduler_overhead", method, chosen.quick, limits=some, tables=[all_of_it]), chosen.json)


if __name__ == "__main__":
    main()
