"""Checkpoint folders whose weights nobody reads: config.json and safetensors headers, written byte by byte."""

import json
import math
from pathlib import Path
from typing import Any

TEXT = {
    "hidden_size": 8,
    "num_hidden_layers": 4,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 6,
    "vocab_size": 10,
}
TENSORS = {
    "model.language_model.embed_tokens.weight": (10, 8),
    "model.language_model.layers.0.self_attn.q_proj.weight": (12, 8),
    "model.language_model.layers.0.norm.weight": (8,),
    "model.visual.patch_embed.proj.weight": (8, 3, 2, 4, 4),
    "model.visual.pos_embed.weight": (16, 8),
    "model.visual.blocks.0.mlp.fc1.weight": (16, 8),
    "lm_head.weight": (10, 8),
    "mtp.layers.0.mlp.weight": (100, 100),
}


def write(file: Path, tensors: dict[str, tuple[int, ...]]) -> None:
    """A safetensors file in bf16 whose data nobody reads."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, shape in tensors.items():
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [at, at + 2 * math.prod(shape)]}
        at += 2 * math.prod(shape)
    text = json.dumps(header).encode()
    file.write_bytes(len(text).to_bytes(8, "little") + text)


def checkpoint(folder: Path, text: dict[str, Any] | None = None, *, nested: bool = True) -> Path:
    values = TEXT | (text or {})
    (folder / "config.json").write_text(json.dumps({"text_config": values} if nested else values), encoding="utf-8")
    write(folder / "model.safetensors", TENSORS)
    return folder
