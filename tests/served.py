"""A tiny checkpoint behind the engine's own OpenAI server, on loopback, in a process of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from episodes import crop_text, env, task
from zoomground.geometry import PixelLimits, Size
from zoomground.protocol.settings import EpisodeSettings

# Small enough that the server's own pixel limits change nothing.
LIMITS = PixelLimits(factor=32, min_pixels=4 * 32**2, max_pixels=16 * 32**2)
SETTINGS = EpisodeSettings(limits=LIMITS)
SCREEN = Size(128, 96)
MODEL = "tiny"
_PLUGIN = Path(__file__).parents[1] / "src" / "zoomground" / "engines" / "swift" / "plugin.py"
_UP = "Uvicorn running on"
_MOST_S = 300


def build(folder: Path) -> None:
    """A tiny checkpoint whose words are those of an episode."""
    from zoomground.engines.tiny import build_checkpoint
    from zoomground.engines.tiny_shape import TinyShape

    episode = env(task(SCREEN), SETTINGS)
    episode.step(crop_text(100, 100, 600, 700))
    words = [message.text for message in episode.messages]
    shape = TinyShape(initializer_range=0.15)
    build_checkpoint(folder, arch="qwen3_vl", limits=LIMITS, seed=1, corpus=words, shape=shape)


@contextmanager
def served(checkpoint: Path, log: Path, *, max_length: int = 4096) -> Iterator[str]:
    """Serve a qwen3_vl checkpoint by ``swift deploy`` with the transformers backend; gives the base URL."""
    port = _free_port()
    command = [
        sys.executable, "-m", "swift.cli.deploy", "--model", checkpoint, "--model_type", "qwen3_vl",
        "--template", "zoomground_qwen3_vl", "--external_plugins", _PLUGIN, "--infer_backend", "transformers",
        "--torch_dtype", "float32", "--max_length", max_length, "--served_model_name", MODEL, "--verbose", "false",
        "--log_interval", "-1", "--host", "127.0.0.1", "--port", port,
    ]  # fmt: skip
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environ
    )
    up = threading.Event()
    reader = threading.Thread(target=_follow, args=(process, log, up), daemon=True)
    reader.start()
    try:
        up.wait(_MOST_S)
        assert process.poll() is None, log.read_text("utf-8")[-3000:]
        base_url = f"http://127.0.0.1:{port}/v1"
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{base_url}/models") as answer:
            assert answer.status == 200
        yield base_url
    finally:
        process.terminate()
        process.wait(60)
        reader.join()


def _follow(process: subprocess.Popen[str], log: Path, up: threading.Event) -> None:
    """Keep what the server writes, and see when it is up; at its end as well, so that nobody waits for a dead one."""
    assert process.stdout is not None
    with process.stdout as lines, log.open("w", encoding="utf-8") as kept:
        for line in lines:
            kept.write(line)
            kept.flush()
            if _UP in line:
                up.set()
    up.set()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
