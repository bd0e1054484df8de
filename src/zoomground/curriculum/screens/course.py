"""The training loop on screens: by steps or by the clock, from a folder that may grow, with states to go on from."""

from __future__ import annotations

import contextlib
import copy
import json
import math
import pickle
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch.utils.data import DataLoader, Dataset

from zoomground.curriculum.screens.batches import Batch, Encoder, Maker, Mix
from zoomground.curriculum.screens.plan import Plan
from zoomground.curriculum.screens.pupil import Losses, Pupil
from zoomground.data.files import write_bytes
from zoomground.errors import ZoomgroundError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from zoomground.collect.closer import Closer
    from zoomground.curriculum.screens.shelf import Shelf
    from zoomground.protocol.settings import EpisodeSettings

_WARM_UP = 100
_LEAST_SHARE = {"look": 0.3, "words": 0.02}
_LARGEST_GRADIENT = 1.0
_STATE, _NOW, _HEADS = "state.pt", "now", "heads.pt"
_LOG_EVERY = 25
_CHECK_EVERY = 200
_SHELF_EVERY = 50
_TELL_EVERY_S = 2.0
_PREFETCH = 3
_BATCH_BYTES = 150_000_000
"""Of a batch, at most, about: a dozen screenshots."""


LOOK = Mix(screens=8, crops=13)
WORDS = Mix(screens=12, crops=0, listings=3, episodes=2)
LATE = Mix(screens=12, crops=0, listings=1, episodes=4)
"""What batches hold where nothing else is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What is learnt, how long.

    Attributes:
        steps: Steps in all; with `seconds` the most.
        seconds: Time in all, those before an interruption included; None: as many steps as said.
        look_share: Share of the course in which the vision tower alone learns.
        look: What a batch of that part holds.
        words: What a batch of the rest holds.
        late: What it holds in the last third of the rest.
        rate: Peak of the learning rate.
        vision_share: Share of the rate at which the vision tower goes on learning beside the language half.
        save_seconds: Time between two saved states.
        workers: Processes that make batches; 0: this one.
        least_screens: Screens to wait for.
        seed: Of batches and heads.
    """

    steps: int
    seconds: float | None = None
    look_share: float = 0.4
    look: Mix = LOOK
    words: Mix = WORDS
    late: Mix = LATE
    rate: float = 8e-4
    vision_share: float = 0.5
    save_seconds: float = 60.0
    workers: int = 1
    least_screens: int = 1
    seed: int = 0

    def mix(self, part: str) -> Mix:
        """What a batch of a part holds."""
        return {"look": self.look, "words": self.words, "late": self.late}[part]

    def part(self, done: float) -> Literal["look", "words", "late"]:
        """The part of the course at a share of it."""
        if done < self.look_share:
            return "look"
        return "words" if done < self.look_share + (1 - self.look_share) * 2 / 3 else "late"


class _Batches(Dataset[Batch | bytes]):
    """The batches of a course by number; pickled where workers would find no room for tensors in shared memory."""

    def __init__(self, maker: Maker, plan: Plan, course: Course, first: int) -> None:
        self._maker, self._plan, self._course, self._first = maker, plan, course, first
        self._pickled = course.workers > 0 and _shared_memory() < _BATCH_BYTES * (course_ahead(course) + 1)

    def __len__(self) -> int:
        return self._course.steps - self._first

    def __getitem__(self, index: int) -> Batch | bytes:
        number = index + self._first
        part, names = self._plan.at(number)
        batch = self._maker.batch(number, names, self._course.mix(part))
        return pickle.dumps(batch) if self._pickled else batch


def _shared_memory() -> int:
    """Bytes that are free for what processes share; as much as one wants where it is not a file system."""
    with contextlib.suppress(OSError):
        return shutil.disk_usage("/dev/shm").free  # noqa: S108 -- where torch puts tensors that travel between processes
    return sys.maxsize


def study(
    checkpoint: Path,
    out: Path,
    *,
    course: Course,
    shelf: Shelf,
    settings: EpisodeSettings,
    style: Closer,
    device: str,
    on_progress: Callable[[int, int, str], None],
    start: Path | None = None,
) -> Path:
    """Teach a random checkpoint; an interrupted course goes on where it was saved.

    A batch is made from its number and from the screens that the plan beside the log names for it, so that the same
    plan gives the same batches. Measured by steps, on a CPU, a course that was interrupted ends with the same weights.

    Args:
        checkpoint: Folder of the random checkpoint.
        out: Folder of the course: its log, its plan, its state; ``now``, the checkpoint of the last state in bfloat16;
            and ``checkpoint`` when it is done.
        course: What is learnt.
        shelf: Where the screens are.
        settings: Rules of the episodes.
        style: How zooming is demonstrated.
        device: Where to train, as torch names it; on a GPU in bfloat16, with weights in float32.
        on_progress: Told the step, the number of steps and figures, now and then.
        start: ``now`` of another course, to go on from its weights in place of `checkpoint`.

    Returns:
        Folder of the taught checkpoint, in bfloat16.

    Raises:
        ZoomgroundError: If no screens come.
    """
    encoder = Encoder(start or checkpoint)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(course.seed)
        pupil = Pupil(start or checkpoint, encoder)
        if start is None:
            pupil.set_pieces_apart()
        else:
            pupil.load_state_dict(torch.load(start / _HEADS, weights_only=True), strict=False)
    accelerated = device != "cpu"
    pupil = pupil.to(device)
    optimizer = torch.optim.AdamW(
        pupil.groups(), lr=course.rate, betas=(0.9, 0.98), weight_decay=0.01, fused=accelerated
    )
    out.mkdir(parents=True, exist_ok=True)
    run = _Run(out, course, pupil, optimizer, device, start or checkpoint)
    run.resume()
    plan = Plan(out / "plan.jsonl", shelf)
    _wait(plan, course, run.step)
    maker = Maker(encoder, shelf, settings, style, course.seed)
    run.go(_Batches(maker, plan, course, run.step), plan, maker, on_progress)
    place = run.export("checkpoint", run.like)
    place.joinpath(_HEADS).unlink(missing_ok=True)
    return place


def _wait(plan: Plan, course: Course, step: int) -> None:
    """Wait for the first screens, and write down which they are and when the parts begin."""
    begun = time.monotonic()
    if course.seconds is None:
        if not plan.has_parts:
            parts = [course.part(number / course.steps) for number in range(course.steps)]
            for part in dict.fromkeys(parts):
                plan.begin(part, parts.index(part))
    elif not plan.has_parts:
        plan.begin("look" if course.look_share > 0 else "words", 0)
    while plan.grow(step) < course.least_screens:
        if time.monotonic() - begun > 600:
            raise ZoomgroundError(
                f"only {plan.count} of {course.least_screens} screens to learn from came in ten minutes; make them "
                "with 'zoomground synth --elements --quick'"
            )
        time.sleep(1)


@dataclass
class _Run:
    """A course under way."""

    out: Path
    course: Course
    pupil: Pupil
    optimizer: torch.optim.Optimizer
    device: str
    like: Path
    step: int = 0
    elapsed: float = 0.0
    worded_from: int = -1

    def resume(self) -> None:
        """Take over the state that was saved last, if there is one."""
        path = self.out / _STATE
        if not path.exists():
            return
        state = torch.load(path, map_location=self.device, weights_only=True)
        self.pupil.load_state_dict(state["pupil"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.elapsed, self.worded_from = state["step"], state["elapsed"], state["worded_from"]

    def go(self, batches: _Batches, plan: Plan, maker: Maker, on_progress: Callable[[int, int, str], None]) -> None:
        """Train to the end."""
        if self._done() >= 1:
            return
        course, ahead = self.course, course_ahead(self.course)
        figures = _Figures(self.out / "log.jsonl", self.step)
        begun, saved, told, before = time.monotonic(), time.monotonic(), -math.inf, self.elapsed
        checks: list[Batch] = []
        loader = DataLoader(
            batches, batch_size=None, num_workers=course.workers, prefetch_factor=_PREFETCH if course.workers else None
        )
        part, note = plan.at(self.step)[0], ""
        for made in loader:
            batch: Batch = pickle.loads(made) if isinstance(made, bytes) else made  # noqa: S301 -- by our own worker
            figures.add(self._learn(batch), batch)
            self.step += 1
            self.elapsed = before + time.monotonic() - begun
            done = self._done()
            if course.seconds is not None and (now := course.part(done)) != part:
                part = now
                plan.begin(part, self.step + ahead)
            if self.step % _SHELF_EVERY == 0:
                plan.grow(self.step + ahead)
            ends = done >= 1
            if self.step % _CHECK_EVERY == 0 or ends:
                checks = checks or _checks(plan, maker, course)
                figures.check(self._check(checks))
            if self.step % _LOG_EVERY == 0 or ends:
                note = figures.line(self.step, self.elapsed, plan.count, plan.at(self.step - 1)[0])
            if time.monotonic() - told >= _TELL_EVERY_S or ends:
                told = time.monotonic()
                on_progress(min(round(done * 1000), 1000), 1000, f"step {self.step} {note}")
            if time.monotonic() - saved >= course.save_seconds or ends:
                saved = time.monotonic()
                self.save()
            if ends:
                break

    def _done(self) -> float:
        by_steps = self.step / self.course.steps
        return by_steps if self.course.seconds is None else max(by_steps, self.elapsed / self.course.seconds)

    def _learn(self, batch: Batch) -> Losses:
        """One step."""
        tower, rest = self.optimizer.param_groups
        words = batch.words is not None
        if words and self.worded_from < 0:
            self.worded_from = self.step
        rest["lr"] = self.course.rate * self._share(words=words)
        tower["lr"] = rest["lr"] * (self.course.vision_share if words else 1.0)
        self.pupil.train()
        with self._fast():
            losses: Losses = self.pupil(batch)
        self.optimizer.zero_grad()
        losses.total.backward()
        torch.nn.utils.clip_grad_norm_(self.pupil.parameters(), _LARGEST_GRADIENT)
        self.optimizer.step()
        return losses

    def _share(self, *, words: bool) -> float:
        """Of the learning rate: up in the first steps of each part, then down along a cosine."""
        look = self.course.look_share
        done = self._done()
        along = (done - look) / (1 - look) if words else done / look
        steps = self.step - self.worded_from if words else self.step
        least = _LEAST_SHARE["words" if words else "look"]
        cosine = 0.5 + 0.5 * math.cos(math.pi * min(1.0, max(0.0, along)))
        return min(1.0, (steps + 1) / _WARM_UP) * (least + (1 - least) * cosine)

    def _fast(self) -> contextlib.AbstractContextManager[Any]:
        if self.device == "cpu":
            return contextlib.nullcontext()
        return torch.autocast(torch.device(self.device).type, torch.bfloat16)

    @torch.no_grad()
    def _check(self, checks: Sequence[Batch]) -> dict[str, float]:
        """Figures on screens that are not learnt from."""
        self.pupil.eval()
        with self._fast():
            found = [self.pupil(batch).figures for batch in checks]
        return (
            {f"heldout_{name}": _mean([float(one[name]) for one in found if name in one]) for name in found[0]}
            if found
            else {}
        )

    def save(self) -> None:
        """Write the state to go on from, beside its place, then rename it; and the checkpoint as it is now."""
        beside = self.out / f".{_STATE}"
        state = {"pupil": self.pupil.state_dict(), "optimizer": self.optimizer.state_dict()}
        torch.save({"step": self.step, "elapsed": self.elapsed, "worded_from": self.worded_from, **state}, beside)
        beside.rename(self.out / _STATE)
        self.export(_NOW, self.like)

    def export(self, name: str, like: Path) -> Path:
        """Write the checkpoint in bfloat16, with everything of another one but its weights."""
        place = self.out / name
        beside = place.with_name(f".{name}")
        shutil.rmtree(beside, ignore_errors=True)
        shutil.copytree(like, beside, ignore=shutil.ignore_patterns("*.safetensors"))
        copy.deepcopy(self.pupil.model).to(torch.bfloat16).save_pretrained(beside)
        torch.save({name: value.cpu() for name, value in self.pupil.heads().items()}, beside / _HEADS)
        shutil.rmtree(place, ignore_errors=True)
        beside.rename(place)
        return place


def course_ahead(course: Course) -> int:
    """Batches that may be under way already."""
    return course.workers * _PREFETCH + 1


def _checks(plan: Plan, maker: Maker, course: Course) -> list[Batch]:
    names = plan.heldout()
    return [maker.batch(f"check/{number}", names, course.words) for number in range(2)] if names else []


class _Figures:
    """Means over the steps since the last line of the log, of which those after ``first`` are taken out."""

    def __init__(self, path: Path, first: int) -> None:
        self._path, self._pictures, self._since = path, 0, time.monotonic()
        self._seen: list[dict[str, torch.Tensor]] = []
        self._checked: dict[str, float] = {}
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        kept = [line for line in lines if line.endswith("\n") and json.loads(line)["step"] <= first]
        write_bytes(path, "".join(kept).encode("utf-8"))

    def add(self, losses: Losses, batch: Batch) -> None:
        self._seen.append(losses.figures)
        self._pictures += sum(len(group.cuts) for group in batch.groups)

    def check(self, figures: dict[str, float]) -> None:
        self._checked = figures

    def line(self, step: int, elapsed: float, screens: int, part: str) -> str:
        """The means as text; they are also appended to the log."""
        names = dict.fromkeys(name for one in self._seen for name in one)
        means = {name: _mean([float(one[name]) for one in self._seen if name in one]) for name in names}
        rate = self._pictures / (time.monotonic() - self._since)
        row = {"step": step, "part": part, "seconds": round(elapsed, 1), "screens": screens, "pictures_s": round(rate)}
        figures = {name: round(value, 4) for name, value in {**means, **self._checked}.items() if not math.isnan(value)}
        self._seen, self._checked, self._pictures, self._since = [], {}, 0, time.monotonic()
        with self._path.open("a", encoding="utf-8") as log:
            log.write(json.dumps({**row, **figures}) + "\n")
        return " ".join(f"{key} {value}" for key, value in {**row, **figures}.items() if key != "step")


def _mean(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan
