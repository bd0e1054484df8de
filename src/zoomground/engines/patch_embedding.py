"""The patch embedding as the matrix product that it is: the same numbers, several times faster on a CPU.

The vision towers cut an image into patches and put a 3-D convolution over each whole patch, once. A convolution whose
kernel is its whole input is a dot product; on a CPU the general convolution takes nearly half of a training step.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional
from transformers.models.qwen2_5_vl.modeling_qwen2_5_vl import Qwen2_5_VisionPatchEmbed
from transformers.models.qwen3_5.modeling_qwen3_5 import Qwen3_5VisionPatchEmbed
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLVisionPatchEmbed

PATCH_EMBEDDINGS = (Qwen2_5_VisionPatchEmbed, Qwen3VLVisionPatchEmbed, Qwen3_5VisionPatchEmbed)


def is_accelerator_available() -> bool:
    """Whether this process has a GPU, an NPU or the like."""
    return bool(torch.accelerator.is_available())


def use_matrix_product() -> None:
    """Compute patch embeddings by a matrix product from now on, in this process; for a CPU only."""
    for family in PATCH_EMBEDDINGS:
        family.forward = _matrix_product


def _matrix_product(embedding: Any, hidden_states: torch.Tensor) -> torch.Tensor:
    weight = embedding.proj.weight
    patches = hidden_states.to(dtype=weight.dtype).view(-1, weight[0].numel())
    return functional.linear(patches, weight.view(weight.shape[0], -1), embedding.proj.bias)
