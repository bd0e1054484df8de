"""Demonstrations as an SFT data set for ms-swift, and as the corpus of a small tokenizer.

A data set ``FILE.jsonl`` has its pictures in ``FILE.images`` and its figures and hashes in ``FILE.manifest.json``. What
a stopped run has written is a beginning of the whole; the same call goes on there, and the files come out as from one
run, whatever the number of processes.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zoomground.collect.pictures import Pictures
from zoomground.collect.series import Series
from zoomground.collect.tally import Tally, tally_of
from zoomground.collect.workers import Player, play_parts
from zoomground.data.files import write_bytes
from zoomground.errors import ZoomgroundError
from zoomground.images import display_name
from zoomground.protocol import prompts
from zoomground.protocol.actions import Reason
from zoomground.protocol.settings import Arm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

    from zoomground.collect.style import Style
    from zoomground.protocol.settings import EpisodeSettings

_CORPUS_SHARE = 0.04
"""Rare texts of the protocol are repeated to this share of a corpus, so that they count as recurring."""


@dataclass(frozen=True, slots=True)
class Output:
    """Where a data set and what belongs to it stand.

    Attributes:
        file: The data set, ``NAME.jsonl``.
    """

    file: Path

    @property
    def pictures(self) -> Pictures:
        """Its pictures."""
        return Pictures(self.file.with_name(f"{self.file.stem}.images"))

    @property
    def manifest(self) -> Path:
        """What it was made from, what it holds, and the hash of every file."""
        return self.file.with_name(f"{self.file.stem}.manifest.json")

    @property
    def partial(self) -> Path:
        """Its beginning, as long as it is not finished."""
        return self.file.with_name(f"{self.file.stem}.partial.jsonl")

    def remove(self) -> None:
        """Remove all of it."""
        for path in (self.file, self.partial, self.manifest):
            path.unlink(missing_ok=True)
        if self.pictures.folder.exists():
            shutil.rmtree(self.pictures.folder)


@dataclass(frozen=True, slots=True)
class Written:
    """What `write_demonstrations` gives.

    Attributes:
        file: The data set.
        manifest: The file beside it.
        played: Demonstrations that were not there before.
        pictures: Number of pictures.
        picture_bytes: Their size.
        sha256: Hash of the data set.
        tally: What it holds.
    """

    file: Path
    manifest: Path
    played: int
    pictures: int
    picture_bytes: int
    sha256: str
    tally: Tally


def write_demonstrations(
    rows_files: Sequence[Path],
    file: Path,
    *,
    seed: int,
    settings: EpisodeSettings,
    style: Style,
    count: int | None = None,
    jobs: int = 1,
    absolute: bool = False,
    overwrite: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> Written:
    """Write a data set of demonstrations; what is there already is kept if it was made from the same arguments.

    Args:
        rows_files: Training rows; refusals are left out where declining cannot be demonstrated.
        file: The data set, ``NAME.jsonl``.
        seed: Decides rows, plans and words.
        settings: Budgets and limits; the arm of those that are of no other arm by the style's shares.
        style: How demonstrations look.
        count: Number of demonstrations; default: one for each row.
        jobs: Processes that play.
        absolute: Write absolute paths of pictures, not ones relative to the folder of ``file``.
        overwrite: Replace demonstrations that were made from other arguments.
        on_progress: Called with the number of demonstrations written and of all.

    Raises:
        RowError: If a row is wrong.
        ZoomgroundError: If no row can be demonstrated, or there are other files in the way.
    """
    if file.suffix != ".jsonl":
        raise ZoomgroundError(f"{file}: a data set of demonstrations is a .jsonl file")
    series = Series.of(rows_files, seed, settings, style)
    count = len(series.rows) if count is None else count
    output = Output(file)
    made_from = {**series.fingerprint(), "count": count, "absolute": absolute}
    _prepare(output, made_from, overwrite=overwrite)
    played = 0
    if not file.exists():
        player = Player(series, output.pictures, None if absolute else file.parent)
        with _resumed(output.partial) as (stream, done):
            lines = play_parts(player, series.parts(done, count), jobs=jobs)
            with contextlib.closing(lines):
                for played, line in enumerate(lines, start=1):
                    stream.write(line.encode("utf-8") + b"\n")
                    stream.flush()
                    if on_progress is not None:
                        on_progress(done + played, count)
            output.partial.replace(file)
    return _finish(output, made_from, played, style.legible_px)


def corpus(rows_files: Sequence[Path], *, count: int, seed: int, settings: EpisodeSettings, style: Style) -> list[str]:
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
    series = Series.of(rows_files, seed, settings, replace(style, renamed=1.0))
    texts = [
        "\n".join(message.text for message in shown.env.messages)
        for part in series.parts(0, count)
        for shown in series.play(part)
    ]
    names = "\n".join(display_name(row.task.image) for row in series.rows)
    return [*texts, *_rare_texts(settings) * (1 + int(_CORPUS_SHARE * count)), names]


def _prepare(output: Output, made_from: dict[str, Any], *, overwrite: bool) -> None:
    """Keep what was begun with the same arguments, remove what was not if that is wished, touch nothing else."""
    before = _read_manifest(output.manifest)
    if before is not None and before.get("made_from") == _plain(made_from):
        return
    if before is None:
        strange = [path for path in (output.file, output.partial, output.pictures.folder) if path.exists()]
        if strange or output.manifest.exists():
            name = (strange or [output.manifest])[0]
            raise ZoomgroundError(f"{name}: was not written by this program; name another file, or move it away")
    elif not overwrite:
        old, new = before.get("made_from", {}), _plain(made_from)
        differing = ", ".join(sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key)))
        raise ZoomgroundError(
            f"{output.file}: was made with other arguments ({differing}); name another file, or overwrite it"
        )
    output.remove()
    _write_manifest(output.manifest, {"complete": False, "made_from": made_from})


@contextlib.contextmanager
def _resumed(partial: Path) -> Iterator[tuple[BinaryIO, int]]:
    """The beginning of a data set, open for more, and its number of whole lines; only one process may have it.

    Raises:
        ZoomgroundError: If another process writes it.
    """
    with partial.open("a+b") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ZoomgroundError(f"{partial}: another process is writing it; wait for that one, or stop it") from error
        stream.seek(0)
        done = length = 0
        for line in stream:
            if line.endswith(b"\n"):
                done, length = done + 1, length + len(line)
        stream.truncate(length)
        yield stream, done


def _finish(output: Output, made_from: dict[str, Any], played: int, legible_px: float) -> Written:
    output.pictures.drop_unfinished()
    tally = tally_of(output.file, legible_px=legible_px)
    pictures = output.pictures.all()
    known = _read_manifest(output.manifest)
    sha256 = _sha256(output.file)
    if played or known is None or not known["complete"]:
        root = output.pictures.folder
        hashes = {path.relative_to(root).as_posix(): _sha256(path) for path in pictures}
        document = {
            "complete": True,
            "made_from": made_from,
            "sha256": sha256,
            "tally": tally.to_dict(),
            "pictures": hashes,
        }
        _write_manifest(output.manifest, document)
    size = sum(path.stat().st_size for path in pictures)
    return Written(output.file, output.manifest, played, len(pictures), size, sha256, tally)


def _read_manifest(path: Path) -> dict[str, Any] | None:
    """The manifest; None if there is none that this program wrote."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return document if isinstance(document, dict) and "made_from" in document else None


def _write_manifest(path: Path, document: dict[str, Any]) -> None:
    write_bytes(path, (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))


def _plain(values: dict[str, Any]) -> Any:
    """The values as JSON gives them back."""
    return json.loads(json.dumps(values))


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _rare_texts(settings: EpisodeSettings) -> list[str]:
    texts = [prompts.answer_now(settings), prompts.last_turn(settings)]
    for arm in (Arm.ON, Arm.OFF):
        ruled = replace(settings, arm=arm)
        texts += [
            prompts.correction(reason, settings=ruled, remaining_crops=2, remaining_corrections=1) for reason in Reason
        ]
    return texts
