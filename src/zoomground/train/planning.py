"""Makes the launch plan of a recipe. It reads what an earlier start left; it runs and writes nothing."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from zoomground.recipe import RECIPE_VARIABLE, TRAJECTORIES_VARIABLE, LoadedRecipe
from zoomground.recipe.keys import all_keys
from zoomground.train.batches import step_of
from zoomground.train.checkpoints import checkpoints, final_checkpoint, start_model, whole_checkpoint
from zoomground.train.deepspeed import sharding_of
from zoomground.train.devices import VISIBLE, Kind, devices_of
from zoomground.train.folder import RunFolder
from zoomground.train.plan import TRAIN_MASTER, LaunchPlan, NodePlan, Service, Stage
from zoomground.train.resume import last_checkpoint
from zoomground.train.swift_args import (
    Training,
    grpo_arguments,
    merge_arguments,
    rollout_arguments,
    sft_arguments,
)
from zoomground.train.topology import Mode, Node, Topology, topology_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zoomground.recipe.sections import Grpo
    from zoomground.train.topology import Server

DISTRIBUTED_VARIABLES = ("NPROC_PER_NODE", "NNODES", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT", "RANK", "WORLD_SIZE")
"""With one of these set ms-swift starts torchrun; one process needs none."""

SWIFT = (sys.executable, "-m", "swift.cli.main")
"""`swift` of this very environment, also where its script is on no path."""

NPU_VARIABLES = {
    "HCCL_CONNECT_TIMEOUT": "1800",
    "HCCL_EXEC_TIMEOUT": "7200",
    # Trainer and rollouts of one host must not want the same sockets.
    "HCCL_HOST_SOCKET_PORT_RANGE": "auto",
    "HCCL_NPU_SOCKET_PORT_RANGE": "auto",
    "PYTORCH_NPU_ALLOC_CONF": "expandable_segments:True",
    "TASK_QUEUE_ENABLE": "1",
}
"""What an Ascend NPU needs in place of the GPU's variables; held against documentation, not run here."""


def make_plan(loaded: LoadedRecipe, topology: Topology | None = None) -> LaunchPlan:
    """The plan of a recipe. What an earlier, stopped run left decides from where training goes on.

    Args:
        loaded: A validated recipe.
        topology: Who does what; default: by the recipe and what this machine has.

    Raises:
        LaunchError: If the recipe and the devices do not fit together.
    """
    folder = RunFolder.of(loaded)
    recipe = loaded.recipe
    made = topology or topology_of(recipe, devices_of(recipe))
    return LaunchPlan(
        recipe=str(loaded.path or ""),
        recipe_hash=recipe.hash,
        folder=folder,
        cwd=Path.cwd(),
        topology=made,
        nodes=tuple(NodePlan(node, _Planner(loaded, folder, made, node).stages()) for node in made.nodes),
        here=recipe.cluster.node_rank,
        step=_step_line(recipe.grpo, made.world_size),
    )


def _step_line(grpo: Grpo, world_size: int) -> str:
    step = step_of(grpo, world_size) if grpo.steps else None
    if step is None:
        return ""
    fitted = ""
    if step.prompts != grpo.prompts_per_step:
        fitted = f" (in place of {grpo.prompts_per_step}, which {world_size} processes cannot share evenly)"
    return (
        f"{step.prompts} prompts{fitted} x {grpo.num_generations} rollouts = {world_size} process(es) x {step.passes} "
        f"passes x {step.micro_batch_size}"
    )


@dataclass(frozen=True, slots=True)
class _Planner:
    """The stages of one node."""

    loaded: LoadedRecipe
    folder: RunFolder
    topology: Topology
    node: Node

    def stages(self) -> tuple[Stage, ...]:
        recipe, folder = self.loaded.recipe, self.folder
        stages: list[Stage] = []
        if recipe.sft.steps:
            stages.append(self._own("demonstrations", folder.sft_rows))
        if recipe.model.build.arch:
            stages.append(self._own("checkpoint", folder.checkpoint / "config.json"))
        if recipe.curriculum.steps:
            stages.append(self._own("curriculum", folder.taught / "config.json"))
        if recipe.sft.steps:
            stages += [self._sft(), *self._merge("sft", folder.sft, recipe.sft.steps)]
        if recipe.grpo.steps:
            stages += [self._own("prompts", folder.prompts), self._grpo()]
            stages += self._merge("grpo", folder.grpo, recipe.grpo.steps)
        if recipe.data.heldout:
            stages.append(self._own("evaluate", folder.evaluated_items, folder.evaluation_summary))
        if recipe.grpo.steps:
            stages.append(self._own("report"))
        return tuple(stages)

    @property
    def _is_first(self) -> bool:
        return self.node.train_rank == 0

    def _log(self, name: str) -> Path:
        """One log for each node: they may share a file system."""
        return self.folder.log(name if len(self.topology.nodes) == 1 else f"{name}.node{self.node.rank}")

    def _own(self, name: str, *outputs: Path) -> Stage:
        argv = (sys.executable, "-m", f"zoomground.train.stages.{name}")
        return self._single(name, argv, outputs)

    def _single(self, name: str, argv: tuple[str, ...], outputs: tuple[Path, ...]) -> Stage:
        """A stage of one process, on the first node that trains."""
        return Stage(
            name=name,
            argv=argv if self._is_first else (),
            log=self._log(name),
            env=self._environment() | self._devices(self.node.trains_on[:1]),
            unset=DISTRIBUTED_VARIABLES,
            outputs=outputs,
        )

    def _merge(self, name: str, output_dir: Path, steps: int) -> list[Stage]:
        """Adapters into weights, so that whatever comes next gets a whole checkpoint."""
        if self.loaded.recipe.engine.tuner == "full":
            return []
        whole = whole_checkpoint(self.loaded.recipe, output_dir, steps)
        argv = (*SWIFT, "export", *merge_arguments(final_checkpoint(output_dir, steps), whole))
        return [self._single(f"merge-{name}", argv, (whole / "config.json",))]

    def _sft(self) -> Stage:
        loaded, folder, steps = self.loaded, self.folder, self.loaded.recipe.sft.steps
        training = Training(
            start_model(loaded, folder),
            folder.sft_rows,
            folder.sft,
            last_checkpoint(folder.sft),
            self.topology.world_size,
            sharding_of(loaded.recipe, self.topology),
        )
        return self._training("sft", "sft", sft_arguments(loaded.recipe, training), steps, folder.sft)

    def _grpo(self) -> Stage:
        loaded, folder, steps = self.loaded, self.folder, self.loaded.recipe.grpo.steps
        before = next(iter(checkpoints(loaded, folder).values()))
        training = Training(
            before,
            folder.prompts,
            folder.grpo,
            last_checkpoint(folder.grpo),
            self.topology.world_size,
            sharding_of(loaded.recipe, self.topology),
        )
        arguments = grpo_arguments(loaded.recipe, training, self.topology)
        return self._training(
            "grpo",
            "rlhf",
            arguments,
            steps,
            folder.grpo,
            env={TRAJECTORIES_VARIABLE: str(folder.trajectories)},
            rewinds=folder.trajectories,
            services=tuple(self._service(server, before) for server in self.node.servers),
            needs=tuple(server.url for server in self.topology.servers),
        )

    def _training(
        self,
        name: str,
        verb: str,
        arguments: list[str],
        steps: int,
        output_dir: Path,
        *,
        env: Mapping[str, str] | None = None,
        rewinds: Path | None = None,
        services: tuple[Service, ...] = (),
        needs: tuple[str, ...] = (),
    ) -> Stage:
        trains = self.node.train_rank is not None
        last = final_checkpoint(output_dir, steps)
        weights = "config.json" if self.loaded.recipe.engine.tuner == "full" else "adapter_config.json"
        return Stage(
            name=name,
            argv=(*SWIFT, verb, *arguments) if trains else (),
            log=self._log(name),
            env=self._environment() | self._devices(self.node.trains_on) | self._ranks(name) | dict(env or {}),
            unset=DISTRIBUTED_VARIABLES,
            metrics=output_dir / "logging.jsonl",
            steps=steps,
            outputs=(last / weights,),
            rewinds=rewinds,
            services=services,
            needs=needs if trains else (),
            start_s=self.loaded.recipe.rollouts.start_s,
        )

    def _service(self, server: Server, model: str) -> Service:
        recipe = self.loaded.recipe
        alone = len(self.topology.nodes) == 1
        # Nobody but the trainers may reach a server that takes new weights from whoever sends them.
        bind = "127.0.0.1" if alone and not recipe.rollouts.hosts else server.host
        return Service(
            name=f"rollout-{server.index}",
            argv=(*SWIFT, "rollout", *rollout_arguments(recipe, model, server, bind)),
            log=self._log(f"rollout-{server.index}"),
            env=self._environment() | self._devices(server.devices),
            unset=DISTRIBUTED_VARIABLES,
            url=server.url,
            start_s=recipe.rollouts.start_s,
        )

    def _ranks(self, stage: str) -> dict[str, str]:
        """What makes ms-swift start one process for each device, on every node that trains."""
        processes, nodes = len(self.node.trains_on), len(self.topology.trainers)
        if self.node.train_rank is None:
            return {}
        if processes * nodes <= 1 and not sharding_of(self.loaded.recipe, self.topology).stage:
            # vLLM in the trainer meets itself at this port.
            colocated = self.topology.mode is Mode.COLOCATE
            return {"MASTER_PORT": str(self.loaded.recipe.cluster.master_port)} if colocated else {}
        ranks = self._log(stage).with_suffix("")
        return {
            "NPROC_PER_NODE": str(max(1, processes)),
            "NNODES": str(nodes),
            "NODE_RANK": str(self.node.train_rank),
            "MASTER_ADDR": "127.0.0.1" if nodes == 1 else TRAIN_MASTER,
            "MASTER_PORT": str(self.loaded.recipe.cluster.master_port),
            # Each rank has a log of its own beside the node's, which shows them all.
            "PET_LOG_DIR": f"{ranks}.ranks",
            "PET_REDIRECTS": "3",
            "PET_TEE": "3",
        }

    def _devices(self, ids: tuple[str, ...]) -> dict[str, str]:
        kind = self.topology.kind
        if kind is Kind.CPU or not ids:
            return {}
        return {VISIBLE[kind]: ",".join(ids)} | (NPU_VARIABLES if kind is Kind.NPU else {})

    def _environment(self) -> dict[str, str]:
        """What every process of the run must see, so that all of them read the same recipe and see images alike."""
        loaded = self.loaded
        limits = loaded.recipe.pixel_limits
        token_px = limits.factor**2
        own = {key.variable for key in all_keys() if key.path[0] == "cluster"}
        variables = {name: value for name, value in loaded.variables.items() if name not in own}
        if loaded.path is not None:
            variables[RECIPE_VARIABLE] = str(loaded.path.resolve())
        variables |= {
            "IMAGE_MAX_TOKEN_NUM": str(limits.max_pixels // token_px),
            "IMAGE_MIN_TOKEN_NUM": str(limits.min_pixels // token_px),
            "PYTHONUNBUFFERED": "1",
            "TOKENIZERS_PARALLELISM": "false",
            # Threads that spin while they wait take the cores from each other.
            "OMP_WAIT_POLICY": "PASSIVE",
        }
        if self.topology.mode is not Mode.TRANSFORMERS:
            variables["SWIFT_UPDATE_WEIGHTS_BUCKET_SIZE"] = str(loaded.recipe.engine.weights_bucket_mb)
        if Path(start_model(loaded, self.folder)).is_absolute():
            variables["HF_HUB_OFFLINE"] = "1"
        return variables
