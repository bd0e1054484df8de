"""The numbers of the checkpoints that are built here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TinyShape:
    """The numbers of a tiny checkpoint.

    Attributes:
        vocab_size: Tokens before the control tokens and phrases.
        max_phrases: Most recurring phrases of the corpus that become single tokens.
        hidden_size: Width of the language model; divisible by ``heads``.
        layers: Its depth.
        heads: Attention heads.
        kv_heads: Key and value heads.
        linear_head_dim: Width of a head of linear attention (Qwen3.5's).
        vision_hidden_size: Width of the vision tower.
        vision_layers: Its depth.
        vision_heads: Its attention heads.
        initializer_range: Standard deviation of the random weights. The families' 0.02 is made for large widths; a
            tiny model learns faster from somewhat larger ones, and speaks more surely than from 0.06.
        max_tokens: Longest sequence.
        deepstack: Vision layers whose output the first language layers get, too.
    """

    vocab_size: int = 1024
    max_phrases: int = 256
    hidden_size: int = 128
    layers: int = 3
    heads: int = 4
    kv_heads: int = 2
    linear_head_dim: int = 32
    vision_hidden_size: int = 64
    vision_layers: int = 1
    vision_heads: int = 2
    initializer_range: float = 0.03
    max_tokens: int = 8192
    deepstack: tuple[int, ...] = (0, 1)


SHAPES = {
    "tiny": TinyShape(),
    # As deep as reading an icon, looking its name up and adding two numbers takes.
    "boards": TinyShape(
        vocab_size=512,
        hidden_size=128,
        layers=4,
        vision_hidden_size=96,
        vision_layers=3,
        vision_heads=3,
        initializer_range=0.04,
    ),
    # Heads of 64, and of 128 where attention is linear: what a GPU's kernels are made for.
    "mini": TinyShape(
        vocab_size=2048,
        hidden_size=384,
        layers=6,
        heads=6,
        kv_heads=2,
        linear_head_dim=128,
        vision_hidden_size=256,
        vision_layers=4,
        vision_heads=4,
        initializer_range=0.02,
        max_tokens=16384,
    ),
    # As "mini", with more of it in the vision tower: the words of a screen are read there, and looked up in few layers.
    "reader": TinyShape(
        vocab_size=6144,
        hidden_size=384,
        layers=5,
        heads=6,
        kv_heads=2,
        linear_head_dim=128,
        vision_hidden_size=256,
        vision_layers=8,
        vision_heads=4,
        initializer_range=0.04,
        max_tokens=16384,
        deepstack=(3,),
    ),
}
"""The sizes that a recipe can name (`model.build.size`)."""
