"""Stands in for ms-swift where the launcher is tested: it serves, connects and tells what it saw; it trains nothing."""

import http.server
import json
import os
import shutil
import signal
import socket
import sys
import time
import urllib.request
from pathlib import Path
from threading import Thread

PATIENCE_S = 120.0
SEEN = Path(os.environ["STANDIN_SEEN"])
WORDS = sys.argv[2:]
OPEN: list[socket.socket] = []


def option(name: str) -> str:
    """The first word of an option."""
    return WORDS[WORDS.index(f"--{name}") + 1]


def tell(name: str, **what: object) -> None:
    """Write down what was seen, whole or not at all."""
    part = SEEN / f".{name}.part"
    part.write_text(json.dumps({"argv": WORDS, "env": dict(os.environ), **what}), encoding="utf-8")
    part.rename(SEEN / f"{name}.json")


def connect(host: str, port: int) -> socket.socket:
    """A connection to somebody who may not be there yet."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return socket.create_connection((host, port), timeout=10)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


class Answers(http.server.BaseHTTPRequestHandler):
    """Health, and the weight sync's port, which is opened when a trainer asks for it."""

    def do_GET(self) -> None:
        """Answer."""
        head, _, number = self.path.rpartition("/")
        if head == "/open":
            group = socket.create_server((option("host"), int(number)))
            OPEN.append(group)
            Thread(target=lambda: tell("synced", peer=group.accept()[1][0]), daemon=True).start()
        self.send_response(200 if self.path == "/health" or head == "/open" else 404)
        self.end_headers()


def rollout() -> None:
    """Serve until ended."""
    server = http.server.ThreadingHTTPServer((option("host"), int(option("port"))), Answers)
    tell("rollout")
    server.serve_forever()


def rlhf() -> None:
    """Sync weights (rank 0), meet the other training nodes at the master's port, write a checkpoint (rank 0)."""
    host, output = option("vllm_server_host"), Path(option("output_dir"))
    rank, master = int(os.environ["NODE_RANK"]), (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
    if rank == 0:
        own = socket.create_server(master)
        group = option("vllm_server_group_port")
        with urllib.request.urlopen(f"http://{host}:{option('vllm_server_port')}/open/{group}", timeout=30):
            connect(host, int(group)).close()
        own.settimeout(PATIENCE_S)
        tell("rlhf-0", peer=own.accept()[1][0])
    else:
        connect(*master).close()
        tell(f"rlhf-{rank}")
    if "STANDIN_HOLDS" in os.environ:
        signal.pause()
    if rank == 0:
        checkpoint = output / f"checkpoint-{option('max_steps')}"
        checkpoint.mkdir(parents=True)
        (checkpoint / "config.json").write_text("{}", encoding="utf-8")
        (output / "logging.jsonl").write_text(
            json.dumps({"loss": 0.5, "reward": 0.5, "global_step/max_steps": "1/1"}) + "\n", encoding="utf-8"
        )
        trajectories = Path(os.environ["ZOOMIN_TRAJECTORIES"])
        trajectories.mkdir(parents=True)
        shutil.copy("played.jsonl", trajectories / "rank0.jsonl")


if __name__ == "__main__":
    {"rollout": rollout, "rlhf": rlhf}[sys.argv[1]]()
