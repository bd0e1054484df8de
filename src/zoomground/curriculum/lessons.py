"""One lesson: a conversation with pictures, and how much each piece of what the assistant writes counts."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PIL import Image

from zoomground.collect.lattice import WINDOWS, Lattice, grid_point, holds, in_window, is_at, window_of
from zoomground.collect.places import to_norm
from zoomground.environment import GroundingEnv
from zoomground.geometry import NORM_FRAME, Box, Region, Size
from zoomground.images import Screenshot, cut
from zoomground.protocol.views import UnseenViews
from zoomground.synth.boards.board import ICONS, SIZE, Kind, draw_board, instructions
from zoomground.task import Task

if TYPE_CHECKING:
    from zoomground.protocol.messages import Message
    from zoomground.protocol.settings import EpisodeSettings
    from zoomground.synth.boards.board import Board, Part
    from zoomground.synth.boards.sheet import Sheet

NAMES = ICONS
"""Names in the order of the labels."""

QUESTION = "What is where?"
"""What a listing answers."""

_BLANK = Screenshot(Image.new("RGB", (SIZE.width, SIZE.height)), SIZE, "", "board.webp")

_DECIDES = 2.5
"""Weight of the words by which a turn answers or looks again."""

_PARTS = (
    (re.compile(r"(?<=at )\d|(?<=at \d )\d|(?<=at \d\d )\d|(?<=at \d\d\d )\d|(?<=at \d\d\d\d )\d"), 5.0),
    (re.compile(r"(?<=at )\d+ \d+"), 3.0),
    (re.compile(r"(?<=[=\[,])\d+"), 3.0),
    (re.compile(r" is at | needs a closer look at "), _DECIDES),
)
"""What counts how much in a turn, the first that fits."""

_ANY_WINDOW = 0.3
"""Share of the episodes whose window is not the one to ask for: what it shows is to be read and placed all the same."""

REST = 0.2
"""Weight of whatever else the assistant writes."""

_NOTHING = np.zeros(0, np.float32)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A conversation.

    Attributes:
        turns: Role and text of each message; ``<image>`` stands where a picture does.
        windows: What each picture shows, in order: a window in [0, 1000], None for the whole board.
        weights: For each character of each assistant turn, how much it counts; one array a message, empty for others.
    """

    turns: tuple[tuple[str, str], ...]
    windows: tuple[Box | None, ...]
    weights: tuple[npt.NDArray[np.float32], ...]


def weigh(text: str, *, names: float = 0.0) -> npt.NDArray[np.float32]:
    """How much each character of an assistant's turn counts: numbers most, their first digits even more.

    Args:
        text: The turn.
        names: Weight of the name in ``At 475 525 is the star.``; other names are copied from the question.
    """
    weights = np.full(len(text), REST, np.float32)
    for pattern, weight in reversed(_PARTS):
        for match in pattern.finditer(text):
            weights[match.start() : match.end()] = weight
    if names:
        for match in re.finditer(r"(?<=is the )\w+", text):
            weights[match.start() - 1 : match.end()] = names
    return weights


def episode(part: Part, settings: EpisodeSettings, style: Lattice, rng: random.Random) -> Lesson:
    """A demonstration, played through the real environment; its pictures are made when they are looked at."""
    task = Task(
        id="board",
        instruction=rng.choice(instructions(part)),
        image="screen.webp",
        size=SIZE,
        target=part.box_px,
        meta={"name": part.name},
    )
    task, settings = style.vary(task, settings, rng)
    env = GroundingEnv(task, _BLANK, settings)
    env.views = UnseenViews(_BLANK, env.image_name, settings)
    for turn in replace(style, any_window=_ANY_WINDOW).script(env, rng).turns():
        env.step(turn.text)
    turns = [_said(message) for message in env.messages]
    crops = [crop.region.box_norm for crop in env.trajectory().crops]
    weights = [weigh(text) if role == "assistant" else _NOTHING for role, text in turns]
    if crops and crops[0] != window_of(to_norm(part.box_px, SIZE)):
        asks = next(number for number, (role, _) in enumerate(turns) if role == "assistant")
        weights[asks] = np.zeros_like(weights[asks])
    if part.kind is Kind.BUTTON and not crops:
        # Nobody can read it: that it is answered at once is to be learnt, the place is a guess.
        weights = [np.where(w > _DECIDES, 1.0, w) for w in weights]
    return Lesson(tuple(turns), (None, *crops), tuple(weights))


def listing(board: Board, rng: random.Random) -> Lesson:
    """Everything that can be read in one picture: name to place, then place to name."""
    window = _window(board, rng) if rng.random() < 0.6 else None
    seen = [(part, point) for part in board.parts if (point := place_in(part, window)) is not None]
    rng.shuffle(seen)
    lines = [(is_at(part.name, *point, in_crop=window is not None), False) for part, point in seen]
    rng.shuffle(seen)
    lines += [(f"At {x} {y} is the {part.name}.", True) for part, (x, y) in seen[:4]]
    text = "\n".join(line for line, _ in lines)
    weights = [_line_weights(line, reverse=reverse) for line, reverse in lines]
    turns = (("user", f"{QUESTION}<image>"), ("assistant", text))
    return Lesson(turns, (window,), (_NOTHING, np.concatenate(weights)[: len(text)]))


def place_in(part: Part, window: Box | None) -> tuple[int, int] | None:
    """Where a part is in a picture, on the grid; None if it cannot be read there, or is cut off."""
    box = to_norm(part.box_px, SIZE)
    answer = grid_point(box)
    if window is None:
        return answer if part.kind is Kind.TILE else None
    return in_window(answer, window) if answer and holds(window, box) else None


def labels(board: Board, window: Box | None, grid: Size) -> npt.NDArray[np.uint8]:
    """What each image token shows: shape (tokens, names), row by row; 1 where the middle of a readable part lies."""
    found = np.zeros((grid.height, grid.width, len(NAMES)), np.uint8)
    frame = window or Box(0, 0, 1000, 1000)
    for part in board.parts:
        middle = to_norm(part.box_px, SIZE).center
        u, v = (middle.x - frame.x1) / frame.width, (middle.y - frame.y1) / frame.height
        if (window is not None or part.kind is Kind.TILE) and 0 <= u < 1 and 0 <= v < 1:
            found[int(v * grid.height), int(u * grid.width), NAMES.index(part.name)] = 1
    return found.reshape(-1, len(NAMES))


def picture(shot: Screenshot, window: Box | None, shown: Size) -> npt.NDArray[np.uint8]:
    """Pixels of a picture as the policy gets them: of shape (height, width, 3)."""
    if window is None:
        return np.asarray(shot.pixels.resize((shown.width, shown.height), Image.Resampling.BICUBIC))
    return np.asarray(cut(shot, Region.whole(SIZE).subregion(window, NORM_FRAME), shown))


def screenshot(board: Board, sheet: Sheet) -> Screenshot:
    """A board's picture."""
    return Screenshot(Image.fromarray(sheet.lay_out(board)), SIZE, "", "board")


def lessons_of(
    seed: str, count: int, listings: float, settings: EpisodeSettings, style: Lattice
) -> tuple[Board, list[Lesson]]:
    """The board of a seed, and some lessons on it; ``listings`` is the share of those that list."""
    board = draw_board(seed)
    rng = random.Random(f"lessons/{seed}")
    made = []
    for _ in range(count):
        if rng.random() < listings:
            made.append(listing(board, rng))
        else:
            kind = Kind.BUTTON if rng.random() < 0.6 else Kind.TILE
            part = rng.choice([part for part in board.parts if part.kind is kind])
            made.append(episode(part, settings, style, rng))
    return board, made


def _window(board: Board, rng: random.Random) -> Box:
    """A window to list: the palette's, or one that shows something."""
    palette = window_of(to_norm(board.palette_px, SIZE))
    if palette is not None and rng.random() < 0.6:
        return palette
    order = rng.sample(WINDOWS, len(WINDOWS))
    return next(window for window in order if any(place_in(part, window) for part in board.parts))


def _line_weights(line: str, *, reverse: bool) -> npt.NDArray[np.float32]:
    """Of a line and its line break: a place that stands in the question, or a name that anybody may choose, is free."""
    weights = weigh(line + "\n", names=3.0 if reverse else 0.0)
    if reverse:
        weights[: line.index(" is the ")] = 0.0
    else:
        weights[: line.index(" is at ")] = 0.0
    return weights


def _said(message: Message) -> tuple[str, str]:
    return message.role, "".join("<image>" if part.type == "image" else part.text for part in message.parts)
