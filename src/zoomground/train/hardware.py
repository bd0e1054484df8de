"""What is wrong between a recipe and the machines: devices, batch sizes, ports."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from zoomground.errors import LaunchError
from zoomground.train.batches import fitting_prompts, step_of
from zoomground.train.deepspeed import sharding_of
from zoomground.train.devices import VISIBLE, Kind, devices_of
from zoomground.train.topology import Mode, topology_of
from zoomground.train.versions import deepspeed_problems, version_problems

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.recipe import LoadedRecipe, Recipe
    from zoomground.train.devices import Devices
    from zoomground.train.topology import Node, Topology


def hardware_problems(loaded: LoadedRecipe, environ: Mapping[str, str]) -> list[str]:
    """Every reason why this recipe does not fit these machines.

    Args:
        loaded: A validated recipe.
        environ: The launcher's environment variables.
    """
    recipe = loaded.recipe
    try:
        devices = devices_of(recipe, environ)
        topology = topology_of(recipe, devices)
    except LaunchError as error:
        return [str(error)]
    here = topology.nodes[recipe.cluster.node_rank]
    return [
        *_device_problems(recipe, devices),
        *batch_problems(recipe, topology.world_size),
        *_package_problems(recipe, topology),
        *_tensor_parallel_problems(recipe, topology),
        *_shared_port_problems(recipe, topology),
        *_port_problems(recipe, topology, here),
    ]


def _device_problems(recipe: Recipe, devices: Devices) -> list[str]:
    wanted = recipe.rollouts.tensor_parallel * recipe.rollouts.data_parallel
    if devices.kind is Kind.CPU and wanted > 1:
        return [f"a rollout server of {wanted} devices (VLLM_TP x VLLM_DP), and this machine shows no GPU"]
    if devices.found:
        return []
    return [
        f"this machine has no {devices.kind.upper()}: the plan takes {len(devices.ids)} a node "
        f"(cluster.devices, {VISIBLE[devices.kind]})"
    ]


def batch_problems(recipe: Recipe, world_size: int) -> list[str]:
    """Batches that the training processes cannot share evenly.

    Args:
        recipe: A validated recipe.
        world_size: Training processes on all nodes.
    """
    problems = []
    grpo, sft = recipe.grpo, recipe.sft
    if grpo.steps and step_of(grpo, world_size) is None:
        rollouts, pass_size = grpo.prompts_per_step * grpo.num_generations, grpo.micro_batch_size * world_size
        near = " or ".join(map(str, fitting_prompts(grpo, world_size)))
        problems.append(
            f"the {rollouts} rollouts of a step ({grpo.prompts_per_step} prompts x {grpo.num_generations} generations) "
            f"do not spread over {world_size} training process(es) with grpo.micro_batch_size {grpo.micro_batch_size}: "
            f"{rollouts} is no multiple of {pass_size}; {near} prompts_per_step would do, or fit_batch = true, or "
            "another number of training processes (NNODES, VLLM_TP x VLLM_DP of one node)"
        )
    pass_size = sft.micro_batch_size * world_size
    if sft.steps and sft.batch_size % pass_size:
        problems.append(
            f"sft.batch_size {sft.batch_size} does not spread over {world_size} training process(es) with "
            f"sft.micro_batch_size {sft.micro_batch_size}: it is no multiple of {pass_size}; set "
            "another sft.batch_size, or a smaller sft.micro_batch_size"
        )
    return problems


def _package_problems(recipe: Recipe, topology: Topology) -> list[str]:
    problems = []
    if topology.mode is not Mode.TRANSFORMERS and topology.kind is Kind.GPU:
        problems += version_problems("vllm")
    engine = recipe.engine
    if topology.kind is Kind.CPU:
        if engine.zero in {2, 3}:
            problems.append("engine.zero needs an accelerator: a CPU trains without DeepSpeed")
        elif engine.offload_optimizer is True or engine.offload_weights:
            problems.append(
                "engine.offload_optimizer and engine.offload_weights need an accelerator: a CPU has no DeepSpeed"
            )
    elif sharding_of(recipe, topology).stage:
        problems += deepspeed_problems()
    return problems


def _tensor_parallel_problems(recipe: Recipe, topology: Topology) -> list[str]:
    parallel = recipe.rollouts.tensor_parallel
    if topology.mode is Mode.COLOCATE and topology.world_size % parallel:
        return [
            f"rollouts.tensor_parallel {parallel} (VLLM_TP) does not divide the {topology.world_size} training "
            "process(es), in which vLLM runs"
        ]
    return []


def _shared_port_problems(recipe: Recipe, topology: Topology) -> list[str]:
    """Servers of node 0 that want the port at which the processes, or the nodes, meet there."""
    meets = recipe.cluster.master_port
    return [
        f"rollout server {server.index} and the meeting at node 0 want the same port {meets}; set MASTER_PORT, "
        "VLLM_SERVER_PORTS or ZOOMIN_ROLLOUTS_GROUP_PORTS"
        for server in topology.servers
        if server.node == 0 and meets in {server.port, server.group_port}
    ]


def _port_problems(recipe: Recipe, topology: Topology, here: Node) -> list[str]:
    """Ports that somebody else holds: torchrun would end, a server would move on to another one silently."""
    if len(topology.nodes) > 1:
        # Several nodes try each other's ports when they meet.
        return []
    problems = []
    meets = recipe.cluster.master_port
    if topology.kind is not Kind.CPU and _is_taken(meets):
        problems.append(f"port {meets} is in use, at which the training processes meet; set MASTER_PORT")
    for server in here.servers:
        for port, variable in ((server.port, "VLLM_SERVER_PORTS"), (server.group_port, "ZOOMIN_ROLLOUTS_GROUP_PORTS")):
            if _is_taken(port):
                problems.append(f"rollout server {server.index}: port {port} is in use; set {variable}")
    return problems


def _is_taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False
