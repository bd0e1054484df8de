"""A launch plan as a value: the exact commands that a recipe stands for, node by node. Holding one runs nothing."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zoomground.train.folder import RunFolder
from zoomground.train.topology import Node, Topology

TRAIN_MASTER = "<first training node>"
"""Stands for the address of the first node that trains; the nodes tell it each other when they meet."""


@dataclass(frozen=True, slots=True)
class Process:
    """One command with what it sees.

    Attributes:
        name: Unique in the plan of a node.
        argv: The command; empty for a stage that runs on other nodes, or that only serves here.
        log: Where its output goes.
        env: Variables that it gets on top of the launcher's.
        unset: Variables that it must not see.
    """

    name: str
    argv: tuple[str, ...]
    log: Path
    env: Mapping[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()

    def shell(self) -> str:
        """The command as a person would type it."""
        head = ["env", *(f"-u {name}" for name in self.unset), *(f"{k}={shlex.quote(v)}" for k, v in self.env.items())]
        return " ".join([*head, shlex.join(self.argv)])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "name": self.name,
            "argv": list(self.argv),
            "env": dict(self.env),
            "unset": list(self.unset),
            "log": str(self.log),
        }


@dataclass(frozen=True, slots=True)
class Service(Process):
    """A process that must answer before a stage starts, and runs as long as the stage.

    Attributes:
        url: Its base address; `url`/health answers 200 when it is ready.
        start_s: How long it may take to answer, s.
    """

    url: str = ""
    start_s: float = 900.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return Process.to_dict(self) | {"url": self.url}


@dataclass(frozen=True, slots=True)
class Stage(Process):
    """One step of the plan on one node.

    Attributes:
        metrics: ms-swift's ``logging.jsonl``, for the stages that train.
        steps: Steps in all, for the stages that train.
        outputs: Files and folders that stand when it is done.
        rewinds: Trajectories to rewind with the training stage, where it logs any.
        services: What this node serves for it.
        needs: Base addresses of the services, on whatever node, that must answer before it starts.
        start_s: How long they may take, s.
    """

    metrics: Path | None = None
    steps: int | None = None
    outputs: tuple[Path, ...] = ()
    rewinds: Path | None = None
    services: tuple[Service, ...] = ()
    needs: tuple[str, ...] = ()
    start_s: float = 900.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return Process.to_dict(self) | {
            "outputs": [str(path) for path in self.outputs],
            "services": [service.to_dict() for service in self.services],
            "needs": list(self.needs),
        }


@dataclass(frozen=True, slots=True)
class NodePlan:
    """What one node does.

    Attributes:
        node: Its place in the run.
        stages: Every stage of the run in order; one without a command waits for the nodes that run it.
    """

    node: Node
    stages: tuple[Stage, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "rank": self.node.rank,
            "role": self.node.role.value,
            "devices": {
                "trains_on": list(self.node.trains_on),
                "serves_on": [list(server.devices) for server in self.node.servers],
            },
            "stages": [stage.to_dict() for stage in self.stages],
        }


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """All stages of a run on all nodes.

    Attributes:
        recipe: Where the recipe stands; empty without a file.
        recipe_hash: Hash of the values in force.
        folder: Where the run keeps what.
        cwd: Working folder of every process.
        topology: Who does what.
        nodes: What each node does, by rank.
        here: Rank of this node.
        step: What one step of GRPO trains on, for a person.
    """

    recipe: str
    recipe_hash: str
    folder: RunFolder
    cwd: Path
    topology: Topology
    nodes: tuple[NodePlan, ...]
    here: int = 0
    step: str = ""

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages of this node."""
        return self.nodes[self.here].stages

    def text(self) -> str:
        """The plan for a person: what all processes share once, then each command, one option a line.

        Nodes that differ in their number alone are shown once.
        """
        lines = [
            f"recipe      {self.recipe or '(environment and defaults)'}  hash {self.recipe_hash}",
            f"run folder  {self.folder.root}",
            f"working in  {self.cwd}",
            f"runs on     {_topology_line(self.topology)}",
            *([f"this node   {self.here}, which {self.nodes[self.here].node.role}"] if len(self.nodes) > 1 else []),
            *_server_lines(self.topology),
            *([f"a step      {self.step}"] if self.step else []),
            "",
        ]
        processes = [process for plan in self.nodes for process in _processes(plan)]
        if not processes:
            return "\n".join([*lines, "no stages"])
        first = processes[0].env
        shared = {k: v for k, v in first.items() if all(process.env.get(k) == v for process in processes)}
        lines += [
            "environment of every process",
            f"   without {' '.join(processes[0].unset)}",
            *(f"   {name}={shlex.quote(value)}" for name, value in shared.items()),
        ]
        for ranks, plan in _alike(self.nodes):
            lines += [*_node_head(ranks, plan, several=len(self.nodes) > 1)]
            for number, stage in enumerate(plan.stages, start=1):
                lines += ["", *_stage_lines(f"{number}. ", stage, shared)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; `stages` are those of this node."""
        return {
            "recipe": self.recipe,
            "recipe_hash": self.recipe_hash,
            "run_folder": str(self.folder.root),
            "cwd": str(self.cwd),
            "accelerator": self.topology.kind.value,
            "mode": self.topology.mode.value,
            "training_processes": self.topology.world_size,
            "node": self.here,
            "step": self.step,
            "stages": [stage.to_dict() for stage in self.stages],
            "nodes": [plan.to_dict() for plan in self.nodes],
        }


def _processes(plan: NodePlan) -> list[Process]:
    found: list[Process] = []
    for stage in plan.stages:
        found += [*stage.services, *([stage] if stage.argv else [])]
    return found


def _topology_line(topology: Topology) -> str:
    trained = f"{topology.world_size} training process{'es' if topology.world_size > 1 else ''}"
    nodes = len(topology.nodes)
    where = "one node" if nodes == 1 else f"{nodes} nodes, {len(topology.trainers)} of which train"
    generated = {
        "transformers": "rollouts by transformers in the trainer",
        "colocate": "rollouts by vLLM in the trainer",
        "server": f"rollouts by {len(topology.servers)} vLLM server{'s' if len(topology.servers) > 1 else ''}",
    }
    return f"{topology.kind.value}, {where}, {trained}, {generated[topology.mode]}"


def _server_lines(topology: Topology) -> list[str]:
    return [
        f"server {server.index}    node {server.node}, {server.url}, weight sync at port {server.group_port}, "
        f"devices {','.join(server.devices)}"
        for server in topology.servers
    ]


def _alike(nodes: tuple[NodePlan, ...]) -> list[tuple[list[int], NodePlan]]:
    """Nodes in groups whose plans differ in the node's number alone."""
    groups: dict[str, tuple[list[int], NodePlan]] = {}
    for plan in nodes:
        groups.setdefault(_without_number(plan), ([], plan))[0].append(plan.node.rank)
    return list(groups.values())


def _without_number(plan: NodePlan) -> str:
    text = repr([plan.node.role, *(process.to_dict() for process in _processes(plan))])
    text = text.replace(f"'NODE_RANK': '{plan.node.train_rank}'", "")
    # The first node that trains also runs the stages of one process, so it never looks like the others.
    return re.sub(rf"\bnode{plan.node.rank}\b", "node", text)


def _node_head(ranks: list[int], plan: NodePlan, *, several: bool) -> list[str]:
    if not several:
        return []
    names = f"node {ranks[0]}" if len(ranks) == 1 else f"nodes {ranks[0]} to {ranks[-1]}"
    note = "" if len(ranks) == 1 else f"; NODE_RANK counts up from {plan.node.train_rank}, logs carry the node's number"
    devices = ",".join(plan.node.trains_on)
    return ["", f"== {names}: {plan.node.role}{f' on devices {devices}' if devices else ''}{note}"]


def _stage_lines(number: str, stage: Stage, shared: Mapping[str, str]) -> list[str]:
    lines = []
    if not stage.argv and not stage.services:
        return [f"{number}{stage.name}: waits for the first training node"]
    for service in stage.services:
        lines += _process_lines(f"{number}{stage.name}, served here: ", service, shared)
    if not stage.argv:
        return [*lines, f"   until {stage.name} is done on the training nodes"]
    if stage.needs:
        lines.append(
            f"{number}{stage.name}, when {', '.join(stage.needs)} answer{'s' if len(stage.needs) == 1 else ''}"
        )
        number = "   "
    return lines + _process_lines(number, stage, shared)


def _process_lines(head: str, process: Process, shared: Mapping[str, str]) -> list[str]:
    own = [f"   {name}={shlex.quote(value)}" for name, value in process.env.items() if name not in shared]
    return [f"{head}{process.name}  (log {process.log})", *own, *_command_lines(process.argv)]


def _command_lines(argv: tuple[str, ...]) -> list[str]:
    """A command with each option on its own line, ready to be pasted into a shell."""
    lines = ["  "]
    for word in argv:
        if word.startswith("--"):
            lines[-1] += " \\"
            lines.append("     ")
        lines[-1] += f" {shlex.quote(word)}"
    return lines
