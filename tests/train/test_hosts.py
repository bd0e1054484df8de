"""Three hosts, each in a network namespace of its own, run the real launcher; a stand-in takes ms-swift's place.

Host 0 serves rollouts, 1 and 2 train. They share a file system and a switch, and nothing else.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from checkpoint_files import checkpoint
from saved import episode, picture, scored
from zoomground.data.trajectories import write_records

pytest.importorskip("torch")
pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
STANDINS = Path(__file__).parent / "standins"
DEADLINE_S = 240.0
HTTP, GROUP, MEET = 8000, 51216, 29500
COUNT = itertools.count()

RECIPE = """
[run]
output_dir = "out"
[model]
path = "./model"
max_length = 4096
[data]
train = ["rows.jsonl"]
[image]
max_pixels = 262144
[episode]
crop_max_pixels = 262144
[grpo]
steps = 1
max_completion_length = 64
[cluster]
lost_s = 8.0
"""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


@dataclass
class Hosts:
    """Namespaces behind one switch, and what runs in them."""

    folder: Path
    name: str = field(default_factory=lambda: f"zg{os.getpid()}x{next(COUNT)}")
    running: dict[int, subprocess.Popen[str]] = field(default_factory=dict)

    def namespace(self, rank: int) -> str:
        return f"{self.name}h{rank}"

    def address(self, rank: int) -> str:
        return f"10.77.0.{rank + 1}"

    def build(self) -> None:
        switch = f"{self.name}s"
        ip("netns", "add", switch)
        ip("-n", switch, "link", "add", "br0", "type", "bridge")
        ip("-n", switch, "link", "set", "br0", "up")
        for rank in range(3):
            host, port = self.namespace(rank), f"port{rank}"
            ip("netns", "add", host)
            ip("-n", switch, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", host)
            ip("-n", switch, "link", "set", port, "master", "br0", "up")
            ip("-n", host, "addr", "add", f"{self.address(rank)}/24", "dev", "eth0")
            ip("-n", host, "link", "set", "eth0", "up")
            ip("-n", host, "link", "set", "lo", "up")

    def remove(self) -> None:
        for rank in range(3):
            self.kill_all(rank)
            subprocess.run(["ip", "netns", "del", self.namespace(rank)], check=False, capture_output=True)
        subprocess.run(["ip", "netns", "del", f"{self.name}s"], check=False, capture_output=True)
        for one in self.running.values():
            one.communicate()

    def processes(self, rank: int) -> list[str]:
        """What runs on a host."""
        command = ["ip", "netns", "pids", self.namespace(rank)]
        return subprocess.run(command, check=False, capture_output=True, text=True).stdout.split()

    def kill_all(self, rank: int) -> None:
        """What a host does that loses power: all its processes end at once."""
        for pid in self.processes(rank):
            subprocess.run(["kill", "-KILL", pid], check=False, capture_output=True)

    def kill_launcher(self, rank: int) -> None:
        """What the kernel does on a host that is out of memory: one process ends, those that it started do not."""
        self.running[rank].kill()

    def start(self, **environ: str) -> None:
        """The launcher on every host, all with the same variables but for the number."""
        clean = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
        shared = {
            "PYTHONPATH": f"{STANDINS}:{ROOT / 'src'}", "STANDIN_SEEN": str(self.folder / "seen"),
            "CUDA_VISIBLE_DEVICES": "0,1", "VLLM_DP": "2", "OMP_NUM_THREADS": "1",
            "NNODES": "3", "ROLLOUT_NNODES": "1", "MASTER_ADDR": self.address(0),
            "VLLM_SERVER_HOSTS": self.address(0),
        }  # fmt: skip
        for rank in range(3):
            command = [
                "ip",
                "netns",
                "exec",
                self.namespace(rank),
                sys.executable,
                "-m",
                "zoomground",
                "train",
                "r.toml",
            ]
            self.running[rank] = subprocess.Popen(
                command, cwd=self.folder, env=clean | shared | {"NODE_RANK": str(rank)} | environ, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def outcome(self, rank: int) -> tuple[int, str]:
        """How the launcher of a host ended and what it said."""
        said = self.running[rank].communicate(timeout=DEADLINE_S)[0]
        return self.running[rank].returncode, said

    def seen(self, name: str) -> dict[str, object]:
        """What a stand-in told; waits for it."""
        path = self.folder / "seen" / f"{name}.json"
        wait(path.exists, lambda: any(one.poll() is not None for one in self.running.values()))
        assert path.exists(), {
            rank: self.outcome(rank) for rank in self.running if self.running[rank].poll() is not None
        }
        return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]

    def listening(self, rank: int) -> set[tuple[str, int]]:
        """Addresses and ports that processes of a host listen on (state 0A of /proc/net/tcp)."""
        found = set()
        for kind in ("tcp", "tcp6"):
            command = ["ip", "netns", "exec", self.namespace(rank), "cat", f"/proc/net/{kind}"]
            lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[1:]
            for line in lines:
                address, state = line.split()[1], line.split()[3]
                host, port = address.split(":")
                if state == "0A":
                    dotted = ".".join(str(byte) for byte in reversed(bytes.fromhex(host[-8:])))
                    found.add((dotted, int(port, 16)))
        return found


def wait(until: Callable[[], bool], give_up: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not until() and not give_up() and time.monotonic() < deadline:
        time.sleep(0.1)


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    if shutil.which("ip") is None:
        pytest.skip("needs `ip` (iproute2)")
    played = episode(picture(tmp_path / "a.png"))
    write_records(tmp_path / "played.jsonl", [scored(played, "one", step=1, prompt_group=0, generation=0)])
    row = {"problem": "<image>Open the File menu", "solution": "[10,10,30,30]", "images": ["a.png"]}
    (tmp_path / "rows.jsonl").write_text((json.dumps(row) + "\n") * 2, encoding="utf-8")
    (tmp_path / "r.toml").write_text(RECIPE, encoding="utf-8")
    (tmp_path / "seen").mkdir()
    (tmp_path / "model").mkdir()
    checkpoint(tmp_path / "model")
    made = Hosts(tmp_path)
    try:
        try:
            made.build()
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no network namespaces here: {error.stderr.strip()}")
        yield made
    finally:
        made.remove()


def test_all_hosts_play_their_part_and_end_well(hosts: Hosts) -> None:
    hosts.start()
    ends = {rank: hosts.outcome(rank) for rank in range(3)}
    assert [code for code, _ in ends.values()] == [0, 0, 0], ends
    server, first, second = (hosts.seen(name) for name in ("rollout", "rlhf-0", "rlhf-1"))
    assert first["argv"] == second["argv"]
    # The weight sync is between the server and the first training host; torchrun's place is there, too.
    assert hosts.seen("synced")["peer"] == hosts.address(1)
    assert first["peer"] == hosts.address(2)
    names = ("NNODES", "NPROC_PER_NODE", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT", "CUDA_VISIBLE_DEVICES")
    told = [{name: one["env"].get(name) for name in names} for one in (server, first, second)]  # type: ignore[attr-defined]
    training = {"NNODES": "2", "NPROC_PER_NODE": "2", "MASTER_ADDR": hosts.address(1), "MASTER_PORT": str(MEET)}
    assert told[1] == training | {"NODE_RANK": "0", "CUDA_VISIBLE_DEVICES": "0,1"}
    assert told[2] == training | {"NODE_RANK": "1", "CUDA_VISIBLE_DEVICES": "0,1"}
    # A server is no part of the trainers' group.
    assert told[0] == dict.fromkeys(names) | {"CUDA_VISIBLE_DEVICES": "0,1"}


@pytest.mark.parametrize(
    ("lost", "said"),
    [(2, "(node 2) has given no sign for 8 s"), (0, f"node 0 no longer answers at 10.77.0.1:{MEET}")],
)
def test_a_host_that_dies_ends_the_others_and_is_named(hosts: Hosts, lost: int, said: str) -> None:
    hosts.start(STANDIN_HOLDS="1")
    for name in ("rlhf-0", "rlhf-1"):
        hosts.seen(name)
    # The servers listen where the trainers reach them and nowhere else.
    assert {place for place in hosts.listening(0) if place[1] in {HTTP, GROUP}} == {
        (hosts.address(0), HTTP),
        (hosts.address(0), GROUP),
    }
    assert MEET in {port for _, port in hosts.listening(0)}
    assert {port for _, port in hosts.listening(1)} == {MEET}
    assert hosts.listening(2) == set()
    hosts.kill_all(lost)
    for rank in {0, 1, 2} - {lost}:
        code, output = hosts.outcome(rank)
        assert (code, said in " ".join(output.split())) == (1, True), output
        assert hosts.processes(rank) == [], "nothing of it runs on"


def test_a_launcher_that_dies_alone_is_named_by_the_others_and_its_server_ends(hosts: Hosts) -> None:
    hosts.start(STANDIN_HOLDS="1")
    for name in ("rollout", "rlhf-0", "rlhf-1"):
        hosts.seen(name)
    assert len(hosts.processes(0)) > 1
    hosts.kill_launcher(0)
    for rank in (1, 2):
        code, output = hosts.outcome(rank)
        said = f"node 0 no longer answers at {hosts.address(0)}:{MEET}"
        assert (code, said in " ".join(output.split())) == (1, True), output
    wait(lambda: not any(map(hosts.processes, range(3))), lambda: False)
    assert [hosts.processes(rank) for rank in range(3)] == [[], [], []], "nothing of it runs on"


def test_a_server_that_trainers_cannot_reach_is_named_before_anything_starts(hosts: Hosts) -> None:
    """LCH-01. An address of host 0 that nobody else has a way to."""
    ip("-n", hosts.namespace(0), "addr", "add", "10.78.0.1/32", "dev", "lo")
    hosts.start(VLLM_SERVER_HOSTS="10.78.0.1")
    for rank in range(3):
        code, output = hosts.outcome(rank)
        flat = " ".join(output.split())
        assert code == 1, output
        assert f"node 1 does not reach 10.78.0.1 at port {HTTP}" in flat
        assert str(GROUP) in flat
    assert not list((hosts.folder / "seen").iterdir())
