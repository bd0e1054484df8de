"""How much memory a run needs, as far as arithmetic can say. Pure: a recipe, a topology and a model's shape in.

Everything is a lower bound: what is not counted (fragments, buffers, kernels' scratch space, attention itself) comes on
top. So a run that is said not to fit does not, and one that is said to fit may still not.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from zoomground.train.batches import step_of
from zoomground.train.context import Context
from zoomground.train.deepspeed import Sharding, sharding_of
from zoomground.train.swift_args import COLOCATED_MEMORY_SHARE, SERVER_MEMORY_SHARE
from zoomground.train.topology import Mode

if TYPE_CHECKING:
    from zoomground.recipe import Recipe
    from zoomground.train.topology import Topology
    from zoomground.train.weights import ModelShape

GIB = 2**30
BYTES = {"float32": 4, "bfloat16": 2}
FLOAT32 = 4

DEEPSPEED_OPTIMIZER = 12
"""Bytes of the optimizer for each trained weight under DeepSpeed: a float32 copy of the weight and Adam's two moments
(Rajbhandari et al. 2020, "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", section 3.1, K = 12).
"""


@dataclass(frozen=True, slots=True)
class Training:
    """A training device, in one stage.

    Attributes:
        stage: Name of the stage.
        devices: Training devices in all.
        weights: Bytes of the weights, those that are not trained included.
        gradients: Bytes of the gradients.
        optimizer: Bytes of the optimizer's state.
        logits: Bytes of one micro batch's logits and their gradients.
        layer_inputs: Bytes of the hidden states that each layer keeps for the backward pass of one micro batch.
    """

    stage: str
    devices: int
    weights: float
    gradients: float
    optimizer: float
    logits: float
    layer_inputs: float

    @property
    def states(self) -> float:
        """Bytes that stay between steps."""
        return self.weights + self.gradients + self.optimizer

    @property
    def total(self) -> float:
        """Bytes in all."""
        return self.states + self.logits + self.layer_inputs


@dataclass(frozen=True, slots=True)
class Rollout:
    """A device that generates.

    Attributes:
        weights: Bytes of its part of the weights.
        kv_token: Bytes of the cache for each token on this device.
        share: Share of the device's memory that vLLM may take.
        room: Bytes of that share; None if the device's memory is not known.
    """

    weights: float
    kv_token: float
    share: float
    room: float | None

    @property
    def tokens(self) -> int | None:
        """Tokens whose cache fits at most; None if the device's memory is not known, or no layer caches tokens."""
        if self.room is None or not self.kv_token:
            return None
        return int(max(0.0, self.room - self.weights) // self.kv_token)


@dataclass(frozen=True, slots=True)
class Memory:
    """The estimate.

    Attributes:
        parameters: Weights of the model.
        trained: Weights that are trained; of adapters, theirs.
        context: The longest conversation; None without rows.
        training: A training device, for each training stage.
        rollout: A device that generates; None where Transformers does.
        sharding: What is spread over the training devices.
        host: Bytes of a training node's own memory for what is offloaded.
        device: Bytes of a device; None if not known.
    """

    parameters: int
    trained: int
    context: Context | None
    training: tuple[Training, ...]
    rollout: Rollout | None
    sharding: Sharding
    host: float
    device: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; bytes throughout."""
        stages = {
            one.stage: {
                "devices": one.devices,
                "weights": round(one.weights),
                "gradients": round(one.gradients),
                "optimizer": round(one.optimizer),
                "logits": round(one.logits),
                "layer_inputs": round(one.layer_inputs),
                "total": round(one.total),
            }
            for one in self.training
        }
        rollout = None
        if self.rollout:
            rollout = {
                "weights": round(self.rollout.weights),
                "cache_of_a_token": self.rollout.kv_token,
                "share": self.rollout.share,
                "tokens": self.rollout.tokens,
            }
        return {
            "parameters": self.parameters,
            "trained": self.trained,
            "context_tokens": self.context.total if self.context else None,
            "sharding": asdict(self.sharding),
            "training_device": stages,
            "rollout_device": rollout,
            "host": round(self.host),
            "device": None if self.device is None else round(self.device),
        }


def memory_of(
    recipe: Recipe, topology: Topology, shape: ModelShape, *, context: Context | None, device: float | None
) -> Memory:
    """Estimate the memory of a run.

    Args:
        recipe: A validated recipe.
        topology: Who does what.
        shape: What the checkpoint holds.
        context: The longest conversation; None where no rows tell.
        device: Bytes of each device; None if not known.
    """
    trained = trained_weights(recipe, shape)
    step = step_of(recipe.grpo, topology.world_size)
    micro = {
        "sft": recipe.sft.micro_batch_size,
        "grpo": step.micro_batch_size if step else recipe.grpo.micro_batch_size,
    }
    steps = {"sft": recipe.sft.steps, "grpo": recipe.grpo.steps}
    return Memory(
        parameters=shape.parameters,
        trained=trained,
        context=context,
        training=tuple(
            _training(stage, micro[stage], recipe, topology, shape=shape, context=context)
            for stage in steps
            if steps[stage]
        ),
        rollout=_rollout(recipe, topology, shape, device) if recipe.grpo.steps else None,
        sharding=sharding_of(recipe, topology),
        host=_host(recipe, topology, shape, trained),
        device=device,
    )


def trained_weights(recipe: Recipe, shape: ModelShape) -> int:
    """Weights that are trained: all, all but the vision tower's, or those of the adapters.

    An adapter of rank r on a linear layer has r x (inputs + outputs) weights (Hu et al. 2021, "LoRA", section 4.1).
    """
    frozen = recipe.model.freeze_vision
    if recipe.engine.tuner == "lora":
        return recipe.engine.lora_rank * (shape.adapter_width + (0 if frozen else shape.vision_adapter_width))
    return shape.parameters - (shape.vision_parameters if frozen else 0)


def _training(
    stage: str, micro: int, recipe: Recipe, topology: Topology, *, shape: ModelShape, context: Context | None
) -> Training:
    """A training device.

    Weights, gradients and optimizer are split over the devices from ZeRO stage 3, 2 and 1 on (Rajbhandari et al. 2020,
    section 5); what is offloaded is not on the device (Ren et al. 2021, "ZeRO-Offload", section 3: gradients go with
    the optimizer). Without DeepSpeed, Adam's moments have the format of the weights (torch.optim.AdamW).

    With its layers recomputed in the backward pass, each keeps its input: tokens x width (Korthikanti et al. 2022,
    "Reducing Activation Recomputation in Large Transformer Models", section 5). Logits are tokens x vocabulary, and as
    much again for their gradients; GRPO computes them from the first reply on, SFT for the whole conversation.
    """
    engine, size, world = recipe.engine, BYTES[recipe.engine.dtype], topology.world_size
    sharding, trained = sharding_of(recipe, topology), trained_weights(recipe, shape)
    # Adapters are kept in float32 (peft's autocast_adapter_dtype).
    own = FLOAT32 if engine.tuner == "lora" else size
    adapters = trained * own if engine.tuner == "lora" else 0
    weights = float(shape.parameters * size + adapters) / (world if sharding.stage == 3 else 1)
    gradients = float(trained * own) / (world if sharding.stage else 1)
    optimizer = float(trained * DEEPSPEED_OPTIMIZER) / world if sharding.stage else 2.0 * trained * own
    length, computed = recipe.model.max_length, 0
    if context is not None:
        length = min(length, context.total)
        computed = min(length, context.after_opening if stage == "grpo" else context.total)
    return Training(
        stage=stage,
        devices=world,
        weights=0.0 if sharding.offload_weights else weights,
        gradients=0.0 if sharding.offload_optimizer else gradients,
        optimizer=0.0 if sharding.offload_optimizer else optimizer,
        logits=2.0 * micro * computed * shape.vocabulary * size,
        layer_inputs=float(micro * length * shape.hidden * shape.layers * size) if context is not None else 0.0,
    )


def _rollout(recipe: Recipe, topology: Topology, shape: ModelShape, device: float | None) -> Rollout | None:
    """A device of vLLM.

    A token's cache is a key and a value of each head in each layer of full attention (Kwon et al. 2023, "Efficient
    Memory Management for Large Language Model Serving with PagedAttention", section 3); tensor parallelism splits the
    heads, and repeats them where there are fewer heads than devices.
    """
    if topology.mode is Mode.TRANSFORMERS:
        return None
    parallel, size = recipe.rollouts.tensor_parallel, BYTES[recipe.engine.dtype]
    heads = max(1, shape.kv_heads // parallel)
    usual = COLOCATED_MEMORY_SHARE if topology.mode is Mode.COLOCATE else SERVER_MEMORY_SHARE
    share = recipe.rollouts.memory_share or usual
    return Rollout(
        weights=shape.parameters * size / parallel,
        kv_token=2.0 * shape.attention_layers * heads * shape.head_dim * size,
        share=share,
        room=None if device is None else share * device,
    )


def _host(recipe: Recipe, topology: Topology, shape: ModelShape, trained: int) -> float:
    """A training node's own memory: optimizer, float32 gradients, weights of its processes' part (ZeRO-Offload)."""
    sharding = sharding_of(recipe, topology)
    part = 1 / len(topology.trainers)
    optimizer = trained * (DEEPSPEED_OPTIMIZER + FLOAT32) * part if sharding.offload_optimizer else 0.0
    return optimizer + (shape.parameters * BYTES[recipe.engine.dtype] * part if sharding.offload_weights else 0.0)


def memory_problems(memory: Memory, recipe: Recipe, mode: Mode) -> list[str]:
    """Why a run cannot fit; nothing where the devices' memory is not known."""
    if memory.device is None:
        return []
    return [*_rollout_problems(memory, recipe), *_training_problems(memory, recipe, mode)]


def _training_problems(memory: Memory, recipe: Recipe, mode: Mode) -> list[str]:
    problems = []
    for one in memory.training:
        needed, beside = one.total, ""
        if memory.rollout and memory.rollout.room and mode is Mode.COLOCATE and one.stage == "grpo":
            beside = f" with vLLM's {gib(memory.rollout.room)} beside it"
            # Asleep, vLLM is not there while the trainer computes, but its states are there while vLLM generates.
            awake = one.states if recipe.rollouts.sleep else one.total
            needed = max(one.total, awake + memory.rollout.room)
        if memory.device is not None and needed > memory.device:
            problems.append(
                f"memory: stage '{one.stage}' needs at least {gib(needed)} GiB of a training device{beside} (weights "
                f"{gib(one.weights)}, gradients {gib(one.gradients)}, optimizer {gib(one.optimizer)}, logits "
                f"{gib(one.logits)}, layer inputs {gib(one.layer_inputs)}), which has {gib(memory.device)}; "
                "engine.zero = 3, engine.offload_optimizer, engine.tuner = 'lora', a smaller micro_batch_size, "
                "fewer or smaller images, or in colocate mode a smaller rollouts.memory_share need less"
            )
    return problems


def _rollout_problems(memory: Memory, recipe: Recipe) -> list[str]:
    rollout, longest = memory.rollout, recipe.model.max_length
    if rollout is None or rollout.room is None:
        return []
    if rollout.weights >= rollout.room:
        return [
            f"memory: the weights of a rollout device, {gib(rollout.weights)} GiB, do not fit into vLLM's share of it, "
            f"{gib(rollout.room)} GiB; raise VLLM_TP or rollouts.memory_share"
        ]
    if rollout.tokens is not None and rollout.tokens < longest:
        return [
            f"memory: a rollout device has room for the cache of {rollout.tokens} tokens at most, model.max_length "
            f"is {longest}; raise VLLM_TP or rollouts.memory_share, or lower MAX_LENGTH"
        ]
    return []


def gib(size: float) -> str:
    """Bytes as GiB, with as many digits as matter."""
    return f"{size / GIB:.1f}" if size >= GIB / 10 else f"{size / GIB:.3f}"
