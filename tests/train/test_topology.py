"""Who serves, who trains, on which devices and ports; and what is refused."""

import pytest

from zoomground.errors import LaunchError, RecipeError
from zoomground.recipe import Recipe, load_recipe
from zoomground.train.devices import Devices, Kind
from zoomground.train.topology import Mode, Role, Topology, topology_of

GPUS = Devices(Kind.GPU, tuple("01234567"))
CLUSTER = {"NNODES": "4", "MASTER_ADDR": "gw0"}


def recipe(**environ: str) -> Recipe:
    return load_recipe(None, {"ZOOMIN_GRPO_STEPS": "2"} | environ).recipe


def topology(devices: Devices = GPUS, **environ: str) -> Topology:
    return topology_of(recipe(**environ), devices)


def test_a_cpu_generates_with_transformers() -> None:
    made = topology(Devices(Kind.CPU))
    assert (made.mode, made.servers, made.world_size) == (Mode.TRANSFORMERS, (), 1)


def test_one_device_serves_itself() -> None:
    made = topology(Devices(Kind.GPU, ("3",)))
    assert (made.mode, made.servers, made.nodes[0].trains_on) == (Mode.COLOCATE, (), ("3",))


def test_one_node_splits_its_devices_and_no_device_does_both() -> None:
    made = topology(VLLM_TP="2", VLLM_DP="2")
    node = made.nodes[0]
    assert (made.mode, node.role) == (Mode.SERVER, Role.BOTH)
    assert [server.devices for server in made.servers] == [("0", "1", "2", "3")]
    assert node.trains_on == ("4", "5", "6", "7")
    assert made.servers[0].url == "http://127.0.0.1:8000"


def test_one_node_may_colocate_on_all_devices() -> None:
    made = topology(ROLLOUT_NNODES="0")
    assert (made.mode, made.world_size) == (Mode.COLOCATE, 8)


def test_the_first_nodes_serve_and_the_rest_trains() -> None:
    made = topology(**CLUSTER, ROLLOUT_NNODES="1", VLLM_SERVER_HOSTS="gw0", VLLM_TP="2", VLLM_DP="4")
    assert [node.role for node in made.nodes] == [Role.ROLLOUT, Role.TRAIN, Role.TRAIN, Role.TRAIN]
    assert [node.train_rank for node in made.nodes] == [None, 0, 1, 2]
    assert made.world_size == 24
    assert [(server.node, server.url, len(server.devices)) for server in made.servers] == [(0, "http://gw0:8000", 8)]


def test_several_servers_on_several_nodes_keep_the_given_ports() -> None:
    made = topology(
        **CLUSTER, ROLLOUT_NNODES="2", VLLM_TP="4",
        VLLM_SERVER_HOSTS="gw0 gw0 gw1 gw1", VLLM_SERVER_PORTS="8100 9000 8100 9000",
    )  # fmt: skip
    assert [(server.node, server.host, server.port) for server in made.servers] == [
        (0, "gw0", 8100), (0, "gw0", 9000), (1, "gw1", 8100), (1, "gw1", 9000),
    ]  # fmt: skip
    assert [server.devices for server in made.nodes[1].servers] == [tuple("0123"), tuple("4567")]
    assert len({server.group_port for server in made.servers}) == 4


def test_ports_count_up_for_servers_of_one_host_alone() -> None:
    made = topology(**CLUSTER, ROLLOUT_NNODES="2", VLLM_SERVER_PORT="8500", VLLM_SERVER_HOSTS="gw0 gw0 gw1 gw1")
    assert [server.port for server in made.servers] == [8500, 8501, 8500, 8501]


def test_an_address_of_ipv6_is_put_in_brackets() -> None:
    made = topology(**CLUSTER, VLLM_SERVER_HOSTS="fd00::1")
    assert made.servers[0].url == "http://[fd00::1]:8000"


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"VLLM_TP": "8"}, "8 x 1 devices (VLLM_TP x VLLM_DP) need 8 and one is left to train on; a node has 8"),
        ({**CLUSTER, "VLLM_TP": "16"}, "need 16; a node has 8"),
        ({**CLUSTER, "ROLLOUT_NNODES": "2"}, "VLLM_SERVER_HOSTS names none of them"),
        ({**CLUSTER, "ROLLOUT_NNODES": "2", "VLLM_SERVER_HOSTS": "a b c"}, "3 rollout servers do not spread over 2"),
        (
            {"VLLM_SERVER_HOSTS": "a b", "VLLM_SERVER_PORTS": "1"},
            "VLLM_SERVER_PORTS has 1 entries, ",
        ),
        ({"VLLM_SERVER_HOSTS": "a a", "VLLM_SERVER_PORTS": "80 80"}, "share an address: a:80"),
        ({"VLLM_SERVER_HOSTS": "a a", "VLLM_SERVER_PORT": "65535"}, "want port 65536, and 65535 is the last"),
        ({"VLLM_SERVER_HOSTS": "a", "VLLM_SERVER_PORTS": "51216"}, "share an address: a:51216"),
        ({"ROLLOUT_NNODES": "0", **CLUSTER, "ZOOMIN_ENGINE_MODE": "server"}, "no device is left for servers"),
    ],
)
def test_what_does_not_fit_is_said_with_the_numbers(environ: dict[str, str], said: str) -> None:
    with pytest.raises(LaunchError) as caught:
        topology(**environ)
    assert said in str(caught.value)


def test_a_server_needs_an_accelerator_and_one_device_is_not_enough() -> None:
    with pytest.raises(LaunchError, match="no accelerator"):
        topology(Devices(Kind.CPU), ZOOMIN_ENGINE_MODE="colocate")
    with pytest.raises(LaunchError, match="no device is left for servers"):
        topology(Devices(Kind.GPU, ("0",)), ZOOMIN_ENGINE_MODE="server")


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"NNODES": "2", "MASTER_ADDR": "a", "NODE_RANK": "2"}, "node_rank 2 (NODE_RANK) is not below nodes 2"),
        ({"NNODES": "2", "MASTER_ADDR": "a", "ROLLOUT_NNODES": "2"}, "leaves none of 2 nodes to train on"),
        ({"NNODES": "2"}, "MASTER_ADDR"),
    ],
)
def test_nodes_that_do_not_add_up(environ: dict[str, str], said: str) -> None:
    with pytest.raises(RecipeError) as caught:
        recipe(**environ)
    assert said in str(caught.value)


def test_where_a_run_runs_is_no_part_of_its_hash() -> None:
    one, many = recipe(), recipe(**CLUSTER, NODE_RANK="2", VLLM_SERVER_HOSTS="gw0", VLLM_SERVER_PORTS="9")
    assert one.hash == many.hash
    assert one.hash != recipe(VLLM_TP="2").hash
