"""The sections of a recipe that say on what it runs: engine, rollout servers, nodes and devices."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from zoomground.recipe.section import Env, Section


def _number(value: Any) -> Any:
    """A number as the environment spells it."""
    return int(value) if isinstance(value, str) and value.strip().isdecimal() else value


Port = Annotated[int, Field(ge=1, le=65535)]


class Engine(Section):
    """How the model is trained, and what generates the rollouts."""

    mode: Literal["auto", "transformers", "colocate", "server"] = Field(
        default="auto",
        description="Engine of the rollouts; auto: transformers on a CPU, vLLM inside the trainer (colocate) on one "
        "device, vLLM servers beside it on several",
    )
    dtype: Literal["float32", "bfloat16"] = Field(default="bfloat16", description="Number format of weights")
    attention: Literal["sdpa", "flash_attention_2", "flash_attention_3", "eager"] = Field(
        default="sdpa", description="Attention of the trainer"
    )
    gradient_checkpointing: bool = Field(default=True, description="Trade time for memory in the backward pass")
    tuner: Literal["full", "lora"] = Field(default="full", description="Train all weights, or adapters of low rank")
    lora_rank: int = Field(default=16, ge=1, description="Rank of the adapters")
    lora_alpha: int = Field(default=32, ge=1, description="Scale of the adapters, divided by the rank")
    zero: Annotated[Literal["auto", 0, 2, 3], BeforeValidator(_number)] = Field(
        default="auto",
        description="DeepSpeed ZeRO stage; 0: no DeepSpeed; auto: 3 where several devices train all weights, or where "
        "something is to be offloaded, else 0",
    )
    offload_optimizer: Literal["auto"] | bool = Field(
        default="auto",
        description="Keep the optimizer's state in host memory (ZeRO); auto: where "
        "zero is auto and several devices train all weights",
    )
    offload_weights: bool = Field(default=False, description="Keep weights in host memory, too (ZeRO-3)")
    data_workers: int = Field(
        default=0, ge=0, description="SFT: processes that read and resize images for each training process; 0: in it"
    )
    move_model_batches: Annotated[int, Env("MOVE_MODEL_BATCHES")] = Field(
        default=0, ge=0, description="Pieces in which ZeRO-3 weights are gathered for the rollouts; 0: all at once"
    )
    weights_bucket_mb: Annotated[int, Env("SWIFT_UPDATE_WEIGHTS_BUCKET_SIZE")] = Field(
        default=512, ge=1, description="Size of a message of the weight sync, MB"
    )

    @model_validator(mode="after")
    def _offloads_with_zero(self) -> Self:
        if self.offload_optimizer is True and self.zero == 0:
            raise ValueError("offload_optimizer needs DeepSpeed: set zero = 2 or 3, or leave it out")
        if self.offload_weights and self.zero in {0, 2}:
            raise ValueError("offload_weights needs zero = 3, or leave zero out")
        return self


class Rollouts(Section):
    """vLLM: inside the trainer, or as servers."""

    tensor_parallel: Annotated[int, Env("VLLM_TP")] = Field(default=1, ge=1, description="Devices that share a model")
    data_parallel: Annotated[int, Env("VLLM_DP")] = Field(default=1, ge=1, description="Models that a server runs")
    hosts: Annotated[tuple[str, ...], Env("VLLM_SERVER_HOSTS")] = Field(
        default=(), description="Host of each server as the trainers reach it; unset: MASTER_ADDR, or this machine"
    )
    ports: Annotated[tuple[Port, ...], Env("VLLM_SERVER_PORTS")] = Field(
        default=(), description="Port of each server; unset: rollouts.port, counted up for servers of one host"
    )
    port: Annotated[int, Env("VLLM_SERVER_PORT")] = Field(
        default=8000, ge=1, le=65535, description="First port, where rollouts.ports is unset"
    )
    group_ports: tuple[Port, ...] = Field(
        default=(), description="Port of each server's weight sync; unset: counted up from 51216"
    )
    memory_share: float = Field(
        default=0.0, ge=0, lt=1, description="Share of a device's memory for vLLM; 0: 0.85 of a server, 0.35 colocated"
    )
    pictures_gb: float = Field(
        default=4.0,
        gt=0,
        description="Memory for opened screenshots, GB; a rollout server keeps as much of processed pictures besides",
    )
    max_sequences: int = Field(default=256, ge=1, description="Sequences that vLLM generates side by side")
    max_num_batched_tokens: Annotated[int, Env("VLLM_MAX_NUM_BATCHED_TOKENS")] = Field(
        default=0, ge=0, description="Tokens of one vLLM step; 0: vLLM's own choice"
    )
    enforce_eager: bool = Field(default=False, description="No CUDA graphs: starts faster, generates slower")
    sleep: bool = Field(default=False, description="Colocated: free vLLM's memory while the trainer works")
    engine_kwargs: Annotated[dict[str, Any], Env("VLLM_ENGINE_KWARGS")] = Field(
        default_factory=dict, description="Further arguments of vLLM's engine; in the environment: JSON"
    )
    start_s: float = Field(default=900.0, gt=0, description="How long a server may take to answer, s")


class Cluster(Section):
    """Nodes and devices. No part of the recipe's hash: it decides where a run runs, not how it comes out."""

    nodes: Annotated[int, Env("NNODES")] = Field(default=1, ge=1, description="Nodes of the run")
    node_rank: Annotated[int, Env("NODE_RANK")] = Field(default=0, ge=0, description="Which of them this one is")
    rollout_nodes: Annotated[int, Env("ROLLOUT_NNODES")] = Field(
        default=1, ge=0, description="The first so many nodes serve rollouts; 0: every node generates for itself"
    )
    master_addr: Annotated[str, Env("MASTER_ADDR")] = Field(
        default="", description="Address of node 0 as the other nodes reach it"
    )
    master_port: Annotated[int, Env("MASTER_PORT")] = Field(
        default=29500, ge=1, le=65534, description="Port at which the nodes meet"
    )
    devices: int = Field(default=0, ge=0, description="Accelerators of a node; 0: as many as there are")
    device_memory_gib: float = Field(
        default=0.0, ge=0, description="Memory of an accelerator for the estimate, GiB; 0: as nvidia-smi says"
    )
    lost_s: float = Field(
        default=90.0, gt=0, description="A node that has given no sign of life for so long is given up, s"
    )
    ascend_npu: Annotated[bool, Env("USE_ASCEND_NPU")] = Field(
        default=False, description="The accelerators are Ascend NPUs"
    )

    @model_validator(mode="after")
    def _ranks_fit(self) -> Self:
        if self.node_rank >= self.nodes:
            raise ValueError(f"node_rank {self.node_rank} (NODE_RANK) is not below nodes {self.nodes} (NNODES)")
        if self.nodes > 1 and self.rollout_nodes >= self.nodes:
            raise ValueError(
                f"rollout_nodes {self.rollout_nodes} (ROLLOUT_NNODES) leaves none of {self.nodes} nodes to train on"
            )
        if self.nodes > 1 and not self.master_addr:
            raise ValueError("master_addr (MASTER_ADDR) must name node 0 when there are several nodes")
        return self
