"""What a checkpoint holds, read from its files without loading it: safetensors headers and config.json."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from zoomground.errors import LaunchError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

HEADER_LIMIT_BYTES = 100_000_000
"""The format's own limit of a header."""

NOT_LOADED = ("mtp.",)
"""Tensors that neither Transformers nor vLLM (without speculation) load: heads that predict several tokens."""


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The sizes that memory depends on.

    Attributes:
        parameters: All weights that are loaded.
        vision_parameters: Those of the vision tower and its projector.
        adapter_width: Inputs plus outputs of all linear layers outside the vision tower and the output head: adapters
            of rank 1 have so many weights.
        vision_adapter_width: The same of the vision tower.
        hidden: Width of the hidden state.
        layers: Layers of the language model.
        attention_layers: Those that keep a cache for each token; a layer of linear attention keeps none.
        kv_heads: Key and value heads of such a layer.
        head_dim: Width of a head.
        vocabulary: Tokens that a logit is computed for.
    """

    parameters: int
    vision_parameters: int
    adapter_width: int
    vision_adapter_width: int
    hidden: int
    layers: int
    attention_layers: int
    kv_heads: int
    head_dim: int
    vocabulary: int


def model_shape(checkpoint: Path) -> ModelShape:
    """Read the shape of a checkpoint.

    Args:
        checkpoint: Its folder.

    Raises:
        LaunchError: If its files do not say; the message names the file.
    """
    config = _json(checkpoint / "config.json")
    text = config.get("text_config") or config
    tensors = {name: shape for name, shape in _tensors(checkpoint).items() if not name.startswith(NOT_LOADED)}
    vision = {name: shape for name, shape in tensors.items() if "visual" in name.split(".")}
    language = {name: shape for name, shape in tensors.items() if name not in vision}
    try:
        heads = int(text["num_attention_heads"])
        return ModelShape(
            parameters=sum(map(math.prod, tensors.values())),
            vision_parameters=sum(map(math.prod, vision.values())),
            adapter_width=_width(language),
            vision_adapter_width=_width(vision),
            hidden=int(text["hidden_size"]),
            layers=int(text["num_hidden_layers"]),
            attention_layers=_attention_layers(text),
            kv_heads=int(text.get("num_key_value_heads") or heads),
            head_dim=int(text.get("head_dim") or text["hidden_size"] // heads),
            vocabulary=int(text["vocab_size"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise LaunchError(f"{checkpoint / 'config.json'} does not say {error}") from error


def _width(tensors: Mapping[str, tuple[int, ...]]) -> int:
    """Inputs plus outputs of the linear layers, which are what "all-linear" adapters are put on."""
    return sum(
        sum(shape)
        for name, shape in tensors.items()
        if len(shape) == 2
        and name.endswith(".weight")
        and not {"embed", "head"} & set(name.replace("_", ".").split("."))
    )


def _attention_layers(text: Mapping[str, Any]) -> int:
    layers = int(text["num_hidden_layers"])
    if kinds := text.get("layer_types"):
        return sum(kind != "linear_attention" for kind in kinds)
    return layers // int(text.get("full_attention_interval") or 1)


def _tensors(checkpoint: Path) -> dict[str, tuple[int, ...]]:
    """Names and shapes of all tensors, from the headers of the files that belong to the checkpoint."""
    index = checkpoint / "model.safetensors.index.json"
    if index.is_file():
        files = sorted({checkpoint / str(name) for name in _json(index).get("weight_map", {}).values()})
    else:
        files = sorted(checkpoint.glob("*.safetensors"))
    if not files:
        raise LaunchError(f"{checkpoint} holds no *.safetensors")
    found: dict[str, tuple[int, ...]] = {}
    for file in files:
        found |= _header(file)
    return found


def _header(file: Path) -> dict[str, tuple[int, ...]]:
    """Names and shapes of one file: eight bytes of length, then JSON (the safetensors format)."""
    try:
        with file.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if not 0 < length <= HEADER_LIMIT_BYTES:
                raise LaunchError(f"{file} is no safetensors file")
            header = json.loads(stream.read(length))
            return {name: tuple(entry["shape"]) for name, entry in header.items() if name != "__metadata__"}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LaunchError(f"{file} cannot be read as safetensors: {error}") from error


def _json(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LaunchError(f"{file} cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise LaunchError(f"{file} holds no JSON object")
    return value
