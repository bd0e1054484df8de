"""What a checkpoint holds, from files written byte by byte."""

import json
from pathlib import Path
from typing import Any

import pytest

from checkpoint_files import TENSORS, checkpoint, write
from zoomground.errors import LaunchError
from zoomground.train.weights import model_shape


def test_weights_are_counted_by_what_becomes_of_them(tmp_path: Path) -> None:
    shape = model_shape(checkpoint(tmp_path))
    language, vision = 80 + 96 + 8 + 80, 8 * 3 * 2 * 16 + 128 + 128
    # The head that predicts several tokens is not loaded.
    assert (shape.parameters, shape.vision_parameters) == (language + vision, vision)
    # Embeddings, norms, convolutions and the output head get no adapters.
    assert (shape.adapter_width, shape.vision_adapter_width) == (12 + 8, 16 + 8)
    assert (shape.hidden, shape.layers, shape.attention_layers) == (8, 4, 4)
    assert (shape.kv_heads, shape.head_dim, shape.vocabulary) == (1, 6, 10)


@pytest.mark.parametrize(
    "text",
    [
        {"layer_types": ["linear_attention", "full_attention", "linear_attention", "full_attention"]},
        {"full_attention_interval": 2},
    ],
)
def test_layers_of_linear_attention_keep_no_cache(tmp_path: Path, text: dict[str, Any]) -> None:
    assert model_shape(checkpoint(tmp_path, text)).attention_layers == 2


def test_a_flat_config_without_key_value_heads(tmp_path: Path) -> None:
    shape = model_shape(checkpoint(tmp_path, {"num_key_value_heads": None, "head_dim": None}, nested=False))
    assert (shape.kv_heads, shape.head_dim) == (2, 4)


def test_shards_are_those_of_the_index(tmp_path: Path) -> None:
    checkpoint(tmp_path).joinpath("model.safetensors").unlink()
    parts = {"a": (3, 2), "b": (5,)}
    for name, shape in parts.items():
        write(tmp_path / f"{name}.safetensors", {name: shape})
    write(tmp_path / "left-over.safetensors", {"c": (1000,)})
    index = {"weight_map": {name: f"{name}.safetensors" for name in parts}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    assert model_shape(tmp_path).parameters == 6 + 5
    (tmp_path / "b.safetensors").unlink()
    with pytest.raises(LaunchError, match=r"b\.safetensors cannot be read"):
        model_shape(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"\0" * 8, "is no safetensors file"), (b"\4" + b"\0" * 7 + b"nope", "cannot be read as safetensors")],
)
def test_a_broken_file_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    checkpoint(tmp_path).joinpath("model.safetensors").write_bytes(content)
    with pytest.raises(LaunchError, match=rf"model\.safetensors {said}"):
        model_shape(tmp_path)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(LaunchError, match="holds no"):
        model_shape(tmp_path)
    write(tmp_path / "model.safetensors", TENSORS)
    with pytest.raises(LaunchError, match=r"config\.json does not say 'num_attention_heads'"):
        model_shape(tmp_path)
    (tmp_path / "config.json").write_text("[]", encoding="utf-8")
    with pytest.raises(LaunchError, match="no JSON object"):
        model_shape(tmp_path)
