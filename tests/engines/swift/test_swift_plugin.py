"""What a user types finds everything: registered names, the doors, the templates."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from swift.rewards import ORM, AsyncORM, orms
from swift.rollout import multi_turns
from swift.template import TEMPLATE_MAPPING
from swift.trainers import TrainerFactory
from swift.utils import import_external_file

from zoomground.engines.swift import plugin
from zoomground.engines.swift.scheduler import ZoominGroundingScheduler
from zoomground.engines.swift.template import TEMPLATES, register_templates

pytestmark = pytest.mark.engine

DOORS = Path(__file__).parents[3] / "plugins" / "grounding_zoom_in"
COMPUTED = ("zoomin_accuracy", "zoomin_crop_process_gated", "zoomin_format", "zoomin_zoom_bonus", "dense_distance")


def test_everything_is_registered_under_the_names_that_users_type() -> None:
    assert multi_turns[plugin.SCHEDULER] is ZoominGroundingScheduler
    for name in COMPUTED:
        assert issubclass(orms[name], ORM)
        assert orms[name].__name__ == name, "the log's column"
    assert issubclass(orms["zoomin_cot_rm"], AsyncORM)
    assert TrainerFactory.TRAINER_MAPPING["grpo"].endswith("ZoomgroundGRPOTrainer")


def test_templates_stand_beside_those_of_ms_swift() -> None:
    register_templates()
    for original, name in TEMPLATES.items():
        ours, theirs = TEMPLATE_MAPPING[name], TEMPLATE_MAPPING[original]
        assert issubclass(ours.template_cls, theirs.template_cls)
        assert ours.template_cls is not theirs.template_cls
        assert ours.thinking_prefix == theirs.thinking_prefix
        assert ours.non_thinking_prefix == theirs.non_thinking_prefix
        assert ours.is_thinking == theirs.is_thinking
        assert theirs.template_type == original, "the original is left alone"


def test_the_doors_work_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for door in DOORS.glob("*.py"):
        assert len(door.read_text(encoding="utf-8").splitlines()) < 40
        (tmp_path / door.name).write_text(door.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(sys, "path", list(sys.path))
    module = import_external_file(str(tmp_path / "zoomin_grounding_plugin.py"))
    assert module.ZoominGroundingScheduler is ZoominGroundingScheduler
    script = (
        "from zoomin_grounding_protocol import build_system_prompt, execute_crop, parse; import sys; "
        "assert 'Open it' in build_system_prompt(instruction='Open it', image_path='s.png', width=9, height=9, "
        "max_tool_calls=3); assert not {'swift', 'torch'} & set(sys.modules)"
    )
    source = Path(__file__).parents[3] / "src"
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env={"PYTHONPATH": str(source)}, check=True)


def test_the_dataset_and_the_record_need_no_ms_swift() -> None:
    script = (
        "import sys, zoomground.engines.swift.dataset, zoomground.engines.swift.record; "
        "assert not {'swift', 'torch'} & set(sys.modules)"
    )
    source = Path(__file__).parents[3] / "src"
    subprocess.run([sys.executable, "-c", script], env={"PYTHONPATH": str(source)}, check=True)
