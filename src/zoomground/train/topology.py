"""Who does what: the nodes of a run, their devices, the rollout servers. Pure: a recipe and a number of devices in.

The first ``rollout_nodes`` nodes serve rollouts, the rest train. One node splits its devices (vLLM servers take the
first ones), or with one device serves itself (colocate). A CPU has neither.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from zoomground.errors import LaunchError
from zoomground.train.devices import Kind

if TYPE_CHECKING:
    from zoomground.recipe import Recipe
    from zoomground.train.devices import Devices

FIRST_GROUP_PORT = 51216
"""ms-swift's default for the weight sync of the first server."""


LAST_PORT = 65535


class Mode(StrEnum):
    """What generates the rollouts."""

    TRANSFORMERS = "transformers"
    COLOCATE = "colocate"
    SERVER = "server"


class Role(StrEnum):
    """What a node does."""

    BOTH = "serves and trains"
    ROLLOUT = "serves rollouts"
    TRAIN = "trains"


@dataclass(frozen=True, slots=True)
class Server:
    """One rollout server.

    Attributes:
        index: Its place in all lists of servers.
        node: Node that runs it.
        host: As the trainers reach it.
        port: HTTP port.
        group_port: Port of the weight sync.
        devices: Its devices on the node.
    """

    index: int
    node: int
    host: str
    port: int
    group_port: int
    devices: tuple[str, ...]

    @property
    def url(self) -> str:
        """Base address."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Node:
    """One machine of the run.

    Attributes:
        rank: Its number.
        role: What it does.
        servers: What it serves.
        trains_on: Devices of its training processes; empty on a CPU and on a node that only serves.
        train_rank: Its number among the nodes that train; None for one that does not.
    """

    rank: int
    role: Role
    servers: tuple[Server, ...]
    trains_on: tuple[str, ...]
    train_rank: int | None


@dataclass(frozen=True, slots=True)
class Topology:
    """All nodes of a run.

    Attributes:
        kind: What the model is trained on.
        mode: What generates the rollouts.
        nodes: By rank.
    """

    kind: Kind
    mode: Mode
    nodes: tuple[Node, ...]

    @property
    def servers(self) -> tuple[Server, ...]:
        """The rollout servers of all nodes."""
        return tuple(server for node in self.nodes for server in node.servers)

    @property
    def trainers(self) -> tuple[Node, ...]:
        """The nodes that train, by their number among them."""
        return tuple(node for node in self.nodes if node.train_rank is not None)

    @property
    def world_size(self) -> int:
        """Training processes in all."""
        return sum(max(1, len(node.trains_on)) for node in self.trainers)


def topology_of(recipe: Recipe, devices: Devices) -> Topology:
    """Who does what.

    Args:
        recipe: A validated recipe.
        devices: The accelerators of a node; every node has as many.

    Raises:
        LaunchError: If the devices do not suffice, or lists of hosts and ports do not fit together.
    """
    mode = _mode(recipe, devices)
    cluster = recipe.cluster
    if mode is not Mode.SERVER:
        nodes = tuple(Node(rank, Role.TRAIN, (), devices.ids, rank) for rank in range(cluster.nodes))
        return Topology(devices.kind, mode, nodes)
    serving = range(cluster.rollout_nodes if cluster.nodes > 1 else 1)
    servers = _servers(recipe, devices, len(serving))
    nodes = tuple(_node(rank, serving, servers, devices, alone=cluster.nodes == 1) for rank in range(cluster.nodes))
    return Topology(devices.kind, mode, nodes)


def _mode(recipe: Recipe, devices: Devices) -> Mode:
    wanted, cluster = recipe.engine.mode, recipe.cluster
    if devices.kind is Kind.CPU:
        if wanted in {"colocate", "server"}:
            raise LaunchError(f"engine.mode is {wanted}, and this machine has no accelerator: vLLM needs one")
        return Mode.TRANSFORMERS
    if not recipe.grpo.steps and wanted == "auto":
        return Mode.TRANSFORMERS
    several = len(devices.ids) > 1 if cluster.nodes == 1 else cluster.rollout_nodes > 0
    if wanted == "auto":
        return Mode.SERVER if several and (cluster.nodes > 1 or cluster.rollout_nodes) else Mode.COLOCATE
    if wanted == "server" and not several:
        raise LaunchError(
            "engine.mode is server, and no device is left for servers: one node needs two devices or more, several "
            "nodes need rollout_nodes (ROLLOUT_NNODES) of 1 or more; or set engine.mode to colocate"
        )
    return Mode(wanted)


def _node(rank: int, serving: range, servers: tuple[Server, ...], devices: Devices, *, alone: bool) -> Node:
    own = tuple(server for server in servers if server.node == rank)
    if alone:
        taken = {device for server in own for device in server.devices}
        return Node(rank, Role.BOTH, own, tuple(device for device in devices.ids if device not in taken), 0)
    if rank in serving:
        return Node(rank, Role.ROLLOUT, own, (), None)
    return Node(rank, Role.TRAIN, (), devices.ids, rank - len(serving))


def _servers(recipe: Recipe, devices: Devices, serving_nodes: int) -> tuple[Server, ...]:
    rollouts, cluster = recipe.rollouts, recipe.cluster
    hosts, ports, group_ports = _addresses(recipe, serving_nodes)
    each = rollouts.tensor_parallel * rollouts.data_parallel
    if len(hosts) % serving_nodes:
        raise LaunchError(
            f"{len(hosts)} rollout servers do not spread over {serving_nodes} nodes: "
            "VLLM_SERVER_HOSTS names as many for each of the first ROLLOUT_NNODES nodes"
        )
    a_node = len(hosts) // serving_nodes
    if a_node * each > len(devices.ids) - (cluster.nodes == 1):
        kept = " and one is left to train on" if cluster.nodes == 1 else ""
        raise LaunchError(
            f"{a_node} rollout server(s) a node of {rollouts.tensor_parallel} x {rollouts.data_parallel} devices "
            f"(VLLM_TP x VLLM_DP) need {a_node * each}{kept}; a node has {len(devices.ids)}"
        )
    made = []
    for index, host in enumerate(hosts):
        node, place = divmod(index, a_node)
        ids = devices.ids[place * each : (place + 1) * each]
        made.append(Server(index, node, host, ports[index], group_ports[index], ids))
    return tuple(made)


def _addresses(recipe: Recipe, serving_nodes: int) -> tuple[tuple[str, ...], tuple[int, ...], tuple[int, ...]]:
    """Hosts and ports of the servers; what is given is kept as it is."""
    rollouts, cluster = recipe.rollouts, recipe.cluster
    hosts = rollouts.hosts
    if not hosts:
        if serving_nodes > 1:
            raise LaunchError(
                f"{serving_nodes} nodes serve rollouts (ROLLOUT_NNODES) and VLLM_SERVER_HOSTS names none of them"
            )
        hosts = ("127.0.0.1" if cluster.nodes == 1 else cluster.master_addr,) * max(1, len(rollouts.ports))
    seen: Counter[str] = Counter()
    counted = []
    for host in hosts:
        counted.append(rollouts.port + seen[host])
        seen[host] += 1
    ports = rollouts.ports or tuple(counted)
    group_ports = rollouts.group_ports or tuple(range(FIRST_GROUP_PORT, FIRST_GROUP_PORT + len(hosts)))
    for name, given in (("VLLM_SERVER_PORTS", ports), ("ZOOMIN_ROLLOUTS_GROUP_PORTS", group_ports)):
        if len(given) != len(hosts):
            raise LaunchError(
                f"{name} has {len(given)} entries, VLLM_SERVER_HOSTS {len(hosts)}: give one port for each host"
            )
    if beyond := [port for port in (*ports, *group_ports) if port > LAST_PORT]:
        raise LaunchError(
            f"{len(hosts)} rollout servers counted up from rollouts.port {rollouts.port} (VLLM_SERVER_PORT) want port "
            f"{beyond[0]}, and {LAST_PORT} is the last; begin lower, or give VLLM_SERVER_PORTS"
        )
    used = Counter([*zip(hosts, ports, strict=True), *zip(hosts, group_ports, strict=True)])
    if twice := [f"{host}:{port}" for (host, port), count in used.items() if count > 1]:
        raise LaunchError(f"rollout servers share an address: {', '.join(twice)}; give each its own port")
    return hosts, ports, group_ports
