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
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from zoomground.collect.demonstrations import play_script
from zoomground.collect.script import Style
from zoomground.data import jsonl
from zoomground.data.files import write_bytes
from zoomground.data.rows import Row, read_data_set
from zoomground.data.shown import write_shown
from zoomground.errors import ZoomgroundError
from zoomground.images import Screenshot, display_name, load_screenshot
from zoomground.protocol import prompts
from zoomground.protocol.actions import Reason
from zoomground.protocol.messages import Message, to_tagged
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.task import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zoomground.environment import GroundingEnv

DEMONSTRATIONS_NAME = "demonstrations.jsonl"
_PARTIAL_NAME = "demonstrations.partial.jsonl"
_FINGERPRINT_NAME = "fingerprint.txt"

_STEMS = (
    *("app", "board", "book", "capture", "chart", "client", "desk", "display", "editor", "form", "frame", "home"),
    *("image", "list", "mail", "main", "menu", "page", "panel", "screen", "shot", "site", "tab", "tool", "view", "web"),
)
_KINDS = (".png", ".png", ".jpg", ".webp")

_OPEN_SCREENSHOTS = 8
"""Decoded screenshots that are kept: neighbouring demonstrations often share one."""

_CORPUS_SHARE = 0.04
"""Rare texts of the protocol are repeated to this share of a corpus, so that they count as recurring."""


def write_demonstrations(
    rows_files: Sequence[Path],
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
        rows_files: Training rows; refusals are left out unless declining is allowed.
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
        ZoomgroundError: If no row can be demonstrated, or the folder holds something else.
    """
    stage = _Stage.of(rows_files, seed, settings, style or Style())
    final, partial = out / DEMONSTRATIONS_NAME, out / _PARTIAL_NAME
    _prepare(out, stage.fingerprint(count))
    if final.exists():
        return final
    done = [line.value for line in jsonl.read(partial, drop_cut_last=True)] if partial.exists() else []
    jsonl.write(partial, done)
    with partial.open("a", encoding="utf-8", newline="\n") as stream:
        for number, env in enumerate(stage.episodes(len(done), count), start=len(done)):
            stream.write(json.dumps(_sft_row(env, out, number), ensure_ascii=False) + "\n")
            stream.flush()
            if on_progress is not None:
                on_progress(number + 1, count)
    partial.replace(final)
    return final


def corpus(
    rows_files: Sequence[Path], *, count: int, seed: int, settings: EpisodeSettings, style: Style | None = None
) -> list[str]:
    """Texts of the protocol as episodes hold them, one document each: demonstrations, corrections, closing words.

    Every screenshot goes by an invented name, so that no name becomes part of a recurring phrase; the names of the data
    are in one document of their own.

    Args:
        rows_files: Training rows.
        count: Number of demonstrations in it.
        seed: Decides rows, plans and words.
        settings: Budgets and limits.
        style: How demonstrations look.
    """
    stage = _Stage.of(rows_files, seed, settings, replace(style or Style(), renamed=1.0))
    texts = ["\n".join(message.text for message in env.messages) for env in stage.episodes(0, count)]
    names = "\n".join(display_name(row.task.image) for row in stage.rows)
    return [*texts, *_rare_texts(settings) * (1 + int(_CORPUS_SHARE * count)), names]


@dataclass(frozen=True, slots=True)
class _Stage:
    """All that decides demonstration number i."""

    rows_files: Sequence[Path]
    rows: tuple[Row, ...]
    seed: int
    settings: EpisodeSettings
    style: Style

    @classmethod
    def of(cls, rows_files: Sequence[Path], seed: int, settings: EpisodeSettings, style: Style) -> Self:
        rows = tuple(
            row
            for row in read_data_set(rows_files)
            if settings.allow_decline or not isinstance(row.task.target, Refusal)
        )
        if not rows:
            names = ", ".join(str(file) for file in rows_files) or "no rows files"
            raise ZoomgroundError(f"{names}: no row that can be demonstrated")
        return cls(rows_files, rows, seed, settings, style)

    def episodes(self, start: int, stop: int) -> Iterator[GroundingEnv]:
        """The finished episodes from one number up to another."""
        opened = lru_cache(_OPEN_SCREENSHOTS)(load_screenshot)
        for number, row in itertools.islice(enumerate(self._order()), start, stop):
            yield self._play(row, opened(row.image_source), number)

    def _order(self) -> Iterator[Row]:
        """All rows before any comes again, in a new order each time; rows of one screenshot stay together."""
        for turn in itertools.count():
            rng = random.Random(f"{self.seed}/order/{turn}")
            by_image: dict[str, list[Row]] = {}
            for row in rng.sample(self.rows, len(self.rows)):
                by_image.setdefault(row.task.image, []).append(row)
            yield from itertools.chain.from_iterable(by_image.values())

    def _play(self, row: Row, screenshot: Screenshot, number: int) -> GroundingEnv:
        rng = random.Random(f"{self.seed}/demonstration/{number}")
        task, settings = row.task, self.settings
        if rng.random() < self.style.off:
            settings = replace(settings, arm=Arm.OFF)
        if rng.random() < self.style.renamed:
            task = replace(task, image=_invented_name(rng))
        return play_script(task, screenshot, settings, f"{self.seed}/{number}", self.style)

    def fingerprint(self, count: int) -> str:
        """Equal for equal data sets."""
        values = {
            "rows": [hashlib.sha256(file.read_bytes()).hexdigest() for file in self.rows_files],
            "count": count,
            "seed": self.seed,
            "settings": asdict(self.settings),
            "style": {one.name: str(getattr(self.style, one.name)) for one in fields(Style)},
        }
        return json.dumps(values, indent=1, sort_keys=True)


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


def _invented_name(rng: random.Random) -> str:
    number = rng.choice(("", f"-{rng.randrange(10)}", f"-{rng.randrange(100)}", f"_{rng.randrange(1000)}"))
    return rng.choice(_STEMS) + number + rng.choice(_KINDS)


def _sft_row(env: GroundingEnv, out: Path, number: int) -> dict[str, Any]:
    """A row in ms-swift's form; images are absolute paths, because ms-swift knows no folder of the data set."""
    names = [name for message in env.messages for name in message.image_names]
    images = [
        write_shown(env.screenshot, env.settings.limits, out / "screenshots")
        if name == env.image_name
        else _kept(out / "crops" / f"{number:06d}" / name, env.views.encoded(name).data)
        for name in names
    ]
    opened = "<think>\n" if env.settings.prompt_ends_in_think else ""
    return {
        "messages": [_tagged(message, opened) for message in env.messages],
        "images": [str(path.resolve()) for path in images],
    }


def _kept(file: Path, data: bytes) -> Path:
    write_bytes(file, data)
    return file


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
