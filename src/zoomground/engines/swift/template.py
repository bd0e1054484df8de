"""Chat templates for checkpoints whose media tokens have other ids than the published ones.

ms-swift's Qwen templates hold the ids of the published vocabularies as numbers. A tiny checkpoint of the same
architecture has a small vocabulary of its own; these templates read the ids from its processor.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

from swift.template import TEMPLATE_MAPPING, register_template
from swift.template.templates.qwen import Qwen3_5Template, Qwen3VLTemplate

TEMPLATES = {"qwen3_vl": "zoomground_qwen3_vl", "qwen3_5": "zoomground_qwen3_5"}
"""ms-swift's template and model type, and the template here that stands beside it."""


class ZoomgroundQwen3VLTemplate(Qwen3VLTemplate):
    """Qwen3-VL with the checkpoint's own media ids."""

    def init_processor(self, processor: Any) -> None:
        """Take the media ids from the checkpoint."""
        super().init_processor(processor)
        if processor is not None:
            self.image_token_id, self.video_token_id = processor.image_token_id, processor.video_token_id


class ZoomgroundQwen35Template(Qwen3_5Template):
    """Qwen3.5 (also the architecture of Qwen3.8-27B) with the checkpoint's own media ids."""

    def init_processor(self, processor: Any) -> None:
        """Take the media ids from the checkpoint."""
        super().init_processor(processor)
        if processor is not None:
            self.image_token_id, self.video_token_id = processor.image_token_id, processor.video_token_id


_CLASSES = {"qwen3_vl": ZoomgroundQwen3VLTemplate, "qwen3_5": ZoomgroundQwen35Template}


def register_templates() -> None:
    """Register the templates with ms-swift; a second call does nothing new."""
    for original, name in TEMPLATES.items():
        meta = replace(deepcopy(TEMPLATE_MAPPING[original]), template_type=name, template_cls=_CLASSES[original])
        register_template(meta, exist_ok=True)
