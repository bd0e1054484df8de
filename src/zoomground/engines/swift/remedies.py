"""Remedies against groups that teach nothing, between the scores of a step and its batch.

- Asking again (`grpo.crop_resample`): a group in which all missed is played once more, inside a window of its screen
  that holds the target (`windows`), and takes its own place in the batch.
- Dynamic sampling (ms-swift's `--dynamic_sample`): groups whose rewards are all alike are replaced by groups of further
  prompts. The prompts come from ms-swift's iterator. Its own loop, in 4.6.0, draws a last batch that it never looks at,
  throws every drawn group away when they are too few, and takes a failed episode's 0 for a difference; so the loop is
  ours.

Generation and scoring are collective: the rollouts of a step lie on the ranks one after another, a group may straddle
two of them, and every rank must generate and score equally many. So each decision is made from what was gathered, by
every rank alike, and what does not spread evenly is filled up and dropped again.
"""

from __future__ import annotations

import logging
import math
import random
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import torch
from accelerate.utils import gather_object
from swift.rl_core.data import GRPOSample

from zoomground.engines.swift.groups import Member, group_figures, in_groups, is_alike, is_all_wrong
from zoomground.engines.swift.record import LOG_FOLDER
from zoomground.engines.swift.references import open_reference
from zoomground.engines.swift.rewards import trajectory_of
from zoomground.engines.swift.session import ROW_COLUMNS, TASK_COLUMN, Assignment
from zoomground.engines.swift.windows import WINDOWS_FOLDER, Windows
from zoomground.errors import ZoomgroundError
from zoomground.rewards import hit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zoomground.engines.swift.active import EngineSettings
    from zoomground.trajectory import Trajectory

BEFORE = "zoomin/first/"
"""Prefix of the figures of a step as it was played, before any remedy."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Group:
    """One prompt's rollouts, wherever they were played."""

    samples: list[GRPOSample]
    rewards: torch.Tensor


class Remedies:
    """The part of the trainer that replaces groups; the rest of it is ms-swift's and `trainer`'s."""

    accelerator: Any
    args: Any
    model: Any
    state: Any
    num_generations: int
    reward_weights: torch.Tensor
    dynamic_sample: bool
    dynamic_num_samples: bool
    max_resample_times: int
    dynamic_resample_iterator: Any
    _compute_rewards_per_func: Any
    _generate_completions: Any
    _rollout_samples: Any
    to_samples: Any
    _zoomground: EngineSettings
    _remedy_figures: dict[str, float]

    def _trajectory(self, sample: GRPOSample) -> Trajectory | None:
        """The record of a rollout; None if nobody knows what happened in it."""
        try:
            return trajectory_of(sample.to_reward_row(), self._zoomground)
        except ZoomgroundError:
            return None

    @property
    def _log_folder(self) -> Path:
        return self._zoomground.trajectories_dir or Path(self.args.output_dir) / LOG_FOLDER

    @property
    def _has_remedies(self) -> bool:
        """Whether groups of this step may be replaced."""
        wanted = bool(self._zoomground.crop_resample) or self.dynamic_sample
        return wanted and bool(self.model.training) and not self.dynamic_num_samples

    def _check_prompts(self, prompts: int) -> None:
        """Refuse a data set that cannot fill one batch: ms-swift would look for a further one for ever.

        Raises:
            ZoomgroundError: If that is so.
        """
        needed = self.args.generation_batch_size // self.num_generations
        if prompts < needed:
            raise ZoomgroundError(
                f"dynamic sampling draws batches of {needed} prompts, the data has {prompts}; "
                "set grpo.dynamic_sample to false, or give it more rows"
            )

    def _remedied(self, samples: list[GRPOSample], rewards: torch.Tensor) -> tuple[list[GRPOSample], torch.Tensor]:
        """The batch to train on, of this rank, and its rewards, of all ranks."""
        members = self._members(samples, rewards)
        groups = in_groups(members, self.num_generations)
        self._remedy_figures = {f"{BEFORE}{name}": value for name, value in group_figures(groups).items()}
        self._remedy_figures[f"{BEFORE}hit_rate"] = fmean(member.hit for member in members)
        if self._zoomground.crop_resample:
            samples, rewards = self._ask_again(samples, rewards, groups)
        if self.dynamic_sample:
            samples, rewards = self._draw_again(samples, rewards)
        return samples, rewards

    def _members(self, samples: Sequence[GRPOSample], rewards: torch.Tensor) -> list[Member]:
        """What the groups are judged by: of all ranks, in order."""
        own = []
        for sample in samples:
            trajectory = self._trajectory(sample)
            own.append((trajectory is not None and hit(trajectory), trajectory is None or trajectory.failed))
        totals = (rewards * self.reward_weights.unsqueeze(0)).nansum(dim=1).tolist()
        pairs = zip(gather_object(own), totals, strict=True)
        return [Member(is_hit, failed, total) for (is_hit, failed), total in pairs]

    def _ask_again(
        self, samples: list[GRPOSample], rewards: torch.Tensor, groups: Sequence[Sequence[Member]]
    ) -> tuple[list[GRPOSample], torch.Tensor]:
        """Play every group in which all missed once more, in a window."""
        wrong = [number for number, group in enumerate(groups) if is_all_wrong(group)]
        rows = self._rows_to_ask(samples, wrong)
        self._remedy_figures["zoomin/asked_again"] = len(rows) / len(groups)
        if not rows:
            return samples, rewards
        size, count = self.num_generations, len(rows) * self.num_generations
        share = math.ceil(count / self.accelerator.num_processes)
        first = self.accelerator.process_index * share
        asked = [row for row in rows.values() for _ in range(size)]
        # Where the rollouts do not spread evenly, the first ones are played twice and thrown away.
        mine = [asked[(first + index) % count] for index in range(share)]
        played = self._generate_completions(self.to_samples(mine))
        values = self._compute_rewards_per_func(played)
        found = in_groups(self._members(played, values)[:count], size)
        everything = gather_object(played)[:count]
        rewards = rewards.clone()
        start = self.accelerator.process_index * len(samples)
        samples = list(samples)
        for place, (number, group) in enumerate(zip(rows, found, strict=True)):
            if all(member.failed for member in group):
                continue
            rewards[number * size : (number + 1) * size] = values[place * size : (place + 1) * size]
            for generation in range(size):
                index = number * size + generation - start
                if 0 <= index < len(samples):
                    samples[index] = everything[place * size + generation]
        self._remedy_figures["zoomin/asked_again_teach"] = fmean(not is_alike(group) for group in found)
        return samples, rewards

    def _rows_to_ask(self, samples: Sequence[GRPOSample], wrong: Sequence[int]) -> dict[int, dict[str, Any]]:
        """The row of each group that is asked again, by its number: the same on every rank.

        The rank that holds the first rollout of a group makes its window; files are written before the others know.
        """
        start = self.accelerator.process_index * len(samples)
        rows = []
        for number in wrong:
            index = number * self.num_generations - start
            if 0 <= index < len(samples) and (row := self._row_to_ask(samples[index], number)) is not None:
                rows.append((number, row))
        return dict(gather_object(rows))

    def _row_to_ask(self, sample: GRPOSample, number: int) -> dict[str, Any] | None:
        trajectory = self._trajectory(sample)
        if trajectory is None:
            return None
        task, settings = trajectory.task, self._zoomground
        dice = random.Random(f"{self.args.seed}:{self.state.global_step}:{number}:{task.id}")
        windows = Windows(self._log_folder / WINDOWS_FOLDER, settings.crop_resample, settings.episode)
        region = windows.region_of(task, trajectory.settings.arm, dice)
        if region is None:
            return None
        try:
            column = sample.extra.get(TASK_COLUMN)
            original = "" if column is None else Assignment.from_json(column).original
            row = windows.row_of(task, region, open_reference(original or sample.images[0]))
        except (OSError, ZoomgroundError) as error:
            _logger.warning("task '%s' cannot be asked again: %s", task.id, error)
            return None
        # Columns of a reward of somebody's own go along; those that describe the target of the whole screen do not.
        return {name: value for name, value in sample.extra.items() if name not in ROW_COLUMNS} | row

    def _draw_again(
        self, samples: list[GRPOSample], rewards_per_func: torch.Tensor
    ) -> tuple[list[GRPOSample], torch.Tensor]:
        """Put groups of further prompts in the place of those whose rewards are all alike, as far as there are any."""
        kept, alike = self._sorted_out(samples, rewards_per_func)
        wanted, own, rounds = len(kept) + len(alike), len(kept), 0
        while len(kept) < wanted and rounds < self.max_resample_times:
            rounds += 1
            drawn = self._rollout_samples(next(self.dynamic_resample_iterator))
            kept += self._sorted_out(drawn, self._compute_rewards_per_func(drawn))[0]
        kept = kept[:wanted]
        self._remedy_figures["zoomin/drawn_again"] = float(rounds)
        self._remedy_figures["zoomin/groups_drawn"] = (len(kept) - own) / wanted
        batch = kept + alike[: wanted - len(kept)]
        everything = [sample for group in batch for sample in group.samples]
        start = self.accelerator.process_index * len(samples)
        return everything[start : start + len(samples)], torch.cat([group.rewards for group in batch])

    def _sorted_out(self, samples: list[GRPOSample], rewards: torch.Tensor) -> tuple[list[_Group], list[_Group]]:
        """The groups of all ranks: those that teach something, and those that do not."""
        members = in_groups(self._members(samples, rewards), self.num_generations)
        everything, size = gather_object(samples), self.num_generations
        teach: list[_Group] = []
        alike: list[_Group] = []
        for number, group in enumerate(members):
            place = slice(number * size, (number + 1) * size)
            (alike if is_alike(group) else teach).append(_Group(everything[place], rewards[place]))
        return teach, alike
