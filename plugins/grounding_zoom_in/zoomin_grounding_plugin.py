"""Door for ms-swift: `--external_plugins .../zoomin_grounding_plugin.py` on the trainer and on the rollout server.

Importing it registers with ms-swift:

- the scheduler `zoomin_grounding_scheduler`;
- the rewards `zoomin_accuracy`, `zoomin_crop_process_gated`, `zoomin_format`, `zoomin_zoom_bonus`, `zoomin_cot_rm` and
  `dense_distance`;
- templates for tiny checkpoints, and the trainer that logs trajectories and leaves failed episodes out.

The code is in the package `zoomground`, which must be installed; this file may be copied anywhere.
"""

from zoomground.engines.swift.plugin import SCHEDULER
from zoomground.engines.swift.rewards import (
    dense_distance,
    zoomin_accuracy,
    zoomin_cot_rm,
    zoomin_crop_process_gated,
    zoomin_format,
    zoomin_zoom_bonus,
)
from zoomground.engines.swift.scheduler import ZoominGroundingScheduler

__all__ = [
    "SCHEDULER",
    "ZoominGroundingScheduler",
    "dense_distance",
    "zoomin_accuracy",
    "zoomin_cot_rm",
    "zoomin_crop_process_gated",
    "zoomin_format",
    "zoomin_zoom_bonus",
]
