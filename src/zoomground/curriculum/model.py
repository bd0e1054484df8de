"""The checkpoint under training: its forward pass on a batch, its losses, and the heads that are thrown away."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.nn import functional
from transformers import AutoModelForImageTextToText
from transformers.models.qwen3_vl.modeling_qwen3_vl import apply_rotary_pos_emb_vision

from zoomground.engines.patch_embedding import use_matrix_product

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from zoomground.curriculum.encode import Batch, Encoder

_RARE = 8.0
"""Weight of a token that shows something: of 40 tokens about five do."""

_PATCHES_A_TOKEN = 4
_PLACE_SHARE = 0.3
_NAME_SCALE = 0.6
"""Length of a name's embedding at the start; the names stand at right angles, so that none is taken for another."""


@dataclass(frozen=True, slots=True)
class Losses:
    """Losses of a batch, and what share is right.

    Attributes:
        words: Weighted cross-entropy of what the assistant writes; None where no words were asked for.
        vision: How well image tokens tell what they show, and where they are.
        right_words: Share of the tokens with a weight of 3 or more that would be written rightly.
        right_views: Share of the readable parts that are named rightly, in whole boards.
        right_crops: The same in crops.
    """

    words: torch.Tensor | None
    vision: torch.Tensor
    right_words: float
    right_views: float
    right_crops: float


class Pupil(nn.Module):
    """A checkpoint with its heads.

    Args:
        checkpoint: Folder of the checkpoint.
        encoder: Its encoder.
    """

    def __init__(self, checkpoint: Path, encoder: Encoder) -> None:
        super().__init__()
        use_matrix_product()
        self.model: Any = AutoModelForImageTextToText.from_pretrained(checkpoint, dtype=torch.float32)
        one_attention_for_all(self.model.model.visual, encoder.grid.area * _PATCHES_A_TOKEN)
        self.encoder = encoder
        self.names = nn.Buffer(torch.tensor(encoder.name_ids()), persistent=False)
        width = self.model.get_input_embeddings().weight.shape[1]
        self.scale = nn.Parameter(torch.tensor(3.0))
        self.bias = nn.Parameter(torch.tensor(-3.0))
        self.place = nn.Linear(width, encoder.grid.width + encoder.grid.height)

    @torch.no_grad()
    def set_names_apart(self) -> None:
        """Give the names of a random checkpoint embeddings at right angles."""
        table = self.model.get_input_embeddings().weight
        axes, _ = torch.linalg.qr(torch.randn(table.shape[1], len(self.names)))
        table[self.names] = axes.T * _NAME_SCALE

    def groups(self) -> list[dict[str, Any]]:
        """Groups for the optimizer: the vision tower, and the rest."""
        return groups_of(self, self.model.model.visual)

    def look(self, pictures: torch.Tensor) -> Any:
        """The vision tower's output for pictures of shape (pictures, height, width, 3), uint8."""
        grid = self.encoder.grid
        sizes = torch.tensor([[1, grid.height * 2, grid.width * 2]] * len(pictures), device=pictures.device)
        return self.model.model.visual(self.patches(pictures), grid_thw=sizes)

    def patches(self, pictures: torch.Tensor) -> torch.Tensor:
        """What the checkpoint's processor makes of such pictures: a row a patch, those of a token together."""
        grid = self.encoder.grid
        patch = pictures.shape[1] // grid.height // 2
        cut = pictures.view(-1, grid.height, 2, patch, grid.width, 2, patch, 3).permute(0, 1, 4, 2, 5, 7, 3, 6)
        # Two equal frames, as the processor makes them of a still picture.
        flat = cut.unsqueeze(6).expand(-1, -1, -1, -1, -1, -1, 2, -1, -1).reshape(-1, 3 * 2 * patch * patch)
        return flat.float() / 127.5 - 1

    def forward(self, batch: Batch, *, words: bool) -> Losses:
        """Losses of a batch; without words only the vision tower works."""
        seen = self.look(self._here(batch.pictures))
        tokens = seen.pooler_output.view(len(batch.pictures), self.encoder.grid.area, -1)
        truth = self._here(batch.labels).float()
        table = self.model.get_input_embeddings().weight[self.names]
        named = tokens @ (table if words else table.detach()).T * self.scale + self.bias
        vision = functional.binary_cross_entropy_with_logits(named, truth, pos_weight=named.new_tensor(_RARE)) * 6
        vision = vision + _PLACE_SHARE * self._misplaced(tokens)
        is_crop = self._here(~batch.whole)
        one = truth.sum(-1) == 1
        right = (named.argmax(-1) == truth.argmax(-1)).float()
        views, crops = (_mean(right[one & chosen[:, None]]) for chosen in (~is_crop, is_crop))
        if not words:
            return Losses(None, vision, 0.0, views, crops)
        loss, share = self._words(batch, seen)
        return Losses(loss, vision, share, views, crops)

    def _here(self, values: npt.NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(values).to(self.scale.device)

    def _misplaced(self, tokens: torch.Tensor) -> torch.Tensor:
        """How badly the tokens know their column and row."""
        grid = self.encoder.grid
        said = self.place(tokens).flatten(0, 1)
        at = torch.arange(grid.area, device=tokens.device).repeat(len(tokens))
        columns = functional.cross_entropy(said[:, : grid.width], at % grid.width)
        return columns + functional.cross_entropy(said[:, grid.width :], at // grid.width)

    def _words(self, batch: Batch, seen: Any) -> tuple[torch.Tensor, float]:
        ids, weights = self._here(batch.ids), self._here(batch.weights)
        counts = weights[:, 1:] > 0
        logits = self.model.lm_head(self.read(batch, seen)[:, :-1][counts])
        truth, weight = ids[:, 1:][counts], weights[:, 1:][counts]
        losses = functional.cross_entropy(logits, truth, reduction="none")
        heavy = weight >= 3
        return (losses * weight).sum() / weight.sum(), _mean((logits.argmax(-1) == truth)[heavy].float())

    def read(self, batch: Batch, seen: Any) -> torch.Tensor:
        """Hidden states of the language half, (lessons, tokens, width), with what the vision tower saw."""
        ids = self._here(batch.ids)
        places = self._here(batch.places)
        grid = self.encoder.grid.area
        chosen = (places[:, None] * grid + torch.arange(grid, device=ids.device)).flatten()
        shows = ids == self.encoder.image_id
        embedded = self.model.get_input_embeddings()(ids)
        embedded = embedded.masked_scatter(shows[..., None], seen.pooler_output[chosen])
        hidden: torch.Tensor = self.model.model.language_model(
            inputs_embeds=embedded,
            attention_mask=self._here(batch.mask),
            position_ids=self._here(batch.positions),
            visual_pos_masks=shows,
            deepstack_visual_embeds=[level[chosen] for level in seen.deepstack_features],
            use_cache=False,
        ).last_hidden_state
        return hidden


def groups_of(pupil: nn.Module, tower: nn.Module) -> list[dict[str, Any]]:
    """Two groups of parameters: the vision tower's, and the rest of a pupil's."""
    own = list(tower.parameters())
    known = {id(parameter) for parameter in own}
    return [{"params": own}, {"params": [one for one in pupil.parameters() if id(one) not in known]}]


def one_attention_for_all(tower: Any, patches: int) -> None:
    """Let a vision tower attend within all pictures at once: a loop over them, which it comes with, is slow.

    Args:
        tower: The tower; only this one is changed, the family's class stays as it is.
        patches: Patches of each picture it will see; all are of this one size.
    """
    for block in tower.blocks:
        block.attn.forward = partial(_attend, block.attn, patches)


def _attend(
    attention: Any, patches: int, hidden_states: torch.Tensor, position_embeddings: Any = None, **_: Any
) -> torch.Tensor:
    count = hidden_states.shape[0]
    query, key, value = attention.qkv(hidden_states).reshape(count, 3, attention.num_heads, -1).permute(1, 0, 2, 3)
    query, key = apply_rotary_pos_emb_vision(query, key, *position_embeddings)
    query, key, value = (
        one.reshape(count // patches, patches, attention.num_heads, -1).transpose(1, 2) for one in (query, key, value)
    )
    mixed = functional.scaled_dot_product_attention(query, key, value, scale=attention.scaling)
    projected: torch.Tensor = attention.proj(mixed.transpose(1, 2).reshape(count, -1))
    return projected


def _mean(values: torch.Tensor) -> float:
    return float(values.mean()) if len(values) else float("nan")
