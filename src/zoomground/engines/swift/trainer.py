"""The GRPO trainer: ms-swift's own, with failed episodes left out, the trajectory log and the figures of a step.

Each override does one thing and calls ms-swift's method. With another scheduler and other rewards it is ms-swift's
trainer unchanged. What the places mean in ms-swift 4.6.0:

- `_preprocess_inputs` runs before the requests are built, the one place where an image can be replaced for the
  first turn as well.
- `_prepare_batch_inputs` ends with the loss mask as tensors. A failed episode is masked there, not in the rollout: a
  row that enters it without any trained token makes the trainer keep the logits of the whole prompt, and one without
  log-probs switches importance correction off for its micro-batch.
- `_compute_advantages` gets the rewards of all ranks.
- `_postprocess_batch` ends with each sample's advantage, as [B, T] on the batch. Turn-level credit is added there, and
  the turn filter masks there what leaves: it needs the sign of the advantage.
- `training_step` holds all of it at the first micro-batch of a step, so the phases are timed inside each other.
"""

from __future__ import annotations

import logging
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from accelerate.utils import gather_object
from swift.rlhf_trainers import GRPOTrainer
from swift.rlhf_trainers.utils import get_even_process_data

from zoomground.data.health_log import HEALTH_FILE
from zoomground.engines.swift.active import engine_settings
from zoomground.engines.swift.advantages import without_failed, without_noise
from zoomground.engines.swift.alarms import HealthWatch
from zoomground.engines.swift.health import step_figures
from zoomground.engines.swift.judging import judge_figures
from zoomground.engines.swift.pictures import UNREADABLE
from zoomground.engines.swift.processed import processed_ahead, vision_dtype
from zoomground.engines.swift.record import (
    Rollout,
    StepFacts,
    log_path,
    saved_record,
    write_step,
)
from zoomground.engines.swift.references import Glances
from zoomground.engines.swift.remedies import Remedies
from zoomground.engines.swift.rewards import Door, DoorORM, zoomin_cot_rm
from zoomground.engines.swift.scheduler import (
    COUNTS_KEY,
    CPU_KEY,
    RECIPE_KEY,
    TOKENS_KEY,
    WAIT_KEY,
    ZoominGroundingScheduler,
)
from zoomground.engines.swift.served import ServedPictures
from zoomground.engines.swift.stopwatch import Stopwatch
from zoomground.engines.swift.turn_level import TurnLevel, refuse_without_tokens
from zoomground.engines.swift.turn_notes import UNTOUCHED
from zoomground.errors import ImageError, ZoomgroundError
from zoomground.trajectory import Outcome

if TYPE_CHECKING:
    from swift.rl_core.data import GRPOBatch, GRPOSample


MOST_UNSCORED = 0.5
"""A step of which a reward could not score a larger share than this ends the run: it would train on nothing."""

_logger = logging.getLogger(__name__)


class ZoomgroundGRPOTrainer(Remedies, GRPOTrainer):
    """ms-swift's GRPO trainer for grounding episodes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._zoomground = engine_settings()
        self._stopwatch = Stopwatch()
        self._glances = Glances()
        self._turn_level = TurnLevel(self._zoomground, gather_object)
        super().__init__(*args, **kwargs)
        if self._zoomground.credit.coefficient:
            refuse_without_tokens(self.args)
        self._watch = HealthWatch(self._zoomground.health, Path(self.args.output_dir) / HEALTH_FILE)
        scheduled = isinstance(self.multi_turn_scheduler, ZoominGroundingScheduler)
        self._plays_grounding = scheduled or any(
            isinstance(reward, DoorORM | zoomin_cot_rm) for reward in self.reward_funcs
        )
        if scheduled:
            self.multi_turn_scheduler.expect_reply(self.args.max_completion_length)
            self.multi_turn_scheduler.time_by(self._stopwatch)
        if self._plays_grounding:
            # vLLM in the trainer has a template of its own; a server's is its scheduler's affair.
            kept_bytes = round(self._zoomground.pictures_gb * 1e9)
            self._served = ServedPictures(getattr(getattr(self, "engine", None), "template", None), kept_bytes)
            if self.dynamic_sample:
                self._check_prompts(len(self.train_dataset))
            self.template._add_dynamic_eos = _keep_labels  # noqa: SLF001 -- the one place that adds trained tokens
        _logger.info("recipe %s, grounding %s", self._zoomground.recipe_hash, self._plays_grounding)

    def training_step(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        """One micro-batch; that of a step's first one generates, scores and prepares the whole step."""
        with self._stopwatch.phase("training"):
            return super().training_step(*args, **kwargs)

    def _generate_completions(self, samples: list[GRPOSample]) -> list[GRPOSample]:
        with self._stopwatch.phase("generation"):
            return list(super()._generate_completions(samples))

    def _move_model_to_vllm(self, *args: Any, **kwargs: Any) -> None:
        with self._stopwatch.phase("weight_sync"):
            super()._move_model_to_vllm(*args, **kwargs)

    def _score_completions(self, samples: list[GRPOSample]) -> list[GRPOSample]:
        with self._stopwatch.phase("reward"):
            self._remedy_figures = {}
            if not (self._plays_grounding and self._has_remedies):
                return list(super()._score_completions(samples))
            rewards = self._compute_rewards_per_func(samples)
            # The doors count their last batch: that of a remedy would hide what this one shows.
            self._refuse_unscored(len(samples))
            samples, self._rewards_per_func = self._remedied(samples, rewards)
            return samples

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """A line of the log, with where the time went."""
        if "loss" in logs:
            # Of this process, since the last line of the log; the environment's CPU time is a figure of the step.
            logs |= {f"zoomin/seconds/{name}": seconds for name, seconds in self._stopwatch.take().items()}
        super().log(logs, start_time)

    def _preprocess_inputs(self, samples: list[GRPOSample]) -> list[GRPOSample]:
        if self._plays_grounding:
            # The generations of a prompt share their screenshot: each is looked at once.
            known: dict[str, Any] = {}
            for sample in samples:
                sample.images = [known.get(str(image)) or self._seen(image, known) for image in sample.images]
        return super()._preprocess_inputs(samples)

    def _seen(self, image: Any, known: dict[str, Any]) -> Any:
        try:
            seen = self._glances.as_seen(image)
        except ImageError as error:
            _logger.warning("a prompt without its screenshot: %s", error)
            seen = UNREADABLE
        known[str(image)] = seen
        return seen

    def _prepare_batch_inputs(self, samples: list[GRPOSample]) -> list[dict[str, Any]]:
        ordered = [sample for chunk in self.split_by_mini_batches(samples) for sample in chunk]
        own = any(sample.extra.get("chat_template_kwargs") for sample in ordered)
        images = [] if own else [sample.images for sample in ordered]
        with self._stopwatch.phase("batch"), processed_ahead(self.template, images, vision_dtype(self.model)):
            batches = super()._prepare_batch_inputs(samples)
        if self._plays_grounding:
            if self._is_turn_level:
                chunks = self.split_by_mini_batches(samples)
                episodes = {sample.request_id: self._trajectory(sample) for chunk in chunks for sample in chunk}
                self._turn_level.read(chunks, batches, episodes)
            self._leave_out_failed(samples, batches)
            self._note_importance(batches)
        return batches

    def _get_per_token_logps_and_entropies(
        self,
        model: Any,
        model_inputs: dict[str, Any],
        grpo_batch: GRPOBatch,
        compute_entropy: bool = False,
        origin_data: Any = None,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        wanted = self._plays_grounding and self._turn_level.wants_entropy(grpo_batch)
        logps, entropies = super()._get_per_token_logps_and_entropies(
            model, model_inputs, grpo_batch, compute_entropy=compute_entropy or wanted, origin_data=origin_data
        )
        if wanted:
            self._turn_level.keep_entropy(grpo_batch, entropies)
        return logps, entropies

    def _compute_advantages(
        self, samples: list[GRPOSample], rewards_per_func: torch.Tensor, batch_encoded_inputs: list[dict[str, Any]]
    ) -> torch.Tensor:
        if self._plays_grounding and not self.dynamic_num_samples:
            failed = gather_object([self._has_failed(sample) for sample in samples])
            rewards_per_func = without_failed(rewards_per_func, failed, self._generations)
            advantages = super()._compute_advantages(samples, rewards_per_func, batch_encoded_inputs)
            return without_noise(advantages, rewards_per_func, self.reward_weights, self._generations)
        return super()._compute_advantages(samples, rewards_per_func, batch_encoded_inputs)

    def _postprocess_batch(self, samples: list[GRPOSample], batch_encoded_inputs: list[dict[str, Any]]) -> None:
        super()._postprocess_batch(samples, batch_encoded_inputs)
        if not self._plays_grounding:
            return
        if self._is_turn_level:
            chunks = self.split_by_mini_batches(samples)
            self._turn_level.apply(samples, chunks, batch_encoded_inputs, self._generations)
            if self._turn_level.filters:
                self._count_trained(batch_encoded_inputs)
        with self._stopwatch.phase("records"):
            rollouts = self._rollouts(samples)
            facts = self._facts()
            self._note_figures(rollouts, facts)
            if self.model.training:
                self._log_trajectories(rollouts, facts)
            self._refuse_unscored(len(samples))

    def _has_failed(self, sample: GRPOSample) -> bool:
        """Whether the sample has no part in its group: it failed, or nobody knows what happened in it."""
        trajectory = self._trajectory(sample)
        return trajectory is None or trajectory.failed

    def _leaves_loss(self, sample: GRPOSample) -> bool:
        trajectory = self._trajectory(sample)
        if trajectory is None or trajectory.failed:
            return True
        reason = trajectory.stop_reason
        return self.overlong_filter and reason is not None and reason.outcome is Outcome.TRUNCATED

    @property
    def _is_turn_level(self) -> bool:
        # Samples of several rows an episode (deprecated in ms-swift) have no turns of their own, and no whole groups.
        return self._turn_level.is_on and not self.dynamic_num_samples

    @property
    def _generations(self) -> int:
        return self.num_generations if self.model.training else self.num_generations_eval

    @property
    def _mode(self) -> str:
        return "train" if self.model.training else "eval"

    def _leave_out_failed(self, samples: list[GRPOSample], batches: list[dict[str, Any]]) -> None:
        """Mask failed episodes.

        With the filter for overlong ones, episodes that were cut are masked likewise; ms-swift's own one, which masks
        those that ended at the limit of a turn, would leave their tokens in the number that the loss is divided by.
        """
        for chunk, batch in zip(self.split_by_mini_batches(samples), batches, strict=True):
            grpo_batch = batch["grpo_batch"]
            mask = grpo_batch.completion_mask
            out = torch.tensor([self._leaves_loss(sample) for sample in chunk], dtype=torch.bool, device=mask.device)
            grpo_batch.completion_mask = mask.masked_fill(out.unsqueeze(1), value=0)
        self._count_trained(batches)

    def _count_trained(self, batches: list[dict[str, Any]]) -> None:
        """Count the trained tokens of all ranks again: the loss is divided by their number."""
        local = [int(batch["grpo_batch"].completion_mask.sum().item()) for batch in batches]
        trained = max(1, sum(gather_object(local)))
        for batch in batches:
            kept = batch["grpo_batch"].num_items_in_batch
            batch["grpo_batch"].num_items_in_batch = torch.as_tensor(trained, dtype=kept.dtype, device=kept.device)

    def _note_importance(self, batches: list[dict[str, Any]]) -> None:
        """Count the micro-batches for which ms-swift silently dropped the rollout's log-probs."""
        if self.args.use_vllm:
            missing = [batch["grpo_batch"].rollout_per_token_logps is None for batch in batches]
            self._metrics[self._mode]["zoomin/importance_off"].append(sum(missing) / len(missing))

    def _rollouts(self, samples: list[GRPOSample]) -> list[Rollout]:
        values = get_even_process_data(self, self._rewards_per_func)
        first = self.accelerator.process_index * len(samples)
        rollouts = []
        for index, sample in enumerate(samples):
            trajectory = self._trajectory(sample)
            if trajectory is None:
                continue
            infos = sample.rollout_infos
            rollout = Rollout(
                uuid=sample.request_id,
                trajectory=trajectory,
                rewards=_named(self.reward_func_names, values[index]),
                advantage=float(sample.advantages),
                position=first + index,
                counts=infos.get(COUNTS_KEY) or {},
                turn_tokens=tuple(infos.get(TOKENS_KEY) or ()),
                recipe_hash=infos.get(RECIPE_KEY, self._zoomground.recipe_hash),
                cpu_s=float(infos.get(CPU_KEY) or 0.0),
                wait_s=float(infos.get(WAIT_KEY) or 0.0),
                notes=self._turn_level.notes.get(sample.request_id, UNTOUCHED),
            )
            rollouts.append(rollout)
        return rollouts

    def _facts(self) -> StepFacts:
        # As they were typed: the tensor holds them in single precision.
        weights = self.args.reward_weights or [1.0] * len(self.reward_func_names)
        return StepFacts(
            step=self.state.global_step + 1,
            num_generations=self._generations,
            weights=dict(zip(self.reward_func_names, weights, strict=True)),
            scale_rewards=str(self.scale_rewards),
            rank=self.accelerator.process_index,
        )

    @property
    def _doors(self) -> list[Door]:
        return [reward.door for reward in self.reward_funcs if isinstance(reward, DoorORM | zoomin_cot_rm)]

    def _note_figures(self, rollouts: list[Rollout], facts: StepFacts) -> None:
        settings = self._zoomground
        everyone = gather_object(rollouts)
        figures = step_figures(everyone, facts, settings.recipe_hash, settings.rewards)
        figures |= self._turn_level.figures([rollout.notes for rollout in everyone])
        if figures.get("zoomin/other_recipe"):
            _logger.warning("rollouts were played by another recipe: give both sides the same ZOOMIN_RECIPE")
        unscored = sum(door.unscored for door in self._doors)
        figures["zoomin/unscored_total"] = float(sum(gather_object([unscored])))
        if judges := [
            reward.judge for reward in self.reward_funcs if isinstance(reward, zoomin_cot_rm) and reward.judge
        ]:
            figures |= judge_figures(gather_object([judge.take() for judge in judges]))
        figures |= self._remedy_figures
        if self.model.training and self.accelerator.is_main_process:
            figures |= self._watch.step(facts.step, figures)
        for name, value in figures.items():
            self._metrics[self._mode][name].append(value)

    def _refuse_unscored(self, samples: int) -> None:
        """End the run if a reward could score next to nothing of this step, on every rank alike.

        Raises:
            ZoomgroundError: If that is so.
        """
        samples = sum(gather_object([samples]))
        for door in self._doors:
            lost = sum(gather_object([door.unscored_in_batch]))
            if lost > MOST_UNSCORED * samples:
                raise ZoomgroundError(
                    f"{door.registered} could not score {lost} of the {samples} samples of this step; the last fault "
                    f"here: {door.last_failure or 'none, see the other ranks'}"
                )

    def _log_trajectories(self, rollouts: list[Rollout], facts: StepFacts) -> None:
        try:
            records = [saved_record(rollout, facts, self._zoomground) for rollout in rollouts]
            write_step(log_path(self._log_folder, facts.rank), records)
        except (OSError, ZoomgroundError) as error:
            _logger.warning("the trajectories of step %d were not saved: %s", facts.step, error)


def _keep_labels(*_: Any) -> None:
    """In place of ms-swift's ``_add_dynamic_eos``.

    That one takes the template's end-of-turn tokens into the loss wherever they follow a trained token. Behind a turn
    that ended otherwise (``<|endoftext|>``, a masked last id) they were never sampled: they have no log-prob, and one
    such turn switches importance correction off for its micro-batch. Here every turn's ids and mask are exact.
    """


def _named(names: list[str], values: torch.Tensor) -> dict[str, float | None]:
    """Values by name; NaN is ms-swift's word for a reward that does not apply."""
    return {name: None if math.isnan(value) else value for name, value in zip(names, values.tolist(), strict=True)}
