"""Demonstrations as an SFT data set for ms-swift, and as the corpus of a small tokenizer.

A data set is a folder: ``demonstrations.jsonl`` (``messages`` with one ``<image>`` tag for each of ``images``) and the
crops as PNG files. Demonstration number i depends on the seed and i alone, so a stopped run goes on where it was.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import shutil
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground.collect.demonstrations import play_script
from zoomground.collect.script import Style
from zoomground.data import jsonl
from zoomground.data.rows import Row, read_rows
from zoomground.errors import ZoomgroundError
from zoomground.images import Screenshot, display_name, load_screenshot
from zoomground.protocol import prompts
from zoomground.protocol.actions import Reason
from zoomground.protocol.messages import Message, to_tagged
from zoomground.protocol.settings import Arm
from zoomground.task import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zoomground.environment import GroundingEnv
    from zoomground.protocol.settings import EpisodeSettings

DEMONSTRATIONS_NAME = "demonstrations.jsonl"
_PARTIAL_NAME = "demonstrations.partial.jsonl"
_FINGERPRINT_NAME = "fingerprint.txt"

_STEMS = ("app", "board", "chart", "desk", "form", "home", "list", "mail", "menu", "page", "panel", "screen", "view")
_KINDS = (".png", ".png", ".jpg", ".webp")

_OPEN_SCREENSHOTS = 8
"""Decoded screenshots that are kept: neighbouring demonstrations often share one."""

_CORPUS_SHARE = 0.03
"""Rare texts of the protocol are repeated to this share of a corpus, so that they count as recurring."""


def write_demonstrations(
    rows_file: Path,
    out: Path,
    *,
    count: int,
    seed: int,
    settings: EpisodeSettings,
    style: Style | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a data set of demonstrations; what is there already is kept if it was made from the same arguments.

    Args:
        rows_file: Training rows; refusals are left out unless declining is allowed.
        out: Folder of the data set; it belongs to this function.
        count: Number of demonstrations.
        seed: Decides rows, plans and words.
        settings: Budgets and limits; the arm of those that may zoom.
        style: How demonstrations look.
        on_progress: Called with the number of demonstrations written and of all.

    Returns:
        The JSONL file.

    Raises:
        RowError: If a row is wrong.
        ZoomgroundError: If no row can be demonstrated.
    """
    style = style or Style()
    rows = _rows(rows_file, settings)
    final, partial = out / DEMONSTRATIONS_NAME, out / _PARTIAL_NAME
    fingerprint = _fingerprint(rows_file, count, seed, settings, style)
    _prepare(out, fingerprint)
    if final.exists():
        return final
    done = [line.value for line in jsonl.read(partial, drop_cut_last=True)] if partial.exists() else []
    jsonl.write(partial, done)
    opened = lru_cache(_OPEN_SCREENSHOTS)(load_screenshot)
    with partial.open("a", encoding="utf-8", newline="\n") as stream:
        for number, row in _numbered(rows, seed, len(done), count):
            env = _play(row, opened(row.image_source), number, seed, settings, style)
            stream.write(json.dumps(_sft_row(env, row, out / "crops" / f"{number:06d}"), ensure_ascii=False) + "\n")
            stream.flush()
            if on_progress is not None:
                on_progress(number + 1, count)
    partial.replace(final)
    return final


def corpus(
    rows_file: Path, *, count: int, seed: int, settings: EpisodeSettings, style: Style | None = None
) -> list[str]:
    """Texts of the protocol as episodes hold them, one document each: demonstrations, corrections, closing words.

    Every screenshot goes by an invented name, so that no name of the data becomes a word of the vocabulary.

    Args:
        rows_file: Training rows.
        count: Number of demonstrations in it.
        seed: Decides rows, plans and words.
        settings: Budgets and limits.
        style: How demonstrations look.
    """
    style = replace(style or Style(), renamed=1.0)
    rows = _rows(rows_file, settings)
    opened = lru_cache(_OPEN_SCREENSHOTS)(load_screenshot)
    episodes = (
        _play(row, opened(row.image_source), number, seed, settings, style)
        for number, row in _numbered(rows, seed, 0, count)
    )
    texts = ["\n".join(message.text for message in env.messages) for env in episodes]
    return texts + _rare_texts(settings) * (1 + int(_CORPUS_SHARE * count))


def _rows(rows_file: Path, settings: EpisodeSettings) -> list[Row]:
    rows = [
        row for row in read_rows(rows_file) if settings.allow_decline or not isinstance(row.task.target, Refusal)
    ]
    if not rows:
        raise ZoomgroundError(f"{rows_file}: holds no row that can be demonstrated")
    return rows


def _numbered(rows: Sequence[Row], seed: int, start: int, stop: int) -> Iterator[tuple[int, Row]]:
    """The row of each demonstration: all once before any comes again; rows of one screenshot stay together."""
    return itertools.islice(enumerate(_endless(rows, seed)), start, stop)


def _endless(rows: Sequence[Row], seed: int) -> Iterator[Row]:
    for round_ in itertools.count():
        rng = random.Random(f"{seed}/rows/{round_}")
        ranks = {image: rng.random() for image in dict.fromkeys(row.task.image for row in rows)}
        yield from sorted(rng.sample(rows, len(rows)), key=lambda row: ranks[row.task.image])  # noqa: B023


def _play(
    row: Row, screenshot: Screenshot, number: int, seed: int, settings: EpisodeSettings, style: Style
) -> GroundingEnv:
    rng = random.Random(f"{seed}/demonstration/{number}")
    task = row.task
    if rng.random() < style.off:
        settings = replace(settings, arm=Arm.OFF)
    if rng.random() < style.renamed:
        task = replace(task, image=_invented_name(rng))
    return play_script(task, screenshot, settings, f"{seed}/{number}", style)


def _invented_name(rng: random.Random) -> str:
    number = rng.choice(("", f"-{rng.randrange(10)}", f"-{rng.randrange(100)}", f"_{rng.randrange(1000)}"))
    return rng.choice(_STEMS) + number + rng.choice(_KINDS)


def _sft_row(env: GroundingEnv, row: Row, folder: Path) -> dict[str, Any]:
    """A row in ms-swift's form; the crops are written to the folder."""
    images = []
    for message in env.messages:
        for name in message.image_names:
            if name == env.image_name:
                images.append(str(row.image_source if row.image_path is None else row.image_path.resolve()))
                continue
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / name
            file.write_bytes(env.views.encoded(name).data)
            images.append(str(file.resolve()))
    opened = "<think>\n" if env.settings.prompt_ends_in_think else ""
    return {"messages": [_tagged(message, opened) for message in env.messages], "images": images}


def _tagged(message: Message, opened: str) -> dict[str, str]:
    """``opened``: what the chat template writes in front of a reply, which belongs to the trained turn."""
    tagged = to_tagged(message)
    return {**tagged, "content": opened + tagged["content"]} if message.role == "assistant" else tagged


def _rare_texts(settings: EpisodeSettings) -> list[str]:
    texts = [prompts.answer_now(settings), prompts.last_turn(settings)]
    for arm in (Arm.ON, Arm.OFF):
        ruled = replace(settings, arm=arm)
        texts += [
            prompts.correction(reason, settings=ruled, remaining_crops=2, remaining_corrections=1) for reason in Reason
        ]
    return texts


def _fingerprint(rows_file: Path, count: int, seed: int, settings: EpisodeSettings, style: Style) -> str:
    values = {
        "rows": hashlib.sha256(rows_file.read_bytes()).hexdigest(),
        "count": count,
        "seed": seed,
        "settings": asdict(settings),
        "style": {name: str(value) for name, value in _fields(style)},
    }
    return json.dumps(values, indent=1, sort_keys=True)


def _fields(style: Style) -> list[tuple[str, Any]]:
    return [(name, getattr(style, name)) for name in Style.__slots__]


def _prepare(out: Path, fingerprint: str) -> None:
    """Keep a folder that was begun with the same arguments; empty one that was not."""
    file = out / _FINGERPRINT_NAME
    if file.is_file():
        if file.read_text(encoding="utf-8") == fingerprint:
            return
        shutil.rmtree(out)
    elif out.exists() and any(out.iterdir()):
        raise ZoomgroundError(f"{out}: holds other files; name an empty or a new folder for the demonstrations")
    out.mkdir(parents=True, exist_ok=True)
    file.write_text(fingerprint, encoding="utf-8")
