"""The checkpoint under training on screens: its forward pass, its losses, and the heads that are thrown away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.nn import functional
from transformers import AutoModelForImageTextToText

from zoomground.curriculum.model import groups_of, one_attention_for_all
from zoomground.curriculum.screens.pieces import LETTERS
from zoomground.engines.patch_embedding import use_matrix_product

if TYPE_CHECKING:
    from pathlib import Path

    from zoomground.curriculum.screens.batches import Batch, Encoder, Group, Truth, Words

_PATCHES_A_TOKEN = 4
_EMBEDDING_LENGTH = 0.6
"""Length of a piece's embedding at the start: equal for all, in random directions, so nearly at right angles."""

_EMPTY_SHARE, _LETTERS_SHARE, _PLACE_SHARE = 0.1, 0.5, 0.1
_LOOK_SHARE = 0.5
"""What looking counts while words are learnt."""

_MOST_PIECES = 16384
_MOST_ROWS = 64
"""Rows and columns of a picture that can be told apart."""

HEAVY, FIRST = 3.0, 5.0
"""Weights from which a token's rightness is counted: of numbers and names, of first digits alone."""


@dataclass(frozen=True, slots=True)
class Losses:
    """What is minimised, and figures: means over what a batch holds, NaN where it holds nothing of the kind.

    Figures are ``look`` and ``words`` (losses), ``letters`` (share of the letters told rightly), ``named_views`` and
    ``named_crops`` (of pieces named by the token that they stand in, in whole screens and crops), ``found_views`` and
    ``found_crops`` (of pieces whose token is pointed at), ``digits`` and ``first_digits`` (of what counts as much as a
    digit, of first digits).
    """

    total: torch.Tensor
    figures: dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True)
class _Sight:
    """The vision tower's output for all pictures of a batch, one after another."""

    tokens: torch.Tensor
    levels: list[torch.Tensor]
    middle: torch.Tensor


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
        self.encoder = encoder
        blocks, rows = self.model.model.visual.blocks, self.model.get_input_embeddings().weight.shape
        self._middle: list[torch.Tensor] = []
        blocks[len(blocks) // 2].register_forward_hook(lambda _, __, seen: self._middle.append(seen))
        self.naming = nn.Parameter(torch.tensor(3.0))
        self.finding = nn.Parameter(torch.tensor(3.0))
        self.common = nn.Parameter(torch.zeros(rows[0]))
        self.spelling = nn.Linear(self.model.config.vision_config.hidden_size, LETTERS)
        self.place = nn.Linear(rows[1], 2 * _MOST_ROWS)

    @torch.no_grad()
    def set_pieces_apart(self) -> None:
        """Give the pieces of a random checkpoint embeddings of one length, far from each other."""
        table = self.model.get_input_embeddings().weight
        table.copy_(functional.normalize(torch.randn(table.shape), dim=1) * _EMBEDDING_LENGTH)

    def heads(self) -> dict[str, torch.Tensor]:
        """What is thrown away at the end."""
        return {name: value for name, value in self.state_dict().items() if not name.startswith("model.")}

    def groups(self) -> list[dict[str, Any]]:
        """Groups for the optimizer: the vision tower, and the rest."""
        return groups_of(self, self.model.model.visual)

    def forward(self, batch: Batch) -> Losses:
        """Losses of a batch; where it holds no words only the vision tower works."""
        sight = self._look(batch)
        look, figures = self._told(sight, batch)
        if batch.words is None:
            return Losses(look, figures)
        said, more = self._said(batch.words, sight)
        return Losses(said + _LOOK_SHARE * look, figures | more)

    def _here(self, values: torch.Tensor) -> torch.Tensor:
        return values.to(self.naming.device, non_blocking=True)

    def _look(self, batch: Batch) -> _Sight:
        """All pictures, those of a size together."""
        shots = [self._here(shot) for shot in batch.shots]
        tower, seen = self.model.model.visual, []
        self._middle.clear()
        for group in batch.groups:
            one_attention_for_all(tower, group.grid.area * _PATCHES_A_TOKEN)
            sizes = torch.tensor([[1, group.grid.height * 2, group.grid.width * 2]] * len(group.cuts))
            seen.append(tower(patches_of(pictures_of(group, shots), group), grid_thw=self._here(sizes)))
        levels = [torch.cat(level) for level in zip(*(one.deepstack_features for one in seen), strict=True)]
        return _Sight(torch.cat([one.pooler_output for one in seen]), levels, torch.cat(self._middle))

    def _told(self, sight: _Sight, batch: Batch) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """How well image tokens tell what they show and where they are, and are found by what they show."""
        truth, table = batch.truth, self.model.get_input_embeddings().weight
        whole = torch.cat(
            [torch.tensor([cut.whole for cut in one.cuts]).repeat_interleave(one.grid.area) for one in batch.groups]
        )
        tokens, ids = (self._here(one) for one in _thinned(truth.tokens, truth.ids))
        named = sight.tokens[tokens] @ table.T * self.naming + self.common
        loss = functional.cross_entropy(named.float(), ids)
        right = _among(tokens, named.argmax(-1), ids)
        in_view = self._here(whole)[tokens]
        figures = {"named_views": _mean(right[in_view]), "named_crops": _mean(right[~in_view])}
        if len(truth.empty):
            empty = sight.tokens[self._here(truth.empty)] @ table.T * self.naming + self.common
            nothing = torch.full((len(empty),), self.encoder.pad_id, device=empty.device)
            loss = loss + _EMPTY_SHARE * functional.cross_entropy(empty.float(), nothing)
        if len(truth.letters):
            letters = self._here(truth.letters)
            patches = self._here(truth.patches)
            spelt = self.spelling(sight.middle[patches])
            loss = loss + _LETTERS_SHARE * functional.cross_entropy(spelt.float(), letters)
            figures["letters"] = _mean(_among(patches, spelt.argmax(-1), letters))
        found, more = self._found(sight, batch.groups, truth)
        loss = loss + found + _PLACE_SHARE * self._misplaced(sight, batch.groups)
        return loss, {"look": loss.detach(), **figures, **more}

    def _found(
        self, sight: _Sight, groups: tuple[Group, ...], truth: Truth
    ) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """How well pieces find the tokens that they stand in, each in its picture."""
        table, queries, answers = self.model.get_input_embeddings().weight, self._here(truth.queries), truth.answers
        losses, rights, views, at, first = [], [], [], 0, 0
        for group in groups:
            count, area = len(group.cuts), group.grid.area
            asked = queries[first : first + count]
            tokens = sight.tokens[at : at + count * area].view(count, area, -1)
            scores = (table[asked.clamp(min=0)] @ tokens.transpose(1, 2) * self.finding).float()
            own = answers[(answers[:, 0] >= first) & (answers[:, 0] < first + count)]
            true = torch.zeros(scores.shape, dtype=torch.bool)
            true[own[:, 0] - first, own[:, 1], own[:, 2]] = True
            true = self._here(true)
            known = (asked >= 0) & true.any(-1)
            reached = scores.masked_fill(~true, -torch.inf)[known].logsumexp(-1)
            losses.append(scores[known].logsumexp(-1) - reached)
            rights.append(true[known].gather(1, scores[known].argmax(-1, keepdim=True))[:, 0].float())
            views.append(self._here(torch.tensor([cut.whole for cut in group.cuts]))[:, None].expand_as(known)[known])
            at, first = at + count * area, first + count
        right, view = torch.cat(rights), torch.cat(views)
        loss = torch.cat(losses)
        figures = {"found_views": _mean(right[view]), "found_crops": _mean(right[~view])}
        return (loss.mean() if len(loss) else sight.tokens.sum() * 0.0), figures

    def _misplaced(self, sight: _Sight, groups: tuple[Group, ...]) -> torch.Tensor:
        """How badly the tokens know their column and row."""
        said = self.place(sight.tokens).float()
        at = torch.cat([torch.arange(one.grid.area).repeat(len(one.cuts)) for one in groups])
        width = torch.cat([torch.full((one.grid.area * len(one.cuts),), one.grid.width) for one in groups])
        columns = functional.cross_entropy(said[:, :_MOST_ROWS], self._here(at % width))
        return columns + functional.cross_entropy(said[:, _MOST_ROWS:], self._here(at // width))

    def _said(self, words: Words, sight: _Sight) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Weighted cross-entropy of what the assistant writes."""
        ids, weights = self._here(words.ids), self._here(words.weights)
        counts = weights[:, 1:] > 0
        logits = self.model.lm_head(self.read(words, sight)[:, :-1][counts]).float()
        truth, weight = ids[:, 1:][counts], weights[:, 1:][counts]
        losses = functional.cross_entropy(logits, truth, reduction="none")
        loss = (losses * weight).sum() / weight.sum()
        right = (logits.argmax(-1) == truth).float()
        figures = {
            "words": loss.detach(),
            "digits": _mean(right[weight >= HEAVY]),
            "first_digits": _mean(right[weight >= FIRST]),
        }
        return loss, figures

    def read(self, words: Words, sight: _Sight) -> torch.Tensor:
        """Hidden states of the language half, (lessons, tokens, width), with what the vision tower saw."""
        ids, seen = self._here(words.ids), self._here(words.seen)
        shows = ids == self.encoder.image_id
        embedded = self.model.get_input_embeddings()(ids)
        embedded = embedded.masked_scatter(shows[..., None], sight.tokens[seen].to(embedded.dtype))
        # Padding stands on the right, so causal attention needs no other mask.
        hidden: torch.Tensor = self.model.model.language_model(
            inputs_embeds=embedded,
            position_ids=self._here(words.positions),
            visual_pos_masks=shows,
            deepstack_visual_embeds=[level[seen] for level in sight.levels],
            use_cache=False,
        ).last_hidden_state
        return hidden


def pictures_of(group: Group, shots: list[torch.Tensor]) -> torch.Tensor:
    """Cut and resize the pictures of a group, (pictures, 3, height, width) in [-1, 1], on the screenshots' device."""
    made = []
    for cut in group.cuts:
        region = cut.region
        window = shots[cut.shot][region.y1 : region.y2, region.x1 : region.x2].permute(2, 0, 1)[None].float()
        size = (group.shown.height, group.shown.width)
        if window.shape[2:] != size:
            window = functional.interpolate(window, size, mode="bicubic", antialias=True).round().clamp(0, 255)
        made.append(window)
    return torch.cat(made) / 127.5 - 1


def patches_of(pictures: torch.Tensor, group: Group) -> torch.Tensor:
    """What the checkpoint's processor makes of such pictures: a row a patch, those of a token together."""
    grid = group.grid
    patch = group.shown.height // grid.height // 2
    cut = pictures.view(-1, 3, grid.height, 2, patch, grid.width, 2, patch).permute(0, 2, 5, 3, 6, 1, 4, 7)
    # Two equal frames, as the processor makes them of a still picture.
    return cut.unsqueeze(6).expand(-1, -1, -1, -1, -1, -1, 2, -1, -1).reshape(-1, 3 * 2 * patch * patch)


def _thinned(tokens: torch.Tensor, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """At most so many pieces as scoring them against all tokens may take memory for."""
    step = -(-len(tokens) // _MOST_PIECES) or 1
    return tokens[::step], ids[::step]


def _among(places: torch.Tensor, said: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """1 where what is said of a place is one of the things that stand there: there may be several."""
    apart = int(max(said.max(), truth.max())) + 1 if len(truth) else 1
    return torch.isin(places * apart + said, places * apart + truth).float()


def _mean(values: torch.Tensor) -> torch.Tensor:
    return values.mean().detach() if len(values) else torch.tensor(float("nan"), device=values.device)
