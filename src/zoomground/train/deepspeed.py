"""How weights, gradients and optimizer are spread over the training devices, and DeepSpeed's configuration for it.

Values that Transformers knows better are ``auto``. Written by us, because ms-swift's own offload configurations move
weights and optimizer together, and the reported set-up moves the optimizer alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from zoomground.train.devices import Kind

if TYPE_CHECKING:
    from zoomground.recipe import Recipe
    from zoomground.train.topology import Topology


@dataclass(frozen=True, slots=True)
class Sharding:
    """What DeepSpeed spreads.

    Attributes:
        stage: ZeRO stage; 0 without DeepSpeed.
        offload_optimizer: The optimizer's state lies in host memory, and with it the gradients.
        offload_weights: The weights do, too.
    """

    stage: Literal[0, 2, 3] = 0
    offload_optimizer: bool = False
    offload_weights: bool = False

    def text(self) -> str:
        """For people."""
        if not self.stage:
            return "no DeepSpeed: every training process holds all of the weights and of the optimizer's state"
        shared = "weights, gradients and optimizer" if self.stage == 3 else "gradients and optimizer"
        moved = [name for name, on in (("optimizer", self.offload_optimizer), ("weights", self.offload_weights)) if on]
        host = f", {' and '.join(moved)} in host memory" if moved else ""
        return f"ZeRO-{self.stage}: {shared} are shared by the training processes{host}"


UNSHARDED = Sharding()


def sharding_of(recipe: Recipe, topology: Topology) -> Sharding:
    """What a recipe asks for, ``auto`` decided by who trains.

    Several devices that train all weights share them (ZeRO-3, the optimizer in host memory: the reported set-up), since
    only small models fit whole on each. One device, adapters and a CPU go without DeepSpeed.
    """
    engine = recipe.engine
    if engine.zero != "auto":
        return Sharding(engine.zero, engine.offload_optimizer is True, engine.offload_weights)
    offloads = engine.offload_optimizer is True or engine.offload_weights
    shared = topology.world_size > 1 and engine.tuner == "full"
    if topology.kind is Kind.CPU or not (offloads or shared):
        return UNSHARDED
    chosen = engine.offload_optimizer
    return Sharding(3, shared if chosen == "auto" else chosen, engine.offload_weights)


def deepspeed_config(sharding: Sharding) -> dict[str, Any] | None:
    """The configuration as JSON values; None without DeepSpeed."""
    if not sharding.stage:
        return None
    zero: dict[str, Any] = {
        "stage": sharding.stage,
        "overlap_comm": False,
        "contiguous_gradients": True,
        "reduce_bucket_size": "auto",
    }
    if sharding.stage == 3:
        zero |= {
            "stage3_prefetch_bucket_size": "auto",
            "stage3_param_persistence_threshold": "auto",
            "stage3_max_live_parameters": 1_000_000_000,
            "stage3_max_reuse_distance": 1_000_000_000,
            "stage3_gather_16bit_weights_on_model_save": True,
        }
    if sharding.offload_optimizer:
        zero["offload_optimizer"] = {"device": "cpu", "pin_memory": True}
    if sharding.offload_weights:
        zero["offload_param"] = {"device": "cpu", "pin_memory": True}
    return {
        "bf16": {"enabled": "auto"},
        "fp16": {"enabled": "auto"},
        "zero_optimization": zero,
        "gradient_accumulation_steps": "auto",
        "gradient_clipping": "auto",
        "train_batch_size": "auto",
        "train_micro_batch_size_per_gpu": "auto",
        "steps_per_print": 2000,
        "wall_clock_breakdown": False,
    }
