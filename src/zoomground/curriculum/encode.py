"""Lessons as tensors: token ids, their weights, three-axis positions, pixels and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from transformers import AutoProcessor

from zoomground.collect.lattice import Lattice
from zoomground.curriculum.lessons import NAMES, REST, labels, lessons_of, picture, screenshot
from zoomground.errors import ZoomgroundError
from zoomground.geometry import Size
from zoomground.protocol.settings import EpisodeSettings
from zoomground.synth.boards.board import SIZE
from zoomground.synth.boards.sheet import Sheet

if TYPE_CHECKING:
    from pathlib import Path

    from zoomground.curriculum.lessons import Lesson
    from zoomground.geometry import Box

_IMAGE = "<|vision_start|><|image_pad|><|vision_end|>"
_PAD = "<|image_pad|>"


@dataclass(frozen=True, slots=True)
class Picture:
    """Pixels (height, width, 3), whether they show a whole board, and what each token shows (tokens, names)."""

    pixels: npt.NDArray[np.uint8]
    whole: bool
    labels: npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Batch:
    """Lessons side by side, padded on the right.

    Attributes:
        ids: Token ids, (lessons, tokens).
        weights: How much predicting each token counts, (lessons, tokens).
        mask: 1 where a token is, (lessons, tokens).
        positions: Time, height and width, (3, lessons, tokens).
        pictures: Pixels, (pictures, height, width, 3).
        whole: Which of ``pictures`` show a whole board, (pictures,).
        places: For each picture of each lesson, in order, which of ``pictures`` it is.
        labels: What each token of each of ``pictures`` shows, (pictures, tokens, names).
    """

    ids: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float32]
    mask: npt.NDArray[np.int64]
    positions: npt.NDArray[np.int64]
    pictures: npt.NDArray[np.uint8]
    whole: npt.NDArray[np.bool_]
    places: npt.NDArray[np.int64]
    labels: npt.NDArray[np.uint8]


class Encoder:
    """Encodes lessons as the checkpoint's own processor and chat template would.

    Args:
        checkpoint: Folder of the checkpoint.
        settings: Rules of the episodes; all pictures are of the size that they give a whole board.
    """

    def __init__(self, checkpoint: Path, settings: EpisodeSettings) -> None:
        self.tokenizer: Any = AutoProcessor.from_pretrained(checkpoint).tokenizer
        self.shown = settings.limits.view_size(SIZE)
        factor = settings.limits.factor
        self.grid = Size(self.shown.width // factor, self.shown.height // factor)
        self.image_id: int = self.tokenizer.convert_tokens_to_ids(_PAD)
        self.pad_id: int = self.tokenizer.pad_token_id

    def name_ids(self) -> list[int]:
        """The token of each name, as it stands behind a space.

        Raises:
            ZoomgroundError: If a name is no single token.
        """
        ids = [self.tokenizer.encode(f" {name}", add_special_tokens=False) for name in NAMES]
        if any(len(one) != 1 for one in ids):
            raise ZoomgroundError("every name must be one token; build the checkpoint with the names among its phrases")
        return [one[0] for one in ids]

    def encode(self, lesson: Lesson) -> tuple[list[int], npt.NDArray[np.float32]]:
        """Ids of a conversation, pictures as runs of image tokens, and the weight of each."""
        text, weights = "", []
        for (role, said), own in zip(lesson.turns, lesson.weights, strict=True):
            content = said.replace("<image>", _IMAGE.replace(_PAD, _PAD * self.grid.area))
            head, tail = f"<|im_start|>{role}\n", "<|im_end|>\n"
            text += head + content + tail
            weights += [np.zeros(len(head), np.float32), own if len(own) else np.zeros(len(content), np.float32)]
            # The end of a turn is written by the policy, too.
            weights.append(np.full(len(tail), REST if len(own) else 0.0, np.float32))
        per_character = np.concatenate(weights)
        encoded = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        spans = encoded["offset_mapping"]
        return encoded["input_ids"], np.array([per_character[a:b].max(initial=0.0) for a, b in spans], np.float32)

    def positions(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Time, height and width of each token, (3, tokens): Qwen-VL's interleaved rotary positions."""
        out, at, start = np.empty((3, len(ids)), np.int64), 0, 0
        rows, columns = np.divmod(np.arange(self.grid.area), self.grid.width)
        pictures = np.flatnonzero((ids == self.image_id) & (np.concatenate([[-1], ids[:-1]]) != self.image_id))
        for first in [*pictures, len(ids)]:
            out[:, start:first] = at + np.arange(first - start)
            at, start = at + first - start, first
            if first < len(ids):
                start = first + self.grid.area
                out[:, first:start] = at + np.stack([np.zeros_like(rows), rows, columns])
                at += max(self.grid.width, self.grid.height)
        return out

    def batch(self, lessons: list[Lesson], places: list[int], pictures: list[Picture]) -> Batch:
        """Put lessons side by side."""
        encoded = [self.encode(lesson) for lesson in lessons]
        longest = -(-max(len(ids) for ids, _ in encoded) // 16) * 16
        size = (len(lessons), longest)
        out = Batch(
            ids=np.full(size, self.pad_id),
            weights=np.zeros(size, np.float32),
            mask=np.zeros(size, np.int64),
            positions=np.zeros((3, *size), np.int64),
            pictures=np.stack([one.pixels for one in pictures]),
            whole=np.array([one.whole for one in pictures]),
            places=np.array(places),
            labels=np.stack([one.labels for one in pictures]),
        )
        for row, (ids, weights) in enumerate(encoded):
            length = len(ids)
            out.ids[row, :length], out.weights[row, :length], out.mask[row, :length] = ids, weights, 1
            out.positions[:, row, :length] = self.positions(np.array(ids))
        return out


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes batches by number: the same number, the same batch, in whatever process.

    Attributes:
        encoder: Of the checkpoint.
        sheet: The parts of boards.
        settings: Rules of the episodes.
        style: How is demonstrated.
        boards: Boards in a batch.
        lessons: Lessons on each.
        listings: Share of the lessons that list what is readable.
        seed: Of all of it.
    """

    encoder: Encoder
    sheet: Sheet
    settings: EpisodeSettings
    style: Lattice
    boards: int
    lessons: int
    listings: float
    seed: int

    def batch(self, number: int) -> Batch:
        """The batch of a number."""
        lessons: list[Lesson] = []
        places: list[int] = []
        pictures: list[Picture] = []
        for one in range(self.boards):
            name = f"{self.seed}/{number * self.boards + one}"
            board, made = lessons_of(name, self.lessons, self.listings, self.settings, self.style)
            shot = screenshot(board, self.sheet)
            known: dict[Box | None, int] = {}
            for lesson in made:
                for window in lesson.windows:
                    if window not in known:
                        known[window] = len(pictures)
                        pixels = picture(shot, window, self.encoder.shown)
                        pictures.append(Picture(pixels, window is None, labels(board, window, self.encoder.grid)))
                    places.append(known[window])
            lessons += made
        return self.encoder.batch(lessons, places, pictures)
