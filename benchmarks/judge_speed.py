"""What a batch of verdicts takes: ``python benchmarks/judge_speed.py [--episodes N] [--concurrency N] [--latency S]``.

A scripted judge in a process of its own answers every request after the same time, one in ten with status 500. A second
endpoint is dead: its port is closed. The wall time of the batch is held against what the latency alone allows: all
requests, in waves of as many as may be out at once. Then the same batch is judged again, from the cache. The machine's
load is printed: requests cost CPU time here, and a busy machine has none to give.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import platform
import socket
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground import __version__
from zoomground.geometry import Box, Size
from zoomground.judge import Judge, JudgeSettings
from zoomground.policies.completions import Thinking
from zoomground.policies.endpoint import Endpoint
from zoomground.protocol.actions import Answer, Dialect
from zoomground.protocol.settings import EpisodeSettings
from zoomground.task import Task
from zoomground.trajectory import StopReason, Trajectory, Turn

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

GOAL = 1.3
FAILS_EVERY = 10
DEADLINE_S = 60.0


async def serve(latency_s: float, told: Connection) -> None:
    """The judge: reads whole requests, waits, answers or fails; connections stay open."""
    verdict = {"choices": [{"message": {"content": '{"score": 0.5}'}, "finish_reason": "stop"}]}
    good, bad = json.dumps(verdict).encode(), b'{"error": {"message": "it broke"}}'
    asked = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n") if b": " in line)
                await reader.readexactly(int(fields[b"content-length"]))
                asked += 1
                failed = asked % FAILS_EVERY == 0
                await asyncio.sleep(latency_s)
                body, status = (bad, b"500 Broken") if failed else (good, b"200 OK")
                kind = b"HTTP/1.1 " + status + b"\r\nContent-Type: application/json\r\nContent-Length: "
                writer.write(kind + str(len(body)).encode() + b"\r\n\r\n" + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionResetError):
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0, backlog=1024)
    told.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def serve_in_process(latency_s: float, told: Connection) -> None:
    """Target of the server's process."""
    asyncio.run(serve(latency_s, told))


def closed_port() -> int:
    """A port at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def episodes(number: int) -> list[Trajectory]:
    """Hits that differ in their thinking."""
    task = Task("t", "Open the File menu", "screen.png", Size(1920, 1080), Box(0, 0, 100, 40))
    action, where = Answer(20.0, 20.0), "the left end of the bar at the top"
    turns = (
        Turn(f"<think>Word {word} of {where}.</think>\n[20.00,20.00]", "stop", (action,), Dialect.CANONICAL)
        for word in range(number)
    )
    return [
        Trajectory(task, EpisodeSettings(), "screen.png", "", task.size, turns=(turn,), stop_reason=StopReason.ANSWERED)
        for turn in turns
    ]


def measured(arguments: argparse.Namespace, port: int, folder: Path) -> dict[str, Any]:
    """One batch over a live and a dead endpoint, and the same from the cache."""
    addresses = [f"http://127.0.0.1:{place}/v1" for place in (closed_port(), port)]
    judges = tuple(Endpoint(address, "judge", seed=0, timeout_s=30.0, thinking=Thinking.DROP) for address in addresses)
    judge = Judge(JudgeSettings(judges, concurrency=arguments.concurrency, deadline_s=DEADLINE_S, cache_dir=folder))
    batch = episodes(arguments.episodes)
    # Import of the SDK and the first connection are paid once a process.
    asyncio.run(judge.opinions(episodes(arguments.episodes + 1)[-1:]))
    judge.take()
    cpu_s, started = time.process_time(), time.perf_counter()
    opinions = asyncio.run(judge.opinions(batch))
    wall_s, cpu_s = time.perf_counter() - started, time.process_time() - cpu_s
    first = judge.take()
    again_s = time.perf_counter()
    asyncio.run(judge.opinions(batch))
    again_s = time.perf_counter() - again_s
    least_s = first.requests / arguments.concurrency * arguments.latency
    return {
        "episodes": arguments.episodes,
        "concurrency": arguments.concurrency,
        "latency_s": arguments.latency,
        "requests": first.requests,
        "opinions": dict(Counter(str(one.failure or "score") for one in opinions)),
        "wall_s": wall_s,
        "least_s": least_s,
        "ratio": wall_s / least_s,
        "goal": GOAL,
        "cpu_ms_a_request": 1000 * cpu_s / first.requests,
        "again_s": again_s,
        "again_requests": judge.take().requests,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=512)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.5, help="Time of one reply, s.")
    parser.add_argument("--json", type=Path, help="write the figures here as well")
    arguments = parser.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(
        target=serve_in_process, args=(arguments.latency, there), daemon=True
    )
    server.start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            figures = measured(arguments, here.recv(), Path(folder))
    finally:
        server.terminate()
        server.join()
    machine = {"machine": platform.machine(), "cores": os.cpu_count(), "load": os.getloadavg()[0]}
    text = json.dumps(figures | machine | {"version": __version__}, indent=1)
    print(text)
    if arguments.json is not None:
        arguments.json.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
