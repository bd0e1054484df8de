"""Run folders with real pictures and real episodes, as training leaves them behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from episodes import crop_text, point_text, screenshot
from zoomground.data.trajectories import SavedRecord, write_records
from zoomground.environment import GroundingEnv
from zoomground.geometry import Box, Size
from zoomground.images import load_screenshot
from zoomground.policies.scripted import Scripted
from zoomground.protocol.settings import EpisodeSettings
from zoomground.rewards import Rubric, group_advantages
from zoomground.rollout import play
from zoomground.task import Target, Task
from zoomground.trajectory import Trajectory

SIZE = Size(1280, 800)
TARGET = Box(640, 400, 652, 412)
ZOOM_HIT = (crop_text(450, 450, 560, 560, think="small"), point_text(504.5, 507.5))
DIRECT_HIT = (point_text(504.5, 507.5),)
NESTED_HIT = (crop_text(400, 400, 700, 700), crop_text(200, 200, 700, 700, "crop_1.png"), point_text(504.5, 507.5))
MISS = ("no idea", point_text(10, 10))


def picture(path: Path, size: Size = SIZE, *, seed: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    screenshot(size, seed=seed).pixels.save(path)
    return path


def episode(
    image: Path,
    texts: tuple[str, ...] = ZOOM_HIT,
    *,
    target: Target | None = TARGET,
    instruction: str = "Open the File menu",
    reference: str | None = None,
    settings: EpisodeSettings | None = None,
) -> Trajectory:
    """Play texts on a picture; ``reference`` is what the task calls the picture, by default its file name."""
    shot = load_screenshot(image)
    task = Task("t1", instruction, reference or image.name, shot.size, target)
    return play(GroundingEnv(task, shot, settings or EpisodeSettings()), Scripted(texts))


def scored(trajectory: Trajectory, uuid: str, **figures: object) -> SavedRecord:
    """A record with rewards as training saves them."""
    rubric = Rubric()
    breakdown = rubric.score(trajectory)
    known = {"rewards": dict(breakdown.values), "weights": dict(breakdown.weights), "total": breakdown.total}
    return SavedRecord.of(trajectory, uuid=uuid, **(known | figures))


def group(trajectories: list[Trajectory], *, step: int, number: int) -> list[SavedRecord]:
    """The records of one prompt in one step, with advantages."""
    records = [
        scored(trajectory, f"s{step}g{number}n{n}", step=step, prompt_group=number, generation=n, scale_rewards="group")
        for n, trajectory in enumerate(trajectories)
    ]
    advantages = group_advantages([record.total for record in records])
    return [replace(record, advantage=value) for record, value in zip(records, advantages, strict=True)]


def run_folder(root: Path) -> Path:
    """A run of two steps with two groups of four, the picture in ``shots`` beside the log."""
    image = picture(root / "shots" / "screen.png")
    episodes = [
        episode(image, texts, reference="shots/screen.png") for texts in (ZOOM_HIT, DIRECT_HIT, NESTED_HIT, MISS)
    ]
    direct = [episode(image, texts, reference="shots/screen.png") for texts in (DIRECT_HIT, MISS, MISS, DIRECT_HIT)]
    for rank, step in enumerate((1, 2)):
        records = group(episodes, step=step, number=0) + group(direct, step=step, number=1)
        write_records(root / "trajectories" / f"rank_{rank}.jsonl", records)
    return root
