"""How the nodes of a run agree: where the first training node is, which stage is to run, who failed.

Node 0 holds a `torch.distributed.TCPStore` at MASTER_ADDR and MASTER_PORT, the store that torchrun meets at, too. Each
node keeps a counter in it; a counter that stands still names the node that was lost. One node alone needs none of it.
"""

from __future__ import annotations

import socket
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol

from zoomground.errors import LaunchError

if TYPE_CHECKING:
    from collections.abc import Callable

    from zoomground.recipe import LoadedRecipe
    from zoomground.train.topology import Server, Topology

MEET_S = 1800.0
"""How long the nodes wait for each other at the start, s."""

FAREWELL_S = 10.0
"""How long node 0, which fails, stays for the others to hear why, s."""

POLL_S = 0.5
"""Time between two looks at the store, s."""


class Meeting(Protocol):
    """What the launcher asks of the others."""

    def decide(self, stage: str, *, runs: bool) -> bool:
        """Whether a stage runs. The first training node decides; the others learn what it said."""
        ...

    def finish(self, stage: str) -> None:
        """This node is done with a stage; returns when the first training node is, too."""
        ...

    def is_over(self, stage: str) -> bool:
        """Whether the first training node is done with a stage."""
        ...

    def check(self) -> None:
        """Give a sign of life, and look for those of the others.

        Raises:
            LaunchError: If another node failed or was lost.
        """
        ...

    def fail(self, reason: str) -> None:
        """Tell the others that this node ends."""
        ...

    @property
    def train_master(self) -> str:
        """Address of the first training node."""
        ...


class Alone:
    """The meeting of a run on one node."""

    train_master = "127.0.0.1"

    def decide(self, stage: str, *, runs: bool) -> bool:
        """As this node says."""
        del stage
        return runs

    def finish(self, stage: str) -> None:
        """Nobody to wait for."""

    def is_over(self, stage: str) -> bool:
        """This node ends its stages itself."""
        del stage
        return False

    def check(self) -> None:
        """Nobody to look for."""

    def fail(self, reason: str) -> None:
        """Nobody to tell."""


class Cluster:
    """The meeting of a run on several nodes.

    Args:
        loaded: The recipe; its hash must be the same on all nodes.
        topology: Who does what.
        clock: Seconds that only go up.

    Raises:
        LaunchError: If the nodes do not meet, or do not read the same recipe.
    """

    def __init__(
        self,
        loaded: LoadedRecipe,
        topology: Topology,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        cluster = loaded.recipe.cluster
        self._rank, self._nodes = cluster.node_rank, len(topology.nodes)
        self._first = topology.trainers[0].rank
        self._place = f"{cluster.master_addr}:{meeting_port(loaded)}"
        self._lost_s, self._clock = cluster.lost_s, clock
        self._beats = 0
        self._heard: dict[int, tuple[str, float]] = {}
        self._store = _store(cluster.master_addr, meeting_port(loaded), is_master=self._rank == 0)
        try:
            self._meet(loaded, topology)
        except LaunchError as error:
            self.fail(f"node {self._rank}: {error}")
            raise

    def _meet(self, loaded: LoadedRecipe, topology: Topology) -> None:
        name = f"{socket.gethostname()} (node {self._rank})"
        self._put(f"name/{self._rank}", name)
        self._put(f"recipe/{self._rank}", loaded.recipe.hash)
        if self._rank == self._first:
            self._put("train_master", _own_address(loaded.recipe.cluster.master_addr, meeting_port(loaded)))
        for rank in range(self._nodes):
            theirs = self._get(f"recipe/{rank}", f"node {rank} did not come to {self._place} within {MEET_S:.0f} s")
            if theirs != loaded.recipe.hash:
                reason = (
                    f"node {rank} reads another recipe (hash {theirs}) than node {self._rank} ({loaded.recipe.hash})"
                )
                raise LaunchError(f"{reason}; give all nodes the same file and the same variables")
        self._knock(topology.servers)

    def _knock(self, servers: tuple[Server, ...]) -> None:
        """Try the ports of all servers before anything heavy starts: a closed one would show an hour later."""
        own = [server for server in servers if server.node == self._rank]
        listening = [_listen(server.host, port) for server in own for port in (server.port, server.group_port)]
        try:
            for server in own:
                self._put(f"listens/{server.index}", "1")
            if self._rank == self._first:
                problems = [problem for server in servers if (problem := self._unreachable(server))]
                self._put("reached", "\n".join(problems) or "all")
            said = self._get("reached", f"node {self._first} did not try the servers' ports within {MEET_S:.0f} s")
        finally:
            for one in listening:
                one.close()
        if said != "all":
            raise LaunchError(said)

    def _unreachable(self, server: Server) -> str:
        self._get(f"listens/{server.index}", f"node {server.node} did not open its ports within {MEET_S:.0f} s")
        closed = []
        for port in (server.port, server.group_port):
            try:
                socket.create_connection((server.host, port), timeout=10).close()
            except OSError as error:
                closed.append(f"{port} ({error})")
        if not closed:
            return ""
        return (
            f"rollout server {server.index}: node {self._rank} does not reach {server.host} at port "
            f"{' and '.join(closed)}; requests and weight sync need both: open them between the nodes, or name others "
            "(VLLM_SERVER_PORTS, ZOOMIN_ROLLOUTS_GROUP_PORTS)"
        )

    @property
    def train_master(self) -> str:
        """Address of the first training node."""
        return self._get("train_master", f"node {self._first} did not tell its address")

    def decide(self, stage: str, *, runs: bool) -> bool:
        """Whether a stage runs, as the first training node says."""
        if self._rank == self._first:
            self._put(f"runs/{stage}", "yes" if runs else "no")
            return runs
        return self._wait(f"runs/{stage}") == "yes"

    def finish(self, stage: str) -> None:
        """This node is done with a stage; the others wait for the first training node."""
        if self._rank == self._first:
            self._put(f"over/{stage}", "1")
        else:
            self._wait(f"over/{stage}")

    def is_over(self, stage: str) -> bool:
        """Whether the first training node is done with a stage."""
        return self._has(f"over/{stage}")

    def check(self) -> None:
        """Give a sign of life; raise if another node failed or has given none."""
        self._beats += 1
        self._put(f"alive/{self._rank}", str(self._beats))
        if self._has("failed"):
            raise LaunchError(self._hear())
        for rank in range(self._nodes):
            if rank != self._rank and not self._has(f"left/{rank}"):
                self._listen_for(rank)

    def _listen_for(self, rank: int) -> None:
        now_s = self._clock()
        beat = self._get(f"alive/{rank}", "") if self._has(f"alive/{rank}") else ""
        last, since_s = self._heard.get(rank, (None, now_s))
        if beat != last:
            self._heard[rank] = (beat, now_s)
        elif now_s - since_s > self._lost_s:
            reason = f"{self._get(f'name/{rank}', '')} has given no sign for {self._lost_s:.0f} s"
            self._tell(reason)
            raise LaunchError(reason)

    def fail(self, reason: str) -> None:
        """Tell the others why this node ends; the first reason stays. Node 0 holds the store, and lets them hear it."""
        self._tell(reason)
        if self._rank:
            return
        deadline_s = time.monotonic() + FAREWELL_S
        keys = [(f"heard/{rank}", f"left/{rank}") for rank in range(1, self._nodes)]
        while time.monotonic() < deadline_s and not all(any(map(self._has, pair)) for pair in keys):
            time.sleep(POLL_S)

    def _tell(self, reason: str) -> None:
        try:
            if not self._store.check(["failed"]):
                self._store.set("failed", reason)
            self._store.set(f"heard/{self._rank}", "1")
        except RuntimeError:
            return

    def _hear(self) -> str:
        """Why another node failed."""
        reason = self._get("failed", "")
        self._put(f"heard/{self._rank}", "1")
        return reason

    def leave(self) -> None:
        """This node has done all its stages; node 0, which holds the store, stays until all others have."""
        self._put(f"left/{self._rank}", "1")
        if self._rank == 0:
            for rank in range(1, self._nodes):
                self._wait(f"left/{rank}")

    def _wait(self, key: str) -> str:
        while not self._has(key):
            self.check()
            time.sleep(POLL_S)
        return self._get(key, "")

    def _put(self, key: str, value: str) -> None:
        self._guard(lambda: self._store.set(key, value))

    def _has(self, key: str) -> bool:
        return bool(self._guard(lambda: self._store.check([key])))

    def _get(self, key: str, problem: str) -> str:
        """A value; waits for it at most `MEET_S`."""
        deadline_s = self._clock() + MEET_S
        while not self._has(key):
            if self._has("failed") and key != "failed":
                raise LaunchError(self._hear())
            if self._clock() > deadline_s:
                raise LaunchError(problem)
            time.sleep(POLL_S)
        value: bytes = self._guard(lambda: self._store.get(key))
        return value.decode("utf-8")

    def _guard(self, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except RuntimeError as error:
            raise LaunchError(f"node 0 no longer answers at {self._place}: it ended, or the network did") from error


def meeting_port(loaded: LoadedRecipe) -> int:
    """Port of the store: MASTER_PORT, which torchrun uses on the first training node.

    Without rollout nodes that node is node 0 itself, and the store takes the next port.
    """
    cluster = loaded.recipe.cluster
    return cluster.master_port if cluster.rollout_nodes else cluster.master_port + 1


def _store(host: str, port: int, *, is_master: bool) -> Any:
    from torch.distributed import DistNetworkError, TCPStore  # noqa: PLC0415 -- seconds, and only several nodes need it

    try:
        return TCPStore(host, port, None, is_master, timedelta(seconds=MEET_S), wait_for_workers=False)
    except (DistNetworkError, RuntimeError) as error:
        what = "cannot hold the meeting of the nodes at" if is_master else "does not reach node 0 at"
        raise LaunchError(
            f"this node {what} {host}:{port} (MASTER_ADDR, MASTER_PORT): {str(error).splitlines()[0]}"
        ) from error


def _own_address(host: str, port: int) -> str:
    """This machine's address as seen on the way to node 0."""
    try:
        with socket.create_connection((host, port), timeout=10) as way:
            return str(way.getsockname()[0])
    except OSError as error:
        raise LaunchError(f"this node does not reach node 0 at {host}:{port}: {error}") from error


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    one = socket.socket(family, socket.SOCK_STREAM)
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind((host, port))
        one.listen()
    except OSError as error:
        one.close()
        raise LaunchError(
            f"this node cannot listen on {host}:{port}: {error}; is VLLM_SERVER_HOSTS an address of this machine, and "
            "the port free?"
        ) from error
    return one
