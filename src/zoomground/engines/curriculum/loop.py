"""The training loop: batches by number, a cosine of the rate, checkpoints that a killed run goes on from."""

from __future__ import annotations

import json
import math
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch.utils.data import DataLoader, Dataset

from zoomground.engines.curriculum.encode import Batch, Encoder, Maker
from zoomground.engines.curriculum.model import Pupil

if TYPE_CHECKING:
    from collections.abc import Callable

    from zoomground.collect.lattice import Lattice
    from zoomground.engines.curriculum.model import Losses
    from zoomground.protocol.settings import EpisodeSettings
    from zoomground.synth.boards.sheet import Sheet

_WARM_UP = 50
_LEAST_SHARE = 0.01
_LARGEST_GRADIENT = 1.0
_STATE = "state.pt"
_LOG_EVERY = 50


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


class _Batches(Dataset[Batch]):
    """The batches of a course by number."""

    def __init__(self, makers: list[Maker], course: Course, first: int) -> None:
        self._makers, self._course, self._first = makers, course, first

    def __len__(self) -> int:
        return self._course.look_steps + self._course.steps - self._first

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

    Args:
        checkpoint: Folder of the random checkpoint.
        out: Folder of the course: its log, its state, and ``checkpoint`` when it is done.
        course: What is learnt.
        settings: Rules of the episodes.
        style: How zooming is demonstrated.
        sheet: The parts of boards.
        device: Where to train.
        on_progress: Told the step, the number of steps and figures.

    Returns:
        Folder of the taught checkpoint.
    """
    torch.manual_seed(course.seed)
    encoder = Encoder(checkpoint, settings)
    pupil = Pupil(checkpoint, encoder, fresh=True).to(device)
    optimizer = torch.optim.AdamW(pupil.groups(), lr=course.rate, betas=(0.9, 0.98), weight_decay=0.01)
    out.mkdir(parents=True, exist_ok=True)
    first = _resume(out, pupil, optimizer)
    makers = [
        Maker(encoder, sheet, settings, style, course.boards, course.lessons, share, course.seed)
        for share in (1.0, course.listings, course.listings / 3)
    ]
    batches = DataLoader(
        _Batches(makers, course, first),
        batch_size=None,
        num_workers=course.workers,
        prefetch_factor=4 if course.workers else None,
        collate_fn=_as_it_is,
    )
    total = course.look_steps + course.steps
    figures = _Figures(out / "log.jsonl", started=time.monotonic())
    for step, batch in enumerate(batches, first + 1):
        words = step > course.look_steps
        tower, rest = optimizer.param_groups
        rest["lr"] = course.rate * _share(step, course)
        tower["lr"] = rest["lr"] * (course.vision_share if words else 1.0)
        losses = pupil(batch, torch.device(device), words=words)
        loss = losses.vision if losses.words is None else losses.words + losses.vision
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(pupil.parameters(), _LARGEST_GRADIENT)
        optimizer.step()
        figures.add(losses)
        if step % _LOG_EVERY == 0 or step == total:
            on_progress(step, total, figures.line(step, lessons=step * course.boards * course.lessons))
        if step % course.save_steps == 0 or step == total:
            _save(out, step, pupil, optimizer, checkpoint)
    return out / "checkpoint"


def _share(step: int, course: Course) -> float:
    """Of the learning rate: up in the first steps of each part, then down along a cosine."""
    looks = step <= course.look_steps
    done, length = (step, course.look_steps) if looks else (step - course.look_steps, course.steps)
    least = 0.3 if looks else _LEAST_SHARE
    return min(1.0, done / _WARM_UP) * (least + (1 - least) * (0.5 + 0.5 * math.cos(math.pi * done / length)))


class _Figures:
    """Means over the steps since the last line."""

    def __init__(self, path: Path, started: float) -> None:
        self._path, self._started = path, started
        self._seen: list[dict[str, float]] = []

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


def _save(out: Path, step: int, pupil: Pupil, optimizer: torch.optim.Optimizer, start: Path) -> None:
    """Write the state to go on from, and the checkpoint as it is; each beside its place, then renamed."""
    beside = out / f".{_STATE}"
    torch.save({"step": step, "pupil": pupil.state_dict(), "optimizer": optimizer.state_dict()}, beside)
    beside.rename(out / _STATE)
    new, old = out / ".checkpoint", out / "checkpoint"
    shutil.rmtree(new, ignore_errors=True)
    shutil.copytree(start, new, ignore=shutil.ignore_patterns("*.safetensors"))
    pupil.model.save_pretrained(new)
    shutil.rmtree(old, ignore_errors=True)
    new.rename(old)


def _resume(out: Path, pupil: Pupil, optimizer: torch.optim.Optimizer) -> int:
    """The step that was saved last, its state loaded; 0 if there is none."""
    if not (out / _STATE).exists():
        return 0
    state = torch.load(out / _STATE, map_location=next(pupil.parameters()).device, weights_only=True)
    pupil.load_state_dict(state["pupil"])
    optimizer.load_state_dict(state["optimizer"])
    return int(state["step"])


def _as_it_is(batch: Batch) -> Batch:
    return batch
