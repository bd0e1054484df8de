"""Tiny checkpoints of real architectures: what the demo job trains on a CPU and what the engine's tests run.

A tiny checkpoint is a full citizen. It has the family's own classes, special tokens, chat template and processor, so
every tool loads it as it would load the large one; only its numbers are small and its weights are random. Its
tokenizer is trained on text of this project's protocol: a sentence that returns in every prompt becomes one token,
which makes a prompt of 250 words cheap on a CPU, while digits stay single so that coordinates can be learnt.

Nothing is fetched from anywhere.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import (
    GenerationConfig,
    Qwen2Tokenizer,
    Qwen2VLImageProcessor,
    Qwen3_5Config,
    Qwen3_5ForConditionalGeneration,
    Qwen3_5Tokenizer,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
    Qwen3VLProcessor,
    Qwen3VLVideoProcessor,
)

from zoomground.engines.tiny_shape import TinyShape
from zoomground.errors import ZoomgroundError
from zoomground.geometry import PixelLimits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


Arch = Literal["qwen3_vl", "qwen3_5"]

CARD_NAME = "tiny.json"
"""File of the card inside a checkpoint's folder."""

_MERGE = 2
"""Patches on a side that become one image token, in both families."""

_PAD = "<|endoftext|>"
_END = "<|im_end|>"
_IMAGE = "<|image_pad|>"
_CONTROL_TOKENS = (
    _PAD,
    "<|im_start|>",
    _END,
    "<|object_ref_start|>",
    "<|object_ref_end|>",
    "<|box_start|>",
    "<|box_end|>",
    "<|quad_start|>",
    "<|quad_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    _IMAGE,
    "<|video_pad|>",
)
_WORD_TOKENS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>")
"""Single tokens of the family that are ordinary text: decoding keeps them."""

_PHRASE_BREAK = re.compile(r"(?<![a-z])[0-9]+|\n+|</?think>|</?tool_call>|</?tool_response>|<\|[a-z_]+\|>")
"""Where a phrase ends: one that held a coordinate would hide it. The 1 of ``x1=`` is part of a word."""

_WORD = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""The families' own rule for splitting words; the loaded tokenizer applies it, so training must too."""


@dataclass(frozen=True, slots=True)
class TinyCard:
    """What was built.

    Attributes:
        arch: Architecture, which is also ms-swift's model type.
        path: Folder of the checkpoint.
        parameters: Number of weights.
        vision_parameters: Those of the vision tower among them.
        vocab_size: Rows of the embedding.
        phrases: Number of phrases that became single tokens.
        limits: Pixel limits of its image processor.
        seed: Seed of the weights.
    """

    arch: Arch
    path: Path
    parameters: int
    vision_parameters: int
    vocab_size: int
    phrases: int
    limits: PixelLimits
    seed: int


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """A tokenizer and the ids that the model's configuration needs."""

    tokenizer: Any
    phrases: int
    ids: dict[str, int] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Rows of the embedding: a multiple of 64, as the families have it."""
        return -(-len(self.tokenizer) // 64) * 64


def build_checkpoint(
    out: Path,
    *,
    arch: Arch = "qwen3_vl",
    limits: PixelLimits,
    seed: int,
    corpus: Iterable[str],
    phrases: Iterable[str] = (),
    shape: TinyShape | None = None,
) -> TinyCard:
    """Build a random checkpoint; an existing folder of that name is replaced once the new one is complete.

    Args:
        out: Folder of the checkpoint.
        arch: Architecture.
        limits: Limits of its image processor; the factor is twice the patch size.
        seed: Seed of the weights.
        corpus: Texts that the tokenizer is trained on, one document each.
        phrases: Further texts that become single tokens, beside the recurring phrases of the corpus.
        shape: The numbers; small ones by default.

    Raises:
        ZoomgroundError: If the limits have an odd factor, or the corpus is empty.
    """
    if limits.factor % _MERGE:
        raise ZoomgroundError(f"a factor of {limits.factor} px is no patch size times {_MERGE}; use 28 or 32")
    shape = shape or TinyShape()
    vocabulary = _vocabulary(list(corpus), list(phrases), arch, shape)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = _model(arch, vocabulary, shape, limits)
    model.generation_config = _generation_config(vocabulary)
    card = TinyCard(
        arch=arch,
        path=out,
        parameters=model.num_parameters(),
        vision_parameters=model.model.visual.num_parameters(),
        vocab_size=vocabulary.rows,
        phrases=vocabulary.phrases,
        limits=limits,
        seed=seed,
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        model.save_pretrained(beside)
        _processor(arch, vocabulary, limits).save_pretrained(beside)
        (beside / CARD_NAME).write_text(_card_json(card), encoding="utf-8")
        beside.chmod(0o755)
        if out.exists():
            shutil.rmtree(out)
        beside.rename(out)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return card


def recurring_phrases(texts: Sequence[str], *, share: float = 0.015, min_chars: int = 2, limit: int = 256) -> list[str]:
    """Runs of text without digits and line breaks that return in many documents, the most worthwhile first.

    A run may also begin or end at a double quote, because what stands in quotes (an image's name) changes.

    Args:
        texts: The documents.
        share: Share of the documents that must hold a phrase.
        min_chars: Shortest phrase.
        limit: Most phrases.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update({run for piece in _PHRASE_BREAK.split(text) for run in _runs(piece) if len(run) >= min_chars})
    least = max(2, share * len(texts))
    common = [phrase for phrase, count in counts.items() if count >= least and phrase.strip()]
    # What only ever stands inside one longer phrase needs no token of its own.
    common = [a for a in common if not any(a in b and a != b and counts[b] == counts[a] for b in common)]
    common.sort(key=lambda phrase: (-counts[phrase] * len(phrase), phrase))
    return common[:limit]


def _runs(piece: str) -> set[str]:
    """The piece and its parts between quotes, the quote in front included in what precedes it."""
    cuts = sorted({0, len(piece), *(match.end() for match in re.finditer('"', piece))})
    return {piece[start:end] for i, start in enumerate(cuts) for end in cuts[i + 1 :]}


def _vocabulary(texts: list[str], extra: list[str], arch: Arch, shape: TinyShape) -> _Vocabulary:
    if not texts:
        raise ZoomgroundError("the tokenizer's corpus is empty: pass texts of the protocol")
    trained = Tokenizer(models.BPE())
    trained.normalizer = normalizers.NFC()
    trained.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_WORD), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    trained.decoder = decoders.ByteLevel()
    phrases = list(dict.fromkeys([*extra, *recurring_phrases(texts, limit=shape.max_phrases)]))
    trained.train_from_iterator(
        _without(texts, phrases),
        trainers.BpeTrainer(
            vocab_size=shape.vocab_size,
            show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            special_tokens=[],
        ),
    )
    learnt = json.loads(trained.to_str())["model"]
    family = Qwen2Tokenizer if arch == "qwen3_vl" else Qwen3_5Tokenizer
    tokenizer = family(
        vocab=learnt["vocab"],
        merges=[tuple(merge) for merge in learnt["merges"]],
        unk_token=None,
        eos_token=_END,
        pad_token=_PAD,
        extra_special_tokens=list(_CONTROL_TOKENS[1:]),
        model_max_length=shape.max_tokens,
    )
    tokenizer.add_tokens([AddedToken(word, normalized=False) for word in _WORD_TOKENS])
    tokenizer.add_tokens([AddedToken(phrase, normalized=False) for phrase in phrases])
    tokenizer.chat_template = chat_template(arch)
    ids = {token: tokenizer.convert_tokens_to_ids(token) for token in (*_CONTROL_TOKENS, *_WORD_TOKENS)}
    return _Vocabulary(tokenizer, len(phrases), ids)


def _without(texts: Iterable[str], phrases: Sequence[str]) -> Iterator[str]:
    """What the phrases leave of the texts: the changing words, for which the vocabulary has its room."""
    pattern = re.compile("|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True)) or r"(?!)")
    for text in texts:
        yield from (piece for piece in pattern.split(text) if piece)


def chat_template(arch: Arch) -> str:
    """The chat template in the family's form."""
    folder = files("zoomground.engines").joinpath("chat_templates")
    return folder.joinpath(f"{arch}.jinja").read_text(encoding="utf-8").strip()


def _model(arch: Arch, vocabulary: _Vocabulary, shape: TinyShape, limits: PixelLimits) -> Any:
    ids = vocabulary.ids
    head_dim = shape.hidden_size // shape.heads
    vision: dict[str, Any] = {
        "depth": shape.vision_layers,
        "hidden_size": shape.vision_hidden_size,
        "intermediate_size": 2 * shape.vision_hidden_size,
        "num_heads": shape.vision_heads,
        "patch_size": limits.factor // _MERGE,
        "spatial_merge_size": _MERGE,
        "temporal_patch_size": 2,
        "out_hidden_size": shape.hidden_size,
        "num_position_embeddings": 256,
        "initializer_range": shape.initializer_range,
    }
    text: dict[str, Any] = {
        "vocab_size": vocabulary.rows,
        "hidden_size": shape.hidden_size,
        "intermediate_size": 3 * shape.hidden_size,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "head_dim": head_dim,
        "max_position_embeddings": shape.max_tokens,
        "initializer_range": shape.initializer_range,
        "tie_word_embeddings": True,
        "bos_token_id": ids[_PAD],
        "eos_token_id": ids[_END],
        "pad_token_id": ids[_PAD],
    }
    common = {
        "image_token_id": ids[_IMAGE],
        "video_token_id": ids["<|video_pad|>"],
        "vision_start_token_id": ids["<|vision_start|>"],
        "vision_end_token_id": ids["<|vision_end|>"],
        "tie_word_embeddings": True,
    }
    if arch == "qwen3_vl":
        vision["deepstack_visual_indexes"] = [one for one in shape.deepstack if one < shape.vision_layers]
        text["rope_parameters"] = _rope(head_dim)
        return Qwen3VLForConditionalGeneration(Qwen3VLConfig(text_config=text, vision_config=vision, **common))
    text["rope_parameters"] = {**_rope(head_dim // 2), "partial_rotary_factor": 0.5}
    # Every second layer attends fully, so that two layers already hold both kinds.
    text |= {
        "linear_key_head_dim": shape.linear_head_dim,
        "linear_value_head_dim": shape.linear_head_dim,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
        "full_attention_interval": 2,
    }
    return Qwen3_5ForConditionalGeneration(Qwen3_5Config(text_config=text, vision_config=vision, **common))


def _rope(rotated: int) -> dict[str, Any]:
    """Rotary positions over time, height and width, interleaved; ``rotated``: dimensions of a head that turn."""
    third = rotated // 2 // 3
    return {
        "rope_type": "default",
        "rope_theta": 10000.0,
        "mrope_section": [rotated // 2 - 2 * third, third, third],
        "mrope_interleaved": True,
    }


def _generation_config(vocabulary: _Vocabulary) -> GenerationConfig:
    ids = vocabulary.ids
    writable = {_END, "<think>", "</think>"}
    # A random policy would write image tokens, which stand for pixels that are not there.
    silent = [number for token, number in ids.items() if token not in writable]
    silent += range(len(vocabulary.tokenizer), vocabulary.rows)
    return GenerationConfig(
        eos_token_id=[ids[_END], ids[_PAD]],
        pad_token_id=ids[_PAD],
        bos_token_id=ids[_PAD],
        do_sample=True,
        temperature=1.0,
        suppress_tokens=sorted(silent),
    )


def _processor(arch: Arch, vocabulary: _Vocabulary, limits: PixelLimits) -> Qwen3VLProcessor:
    patch: dict[str, Any] = {"patch_size": limits.factor // _MERGE, "merge_size": _MERGE, "temporal_patch_size": 2}
    images = Qwen2VLImageProcessor(
        size={"shortest_edge": limits.min_pixels, "longest_edge": limits.max_pixels},
        image_mean=[0.5] * 3,
        image_std=[0.5] * 3,
        **patch,
    )
    return Qwen3VLProcessor(
        image_processor=images,
        tokenizer=vocabulary.tokenizer,
        video_processor=Qwen3VLVideoProcessor(**patch),
        chat_template=chat_template(arch),
    )


def _card_json(card: TinyCard) -> str:
    return json.dumps({**asdict(card), "path": card.path.name}, indent=2) + "\n"
