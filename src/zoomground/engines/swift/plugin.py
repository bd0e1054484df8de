"""Importing this module registers the scheduler, the rewards, the templates and the trainer with ms-swift.

ms-swift imports it through ``--external_plugins``, on the rollout server as on the trainer. The trainer is registered
by its path, so that a rollout server does not import the training stack.
"""

from __future__ import annotations

from swift.rewards import orms
from swift.rollout import multi_turns
from swift.trainers import TrainerFactory

from zoomground.engines.patch_embedding import is_accelerator_available, use_matrix_product
from zoomground.engines.swift.rewards import REGISTERED
from zoomground.engines.swift.scheduler import ZoominGroundingScheduler
from zoomground.engines.swift.template import register_templates

SCHEDULER = "zoomin_grounding_scheduler"

multi_turns[SCHEDULER] = ZoominGroundingScheduler
orms.update(REGISTERED)
TrainerFactory.TRAINER_MAPPING["grpo"] = "zoomground.engines.swift.trainer.ZoomgroundGRPOTrainer"
register_templates()
if not is_accelerator_available():
    use_matrix_product()
