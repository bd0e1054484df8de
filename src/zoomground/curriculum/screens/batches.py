"""Batches of pictures and lessons, made by number from the screens of a shelf."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from PIL import Image
from transformers import AutoProcessor

from zoomground.collect.closer import Closer
from zoomground.curriculum.screens.lessons import Named, episode, listing, own_ask, window_at_random
from zoomground.curriculum.screens.pieces import Pieces, Seen, pieces_of, seen_in
from zoomground.curriculum.screens.shelf import Shelf
from zoomground.geometry import NORM_FRAME, Box, Region, Size
from zoomground.protocol.settings import EpisodeSettings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from zoomground.curriculum.lessons import Lesson
    from zoomground.curriculum.screens.shelf import Page

_IMAGE = "<|vision_start|><|image_pad|><|vision_end|>"
_PAD = "<|image_pad|>"
_QUERIES = 48
"""Pieces of a picture whose place is asked for."""

_EMPTIES_ONE_IN = 8
_ANY_WINDOW = 0.3
"""Share of the episodes whose window is not the one to ask for: what it shows is to be read and placed all the same."""

_LATTICE_SHARE, _FREE_SHARE = 0.3, 0.5
_BEHIND_SPACE = 0.75
_DRAWN_SHARE = 0.5
"""Share of the demonstrations with an instruction of the set, where it has any; the others ask by name."""
_HOW: dict[str, float] = {
    "name": 4.0,
    "appearance": 2.0,
    "function": 2.0,
    "relation": 1.0,
    "goal": 1.0,
    "position": 0.5,
}
"""How often instructions of each way of asking are demonstrated."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A picture to be cut: of which screenshot, what of it, and whether that is all of it."""

    shot: int
    region: Region
    whole: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Pictures of one size."""

    cuts: tuple[Cut, ...]
    shown: Size
    grid: Size


@dataclass(frozen=True, slots=True)
class Truth:
    """What the pictures of a batch show; tokens are counted through all groups, one after another.

    Attributes:
        tokens: Token that each piece stands in, (pieces,).
        ids: The pieces, (pieces,).
        empty: Tokens in which nothing stands, a part of them.
        patches: Patch that each letter stands in, (letters,).
        letters: The letters, (letters,).
        queries: For each picture, pieces whose place is asked for; -1: none, (pictures, `_QUERIES`).
        answers: Picture, number of the query, and token within the picture, of each right answer, (answers, 3).
    """

    tokens: torch.Tensor
    ids: torch.Tensor
    empty: torch.Tensor
    patches: torch.Tensor
    letters: torch.Tensor
    queries: torch.Tensor
    answers: torch.Tensor


@dataclass(frozen=True, slots=True)
class Words:
    """Lessons side by side, padded on the right.

    Attributes:
        ids: Token ids, (lessons, tokens).
        weights: How much predicting each token counts, (lessons, tokens).
        positions: Time, height and width, (3, lessons, tokens).
        seen: For each image token of the lessons, in order, which of the batch's tokens it is.
    """

    ids: torch.Tensor
    weights: torch.Tensor
    positions: torch.Tensor
    seen: torch.Tensor


@dataclass(frozen=True, slots=True)
class Batch:
    """Screenshots, the pictures to cut of them, what those show, and lessons on them; None in the part that only looks.

    Whoever trains cuts the pictures, on the device: a screenshot is smaller than all that is cut of it, and resizing is
    most of the work.
    """

    shots: tuple[torch.Tensor, ...]
    groups: tuple[Group, ...]
    truth: Truth
    words: Words | None


class Encoder:
    """Encodes lessons as the checkpoint's own processor and chat template would.

    Args:
        checkpoint: Folder of the checkpoint.
    """

    def __init__(self, checkpoint: Path) -> None:
        self.tokenizer: Any = AutoProcessor.from_pretrained(checkpoint).tokenizer
        self.image_id: int = self.tokenizer.convert_tokens_to_ids(_PAD)
        self.pad_id: int = self.tokenizer.pad_token_id
        self.rows = len(self.tokenizer)

    def encode(self, lesson: Lesson, grids: Sequence[Size]) -> tuple[npt.NDArray[Any], ...]:
        """Ids of a conversation, pictures as runs of image tokens; the weight and the positions of each."""
        text, parts = "", []
        for (role, said), own in zip(lesson.turns, lesson.weights, strict=True):
            content = said.replace("<image>", _IMAGE)
            head, tail = f"<|im_start|>{role}\n", "<|im_end|>\n"
            text += head + content + tail
            parts += [np.zeros(len(head), np.float32), own if len(own) else np.zeros(len(content), np.float32)]
            # The end of a turn is written by the policy, too.
            parts.append(np.full(len(tail), float(own.max(initial=0.0)) and 0.2, np.float32))
        per_character = np.concatenate(parts)
        encoded = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        starts = np.array([a for a, _ in encoded["offset_mapping"]], np.int64)
        # The heaviest of a token's characters: a phrase may begin with a space that counts less.
        heavy = np.maximum.reduceat(per_character, starts)
        return _with_pictures(np.array(encoded["input_ids"]), heavy, self.image_id, grids)


def _with_pictures(
    ids: npt.NDArray[np.int64], weights: npt.NDArray[np.float32], image_id: int, grids: Sequence[Size]
) -> tuple[npt.NDArray[Any], ...]:
    """One image token becomes as many as its picture has; Qwen-VL's interleaved rotary positions for all."""
    runs, heavy, places, at, start = [], [], [], 0, 0
    marks = np.flatnonzero(ids == image_id)
    for mark, grid in zip([*marks, len(ids)], [*grids, None], strict=True):
        runs.append(ids[start:mark])
        heavy.append(weights[start:mark])
        places.append(np.broadcast_to(at + np.arange(mark - start), (3, mark - start)))
        at, start = at + mark - start, mark + 1
        if grid is not None:
            rows, columns = np.divmod(np.arange(grid.area), grid.width)
            runs.append(np.full(grid.area, image_id))
            heavy.append(np.zeros(grid.area, np.float32))
            places.append(at + np.stack([np.zeros_like(rows), rows, columns]))
            at += max(grid.width, grid.height)
    return np.concatenate(runs), np.concatenate(heavy), np.concatenate(places, 1)


@dataclass(frozen=True, slots=True)
class Mix:
    """How much of what a batch holds.

    Attributes:
        screens: Screens in it.
        crops: Crops of each that are only looked at.
        listings: Lessons on each that list what a picture shows.
        episodes: Demonstrations on each.
    """

    screens: int
    crops: int
    listings: int = 0
    episodes: int = 0


@dataclass
class _Pictures:
    """Pictures under way, and where each stands among those of its size."""

    maker: Maker
    shots: list[torch.Tensor] = field(default_factory=list)
    by_size: dict[Size, list[tuple[Cut, Seen]]] = field(default_factory=dict)

    def open(self, page: Page) -> None:
        """Go on with another screen."""
        with Image.open(page.image) as file:
            self.shots.append(torch.from_numpy(np.array(file.convert("RGB"))))

    def add(self, page: Page, pieces: Pieces, window: Box | None) -> tuple[Size, int]:
        """A picture of the screen; gives its size and its number among those of that size."""
        limits = self.maker.settings.limits
        whole = Region.whole(page.size)
        region = whole if window is None else whole.subregion(window, NORM_FRAME)
        shown = self.maker.shown(page.size, window)
        grid = Size(shown.width // limits.factor, shown.height // limits.factor)
        own = self.by_size.setdefault(shown, [])
        cut = Cut(len(self.shots) - 1, region, window is None)
        own.append((cut, seen_in(pieces, region.box_px, shown, grid)))
        return shown, len(own) - 1


@dataclass(frozen=True)
class Maker:
    """Makes batches: the same number, screens and mix, the same batch, in whatever process.

    Attributes:
        encoder: Of the checkpoint.
        shelf: Where the screens are.
        settings: Rules of the episodes.
        style: How is demonstrated.
        seed: Of all of it.
    """

    encoder: Encoder
    shelf: Shelf
    settings: EpisodeSettings
    style: Closer
    seed: int

    def shown(self, size: Size, window: Box | None) -> Size:
        """Size at which a picture is shown."""
        settings = self.settings
        if window is None:
            return settings.limits.view_size(size)
        region = Region.whole(size).subregion(window, NORM_FRAME).size
        return settings.limits.shown_size(region, settings.crop_upscale_factor, settings.crop_max_pixels)

    def batch(self, number: int | str, names: Sequence[str], mix: Mix) -> Batch:
        """The batch of a number, from the screens of these names."""
        rng = random.Random(f"{self.seed}/screens/{number}")
        pictures = _Pictures(self)
        lessons: list[tuple[Lesson, list[tuple[Size, int]]]] = []
        for name in rng.sample(names, min(mix.screens, len(names))):
            page = self.shelf.page(name)
            pieces = pieces_of(page, self.encoder.tokenizer, behind_space=rng.random() < _BEHIND_SPACE)
            things = Named.of(page)
            pictures.open(page)
            pictures.add(page, pieces, None)
            for _ in range(mix.crops):
                # Some windows show nothing; most should show something.
                free = rng.random() < _FREE_SHARE
                window = window_at_random(rng, lattice=_LATTICE_SHARE) if free else things.window(rng)
                pictures.add(page, pieces, window)
            lessons += [
                (lesson, [pictures.add(page, pieces, window) for window in lesson.windows])
                for lesson in self._lessons(page, things, mix, rng)
            ]
        return self._put_together(pictures, lessons, rng)

    def _lessons(self, page: Page, things: Named, mix: Mix, rng: random.Random) -> list[Lesson]:
        made: list[Lesson] = []
        for number in range(mix.listings):
            window = None if number % 3 == 1 else things.window(rng)
            lesson = listing(things, window, self.shown(page.size, window), rng)
            if lesson is not None:
                made.append(lesson)
        style = replace(self.style, any_window=_ANY_WINDOW)
        chances = [_HOW.get(ask.how, 1.0) for ask in page.asks]
        for _ in range(mix.episodes):
            drawn = page.asks and rng.random() < _DRAWN_SHARE
            ask = rng.choices(page.asks, chances)[0] if drawn else own_ask(things, rng)
            if ask is not None:
                made.append(episode(page, ask, self.settings, style, rng))
        return made

    def _put_together(
        self, pictures: _Pictures, lessons: list[tuple[Lesson, list[tuple[Size, int]]]], rng: random.Random
    ) -> Batch:
        groups, starts, at = [], dict[Size, int](), 0
        truth = _TruthSoFar(rng)
        for size in sorted(pictures.by_size, key=lambda one: (one.width, one.height)):
            own = pictures.by_size[size]
            grid = Size(size.width // self.settings.limits.factor, size.height // self.settings.limits.factor)
            starts[size] = at
            for _, seen in own:
                truth.add(seen, at)
                at += grid.area
            groups.append(Group(tuple(cut for cut, _ in own), size, grid))
        return Batch(
            tuple(pictures.shots), tuple(groups), truth.done(), self._words(lessons, starts) if lessons else None
        )

    def _words(self, lessons: list[tuple[Lesson, list[tuple[Size, int]]]], starts: dict[Size, int]) -> Words:
        factor = self.settings.limits.factor
        encoded, seen = [], []
        for lesson, places in lessons:
            grids = [Size(size.width // factor, size.height // factor) for size, _ in places]
            encoded.append(self.encoder.encode(lesson, grids))
            seen += [
                np.arange(grid.area) + starts[size] + number * grid.area
                for (size, number), grid in zip(places, grids, strict=True)
            ]
        longest = -(-max(len(ids) for ids, _, _ in encoded) // 64) * 64
        ids = np.full((len(lessons), longest), self.encoder.pad_id)
        weights = np.zeros((len(lessons), longest), np.float32)
        positions = np.zeros((3, len(lessons), longest), np.int64)
        for row, (own, heavy, places_of) in enumerate(encoded):
            ids[row, : len(own)], weights[row, : len(own)], positions[:, row, : len(own)] = own, heavy, places_of
        made = (torch.from_numpy(one) for one in (ids, weights, positions, np.concatenate(seen)))
        return Words(*made)


class _TruthSoFar:
    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._parts: dict[str, list[npt.NDArray[np.int64]]] = {
            name: [] for name in ("tokens", "ids", "empty", "patches", "letters", "queries", "answers")
        }

    def add(self, seen: Seen, at: int) -> None:
        """A picture whose tokens begin at this number."""
        number = len(self._parts["tokens"])
        own = self._parts
        own["tokens"].append(seen.tokens + at)
        own["ids"].append(seen.ids)
        own["empty"].append(seen.empty[self._rng.randrange(_EMPTIES_ONE_IN) :: _EMPTIES_ONE_IN] + at)
        own["patches"].append(seen.patches + 4 * at)
        own["letters"].append(seen.letters)
        different = np.unique(seen.ids)
        asked = np.array(self._rng.sample(different.tolist(), min(_QUERIES, len(different))), np.int64)
        own["queries"].append(np.concatenate([asked, np.full(_QUERIES - len(asked), -1)])[None])
        where = np.flatnonzero(np.isin(seen.ids, asked))
        order = {int(one): place for place, one in enumerate(asked)}
        rows = [(number, order[int(seen.ids[one])], int(seen.tokens[one])) for one in where]
        own["answers"].append(np.array(rows, np.int64).reshape(-1, 3))

    def done(self) -> Truth:
        return Truth(**{name: torch.from_numpy(np.concatenate(parts)) for name, parts in self._parts.items()})
