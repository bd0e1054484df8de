"""Without an endpoint there is no judge: no SDK, no socket, one score for all. Shown in a fresh interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"

FORBIDDEN = """
import os, socket, sys

def end(reason):
    # No exception: whoever catches everything would catch it.
    os.write(2, reason.encode())
    os._exit(97)

def forbidden(*args, **kwargs):
    end("a socket was opened")

class NoSdk:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "openai":
            end(f"{name} was imported")

sys.meta_path.insert(0, NoSdk())
def no_bind(*args):
    # urllib3 asks so, when it is imported, whether there is IPv6, and takes a no; it leads nowhere.
    raise OSError("forbidden")

# The event loop's own pair wakes it up; it leads nowhere.
socket.socket.connect = socket.socket.connect_ex = socket.create_connection = forbidden
socket.socket.bind = no_bind
socket.getaddrinfo = forbidden
"""

CORE = """
import zoomground, zoomground.judge, zoomground.judge.check, zoomground.judge.canaries
from zoomground.recipe import active_settings
from zoomground.rewards import Rubric
from zoomground.geometry import Box, Size
from zoomground.protocol.settings import EpisodeSettings
from zoomground.task import Task
from zoomground.trajectory import Trajectory

active = active_settings({"ZOOMIN_COT_RM_MODEL": "judge", "ZOOMIN_COT_RM_API_BASE": " "})
assert active.judge is None
task = Task("t", "Open", "s.png", Size(100, 100), Box(0, 0, 10, 10))
episode = Trajectory(task, EpisodeSettings(), "s.png", "", task.size)
print(Rubric(settings=active.rewards).score(episode).values["zoomin_cot_rm"])
"""

ENGINE = """
import asyncio
from zoomground.engines.swift import plugin
from swift.rewards import orms

reward = orms["zoomin_cot_rm"](args=None)
assert reward.judge is None
print(*asyncio.run(reward(["[1.00,1.00]", "?"], solution=["[0,0,9,9]", "[0,0,9,9]"])))
"""


def run(code: str, **environ: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ZOOMIN_", "OPENAI_"))}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORBIDDEN + code],
        env=environment | {"PYTHONPATH": str(SRC), "HF_HUB_OFFLINE": "1"} | environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip().splitlines()[-1]


def test_jdg_11_the_judge_off_imports_no_sdk_and_opens_no_socket() -> None:
    """JDG-11: no base URL, no request at all."""
    assert run(CORE) == "0.5"


@pytest.mark.engine
def test_jdg_11_the_registered_reward_off_imports_no_sdk_and_opens_no_socket() -> None:
    pytest.importorskip("swift")
    assert run(ENGINE, ZOOMIN_COT_RM_API_BASE="") == "0.5 0.5"


def test_the_trap_springs() -> None:
    swallowed = "try:\n    import openai\nexcept Exception:\n    pass"
    for code in ("import openai", swallowed, "import socket\nsocket.create_connection(('127.0.0.1', 9))"):
        with pytest.raises(AssertionError, match="was imported|was opened"):
            run(code + "\nprint(1)")
