"""The words that the policy reads are pinned: a change of any of them is a new version, not an edit.

To make golden files for a new version: ``python tests/protocol/test_prompts.py``.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from zoomground.errors import RecipeError
from zoomground.geometry import Size
from zoomground.protocol import prompts
from zoomground.protocol.actions import CropUnits, Reason
from zoomground.protocol.settings import Arm, EpisodeSettings

GOLDEN = Path(__file__).parents[1] / "golden" / "prompts"


def rendered() -> dict[str, str]:
    texts = {}
    for arm, decline, units in product(Arm, (False, True), CropUnits):
        settings = EpisodeSettings(arm=arm, allow_decline=decline, crop_units=units)
        name = f"v1-system-{arm.value}{'-decline' if decline else ''}{'-pixels' if units is CropUnits.PIXELS else ''}"
        system, user = prompts.opening(
            instruction="Open the File menu", image_name="screen.png", size=Size(3840, 2160), settings=settings
        )
        texts[name] = f"{system.text}\n=====\n{user.text}\n"
    for arm in (Arm.ON, Arm.OFF):
        settings = EpisodeSettings(arm=arm)
        lines = [
            prompts.correction(reason, settings=settings, remaining_crops=settings.crop_budget, remaining_corrections=1)
            for reason in Reason
        ]
        texts[f"v1-corrections-{arm.value}"] = "\n".join(lines) + "\n"
    texts["v1-closings"] = f"{prompts.answer_now(EpisodeSettings())}\n{prompts.last_turn(EpisodeSettings())}\n"
    return texts


@pytest.mark.parametrize("name", sorted(rendered()))
def test_text_is_the_golden_one(name: str) -> None:
    assert rendered()[name] == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_no_golden_file_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(rendered())


def test_every_placeholder_is_filled() -> None:
    for name, text in rendered().items():
        assert "$" not in text, name


def test_plain_door_gives_the_same_text() -> None:
    text = prompts.build_system_prompt(
        instruction="Open the File menu", image_path="screen.png", width=3840, height=2160, max_tool_calls=3
    )
    assert text == rendered()["v1-system-on"].split("\n=====\n")[0]


def test_an_unknown_version_is_named() -> None:
    with pytest.raises(RecipeError, match="unknown prompt version 'v0'"):
        prompts.answer_now(EpisodeSettings(prompt_version="v0"))


if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for golden_name, golden_text in rendered().items():
        (GOLDEN / f"{golden_name}.txt").write_text(golden_text, encoding="utf-8")
