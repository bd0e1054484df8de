"""What an engine sampled, made safe to train on: media tokens and non-finite log-probs are neutralised.

A policy that samples ``<|image_pad|>`` crashes the replay in the trainer (more image tokens than images), and one NaN
log-prob makes the server's reply invalid JSON, which ends the run. Both are rare and both happen after hours. The
sampled ids keep their count (a replaced id takes no part in the loss), and a position that leaves the mask leaves the
log-probs too: the trainer wants one log-prob for each position in the mask, and drops importance correction for the
whole micro-batch when they disagree.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

MEDIA_TOKENS = (
    "<|image_pad|>",
    "<|video_pad|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|audio_pad|>",
    "<|audio_start|>",
    "<|audio_end|>",
)
"""Special tokens whose ids stand for media in the families that are trained here."""

_FILLERS = (".", " ", "0", "a")
"""Plain text whose first id replaces a media token's; the first that the tokenizer knows is taken."""


class Choice(Protocol):
    """The part of ms-swift's ``ChatCompletionResponseChoice`` that is read and changed."""

    token_ids: list[int] | None
    logprobs: dict[str, list[dict[str, Any]]] | None


class Tokenizer(Protocol):
    """The part of a tokenizer that is used."""

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        """Ids of a text."""
        ...

    def get_vocab(self) -> dict[str, int]:
        """Ids by token."""
        ...


@dataclass(frozen=True, slots=True)
class MediaIds:
    """Ids that must not be in a reply, and the id of plain text that takes their place."""

    forbidden: frozenset[int] = frozenset()
    filler: int = 0

    @classmethod
    def of(cls, tokenizer: Tokenizer | None, extra: Iterable[int] = ()) -> MediaIds:
        """Read the ids from a tokenizer; ``extra`` are those that the template names."""
        vocabulary = {} if tokenizer is None else tokenizer.get_vocab()
        forbidden = frozenset(extra) | {vocabulary[token] for token in MEDIA_TOKENS if token in vocabulary}
        written = [] if tokenizer is None else [tokenizer.encode(text, add_special_tokens=False) for text in _FILLERS]
        candidates = [ids[0] for ids in written if ids] + list(range(len(forbidden) + 1))
        return cls(forbidden, next(candidate for candidate in candidates if candidate not in forbidden))


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What `clean` left: the loss mask of the sampled ids, and what was neutralised by kind.

    Attributes:
        mask: 1 where the sampled id stays in the loss, one entry an id.
        counts: ``media_tokens``, ``nonfinite_logprobs`` (tokens), ``logprob_mismatch`` (turns whose log-probs were
            dropped because their number was not that of the ids), ``empty_turns``.
    """

    mask: list[int]
    counts: Counter[str]


def clean(choice: Choice, media: MediaIds) -> Cleaned:
    """Neutralise one sampled turn in place.

    Afterwards ``choice.token_ids`` holds no media id and is not empty, and ``choice.logprobs`` holds one finite entry
    for each 1 of the mask, or none at all.
    """
    counts: Counter[str] = Counter()
    ids = list(choice.token_ids or [])
    mask = [0 if token in media.forbidden else 1 for token in ids]
    counts["media_tokens"] = mask.count(0)
    ids = [token if keep else media.filler for token, keep in zip(ids, mask, strict=True)]
    entries = (choice.logprobs or {}).get("content") or []
    if entries and len(entries) != len(ids):
        # No telling which belongs to which: none is better than a wrong one.
        counts["logprob_mismatch"] += 1
        entries = []
    elif entries:
        finite = [_is_finite(entry.get("logprob")) for entry in entries]
        counts["nonfinite_logprobs"] = finite.count(False)
        mask = [int(keep and good) for keep, good in zip(mask, finite, strict=True)]
        entries = [_finite_alternatives(entry) for entry, keep in zip(entries, mask, strict=True) if keep]
    if not ids:
        # The trainer pairs turns and id lists from the end: a turn without ids would shift every earlier one.
        counts["empty_turns"] += 1
        ids, mask = [media.filler], [0]
    choice.token_ids = ids
    if choice.logprobs is not None:
        choice.logprobs = {"content": entries}
    return Cleaned(mask, counts)


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _finite_alternatives(entry: dict[str, Any]) -> dict[str, Any]:
    """The entry without alternatives of log-prob minus infinity, which JSON cannot carry."""
    alternatives = entry.get("top_logprobs")
    if not alternatives:
        return entry
    return {**entry, "top_logprobs": [item for item in alternatives if _is_finite(item.get("logprob"))]}
