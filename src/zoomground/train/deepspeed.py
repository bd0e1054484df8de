"""DeepSpeed's configuration for a recipe.

Values that Transformers knows better are ``auto``. Written by us, because ms-swift's own offload configurations move
weights and optimizer together, and the reported set-up moves the optimizer alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zoomground.recipe import Recipe


def deepspeed_config(recipe: Recipe) -> dict[str, Any] | None:
    """The configuration as JSON values; None without DeepSpeed."""
    engine = recipe.engine
    if not engine.zero:
        return None
    zero: dict[str, Any] = {
        "stage": engine.zero,
        "overlap_comm": False,
        "contiguous_gradients": True,
        "reduce_bucket_size": "auto",
    }
    if engine.zero == 3:
        zero |= {
            "stage3_prefetch_bucket_size": "auto",
            "stage3_param_persistence_threshold": "auto",
            "stage3_max_live_parameters": 1_000_000_000,
            "stage3_max_reuse_distance": 1_000_000_000,
            "stage3_gather_16bit_weights_on_model_save": True,
        }
    if engine.offload_optimizer:
        zero["offload_optimizer"] = {"device": "cpu", "pin_memory": True}
    if engine.offload_weights:
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
