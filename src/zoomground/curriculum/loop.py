"""The training loop: batches by number, a cosine of the rate, checkpoints that a killed run goes on from."""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
from torch.utils.data import DataLoader, Dataset

from zoomground.curriculum.encode import Batch, Encoder, Maker
from zoomground.curriculum.model import Pupil
from zoomground.data.files import write_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from zoomground.collect.lattice import Lattice
    from zoomground.curriculum.model import Losses
    from zoomground.protocol.settings import EpisodeSettings
    from zoomground.synth.boards.sheet import Sheet

_WARM_UP = 50
_LEAST_SHARE = 0.01
_LARGEST_GRADIENT = 1.0
_STATE = "state.pt"
_LOG_EVERY = 50
_TELL_EVERY_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What is learnt, how long.

    Attributes:
        look_steps: Steps in which the vision tower alone learns to name what it sees.
        steps: Steps after those, in which the language half learns with it.
        boards: Boards in a batch.
        lessons: Lessons on each board.
        listings: Share of the lessons that list what can be read; the others demonstrate. It falls to a third of this
            in the last third of the steps.
        rate: Peak of the learning rate.
        vision_share: Share of the rate at which the vision tower goes on learning in the second part.
        save_steps: Steps between two checkpoints.
        workers: Processes that make batches; 0: this one.
        seed: Of batches and heads.
    """

    look_steps: int
    steps: int
    boards: int = 32
    lessons: int = 3
    listings: float = 0.5
    rate: float = 2e-3
    vision_share: float = 0.3
    save_steps: int = 500
    workers: int = 1
    seed: int = 0

    @property
    def total(self) -> int:
        """All steps."""
        return self.look_steps + self.steps


class _Batches(Dataset[Batch]):
    """The batches of a course by number."""

    def __init__(self, maker: Maker, course: Course, first: int) -> None:
        shares = (1.0, course.listings, course.listings / 3)
        self._makers = [replace(maker, listings=share) for share in shares]
        self._course, self._first = course, first

    def __len__(self) -> int:
        return self._course.total - self._first

    def __getitem__(self, index: int) -> Batch:
        number = index + self._first
        worded = number - self._course.look_steps
        late = worded > self._course.steps * 2 // 3
        return self._makers[0 if worded < 0 else 2 if late else 1].batch(number)


def study(
    checkpoint: Path,
    out: Path,
    *,
    course: Course,
    settings: EpisodeSettings,
    style: Lattice,
    sheet: Sheet,
    device: str,
    on_progress: Callable[[int, int, str], None],
) -> Path:
    """Teach a random checkpoint; an interrupted course goes on where it was saved.

    What is saved is all there is: batches are made from their number, and no step draws a random number of torch's.

    Args:
        checkpoint: Folder of the random checkpoint.
        out: Folder of the course: its log, its state, and ``checkpoint`` when it is done.
        course: What is learnt.
        settings: Rules of the episodes.
        style: How zooming is demonstrated.
        sheet: The parts of boards.
        device: Where to train, as torch names it. On an accelerator this process then multiplies matrices in TF32.
        on_progress: Told the step, the number of steps and figures, now and then.

    Returns:
        Folder of the taught checkpoint, in bfloat16; its weights have been trained in float32.
    """
    accelerated = device != "cpu"
    if accelerated:
        torch.set_float32_matmul_precision("high")
    encoder = Encoder(checkpoint, settings)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(course.seed)
        pupil = Pupil(checkpoint, encoder)
        pupil.set_names_apart()
    pupil = pupil.to(device)
    optimizer = torch.optim.AdamW(
        pupil.groups(), lr=course.rate, betas=(0.9, 0.98), weight_decay=0.01, fused=accelerated
    )
    out.mkdir(parents=True, exist_ok=True)
    first = _resume(out, pupil, optimizer)
    maker = Maker(encoder, sheet, settings, style, course.boards, course.lessons, course.listings, course.seed)
    figures = _Figures(out / "log.jsonl", first)
    shown = _Shown(on_progress, course.total)
    for step, batch in enumerate(_loader(_Batches(maker, course, first), course.workers), first + 1):
        figures.add(_learn(pupil, optimizer, batch, step, course))
        saves = step % course.save_steps == 0 or step == course.total
        if saves or step % _LOG_EVERY == 0:
            shown.note = figures.line(step, lessons=step * course.boards * course.lessons)
        shown.step(step)
        if saves:
            _save(out, step, pupil, optimizer)
    return _export(pupil, checkpoint, out / "checkpoint")


def _loader(batches: _Batches, workers: int) -> DataLoader[Batch]:
    return DataLoader(batches, batch_size=None, num_workers=workers, prefetch_factor=4 if workers else None)


def _learn(pupil: Pupil, optimizer: torch.optim.Optimizer, batch: Batch, step: int, course: Course) -> Losses:
    """One step."""
    words = step > course.look_steps
    tower, rest = optimizer.param_groups
    rest["lr"] = course.rate * _share(step, course)
    tower["lr"] = rest["lr"] * (course.vision_share if words else 1.0)
    losses: Losses = pupil(batch, words=words)
    loss = losses.vision if losses.words is None else losses.words + losses.vision
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(pupil.parameters(), _LARGEST_GRADIENT)
    optimizer.step()
    return losses


def _share(step: int, course: Course) -> float:
    """Of the learning rate: up in the first steps of each part, then down along a cosine."""
    looks = step <= course.look_steps
    done, length = (step, course.look_steps) if looks else (step - course.look_steps, course.steps)
    least = 0.3 if looks else _LEAST_SHARE
    return min(1.0, done / _WARM_UP) * (least + (1 - least) * (0.5 + 0.5 * math.cos(math.pi * done / length)))


@dataclass(slots=True)
class _Shown:
    """Tells how far the course is, as often as a person can follow."""

    on_progress: Callable[[int, int, str], None]
    total: int
    note: str = ""
    _told_s: float = -math.inf

    def step(self, step: int) -> None:
        now_s = time.monotonic()
        if step == self.total or now_s - self._told_s >= _TELL_EVERY_S:
            self._told_s = now_s
            self.on_progress(step, self.total, self.note)


class _Figures:
    """Means over the steps since the last line of the log, of which those after ``first`` are taken out."""

    def __init__(self, path: Path, first: int) -> None:
        self._path, self._started = path, time.monotonic()
        self._seen: list[dict[str, float]] = []
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        kept = [line for line in lines if line.endswith("\n") and json.loads(line)["step"] <= first]
        write_bytes(path, "".join(kept).encode("utf-8"))

    def add(self, losses: Losses) -> None:
        words = math.nan if losses.words is None else float(losses.words.detach())
        self._seen.append(
            {
                "words": words,
                "vision": float(losses.vision.detach()),
                "right_words": losses.right_words,
                "right_views": losses.right_views,
                "right_crops": losses.right_crops,
            }
        )

    def line(self, step: int, lessons: int) -> str:
        """The means as text; they are also appended to the log."""
        means = {key: round(_mean([one[key] for one in self._seen]), 4) for key in self._seen[0]}
        self._seen.clear()
        seconds = round(time.monotonic() - self._started, 1)
        row = {"step": step, "lessons": lessons, "seconds": seconds, **means}
        known = {key: value for key, value in row.items() if not math.isnan(value)}
        with self._path.open("a", encoding="utf-8") as log:
            log.write(json.dumps(known) + "\n")
        return " ".join(f"{key} {value}" for key, value in known.items())


def _mean(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def _save(out: Path, step: int, pupil: Pupil, optimizer: torch.optim.Optimizer) -> None:
    """Write the state to go on from, beside its place, then rename it."""
    beside = out / f".{_STATE}"
    torch.save({"step": step, "pupil": pupil.state_dict(), "optimizer": optimizer.state_dict()}, beside)
    beside.rename(out / _STATE)


def _export(pupil: Pupil, start: Path, place: Path) -> Path:
    """Write the taught checkpoint with everything of the first one but its weights."""
    beside = place.with_name(f".{place.name}")
    shutil.rmtree(beside, ignore_errors=True)
    shutil.copytree(start, beside, ignore=shutil.ignore_patterns("*.safetensors"))
    pupil.model.to(torch.bfloat16).save_pretrained(beside)
    shutil.rmtree(place, ignore_errors=True)
    beside.rename(place)
    return place


def _resume(out: Path, pupil: Pupil, optimizer: torch.optim.Optimizer) -> int:
    """The step that was saved last, its state loaded; 0 if there is none."""
    if not (out / _STATE).exists():
        return 0
    state = torch.load(out / _STATE, map_location=next(pupil.parameters()).device, weights_only=True)
    pupil.load_state_dict(state["pupil"])
    optimizer.load_state_dict(state["optimizer"])
    return int(state["step"])
