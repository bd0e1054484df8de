"""Several nodes agree through a real store on loopback; each node is a thread here, each with a clock of its own."""

import socket
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

pytest.importorskip("torch")

from zoomground.errors import LaunchError
from zoomground.recipe import LoadedRecipe, load_recipe
from zoomground.train import meeting as module
from zoomground.train.devices import Devices, Kind
from zoomground.train.meeting import Cluster, meeting_port
from zoomground.train.topology import Topology, topology_of

pytestmark = pytest.mark.engine
T = TypeVar("T")
GPUS = Devices(Kind.GPU, ("0", "1"))


class Clock:
    """Time that goes on when the test says so."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POLL_S", 0.01)
    monkeypatch.setattr(module, "MEET_S", 30.0)
    monkeypatch.setattr(module, "FAREWELL_S", 1.0)


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [int(one.getsockname()[1]) for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Nodes:
    """A run on three nodes: 0 serves, 1 and 2 train."""

    def __init__(self, **environ: str) -> None:
        meet, http, group = free_ports(3)
        self.environ = {
            "ZOOMIN_GRPO_STEPS": "2", "ZOOMIN_CLUSTER_LOST_S": "60", "NNODES": "3",
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(meet),
            "VLLM_SERVER_PORTS": str(http), "ZOOMIN_ROLLOUTS_GROUP_PORTS": str(group),
        } | environ  # fmt: skip

    def loaded(self, rank: int, **environ: str) -> LoadedRecipe:
        return load_recipe(None, self.environ | {"NODE_RANK": str(rank)} | environ)

    def topology(self) -> Topology:
        return topology_of(self.loaded(0).recipe, GPUS)

    def join(self, rank: int, **environ: str) -> Cluster:
        return Cluster(self.loaded(rank, **environ), self.topology(), clock=Clock())


def each(parts: Iterable[T], act: Callable[[T], object]) -> list[object]:
    """What all nodes do at the same time; an error is an outcome."""

    def outcome(part: T) -> object:
        try:
            return act(part)
        except LaunchError as error:
            return error

    parts = list(parts)
    with ThreadPoolExecutor(len(parts)) as pool:
        return list(pool.map(outcome, parts))


def met(nodes: Nodes) -> list[Cluster]:
    joined = each(range(3), nodes.join)
    assert all(isinstance(one, Cluster) for one in joined), joined
    return joined  # type: ignore[return-value]


def test_all_nodes_learn_where_the_first_training_node_is_and_what_it_decides() -> None:
    nodes = met(Nodes())
    assert {node.train_master for node in nodes} == {"127.0.0.1"}
    wishes = (False, True, False)
    assert each(nodes, lambda node: node.decide("sft", runs=wishes[nodes.index(node)])) == [True] * 3


def test_a_stage_is_over_for_all_when_the_first_training_node_is_done() -> None:
    nodes = met(Nodes())
    assert not nodes[0].is_over("grpo")
    each(nodes, lambda node: node.finish("grpo"))
    assert nodes[0].is_over("grpo")
    assert each(nodes, Cluster.leave) == [None] * 3


def test_a_failure_reaches_every_node_with_its_first_reason() -> None:
    nodes = met(Nodes())
    nodes[2].fail("node 2: rank 17 ran out of memory")
    nodes[1].fail("node 1: lost its peers")
    for node in nodes[:2]:
        with pytest.raises(LaunchError, match="rank 17 ran out of memory"):
            node.check()


def test_a_node_that_gives_no_sign_is_named_and_those_that_left_are_not_missed() -> None:
    nodes = met(Nodes())
    clock = nodes[0]._clock
    assert isinstance(clock, Clock)
    for node in (*nodes, nodes[0]):
        node.check()
    clock.now_s += 59
    nodes[1].check()
    nodes[0].check()
    nodes[1]._put("left/1", "1")
    clock.now_s += 2
    for node in nodes[:2]:
        with pytest.raises(LaunchError, match=r"\(node 2\) has given no sign for 60 s"):
            node.check()


def test_node_0_stays_until_the_others_have_heard_why_it_ends() -> None:
    """It holds the store: gone at once, the others would only see that it no longer answers."""
    nodes = met(Nodes())
    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(nodes[0].fail, "node 0: out of disk")
        nodes[1]._get("failed", "")
        with pytest.raises(LaunchError, match="out of disk"):
            nodes[1].check()
        assert not ended.done()
        with pytest.raises(LaunchError, match="out of disk"):
            nodes[2].check()
        ended.result(timeout=30)


def test_nodes_that_read_different_recipes_do_not_start() -> None:
    nodes = Nodes()
    turns: tuple[dict[str, str], ...] = ({}, {}, {"MAX_TURNS": "3"})
    said = each(range(3), lambda rank: nodes.join(rank, **turns[rank]))
    assert all(isinstance(one, LaunchError) for one in said)
    assert any("reads another recipe" in str(one) for one in said)


def test_a_closed_weight_sync_port_is_found_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """LCH-01: the HTTP port is open, the other one is not."""
    nodes = Nodes()
    group = int(nodes.environ["ZOOMIN_ROLLOUTS_GROUP_PORTS"])
    listen = module._listen

    def firewalled(host: str, port: int) -> socket.socket:
        return socket.socket() if port == group else listen(host, port)

    monkeypatch.setattr(module, "_listen", firewalled)
    said = each(range(3), nodes.join)
    assert all(f"does not reach 127.0.0.1 at port {group}" in str(one) for one in said)
    assert not any(nodes.environ["VLLM_SERVER_PORTS"] + " (" in str(one) for one in said)


def test_a_taken_port_is_named() -> None:
    nodes = Nodes()
    with socket.socket() as other:
        other.bind(("127.0.0.1", int(nodes.environ["VLLM_SERVER_PORTS"])))
        other.listen()
        said = each(range(3), nodes.join)
    assert "cannot listen on 127.0.0.1" in str(said[0])
    assert all(isinstance(one, LaunchError) for one in said)


def test_the_meetings_port_is_not_the_one_of_torchrun() -> None:
    """Without rollout nodes node 0 also trains, and torchrun takes MASTER_PORT there."""
    assert meeting_port(Nodes(MASTER_PORT="29500").loaded(0)) == 29500
    assert meeting_port(Nodes(MASTER_PORT="29500", ROLLOUT_NNODES="0").loaded(0)) == 29501
