"""The remedies on several ranks: what is asked again, what takes its place, and that every rank does equally much.

Ranks are threads that meet in `gather_object`; generation and scoring are scripted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from PIL import Image
from swift.rl_core.data import GRPOSample

from episodes import point_text, task
from zoomground.engines.swift import remedies
from zoomground.engines.swift.active import EngineSettings
from zoomground.engines.swift.dataset import prompt_row
from zoomground.engines.swift.remedies import Remedies
from zoomground.engines.swift.scheduler import TRAJECTORY_KEY
from zoomground.engines.swift.session import TASK_COLUMN, Assignment
from zoomground.engines.swift.windows import META_KEY
from zoomground.environment import GroundingEnv
from zoomground.errors import ZoomgroundError
from zoomground.geometry import Size
from zoomground.images import load_screenshot
from zoomground.protocol.settings import Arm, EpisodeSettings
from zoomground.rewards import hit
from zoomground.task import Refusal, Task
from zoomground.trajectory import StopReason, Trajectory

SIZE = Size(1280, 800)
Says = Callable[[Task, int], str]
"""What is said about a task by a rollout with this number: RIGHT, WRONG, or BROKEN."""


class Ranks:
    """Meets the threads of all ranks, in order."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.mine = threading.local()
        self._barrier = threading.Barrier(number)
        self._given: list[list[Any]] = [[] for _ in range(number)]

    def gather(self, given: list[Any]) -> list[Any]:
        self._given[self.mine.rank] = list(given)
        self._barrier.wait(timeout=20)
        everything = [one for part in self._given for one in part]
        self._barrier.wait(timeout=20)
        return everything

    def run(self, work: Callable[[int], Any]) -> list[Any]:
        results: list[Any] = [None] * self.number

        def of(rank: int) -> None:
            self.mine.rank = rank
            try:
                results[rank] = work(rank)
            except BaseException as error:  # noqa: BLE001 -- told by the assertion below
                results[rank] = error
                self._barrier.abort()

        threads = [threading.Thread(target=of, args=(rank,)) for rank in range(self.number)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            if isinstance(result, BaseException):
                raise result
        return results


class Trainer(Remedies):
    """One rank: generation is scripted, a reward is the hit."""

    def __init__(self, ranks: Ranks, rank: int, says: Says, folder: Path, **changes: Any) -> None:
        self._ranks, self._says, self._folder = ranks, says, folder
        self.accelerator = SimpleNamespace(process_index=rank, num_processes=ranks.number)
        self.num_generations = changes.pop("num_generations", 4)
        self.args = SimpleNamespace(seed=1, generation_batch_size=changes.pop("batch", 24))
        self.model, self.state = SimpleNamespace(training=True), SimpleNamespace(global_step=0)
        self.reward_weights = torch.tensor([1.0])
        self.dynamic_sample = "more" in changes
        self.dynamic_num_samples = False
        self.max_resample_times = changes.pop("times", 3)
        more = changes.pop("more", [])
        self.dynamic_resample_iterator = iter([rows[rank] for rows in more])
        self._zoomground = replace(EngineSettings(), **changes)
        self._remedy_figures = {}
        self.generated: list[int] = []
        self._numbers: Iterator[int] = count()

    @property
    def _log_folder(self) -> Path:
        return self._folder

    def _trajectory(self, sample: GRPOSample) -> Trajectory | None:
        record = sample.rollout_infos.get(TRAJECTORY_KEY)
        return None if record is None else Trajectory.from_json(record)

    def to_samples(self, rows: list[dict[str, Any]]) -> list[GRPOSample]:
        return [GRPOSample.from_row(row) for row in rows]

    def _rollout_samples(self, rows: list[dict[str, Any]]) -> list[GRPOSample]:
        return self._generate_completions(self.to_samples(rows))

    def _generate_completions(self, samples: list[GRPOSample]) -> list[GRPOSample]:
        assert samples, "an empty rank leaves the others waiting"
        self.generated.append(len(samples))
        for sample in samples:
            assignment = Assignment.from_json(sample.extra[TASK_COLUMN])
            shot = load_screenshot(assignment.original)
            episode = GroundingEnv(assignment.task, shot, EpisodeSettings(arm=assignment.arm))
            say(episode, self._says(assignment.task, next(self._numbers)))
            sample.rollout_infos = {TRAJECTORY_KEY: episode.trajectory().to_json()}
        # It meets in ms-swift, too.
        assert len(set(self._ranks.gather([len(samples)]))) == 1, "every rank generates equally many"
        return samples

    def _compute_rewards_per_func(self, samples: list[GRPOSample]) -> torch.Tensor:
        values = [float(hit(trajectory)) for sample in samples if (trajectory := self._trajectory(sample))]
        return torch.tensor(self._ranks.gather(values)).unsqueeze(1)


def say(episode: GroundingEnv, word: str) -> None:
    place = episode.task.place
    if word == "BROKEN":
        episode.fail(StopReason.ERROR, "broken")
    elif word == "RIGHT" and place is not None:
        center = place.box.center.to_norm(episode.task.size)
        episode.step(point_text(center.x, center.y))
    else:
        episode.step(point_text(999, 1))


@pytest.fixture
def screen(tmp_path: Path) -> Path:
    path = tmp_path / "screen.png"
    Image.linear_gradient("L").resize((SIZE.width, SIZE.height)).convert("RGB").save(path)
    return path


def row(screen: Path, name: str, *, arm: Arm = Arm.ON, **changes: Any) -> dict[str, Any]:
    made = replace(task(SIZE, image=str(screen)), id=name, **changes)
    return prompt_row(made, screen, EpisodeSettings(arm=arm)) | {"mine": name}


def play(ranks: int, batch: list[dict[str, Any]], says: Says, folder: Path, monkeypatch: Any, **changes: Any) -> Any:
    """The batch after the remedies as the ranks hold it, their trainers, and the rewards that all of them know."""
    meeting = Ranks(ranks)
    monkeypatch.setattr(remedies, "gather_object", meeting.gather)
    trainers = [Trainer(meeting, rank, says, folder, batch=len(batch), **dict(changes)) for rank in range(ranks)]
    share = len(batch) // ranks

    def work(rank: int) -> Any:
        trainer = trainers[rank]
        samples = trainer._rollout_samples(batch[rank * share : (rank + 1) * share])
        return trainer._remedied(samples, trainer._compute_rewards_per_func(samples))

    results = meeting.run(work)
    samples = [sample for part, _ in results for sample in part]
    assert [len(part) for part, _ in results] == [share] * ranks
    for _, rewards in results:
        assert torch.equal(rewards, results[0][1]), "every rank knows the same"
    figures = [trainer._remedy_figures for trainer in trainers]
    assert all(one == figures[0] for one in figures)
    assert len({tuple(trainer.generated) for trainer in trainers}) == 1
    return samples, results[0][1].squeeze(1).tolist(), trainers


def trajectories(samples: list[GRPOSample]) -> list[Trajectory]:
    return [Trajectory.from_json(sample.rollout_infos[TRAJECTORY_KEY]) for sample in samples]


def in_window(asked: Task) -> bool:
    return META_KEY in asked.meta


@pytest.mark.parametrize("ranks", [1, 2, 3, 6])
def test_a_group_that_missed_is_asked_again_wherever_it_lies(
    ranks: int, screen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six groups of four, two of which miss and have a place to look at, on one rank and on several."""
    names = ["mixed", "missed", "right", "off", "lost", "absent"]
    rows = {name: row(screen, name) for name in names}
    rows["off"] = row(screen, "off", arm=Arm.OFF)
    rows["absent"] = row(screen, "absent", target=Refusal())
    batch = [rows[name] for name in names for _ in range(4)]

    def says(asked: Task, number: int) -> str:
        name = asked.id.partition("@")[0]
        if name == "lost":
            return "WRONG"
        if in_window(asked):
            return "RIGHT" if number % 2 else "WRONG"
        return {"mixed": "RIGHT" if number % 2 else "WRONG", "right": "RIGHT"}.get(name, "WRONG")

    samples, rewards, trainers = play(ranks, batch, says, tmp_path, monkeypatch, crop_resample=0.5)
    played = trajectories(samples)
    ids = [trajectory.task.id.partition("@")[0] for trajectory in played]
    assert ids == [name for name in names for _ in range(4)], "each group is in its own place"
    asked = [in_window(trajectory.task) for trajectory in played]
    assert asked == [name in {"missed", "lost"} for name in ids]
    assert [float(hit(trajectory)) for trajectory in played] == rewards, "the rewards go with their rollouts"
    assert 0 < sum(rewards[4:8]) < 4
    # Two groups of four on the ranks, filled up to equal shares.
    assert trainers[0].generated[1] == -(-8 // ranks)
    assert {trajectory.task.meta[META_KEY]["region_px"][2] for trajectory in played[4:8]} != set()
    assert len({trajectory.task.id for trajectory in played[4:8]}) == 1, "one window for a group"
    assert all(sample.extra["mine"] == ids[index] for index, sample in enumerate(samples)), "columns go along"
    figures = trainers[0]._remedy_figures
    assert figures["zoomin/asked_again"] == pytest.approx(2 / 6)
    assert figures["zoomin/asked_again_teach"] == pytest.approx(1 / 2)
    assert figures["zoomin/first/groups_all_wrong"] == pytest.approx(4 / 6)
    assert figures["zoomin/first/groups_alike"] == pytest.approx(5 / 6)
    assert figures["zoomin/first/hit_rate"] == pytest.approx(6 / 24)


def test_groups_that_straddle_ranks(screen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four groups of six on three ranks of eight: two groups lie on two ranks; the shares do not come out even."""
    names = ["a", "b", "c", "d"]
    batch = [row(screen, name) for name in names for _ in range(6)]

    def says(asked: Task, number: int) -> str:
        return "RIGHT" if in_window(asked) or asked.id == "c" else "WRONG"

    samples, rewards, trainers = play(3, batch, says, tmp_path, monkeypatch, crop_resample=0.5, num_generations=6)
    assert rewards == [1.0] * 24
    assert [trajectory.task.id.partition("@")[0] for trajectory in trajectories(samples)] == [
        name for name in names for _ in range(6)
    ]
    assert [in_window(trajectory.task) for trajectory in trajectories(samples)] == [
        name != "c" for name in names for _ in range(6)
    ]
    assert trainers[0].generated == [8, 6]
    # One group of six on three ranks, one of five on four: filled up, and dropped again.
    samples, rewards, trainers = play(
        4, batch[:6] * 2, lambda asked, number: "RIGHT", tmp_path, monkeypatch, crop_resample=0.5, num_generations=6
    )
    assert trainers[0].generated == [3]
    only = [row(screen, name) for name in "ef" for _ in range(6)]
    samples, rewards, trainers = play(
        4,
        only,
        lambda asked, number: "RIGHT" if in_window(asked) or asked.id == "e" else "WRONG",
        tmp_path,
        monkeypatch,
        crop_resample=0.5,
        num_generations=6,
    )
    assert trainers[0].generated == [3, 2], "six on four ranks are eight"
    assert rewards == [1.0] * 12


def test_a_group_that_breaks_when_asked_again_stays_as_it_was(
    screen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    says: Says = lambda asked, number: "BROKEN" if in_window(asked) else "WRONG"  # noqa: E731
    samples, rewards, _ = play(2, [row(screen, "a") for _ in range(4)], says, tmp_path, monkeypatch, crop_resample=0.5)
    assert not any(in_window(trajectory.task) for trajectory in trajectories(samples))
    assert rewards == [0.0] * 4


def test_a_failed_episode_neither_keeps_a_group_from_being_asked_nor_lets_it_look_varied(
    screen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its 0 beside the others' 1 is no difference, and its absence no hit."""
    batch = [row(screen, name) for name in ("missed", "right", "gone") for _ in range(4)]

    def says(asked: Task, number: int) -> str:
        if asked.id.startswith("new"):
            return "RIGHT" if number % 2 else "WRONG"
        if asked.id == "gone" or number % 4 == 3:
            return "BROKEN"
        return "RIGHT" if asked.id == "right" or in_window(asked) else "WRONG"

    samples, _, trainers = play(1, batch, says, tmp_path, monkeypatch, crop_resample=0.5)
    asked = [in_window(trajectory.task) for trajectory in trajectories(samples)]
    assert asked == [True] * 4 + [False] * 8, "nobody missed in the group that is gone"
    assert trainers[0]._remedy_figures["zoomin/first/groups_alike"] == 1

    more = [[[row(screen, f"new{number}") for number in range(3) for _ in range(4)]]]
    samples, _, trainers = play(1, batch, says, tmp_path, monkeypatch, more=more)
    assert {trajectory.task.id[:3] for trajectory in trajectories(samples)} == {"new"}
    assert trainers[0]._remedy_figures["zoomin/drawn_again"] == 1
    assert trainers[0]._remedy_figures["zoomin/groups_drawn"] == 1


def test_an_image_that_is_gone_leaves_its_group_alone(
    screen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "windows").write_text("a file in the folder's place", encoding="utf-8")
    samples, _, trainers = play(
        2, [row(screen, "a") for _ in range(4)], lambda asked, number: "WRONG", tmp_path, monkeypatch, crop_resample=0.5
    )
    assert not any(in_window(trajectory.task) for trajectory in trajectories(samples))
    assert trainers[0].generated == [2], "nothing to play"
    assert trainers[0]._remedy_figures["zoomin/asked_again"] == 0
    assert "task 'a' cannot be asked again" in caplog.text


def drawn(ranks: int, groups: list[list[dict[str, Any]]]) -> list[list[list[dict[str, Any]]]]:
    """Batches as every rank gets them."""
    share = len(groups[0]) // ranks
    return [[rows[rank * share : (rank + 1) * share] for rank in range(ranks)] for rows in groups]


def by_name(asked: Task, number: int) -> str:
    """Groups that begin with v vary, others miss."""
    return "RIGHT" if asked.id.startswith("v") and number % 2 else "WRONG"


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_dynamic_sampling_looks_at_every_batch_and_keeps_what_it_found(
    ranks: int, screen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def groups(*names: str) -> list[dict[str, Any]]:
        return [row(screen, name) for name in names for _ in range(4)]

    batch = groups("v0", "a", "b", "c")
    more = [groups("d", "v1", "e", "f"), groups("g", "v2", "h", "v3"), groups("v4", "v5", "v6", "v7")]

    def ids(times: int) -> tuple[list[str], list[int], dict[str, float]]:
        samples, rewards, trainers = play(
            ranks, batch, by_name, tmp_path, monkeypatch, more=drawn(ranks, more), times=times
        )
        played = trajectories(samples)
        assert [float(hit(trajectory)) for trajectory in played] == rewards
        return [one.task.id for one in played[::4]], trainers[0].generated, trainers[0]._remedy_figures

    share = 16 // ranks
    names, generated, figures = ids(3)
    assert names == ["v0", "v1", "v2", "v3"]
    assert generated == [share] * 3, "two draws were enough"
    assert figures["zoomin/drawn_again"] == 2
    assert figures["zoomin/groups_drawn"] == 3 / 4
    # The one batch that may be drawn is looked at, and its one good group is worth having.
    names, generated, figures = ids(1)
    assert names == ["v0", "v1", "a", "b"]
    assert generated == [share] * 2
    assert figures["zoomin/groups_drawn"] == 1 / 4


def test_nothing_is_drawn_for_a_batch_that_teaches(
    screen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = [row(screen, name) for name in ("v0", "v1") for _ in range(4)]
    samples, _, trainers = play(2, batch, by_name, tmp_path, monkeypatch, more=[], crop_resample=0.5)
    assert trainers[0].generated == [4]
    assert [one.task.id for one in trajectories(samples)[::4]] == ["v0", "v1"]


def test_asking_again_comes_first(screen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a window has mended need not be replaced by another prompt."""

    def says(asked: Task, number: int) -> str:
        return "RIGHT" if in_window(asked) and number % 2 else "WRONG"

    batch = [row(screen, "a") for _ in range(4)]
    samples, _, trainers = play(1, batch, says, tmp_path, monkeypatch, more=[], crop_resample=0.5)
    assert all(in_window(one.task) for one in trajectories(samples))
    assert trainers[0]._remedy_figures["zoomin/drawn_again"] == 0


def test_too_few_prompts_are_said_before_the_search_for_ever(tmp_path: Path) -> None:
    trainer = Trainer(Ranks(1), 0, by_name, tmp_path, batch=24, more=[])
    trainer._check_prompts(6)
    with pytest.raises(ZoomgroundError, match=r"batches of 6 prompts, the data has 5"):
        trainer._check_prompts(5)


def test_the_remedies_are_off_where_they_do_not_belong(tmp_path: Path) -> None:
    assert not Trainer(Ranks(1), 0, by_name, tmp_path)._has_remedies
    trainer = Trainer(Ranks(1), 0, by_name, tmp_path, crop_resample=0.5)
    assert trainer._has_remedies
    trainer.model.training = False
    assert not trainer._has_remedies
